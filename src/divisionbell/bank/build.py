"""Build a document's value, and where wanted the place of every part, from the YAML parser's events.

There is one builder. Without marks it keeps values alone, which is all that most documents are read for; a document
whose places are asked for is built once more with them (`Document.root`).
"""

from __future__ import annotations

import contextlib
import math
import re
import unicodedata
from typing import Any

import yaml

from divisionbell.bank.document import Document, Mark
from divisionbell.diagnostics import Diagnostic, Location, Related

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
# Plain text that begins otherwise and is none of these words is no number, truth value or null.
_NUMERIC = frozenset("0123456789+-.")
_WORDS = frozenset(_NULL | {*_BOOL})


class Refused(Exception):
    """Reading on makes no sense; the problem is in the document."""


def refuse(document: Document, place: Location, message: str, fix: str, *related: Related) -> Document:
    """Add a problem to a document."""
    document.problems.append(Diagnostic(place, "SCH001", message, fix, tuple(related)))
    return document


def build(document: Document) -> None:
    """Fill in `document.value`, and `document.problems` where something is wrong with the text.

    Raises yaml.YAMLError where the text is not YAML, and Refused where it is not the YAML that a bank is written in.
    """
    try:
        _Builder(document, False).build()
    except _NeedsMarks:
        document.problems.clear()
        _Builder(document, True).build()


class _NeedsMarks(Exception):
    """A problem has an earlier place to tell, which only a builder with marks knows."""


def marks_of(document: Document) -> Mark:
    """The mark of a document's value, with those of its parts; as far as the text can be read."""
    builder = _Builder(Document(document.path, text=document.text), True)
    with contextlib.suppress(yaml.YAMLError, Refused):
        builder.build()
    return builder.root


class _Open:
    """A mapping or list that is being filled."""

    __slots__ = ("event", "key", "key_event", "mark", "value")

    def __init__(self, event: Any, mark: Mark | None) -> None:
        self.event = event
        self.value: Any = {} if event.__class__ is yaml.MappingStartEvent else []
        self.mark = mark
        self.key: str | None = None
        self.key_event: Any = None


class _Builder:
    """Keeps a stack of its own, so that depth cannot exhaust Python's."""

    def __init__(self, document: Document, marked: bool) -> None:
        self.document = document
        self.marked = marked
        self.root = Mark(1, 1, 1)
        self.values = 0

    def _place(self, event: Any) -> Location:
        return Location(self.document.shown, event.start_mark.line + 1, event.start_mark.column + 1)

    def _no(self, event: Any, message: str, fix: str, *related: Related) -> None:
        refuse(self.document, self._place(event), message, fix, *related)

    def build(self) -> None:
        loader = yaml.CSafeLoader(self.document.text)
        try:
            self._events(loader.get_event)
        finally:
            loader.dispose()

    def _events(self, next_event: Any) -> None:
        stack: list[_Open] = []
        top: _Open | None = None
        documents = 0
        scalar, numeric, words, unmarked = yaml.ScalarEvent, _NUMERIC, _WORDS, not self.marked
        while True:
            event = next_event()
            kind = event.__class__
            if kind is scalar:
                text = event.value
                # The common case without a call: plain ASCII text in an open mapping or list.
                if (
                    unmarked
                    and top is not None
                    and text
                    and text.isascii()
                    and (event.style or (text[0] not in numeric and text not in words))
                    and event.anchor is event.tag is None
                    and self.values < MAX_VALUES
                ):
                    into, key = top.value, top.key
                    if into.__class__ is list:
                        into.append(text)
                    elif key is not None:
                        into[key] = text
                        top.key = None
                    elif text in into or text == "<<":
                        self._key(top, event)
                    else:
                        top.key, top.key_event = text, event
                    self.values += 1
                elif top is None or top.key is not None or top.value.__class__ is list:
                    self._put(top, event, self._scalar(event))
                else:
                    self._key(top, event)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                opened = self._open(top, event, len(stack))
                stack.append(opened)
                top = opened
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                if self.marked:
                    self._close(stack[-1], event)
                stack.pop()
                top = stack[-1] if stack else None
            elif kind is yaml.AliasEvent:
                self._no(event, f"alias *{event.anchor} is not allowed", "write the value out")
                raise Refused
            elif kind is yaml.DocumentStartEvent:
                documents += 1
                if documents > 1:
                    self._no(event, "holds several documents", "keep one document in a file: remove the line ---")
                    raise Refused
            elif kind is yaml.StreamEndEvent:
                break
        if documents == 0:
            refuse(self.document, Location(self.document.shown), "is empty", "write the record, or remove the file")
            raise Refused

    def _plainly(self, event: Any) -> None:
        if event.anchor is not None:
            self._no(event, f"anchor &{event.anchor} is not allowed", "write the value out where it is needed")
            raise Refused
        if event.tag is not None:
            self._no(event, f"tag {event.tag} is not allowed", "remove the tag")
            raise Refused
        self.values += 1
        if self.values > MAX_VALUES:
            self._no(event, f"holds more than {MAX_VALUES:,} values", "split the file")
            raise Refused

    def _open(self, top: _Open | None, event: Any, depth: int) -> _Open:
        self._plainly(event)
        if depth >= MAX_DEPTH:
            self._no(event, f"is nested more than {MAX_DEPTH} deep", "flatten the value")
            raise Refused
        if top is not None and top.key is None and isinstance(top.value, dict):
            self._no(event, "a key must be a word, not a list or mapping", "write a plain key")
            raise Refused
        opened = _Open(event, None)
        opened.mark = self._put(top, event, opened.value)
        if opened.mark is not None:
            opened.mark.children = {} if isinstance(opened.value, dict) else []
        return opened

    def _close(self, closed: _Open, event: Any) -> None:
        assert closed.mark is not None
        held = closed.mark.children
        if closed.event.flow_style:
            closed.mark.end_line = event.end_mark.line + 1
        elif held:
            last = held[-1] if isinstance(held, list) else held[next(reversed(held))]
            closed.mark.end_line = last.end_line

    def _put(self, top: _Open | None, event: Any, value: Any) -> Mark | None:
        """Put a value where it belongs, and return its mark where marks are kept."""
        mark = None
        if self.marked:
            mark = Mark(event.start_mark.line + 1, event.start_mark.column + 1, self._last_line(event))
        if top is None:
            self.document.value = value
            if mark is not None:
                self.root = mark
        elif top.key is None:
            top.value.append(value)
            if mark is not None:
                top.mark.children.append(mark)  # type: ignore[union-attr]
        else:
            top.value[top.key] = value
            if mark is not None:
                mark.key_line = top.key_event.start_mark.line + 1
                mark.key_column = top.key_event.start_mark.column + 1
                top.mark.children[top.key] = mark  # type: ignore[union-attr, index, call-overload]
            top.key = None
        return mark

    def _key(self, top: _Open, event: Any) -> None:
        value = self._scalar(event)
        key = event.value
        if key == "<<" and not event.style:
            self._no(event, "merge key << is not allowed", "write the values out")
            raise Refused
        if not isinstance(value, str):
            self._no(event, f"key {key} is not text", "write a plain key")
            raise Refused
        if key in top.value:
            if top.mark is None:
                raise _NeedsMarks
            first = top.mark.children[key]  # type: ignore[index]
            self._no(
                event,
                f"key {key} stands twice",
                "remove one of the two",
                Related(Location(self.document.shown, first.key_line, first.key_column), "it stands here first"),
            )
            raise Refused
        top.key, top.key_event = key, event

    def _last_line(self, event: Any) -> int:
        """The last line of a scalar; the parser ends a block scalar only where the next line with content begins."""
        last: int = event.end_mark.line + 1
        if getattr(event, "style", None) in {">", "|"}:
            last -= event.end_mark.column == 0
            lines = self.document.lines
            while last > event.start_mark.line + 1 and not lines[last - 1].strip():
                last -= 1
        return last

    def _scalar(self, event: Any) -> Any:
        self._plainly(event)
        text: str = event.value
        if not text.isascii() and not unicodedata.is_normalized("NFC", text):
            self._no(
                event, "text is not in Unicode form NFC", "normalise it: type the accented letter as one character"
            )
        if event.style or (text and text[0] not in _NUMERIC and text not in _WORDS):
            return text
        return self._resolve(event, text)

    def _resolve(self, event: Any, text: str) -> Any:
        """YAML 1.2 core schema. A number that a double cannot keep exactly stays text and is reported, and so is every
        number or word that is not in its one spelling: else a change of a character could leave the value as it was."""
        if text.isdecimal() and text.isascii() and len(text) < 16 and (text[0] != "0" or text == "0"):
            return int(text)
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
