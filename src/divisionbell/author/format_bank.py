"""Rewrite bank files in their canonical form: what is written says the same, comments and all, or is not written."""

from __future__ import annotations

import difflib
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from divisionbell.author.layout import canonical
from divisionbell.author.remarks import remarks
from divisionbell.bank.differences import first_difference as first_character
from divisionbell.bank.files import leads_inside
from divisionbell.bank.load import MANY, without_collection, yaml_files
from divisionbell.bank.read import MAX_BYTES, Document, read, read_bytes
from divisionbell.bank.two_processes import in_two
from divisionbell.diagnostics import Diagnostic, Findings, Location, shown_path, visible
from divisionbell.freeze.whole_file import ChangedOnDisk, NotWritten, write_whole


class FormatFault(Exception):
    """What was to be written does not say what the file says: a fault of this program."""


def bank_yaml(folder: Path) -> tuple[list[Path], list[Diagnostic]]:
    """The YAML files of a bank and data_sources.yaml beside it, without what is frozen; and links that lead out.

    A link that leads inside is passed over: what it leads to is there by itself.
    """
    found: list[Path] = []
    problems: list[Diagnostic] = []
    inside = os.path.realpath(folder)
    for parts, is_link in yaml_files(folder):
        path = folder.joinpath(*parts)
        if parts[0] == "freeze":
            continue
        if not is_link:
            found.append(path)
        elif not leads_inside(str(path), inside):
            place = Location(shown_path(path))
            problems.append(Diagnostic(place, "SCH001", "leads out of the bank folder", "put the file itself there"))
    sources = Path(inside).parent / "data_sources.yaml"
    return [*found, sources] if sources.exists() else found, problems


@dataclass(frozen=True)
class Formatted:
    """What a file says, and what it should say: the same where it is in its form, or where it cannot be formatted."""

    path: Path
    before: str
    after: str
    problems: tuple[Diagnostic, ...] = ()
    failure: Findings | FormatFault | None = None

    @property
    def shown(self) -> str:
        return shown_path(self.path)

    @property
    def changed(self) -> bool:
        return self.before != self.after


def format_files(paths: Sequence[Path]) -> list[Formatted]:
    """Every file read and laid out; nothing is written. Never raises for what is in a file."""
    with without_collection():
        return in_two(paths, _format_file, pays=len(paths) >= MANY)


def _format_file(path: Path) -> Formatted:
    made = format_document(read(path))
    return made if made.changed else replace(made, before="", after="")  # it may go to another process


def format_document(document: Document) -> Formatted:
    """One document laid out. Never raises for what is in it."""
    path, text = document.path, document.text
    if document.problems:
        return Formatted(path, text, text, tuple(document.problems))
    try:
        return Formatted(path, text, formatted(document))
    except (Findings, FormatFault) as failure:
        return Formatted(path, text, text, failure=failure)


def formatted(document: Document) -> str:
    """The canonical text of a document that was read without problems.

    Raises Findings where the canonical text would be too large a file, and FormatFault where the strict reader would
    not read the same value and comments from it.
    """
    text = canonical(document)
    if text == document.text:
        return text
    data = text.encode("utf-8")
    if len(data) > MAX_BYTES:
        raise Findings(
            f"{document.shown} would be larger than {MAX_BYTES:,} bytes in its canonical form", fix="split the file"
        )
    again = read_bytes(data, Document(document.path))
    same = not again.problems and repr(again.value) == repr(document.value)  # repr tells 1 from 1.0 and from true
    if not same or _comments(again) != _comments(document):
        raise FormatFault(f"{document.shown} was not formatted: its canonical text would not say the same")
    return text


def _comments(document: Document) -> list[str]:
    return [remark.text for remark in remarks(document) if remark.text]


def rewrite(file: Formatted) -> None:
    """Replace a file by what it should say, whole and with its mode. Raises Findings where that cannot be."""
    try:
        write_whole(file.path, file.after.encode("utf-8"), instead_of=file.before.encode("utf-8"))
    except ChangedOnDisk:
        raise Findings(
            f"{file.shown} was not written: it changed while it was being formatted", fix="run the command again"
        ) from None
    except NotWritten as problem:
        raise Findings(problem.message, fix=problem.fix) from None


def _lines(text: str) -> list[str]:
    return list(io.StringIO(text, newline="\n"))


def first_difference(old: str, new: str) -> tuple[int, str, str]:
    """The first line, counted from 1, that differs between two texts, and how it reads in both, safe for a terminal."""
    pairs = enumerate(zip_longest(_lines(old), _lines(new)), start=1)
    number, (was, now) = next((number, pair) for number, pair in pairs if pair[0] != pair[1])
    ended = all(line is None or line.endswith("\n") for line in (was, now))
    if was is not None and now is not None and was.rstrip("\r\n") == now.rstrip("\r\n") and was.endswith("\r\n"):
        return number, "a line that ends in CR LF", "one that ends in LF"
    before, after = (None if one is None else visible(one.removesuffix("\n") if ended else one) for one in (was, now))
    same = first_character(before or "", after or "")
    return number, _quoted(before, same), _quoted(after, same)


SHOWN, AROUND = 72, 20


def _quoted(line: str | None, same: int) -> str:
    """A line in quotes; of a long one a part that begins a little before the first character that differs."""
    if line is None:
        return "nothing"
    start = max(0, same - AROUND) if len(line) > SHOWN else 0
    told = line[start:] if len(line) - start < SHOWN else line[start : start + SHOWN - 2] + "…"
    return f'"{"…" if start else ""}{told}"'


def unified_diff(file: Formatted) -> str:
    """The change as a unified diff, safe for a terminal: control and format characters are written as escapes."""
    told = []
    for line in difflib.unified_diff(_lines(file.before), _lines(file.after), file.shown, file.shown):
        told.append(visible(line.removesuffix("\n")))
        if not line.endswith("\n"):
            told.append("\\ No newline at end of file")
    return "".join(line + "\n" for line in told)
