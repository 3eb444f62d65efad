"""A bank file as read: its value, and the place of every part."""

from __future__ import annotations

import hashlib
from array import array
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

import orjson

from divisionbell.bank.files import NotRead, read_file
from divisionbell.bank.signs import split_lines
from divisionbell.diagnostics import Diagnostic, Location, shown_path

Path_ = tuple[str | int, ...]
# The largest file that is read.
MAX_BYTES = 4_000_000


class Mark:
    """The place of one value, of its key, and of what it holds; lines and columns count from 1.

    `end_line` is the last line that the value stands on, without blank lines and comments after it. The end columns
    are those behind the last character; `end_column` says nothing of block scalars and block collections.
    """

    __slots__ = (
        "children",
        "column",
        "end_column",
        "end_line",
        "key_column",
        "key_end_column",
        "key_end_line",
        "key_line",
        "line",
    )

    def __init__(self, line: int, column: int, end_line: int, end_column: int = 1) -> None:
        self.line, self.column, self.end_line, self.end_column = line, column, end_line, end_column
        self.key_line, self.key_column = line, column
        self.key_end_line, self.key_end_column = line, column
        self.children: dict[str, Mark] | list[Mark] | None = None


@dataclass
class Document:
    """One file as read: its value, the place of every part, and what was wrong with it."""

    path: Path
    value: Any = field(default=None, repr=False)
    # A default value would stay behind in the class, and the text of a document of another process would not be missed.
    text: str = field(default_factory=str, repr=False)
    problems: list[Diagnostic] = field(default_factory=list)
    # The characters of the value that was last asked for: a text can have a finding in every word.
    _counted: tuple[Path_, str, array[int], array[int], array[int]] | None = field(
        default=None, init=False, repr=False, compare=False
    )

    def __getstate__(self) -> dict[str, Any]:
        """What another process is told of a document: its value as JSON text, which is read fastest, and the digest of
        the text, which is read again where it is asked for."""
        text = self.text.encode("utf-8", "surrogatepass")
        return {
            "path": self.path,
            "problems": self.problems,
            "_value": orjson.dumps(self.value),
            "_digest": hashlib.sha256(text).digest(),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, value=orjson.loads(state.pop("_value")))

    def __getattr__(self, name: str) -> Any:
        if name != "text" or "_digest" not in self.__dict__:
            raise AttributeError(name)
        self.text = self._read_again()
        return self.text

    def _read_again(self) -> str:
        """The text of the file; empty where that is another by now, so that no place is told that is not there."""
        try:
            data = read_file(self.path, MAX_BYTES)
        except NotRead:
            return ""
        same = hashlib.sha256(data).digest() == self.__dict__["_digest"]
        return data.decode("utf-8", errors="replace") if same else ""

    @cached_property
    def shown(self) -> str:
        return shown_path(self.path)

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text, without their ends and without a byte order mark."""
        return split_lines(self.text.removeprefix("\ufeff"))

    @cached_property
    def root(self) -> Mark:
        """The places in the text; only few documents are asked for theirs, so they are found when asked for."""
        from divisionbell.bank.build import marks_of

        return marks_of(self)

    def mark(self, path: Path_) -> tuple[Mark, bool]:
        """The mark of the value at `path`, or of its deepest ancestor that exists; and whether it was found."""
        mark = self.root
        for step in path:
            children = mark.children
            if isinstance(children, dict) and step in children:
                mark = children[str(step)]
            elif isinstance(children, list) and isinstance(step, int) and 0 <= step < len(children):
                mark = children[step]
            else:
                return mark, False
        return mark, True

    def at(self, *path: str | int) -> Location:
        """The place of a value."""
        mark, found = self.mark(path)
        if not found:
            return Location(self.shown, mark.key_line, mark.key_column)
        return Location(self.shown, mark.line, mark.column)

    def at_key(self, *path: str | int) -> Location:
        """The place of a key, or of the element where there is no key."""
        mark, _ = self.mark(path)
        return Location(self.shown, mark.key_line, mark.key_column)

    def at_character(self, path: Path_, text: str, index: int) -> Location:
        """The place in the file of one character of a text value.

        Folding changes only white space, so the characters that are not white space are counted along the source; white
        space stands where the character before it ends. Text with backslash escapes has no such map: there, and where
        the count fails, it is the place of the value.
        """
        mark, found = self.mark(path)
        start = self.at(*path)
        if not found or not text:
            return start
        if self._counted is None or self._counted[:2] != (path, text):
            ink = array("I", accumulate((not c.isspace() for c in text), initial=0))
            self._counted = (path, text, ink, *self._written(mark))
        ink, lines, columns = self._counted[2:]
        index = min(index, len(text) - 1)
        behind = text[index].isspace()
        wanted = ink[index] - behind
        if not 0 <= wanted < len(lines):
            return start
        return Location(self.shown, lines[wanted], columns[wanted] + behind)

    def _written(self, mark: Mark) -> tuple[array[int], array[int]]:
        """Line and column of every character of a written value that is not white space; none where it has escapes."""
        lines, columns = array("I"), array("I")
        first = mark.line - 1
        source = list(enumerate(self.lines[first : mark.end_line], start=mark.line))
        style = source[0][1][mark.column - 1 : mark.column] if source else ""
        offset = mark.column - 1
        if style in {">", "|"}:
            source, offset = source[1:], 0
        elif style in {'"', "'"}:
            offset = mark.column
            if style == '"' and any("\\" in line for _, line in source):
                return lines, columns
        doubled = False
        for number, line in source:
            for column in range(offset, len(line)):
                if line[column].isspace():
                    continue
                doubled = style == "'" and line[column] == "'" and not doubled
                if not doubled:  # the first quote of a pair that stands for one
                    lines.append(number)
                    columns.append(column + 1)
            offset = 0
        return lines, columns
