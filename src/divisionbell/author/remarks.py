"""The comments and blank lines of a bank file, found between the places that the strict reader gives its values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from divisionbell.bank.document import Document, Mark

Place = tuple[int, int]
_HEADER = re.compile(r"[>|][-+0-9]*")
_WHOLE_LINE = (0, 1 << 30)


@dataclass(frozen=True)
class Remark:
    """One comment, or a run of blank lines where `text` is empty. `own`: nothing else stands on its line."""

    line: int
    column: int
    text: str
    own: bool

    @property
    def place(self) -> Place:
        return self.line, self.column


def remarks(document: Document) -> list[Remark]:
    """Every comment and run of blank lines of a document that was read without problems, in order."""
    lines = document.lines
    wanted: dict[int, list[tuple[int, int]]] = {
        number: [] for number, line in enumerate(lines, start=1) if "#" in line or not line.strip(" \t")
    }
    for first, start, last, end in _spans(lines, document.root):
        if first == last:
            if first in wanted:
                wanted[first].append((start, end))
            continue
        for number in range(first, last + 1):
            if number in wanted:
                wanted[number].append((start if number == first else 0, end if number == last else _WHOLE_LINE[1]))
    found = []
    last_blank = 0
    for number, spans in wanted.items():
        line = lines[number - 1]
        if not line.strip(" \t"):
            if not spans and last_blank < number - 1:
                found.append(Remark(number, 1, "", True))
            last_blank = number if not spans else last_blank
            continue
        at = _first_hash(line, spans)
        if at >= 0:
            found.append(Remark(number, at + 1, line[at:].rstrip(" \t"), not line[:at].strip(" \t\ufeff")))
    return found


def _first_hash(line: str, spans: list[tuple[int, int]]) -> int:
    """Where the comment of a line begins, counted from 0: the first # outside its scalars; -1 where there is none."""
    behind = 0
    for start, end in spans:
        at = line.find("#", behind, start)
        if at >= 0:
            return at
        behind = end
    return line.find("#", behind)


def _spans(lines: list[str], mark: Mark) -> Iterator[tuple[int, int, int, int]]:
    """First line, start, last line and end of the text of every scalar, in order; start and end count from 0."""
    if mark.children is None:
        yield from _span(lines, mark.line, mark.column, mark.end_line, mark.end_column)
    elif isinstance(mark.children, list):
        for child in mark.children:
            yield from _spans(lines, child)
    else:
        for child in mark.children.values():
            last = child.key_end_line - (child.key_end_column == 1 and child.key_end_line > child.key_line)
            yield from _span(lines, child.key_line, child.key_column, last, child.key_end_column)
            yield from _spans(lines, child)


def _span(lines: list[str], first: int, column: int, last: int, end_column: int) -> Iterator[tuple[int, int, int, int]]:
    if (first, column) == (last, end_column):  # null, written as nothing
        return
    header = _HEADER.match(lines[first - 1], column - 1)
    if header is None:
        yield first, column - 1, last, end_column - 1
        return
    yield first, column - 1, first, header.end()
    if last > first:
        yield first + 1, 0, last, _WHOLE_LINE[1]
