"""The line that a finding points at, cut and made safe so that a caret can stand under its column."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

from divisionbell.bank.signs import split_lines
from divisionbell.diagnostics import Location, visible

MAX_BYTES = 32_000_000
KEPT_FILES = 8
TAB = "    "
CUT = "..."


@dataclass(frozen=True)
class Line:
    """One line of a file without its end, and the place in it, counted in characters from 0."""

    text: str
    index: int


@dataclass
class Sources:
    """Gives the lines of files, and of texts that were given instead of a file. Holds the last few files only."""

    given: dict[str, bytes] = field(default_factory=dict)
    _kept: OrderedDict[str, list[bytes] | list[str]] = field(default_factory=OrderedDict)

    def line(self, place: Location) -> Line | None:
        """The line at a place, or None: for a whole file (1:1), a file that cannot be read, and a blank line."""
        if (place.line, place.column) == (1, 1):
            return None
        lines = self._lines(place.path)
        if not 0 < place.line <= len(lines):
            return None
        found = lines[place.line - 1]
        if isinstance(found, bytes):  # the file is no UTF-8, and the reader counted its columns in bytes
            text = found.decode("utf-8", "surrogateescape")
            index = len(found[: place.column - 1].decode("utf-8", "surrogateescape"))
        else:
            text, index = found, place.column - 1
        return Line(text, min(index, len(text))) if text.strip() else None

    def _lines(self, path: str) -> list[bytes] | list[str]:
        if path in self._kept:
            self._kept.move_to_end(path)
            return self._kept[path]
        data = self.given[path] if path in self.given else _file(path)
        lines = self._kept[path] = _split(path, data)
        if len(self._kept) > KEPT_FILES:
            self._kept.popitem(last=False)
        return lines


def _split(path: str, data: bytes) -> list[bytes] | list[str]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return [line.encode("latin-1") for line in split_lines(data.decode("latin-1"))]
    # Lines of records end at a line feed; others as the reader counts them.
    return text.split("\n") if path.endswith((".json", ".jsonl")) else split_lines(text.removeprefix("\ufeff"))


def _file(path: str) -> bytes:
    """The bytes of a regular file. A link is not followed: it may lead out of the bank, which is the finding then."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        with open(os.open(path, flags), "rb") as stream:  # noqa: PTH123
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                return b""
            data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError):
        return b""
    return data if len(data) <= MAX_BYTES else b""


def cut(line: Line, width: int) -> tuple[str, int]:
    """About `width` columns of the line around its place, safe for a terminal, and the column of the place from 0."""
    before = _pieces(reversed(line.text[max(0, line.index - width) : line.index]), width)
    behind = _pieces(line.text[line.index : line.index + width], width)
    space_behind = min(_width(behind), max(width - _width(before), width // 3))
    kept_before = _fitting(before, width - space_behind)
    kept_behind = _fitting(behind, space_behind)
    left = "".join(piece for piece, _ in reversed(kept_before))
    right = "".join(piece for piece, _ in kept_behind)
    left_cut = CUT if len(kept_before) < line.index else ""
    right_cut = CUT if len(kept_behind) < len(line.text) - line.index else ""
    return f"{left_cut}{left}{right}{right_cut}", len(left_cut) + _width(kept_before)


def _pieces(characters: Iterable[str], width: int) -> list[tuple[str, int]]:
    """Each character as it is shown, with the columns that it takes, until `width` columns are full."""
    pieces: list[tuple[str, int]] = []
    used = 0
    for character in characters:
        shown = TAB if character == "\t" else visible(character)
        taken = len(shown) if shown != character else _columns(character)
        if used + taken > width:
            break
        used += taken
        pieces.append((shown, taken))
    return pieces


def _columns(character: str) -> int:
    """The columns of a terminal that a printable character takes."""
    if unicodedata.category(character) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def _width(pieces: list[tuple[str, int]]) -> int:
    return sum(taken for _, taken in pieces)


def _fitting(pieces: list[tuple[str, int]], width: int) -> list[tuple[str, int]]:
    used = 0
    for number, (_, taken) in enumerate(pieces):
        used += taken
        if used > width:
            return pieces[:number]
    return pieces
