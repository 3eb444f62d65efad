"""The canonical form of a bank file: block style in the order given, with every comment at the thing it belongs to.

The value and the places come from the strict reader; this walks both at once and writes lines. A comment that has no
place of its own in block style (between a key and its one-line value, behind a dash, within brackets) goes on a line
before what it stands at. The order of comments never changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from divisionbell.author.remarks import Place, Remark, remarks
from divisionbell.author.scalars import key as written_key
from divisionbell.author.scalars import scalar
from divisionbell.bank.document import Document, Mark

# The parser looks for the colon of a one-line key within 1,024 characters.
LONGEST_KEY = 1000
_HEAD = re.compile(r"(?:#(?:[^\n\r\x85\u2028\u2029]*\S)?\n)*")
_END: Place = (1 << 30, 0)
_NO_COLUMN = 1 << 30


def canonical(document: Document) -> str:
    """The canonical text of a document that was read without problems."""
    head = _HEAD.match(document.text)
    assert head is not None
    if document.text == head.group() + emit(document.value):  # as most files are: no place need be looked up
        return document.text
    return laid_out(document)


def laid_out(document: Document) -> str:
    """The same, value by value whatever the text is like."""
    return _Layout(document.lines, remarks(document)).whole(document.value, document.root)


def emit(value: Any, indent: int = 0) -> str:
    """A JSON value in canonical form, every line indented by `indent` blanks. Raises TypeError for other values."""
    return _Layout([], []).whole(value, _unplaced(value), indent)


def _unplaced(value: Any) -> Mark:
    mark = Mark(1, 1, 1)
    if isinstance(value, dict):
        mark.children = {name: _unplaced(inner) for name, inner in value.items()}
    elif isinstance(value, list):
        mark.children = [_unplaced(inner) for inner in value]
    return mark


def _start(mark: Mark) -> Place:
    return mark.line, mark.column


class _Layout:
    """Writes lines, and takes each remark once, in order.

    `lead` is what stands on a line before a key or element: blanks, and the dashes of the lists that begin there.
    `stop` is the place of whatever follows, behind which nothing may be taken. `outer` is the column, in the source, of
    the block around.
    """

    def __init__(self, source: list[str], found: list[Remark]) -> None:
        self.source = source
        self.found = found
        self.taken = 0
        self.lines: list[str] = []
        self.opened = -1  # how many lines there were when a key opened a block: no blank line follows it

    def whole(self, value: Any, root: Mark, indent: int = 0) -> str:
        lead = " " * indent
        if isinstance(value, dict | list) and value:
            self._children(value, root, lead, _END, outer=0)
        else:
            self._write(self._until(_start(root)), indent)
            self._scalar([], value, root, lead, _END, column=_NO_COLUMN)
        self._write(self._until(_END), indent)
        while self.lines[-1] == "":
            self.lines.pop()
        return "\n".join(self.lines) + "\n"

    # Remarks

    def _next(self) -> Remark | None:
        return self.found[self.taken] if self.taken < len(self.found) else None

    def _until(self, place: Place) -> list[Remark]:
        start = self.taken
        while self.taken < len(self.found) and self.found[self.taken].place < place:
            self.taken += 1
        return self.found[start : self.taken]

    def _at_end_of(self, lines: Sequence[int], stop: Place) -> str:
        """The comment that stands at the end of one of these lines, with a blank before it."""
        remark = self._next()
        if remark is None or remark.own or remark.line not in lines or remark.place >= stop:
            return ""
        self.taken += 1
        return " " + remark.text

    def _write(self, found: list[Remark], indent: int) -> None:
        for remark in found:
            if remark.text:
                self.lines.append(" " * indent + remark.text)
            elif self.lines and self.lines[-1] and len(self.lines) != self.opened:
                self.lines.append("")

    def _write_deeper(self, indent: int, column: int, stop: Place) -> None:
        """The comments before `stop` that stand at `column` or to the right of it, as the end of a block."""
        while True:
            at = self.taken
            while at < len(self.found) and not self.found[at].text and self.found[at].place < stop:
                at += 1
            if at == len(self.found):
                return
            remark = self.found[at]
            if not remark.own or remark.place >= stop or remark.column < column:
                return
            self._write(self.found[self.taken : at + 1], indent)
            self.taken = at + 1

    # Values

    def _children(self, value: Any, mark: Mark, lead: str, stop: Place, outer: int, flow: bool = False) -> None:
        """What a mapping or list that is not empty holds; the first of it stands behind `lead`."""
        brackets = self._in_brackets(mark)
        flow = flow or brackets
        inner_stop = (mark.end_line, mark.end_column) if brackets else stop
        children = list(self._places(value, mark))
        for number, (name, inner, child, place) in enumerate(children):
            following = children[number + 1][3] if number + 1 < len(children) else inner_stop
            self._write(self._until(place), _margin(lead))
            if name is None:
                self._element(inner, child, lead, following, mark.column, flow)
            else:
                self._entry(name, inner, child, lead, following, mark.column, flow)
            lead = " " * len(lead)
        if brackets:
            left = self._until(inner_stop)
            while left and not left[-1].text:
                left.pop()
            self._write(left, len(lead))
        elif not flow:
            self._write_deeper(len(lead), max(mark.column, outer + 1), stop)

    def _places(self, value: Any, mark: Mark) -> Iterator[tuple[str | None, Any, Mark, Place]]:
        """Key, value, mark and place of each child: the place of the key, or of the dash."""
        if isinstance(mark.children, dict):
            for name, child in mark.children.items():
                yield name, value[name], child, (child.key_line, child.key_column)
            return
        assert mark.children is not None
        brackets = self._in_brackets(mark)
        for inner, child in zip(value, mark.children, strict=True):
            line = child.line
            while not brackets and line > mark.line and not self._is_dash(line, mark.column):
                line -= 1
            yield None, inner, child, _start(child) if brackets else (line, mark.column)

    def _in_brackets(self, mark: Mark) -> bool:
        return self._character(mark.line, mark.column) in {"[", "{"}

    def _is_dash(self, line: int, column: int) -> bool:
        return self._character(line, column) == "-" and not self.source[line - 1][: column - 1].strip(" \ufeff")

    def _character(self, line: int, column: int) -> str:
        return self.source[line - 1][column - 1 : column] if 0 < line <= len(self.source) else ""

    def _entry(self, name: str, value: Any, mark: Mark, lead: str, stop: Place, column: int, flow: bool) -> None:
        text = written_key(name)
        heads = [f"{lead}? {text}", " " * len(lead) + ":"] if len(text) > LONGEST_KEY else [f"{lead}{text}:"]
        if not (isinstance(value, dict | list) and value):
            self._scalar(heads, value, mark, lead, stop, _NO_COLUMN if flow else column)
            return
        tail = self._opening_comment(value, mark)
        closing = self._closing_comment(mark, stop)
        if closing and not tail:
            tail, closing = closing, ""
        heads[-1] += tail
        self.lines += heads
        self.opened = len(self.lines)
        self._children(value, mark, " " * (len(lead) + 2), stop, column, flow)
        self._write_closing(closing or self._late_closing(mark, stop), len(lead) + 2)

    def _element(self, value: Any, mark: Mark, lead: str, stop: Place, column: int, flow: bool) -> None:
        if not (isinstance(value, dict | list) and value):
            self._scalar([lead + "-"], value, mark, lead, stop, _NO_COLUMN if flow else column)
            return
        self._write([remark for remark in self._until(_start(mark)) if remark.text], _margin(lead))
        self._write_closing(self._closing_comment(mark, stop), _margin(lead))
        self._children(value, mark, lead + "- ", stop, column, flow)
        self._write_closing(self._late_closing(mark, stop), len(lead) + 2)

    def _scalar(self, heads: list[str], value: Any, mark: Mark, lead: str, stop: Place, column: int) -> None:
        """A scalar or an empty collection; comments before it go before its line, or one to the end of the line.

        Below null, which is written as nothing, and below an empty collection, comments deeper than `column` stay:
        they stand for what is not yet written.
        """
        empty = isinstance(value, dict | list)
        before: list[Remark] = []
        # Null that is written as nothing, without a colon either, has the place of what follows.
        if value is not None or self._character(mark.line, mark.column - 1) == ":":
            behind = (mark.end_line, mark.end_column) if empty else _start(mark)
            before = [remark for remark in self._until(min(behind, stop)) if remark.text]
        tail = self._at_end_of((mark.key_end_line, mark.line, mark.end_line), stop)
        if not tail and len(before) == 1 and not before[0].own:
            tail = " " + before.pop().text
        self._write(before, _margin(lead))
        rest: list[str] = []
        if empty:
            first = "{}" if isinstance(value, dict) else "[]"
        elif value is None and not heads:
            first = "null"
        else:
            first, rest = scalar(value, len(lead) + 2)
        *above, head = heads or [lead]
        blank = " " if heads and first else ""
        self.lines += [*above, head + blank + first + tail, *rest]
        if empty or value is None:
            self._write_deeper(len(lead) + 2, column + 1, stop)

    # The comments of a collection

    def _opening_comment(self, value: Any, mark: Mark) -> str:
        """The comment behind a key and its colon, or behind the bracket that follows them."""
        first = next(self._places(value, mark))[3]
        while (remark := self._next()) and not remark.text and remark.place < first:
            self.taken += 1  # no blank line follows a key
        behind_colon = self._at_end_of(range(mark.key_end_line, mark.line + 1), _start(mark))
        return behind_colon or self._at_end_of((mark.key_end_line,), first)

    def _closing_comment(self, mark: Mark, stop: Place) -> str:
        """The comment behind a closing bracket, where none stands within."""
        if not self._in_brackets(mark):
            return ""
        end, was = (mark.end_line, mark.end_column), self.taken
        within = any(remark.text for remark in self._until(end))
        closing = "" if within else self._at_end_of((mark.end_line,), stop)
        if not closing:
            self.taken = was
        return closing

    def _late_closing(self, mark: Mark, stop: Place) -> str:
        return self._at_end_of((mark.end_line,), stop) if self._in_brackets(mark) else ""

    def _write_closing(self, comment: str, indent: int) -> None:
        if comment:
            self.lines.append(" " * indent + comment[1:])


def _margin(lead: str) -> int:
    """The column at which a comment before a line stands: that of its first dash or key."""
    return len(lead) - len(lead.lstrip(" ")) if lead.strip(" ") else len(lead)
