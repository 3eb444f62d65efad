"""Read a bank file: strict YAML 1.2 with the place of every value, built from the parser's events.

There is no second reader. Tags, anchors, aliases, merge keys, duplicate keys, several documents, NaN, infinity, text
that is not NFC and bytes that are not UTF-8 are refused; nothing in a file can make an object or run code.
"""

from __future__ import annotations

import math
import re
import stat
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from divisionbell.bank.document import Document, Mark, Path_
from divisionbell.diagnostics import Diagnostic, Location, Related

MAX_BYTES = 4_000_000
MAX_DEPTH = 32
MAX_VALUES = 200_000

_INT = re.compile(r"[-+]?[0-9]+\Z")
_OCTAL = re.compile(r"0o[0-7]+\Z")
_HEX = re.compile(r"0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_NOT_FINITE = re.compile(r"([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))\Z")
_NULL = {"", "~", "null", "Null", "NULL"}
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_LARGEST_EXACT = 2**53 - 1

__all__ = ["Document", "Mark", "Path_", "read", "read_bytes"]


def read(path: Path) -> Document:
    """Read a file from disk. Never raises for what is in the file: the problems are in the document."""
    document = Document(path)
    try:
        if path.exists() and not stat.S_ISREG(path.stat().st_mode):
            return _refuse(document, Location(document.shown), "is not a file", "put a file there")
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        _refuse(document, Location(document.shown), f"cannot be read: {error.strerror}", "make the file readable")
        return document
    return read_bytes(data, document)


def read_bytes(data: bytes, document: Document) -> Document:
    """Read bytes into `document`; its path only names it."""
    if len(data) > MAX_BYTES:
        return _refuse(document, Location(document.shown), f"is larger than {MAX_BYTES:,} bytes", "split the file")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        return _refuse(
            document,
            Location(document.shown, line, column),
            f"byte {error.start} is not UTF-8",
            "save the file as UTF-8",
        )
    document.text = text
    document.lines = text.removeprefix("\ufeff").splitlines()
    try:
        _Builder(document).build(text)
    except yaml.YAMLError as error:
        document.value = None
        place = _place_of(error, data, document)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "not YAML"
        tab = "tab" in str(problem) or _tab_at(document, place)
        _refuse(
            document, place, f"is not YAML: {problem}", "indent with blanks, not tabs" if tab else "correct the YAML"
        )
    except _Refused:
        document.value = None
    return document


def _place_of(error: yaml.YAMLError, data: bytes, document: Document) -> Location:
    mark = getattr(error, "problem_mark", None)
    if mark is not None:
        if mark.line >= len(document.lines) > 0:  # the end of the file
            return Location(document.shown, len(document.lines), len(document.lines[-1]) + 1)
        return Location(document.shown, mark.line + 1, mark.column + 1)
    before = data[: getattr(error, "position", 0)]
    line = before.rsplit(b"\n", 1)[-1].decode("utf-8", errors="ignore")
    return Location(document.shown, before.count(b"\n") + 1, len(line) + 1)


def _tab_at(document: Document, place: Location) -> bool:
    return place.line <= len(document.lines) and document.lines[place.line - 1].lstrip(" ").startswith("\t")


class _Refused(Exception):
    """Reading on makes no sense."""


def _refuse(document: Document, place: Location, message: str, fix: str, *related: Related) -> Document:
    document.problems.append(Diagnostic(place, "SCH001", message, fix, tuple(related)))
    return document


class _Builder:
    """Turns events into plain values and marks with a stack of its own, so that depth cannot exhaust Python's."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.values = 0

    def _place(self, event: Any) -> Location:
        return Location(self.document.shown, event.start_mark.line + 1, event.start_mark.column + 1)

    def _no(self, event: Any, message: str, fix: str, *related: Related) -> None:
        _refuse(self.document, self._place(event), message, fix, *related)

    def build(self, text: str) -> None:
        events: Iterator[Any] = yaml.parse(text, Loader=yaml.CSafeLoader)
        stack: list[_Open] = []
        documents = 0
        for event in events:
            if isinstance(event, yaml.ScalarEvent):
                self._put(stack, event, *self._scalar(event))
            elif isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self._no(event, "holds several documents", "keep one document in a file: remove the line ---")
                    raise _Refused
            elif isinstance(event, yaml.AliasEvent):
                self._no(event, f"alias *{event.anchor} is not allowed", "write the value out")
                raise _Refused
            elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
                self._open(stack, event)
            elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
                self._close(stack.pop(), event)
        if documents == 0:
            _refuse(self.document, Location(self.document.shown), "is empty", "write the record, or remove the file")
            raise _Refused

    def _plainly(self, event: Any) -> None:
        if event.anchor is not None:
            self._no(event, f"anchor &{event.anchor} is not allowed", "write the value out where it is needed")
            raise _Refused
        if event.tag is not None:
            self._no(event, f"tag {event.tag} is not allowed", "remove the tag")
            raise _Refused
        self.values += 1
        if self.values > MAX_VALUES:
            self._no(event, f"holds more than {MAX_VALUES:,} values", "split the file")
            raise _Refused

    def _open(self, stack: list[_Open], event: Any) -> None:
        self._plainly(event)
        if len(stack) >= MAX_DEPTH:
            self._no(event, f"is nested more than {MAX_DEPTH} deep", "flatten the value")
            raise _Refused
        mapping = isinstance(event, yaml.MappingStartEvent)
        mark = Mark(event.start_mark.line + 1, event.start_mark.column + 1, event.end_mark.line + 1)
        mark.children = {} if mapping else []
        opened = _Open({} if mapping else [], mark, event.flow_style)
        self._put(stack, event, opened.value, mark)
        stack.append(opened)

    def _close(self, closed: _Open, event: Any) -> None:
        held = closed.mark.children
        if closed.flow:
            closed.mark.end_line = event.end_mark.line + 1
        elif held:
            last = held[-1] if isinstance(held, list) else held[next(reversed(held))]
            closed.mark.end_line = last.end_line

    def _put(self, stack: list[_Open], event: Any, value: Any, mark: Mark) -> None:
        if not stack:
            self.document.value, self.document.root = value, mark
            return
        top = stack[-1]
        if isinstance(top.value, list):
            assert isinstance(top.mark.children, list)
            top.value.append(value)
            top.mark.children.append(mark)
            return
        if top.key is None:
            self._key(top, event, value)
            return
        assert isinstance(top.mark.children, dict)
        assert top.key_event is not None
        mark.key_line = top.key_event.start_mark.line + 1
        mark.key_column = top.key_event.start_mark.column + 1
        top.value[top.key] = value
        top.mark.children[top.key] = mark
        top.key = top.key_event = None

    def _key(self, top: _Open, event: Any, value: Any) -> None:
        if not isinstance(event, yaml.ScalarEvent):
            self._no(event, "a key must be a word, not a list or mapping", "write a plain key")
            raise _Refused
        key = event.value
        if key == "<<" and not event.style:
            self._no(event, "merge key << is not allowed", "write the values out")
            raise _Refused
        if not isinstance(value, str):
            self._no(event, f"key {key} is not text", "write a plain key")
            raise _Refused
        assert isinstance(top.mark.children, dict)
        if key in top.value:
            first = top.mark.children[key]
            self._no(
                event,
                f"key {key} stands twice",
                "remove one of the two",
                Related(Location(self.document.shown, first.key_line, first.key_column), "it stands here first"),
            )
            raise _Refused
        top.key, top.key_event = key, event

    def _scalar(self, event: Any) -> tuple[Any, Mark]:
        self._plainly(event)
        mark = Mark(event.start_mark.line + 1, event.start_mark.column + 1, self._last_line(event))
        text: str = event.value
        if not text.isascii() and not unicodedata.is_normalized("NFC", text):
            self._no(
                event, "text is not in Unicode form NFC", "normalise it: type the accented letter as one character"
            )
        if event.style:
            return text, mark
        return self._resolve(event, text), mark

    def _last_line(self, event: Any) -> int:
        """The last line of a scalar; the parser ends a block scalar only where the next line with content begins."""
        last: int = event.end_mark.line + 1
        if event.style in {">", "|"}:
            last -= event.end_mark.column == 0
            while last > event.start_mark.line + 1 and not self.document.lines[last - 1].strip():
                last -= 1
        return last

    def _resolve(self, event: Any, text: str) -> Any:
        """YAML 1.2 core schema. A number that a double cannot keep exactly stays text and is reported, and so is every
        number or word that is not in its one spelling: else a change of a character could leave the value as it was."""
        if text in _NULL:
            return None
        if text in _BOOL:
            return self._spelt(event, text, _BOOL[text], text.lower())
        if _NOT_FINITE.match(text):
            self._no(event, f"{text} is not a number that can be scored", "write a finite number")
            return text
        number: int | float
        if len(text) < 20 and (_INT.match(text) or _OCTAL.match(text) or _HEX.match(text)):
            number = int(text) if _INT.match(text) else int(text, 0)
            if abs(number) <= _LARGEST_EXACT:
                return self._spelt(event, text, number, str(number))
        elif not _FLOAT.match(text):
            return text
        elif len(re.sub(r"[eE].*|[-+.]", "", text).strip("0")) <= 15 and math.isfinite(number := float(text)):
            return self._spelt(event, text, number, repr(number + 0.0))
        self._no(event, "looks like a number but cannot be kept exactly", "quote it, so that it is text")
        return text

    def _spelt(self, event: Any, text: str, value: Any, spelling: str) -> Any:
        if text != spelling:
            self._no(event, f"{text} is another spelling of {spelling}", f"write {spelling}, or quote it if it is text")
        return value


class _Open:
    """A mapping or list that is being filled."""

    __slots__ = ("flow", "key", "key_event", "mark", "value")

    def __init__(self, value: Any, mark: Mark, flow: bool) -> None:
        self.flow = flow
        self.value = value
        self.mark = mark
        self.key: str | None = None
        self.key_event: Any = None
