"""A bank file as read: its value, and the place of every part."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from divisionbell.diagnostics import Diagnostic, Location, shown_path

Path_ = tuple[str | int, ...]


class Mark:
    """The place of one value, of its key, and of what it holds; lines and columns count from 1.

    `end_line` is the last line that the value stands on, without blank lines and comments after it.
    """

    __slots__ = ("children", "column", "end_line", "key_column", "key_line", "line")

    def __init__(self, line: int, column: int, end_line: int) -> None:
        self.line, self.column, self.end_line = line, column, end_line
        self.key_line, self.key_column = line, column
        self.children: dict[str, Mark] | list[Mark] | None = None


@dataclass
class Document:
    """One file as read: its value, the place of every part, and what was wrong with it."""

    path: Path
    value: Any = field(default=None, repr=False)
    text: str = field(default_factory=str, repr=False)  # a plain default would hide __getattr__
    problems: list[Diagnostic] = field(default_factory=list)

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
            data = self.path.read_bytes()
        except OSError:
            return ""
        same = hashlib.sha256(data).digest() == self.__dict__["_digest"]
        return data.decode("utf-8", errors="replace") if same else ""

    @cached_property
    def shown(self) -> str:
        return shown_path(self.path)

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text, without their ends and without a byte order mark."""
        return self.text.removeprefix("\ufeff").splitlines()

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
        index = min(index, len(text) - 1)
        behind = text[index].isspace()
        wanted = sum(not c.isspace() for c in text[:index]) - behind
        if wanted < 0:
            return start
        first = mark.line - 1
        source = list(enumerate(self.lines[first : mark.end_line], start=first))
        style = source[0][1][mark.column - 1 : mark.column] if source else ""
        offset = mark.column - 1
        if style in {">", "|"}:
            source, offset = source[1:], 0
        elif style in {'"', "'"}:
            offset = mark.column
            if style == '"' and any("\\" in line for _, line in source):
                return start
        seen = 0
        doubled = False
        for number, line in source:
            for column in range(offset, len(line)):
                if line[column].isspace():
                    continue
                doubled = style == "'" and line[column] == "'" and not doubled
                if doubled:  # the first quote of a pair that stands for one
                    continue
                if seen == wanted:
                    return Location(self.shown, number + 1, column + 1 + behind)
                seen += 1
            offset = 0
        return start
