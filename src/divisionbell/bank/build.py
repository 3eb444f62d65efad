"""Build a document's value, the place of every part, and all that is wrong with it, from the YAML parser's events."""

from __future__ import annotations

import contextlib
import math
import re
import unicodedata
from typing import Any

import yaml

from divisionbell.bank.document import Document, Mark
from divisionbell.bank.plain import (
    BOOL,
    FLOAT,
    HEX,
    INT,
    MAX_DEPTH,
    MAX_TEXT,
    MAX_VALUES,
    NOT_FINITE,
    NULL,
    OCTAL,
    OutOfOrder,
    plain_value,
)
from divisionbell.bank.signs import first_foreign, place_behind
from divisionbell.diagnostics import Diagnostic, Location, Related

# So many faults are told of one file.
MAX_PROBLEMS = 1_000
_LARGEST_EXACT = 2**53 - 1


class Refused(Exception):
    """Reading on makes no sense; the problem is in the document."""


def refuse(document: Document, place: Location, message: str, fix: str, *related: Related) -> Document:
    """Add a problem to a document."""
    document.problems.append(Diagnostic(place, "SCH001", message, fix, tuple(related)))
    return document


def build(document: Document) -> None:
    """Fill in `document.value`, and `document.problems` where something is wrong with the text.

    Most documents are in order and only their values are wanted, so those alone are taken first (`plain.py`); whatever
    is out of order is met again here, with its place. Raises yaml.YAMLError where the text is not YAML, and Refused
    where it is not the YAML that a bank is written in.
    """
    try:
        document.value = plain_value(document.text)
    except (OutOfOrder, yaml.YAMLError):
        _Builder(document).build()


def marks_of(document: Document) -> Mark:
    """The mark of a document's value, with those of its parts; as far as the text can be read."""
    builder = _Builder(Document(document.path, text=document.text))
    with contextlib.suppress(yaml.YAMLError, Refused):
        builder.build()
    return builder.root


class _Open:
    """A mapping or list that is being filled."""

    __slots__ = ("event", "key", "key_event", "mark", "value")

    def __init__(self, event: Any, value: Any, mark: Mark) -> None:
        self.event = event
        self.value = value
        self.mark = mark
        self.key: str | None = None
        self.key_event: Any = None


class _Builder:
    """Keeps a stack of its own, so that depth cannot exhaust Python's."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.root = Mark(1, 1, 1)
        self.values = 0

    def _place(self, event: Any) -> Location:
        return Location(self.document.shown, event.start_mark.line + 1, event.start_mark.column + 1)

    def _no(self, event: Any, message: str, fix: str, *related: Related) -> None:
        refuse(self.document, self._place(event), message, fix, *related)
        if len(self.document.problems) >= MAX_PROBLEMS:
            refuse(self.document, self._place(event), f"holds {MAX_PROBLEMS:,} faults down to here", "mend these first")
            raise Refused

    def build(self) -> None:
        self._natively()
        loader = yaml.CSafeLoader(self.document.text)
        try:
            self._events(loader.get_event)
        finally:
            loader.dispose()

    def _natively(self) -> None:
        """Refuse what the parser is not to see: it would count lines anew, or take long over directives."""
        text = self.document.text.removeprefix("\ufeff")
        foreign = first_foreign(text)
        if foreign is not None:
            place = Location(self.document.shown, *place_behind(text[: foreign.index]))
            refuse(self.document, place, foreign.message, foreign.fix)
            raise Refused

    def _events(self, next_event: Any) -> None:
        stack: list[_Open] = []
        top: _Open | None = None
        documents = 0
        while True:
            event = next_event()
            kind = event.__class__
            if kind is yaml.ScalarEvent:
                if top is None or top.key is not None or isinstance(top.value, list):
                    self._put(top, event, self._scalar(event))
                else:
                    self._key(top, event)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                top = self._open(top, event, len(stack))
                stack.append(top)
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                self._close(stack.pop(), event)
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
        mapping = isinstance(event, yaml.MappingStartEvent)
        value: Any = {} if mapping else []
        mark = self._put(top, event, value)
        mark.children = {} if mapping else []
        return _Open(event, value, mark)

    def _close(self, closed: _Open, event: Any) -> None:
        held = closed.mark.children
        if closed.event.flow_style:
            closed.mark.end_line, closed.mark.end_column = event.end_mark.line + 1, event.end_mark.column + 1
        elif held:
            last = held[-1] if isinstance(held, list) else held[next(reversed(held))]
            closed.mark.end_line = last.end_line

    def _put(self, top: _Open | None, event: Any, value: Any) -> Mark:
        """Put a value where it belongs, and return its mark."""
        start, end = event.start_mark, event.end_mark
        mark = Mark(start.line + 1, start.column + 1, self._last_line(event), end.column + 1)
        if top is None:
            self.document.value, self.root = value, mark
        elif top.key is None:
            assert isinstance(top.mark.children, list)
            top.value.append(value)
            top.mark.children.append(mark)
        else:
            assert isinstance(top.mark.children, dict)
            start, end = top.key_event.start_mark, top.key_event.end_mark
            mark.key_line, mark.key_column = start.line + 1, start.column + 1
            mark.key_end_line, mark.key_end_column = end.line + 1, end.column + 1
            top.value[top.key] = value
            top.mark.children[top.key] = mark
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
            assert isinstance(top.mark.children, dict)
            first = top.mark.children[key]
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
        if len(text) > MAX_TEXT:
            told = f"is a text of {len(text):,} characters, more than {MAX_TEXT:,}"
            self._no(event, told, "shorten it, or write it as several")
            return text
        if not text.isascii() and not unicodedata.is_normalized("NFC", text):
            self._no(
                event, "text is not in Unicode form NFC", "normalise it: type the accented letter as one character"
            )
        return text if event.style else self._resolve(event, text)

    def _resolve(self, event: Any, text: str) -> Any:
        """YAML 1.2 core schema. A number that a double cannot keep exactly stays text and is reported, and so is every
        number or word that is not in its one spelling: else a change of a character could leave the value as it was."""
        if text in NULL:
            return None
        if text in BOOL:
            return self._spelt(event, text, BOOL[text], text.lower())
        if NOT_FINITE.match(text):
            self._no(event, f"{text} is not a number that can be scored", "write a finite number")
            return text
        number: int | float
        if len(text) < 20 and (INT.match(text) or OCTAL.match(text) or HEX.match(text)):
            number = int(text) if INT.match(text) else int(text, 0)
            if abs(number) <= _LARGEST_EXACT:
                return self._spelt(event, text, number, str(number))
        elif not FLOAT.match(text):
            return text
        elif len(re.sub(r"[eE].*|[-+.]", "", text).strip("0")) <= 15 and math.isfinite(number := float(text)):
            return self._spelt(event, text, number, repr(number + 0.0))
        self._no(event, "looks like a number but cannot be kept exactly", "quote it, so that it is text")
        return text

    def _spelt(self, event: Any, text: str, value: Any, spelling: str) -> Any:
        if text != spelling:
            self._no(event, f"{text} is another spelling of {spelling}", f"write {spelling}, or quote it if it is text")
        return value
