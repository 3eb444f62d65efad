"""Write bank files: whole new ones, and single values or blocks in place, so that nothing else moves.

What is written is read back by the strict reader before it replaces the file.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from divisionbell.author.layout import emit as emit
from divisionbell.author.scalars import scalar
from divisionbell.bank.read import Document, Path_, read_bytes
from divisionbell.diagnostics import Findings, real_path, shown_path
from divisionbell.freeze.whole_file import ChangedOnDisk, NotWritten, write_new, write_whole


def schema_line(bank_folder: Path, file: Path, name: str) -> str:
    """The first line of a bank file, which lets an editor complete and check it.

    The editor's schemas are those that bank.yaml names in its own first line, an address or an existing folder; where
    it names none, those of the installed program.
    """
    first = (bank_folder / "bank.yaml").read_text(encoding="utf-8-sig").split("\n", 1)[0]
    named = re.match(r"# yaml-language-server: \$schema=(\S+)/bank\.schema\.json\s*\Z", first)
    if named and "://" in named.group(1):
        return f"# yaml-language-server: $schema={named.group(1)}/{name}.schema.json\n"
    folder = Path(__file__).parent.parent / "model" / "editor"
    if named and (bank_folder / named.group(1)).is_dir():
        folder = bank_folder / named.group(1)
    relative = Path(os.path.relpath(real_path(folder), real_path(file).parent)).as_posix()
    return f"# yaml-language-server: $schema={relative}/{name}.schema.json\n"


class _Lines:
    """The lines of a file with their own line ends, counted from 1 as marks do; joined again they are the file."""

    def __init__(self, document: Document) -> None:
        self.bom = "\ufeff" if document.text.startswith("\ufeff") else ""
        self.lines = document.text.removeprefix("\ufeff").splitlines(keepends=True)
        self.end = "\r\n" if self.lines and self.lines[0].endswith("\r\n") else "\n"
        if self.lines and not self.lines[-1].endswith(("\n", "\r")):
            self.lines[-1] += self.end

    def replace(self, first: int, last: int, block: str) -> str:
        """The file's text with the lines from `first` to `last` replaced; last = first - 1 inserts before `first`."""
        new = [line + self.end for line in block.split("\n")]
        return self.bom + "".join([*self.lines[: first - 1], *new, *self.lines[last:]])


def replace_scalar(document: Document, path: Path_, value: str) -> str:
    """The text of the file with one plain or quoted one-line value replaced. Raises Findings where it is not one."""
    mark, found = document.mark(path)
    line = document.lines[mark.line - 1]
    head, old = line[: mark.column - 1], line[mark.column - 1 :]
    quoted = re.match(
        r"""('(?:[^']|'')*'|"(?:[^"\\]|\\.)*"|(?![\[{>|'"#])\S+(?:[ \t]+(?!\#)\S+)*|)(\s*|\s+#.*)\Z""", old
    )
    within = line[: mark.key_column - 1].strip(" -")
    if not found or within or mark.end_line != mark.line or mark.children is not None or quoted is None:
        raise Findings(f"{document.at(*path)}: cannot be replaced in place", fix="write the value on one line")
    written, below = scalar(value, mark.key_column + 1)
    blank = "" if head.endswith((" ", "\t")) else " "
    block = "\n".join([f"{head}{blank}{written}{quoted.group(2)}", *below])
    return _Lines(document).replace(mark.line, mark.line, block)


def replace_block(document: Document, path: Path_, value: Any) -> str:
    """The text of the file with the mapping or list at a key replaced by another.

    Comments within the block go with it; what stands before and after is kept. Raises Findings where the key does not
    begin a line.
    """
    mark, found = document.mark(path)
    if not found:
        raise Findings(f"{document.at(*path)}: there is nothing to replace")
    indent = mark.key_column - 1
    head = document.lines[mark.key_line - 1][:indent]
    if head.strip(" -"):
        raise Findings(f"{document.at(*path)}: cannot be replaced in place", fix="write the key on a line of its own")
    block = emit({str(path[-1]): value}, indent).rstrip("\n")
    return _Lines(document).replace(mark.key_line, mark.end_line, head + block[indent:])


def append_item(document: Document, path: Path_, value: Any) -> str:
    """The text of the file with one more element at the end of the list at a key, before comments that follow it."""
    mark, found = document.mark(path)
    if not found or not isinstance(mark.children, list) or not mark.children:
        raise Findings(f"{document.at(*path)}: there is no list to add to")
    dash = mark.column - 1
    if document.lines[mark.line - 1][dash : dash + 1] != "-":
        raise Findings(
            f"{document.at(*path)}: cannot be added to in place", fix="write one element a line, each after a dash"
        )
    return _Lines(document).replace(mark.end_line + 1, mark.end_line, emit([value], dash).rstrip("\n"))


def checked(path: Path, text: str, expected: Any = None) -> None:
    """Read a text back by the strict reader, as the file that it is to become.

    Raises Findings where it would not be read, or would not be read as `expected`.
    """
    document = read_bytes(text.encode("utf-8"), Document(path))
    if document.problems:
        raise Findings(f"{shown_path(path)} was not written: it could not be read back", tuple(document.problems))
    if expected is not None and document.value != expected:
        raise Findings(f"{shown_path(path)} was not written: it would not be read as what was meant")


def write_checked(path: Path, text: str, expected: Any = None) -> None:
    """Write a new bank file whole, after `checked` has read it back.

    Raises Findings as that does, NotWritten where it cannot be written or the name is taken.
    """
    checked(path, text, expected)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        told = f"{shown_path(path.parent)} cannot be made: {error.strerror}"
        raise NotWritten(told, "make it a folder that can be written") from None
    write_new(path, text.encode("utf-8"))


def as_read(document: Document) -> bytes:
    """The bytes that a document was read from. Raises ChangedOnDisk where they are no longer there to be edited."""
    if not document.text:  # it was read by another process, and the file is another by now
        raise ChangedOnDisk(document.path)
    return document.text.encode("utf-8")


def rewrite_checked(document: Document, text: str) -> None:
    """Replace a bank file whole, after `checked` has read the new text back; an edit saved meanwhile is not lost.

    Raises Findings as `checked` does, ChangedOnDisk where the file is no longer what was read, NotWritten otherwise.
    """
    checked(document.path, text)
    write_whole(document.path, text.encode("utf-8"), instead_of=as_read(document))
