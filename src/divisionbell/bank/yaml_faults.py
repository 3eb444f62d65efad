"""What is likely wrong where the parser says that a text is not YAML, and the way to mend it."""

from __future__ import annotations

import re
from typing import Any

import yaml

from divisionbell.bank.document import Document
from divisionbell.diagnostics import Location

_CONFLICT = re.compile(r"(<<<<<<<|>>>>>>>)( |$)")
_OPENS = re.compile(r" *(?:- )*(?:[A-Za-z0-9_]+: +)?(?P<quote>['\"])")
_KEY = re.compile(r" *(?:- +)?[a-z_0-9]+:( |$)")
# The line before a text on lines of its own.
_ON_ITS_OWN = re.compile(r"[:-] [>|][-+]?(?: +#.*)?$")
# So many lines before a fault a quote is looked for that opened there.
MOST_LINES = 200
_IN_QUOTES = "put the text in quotes, or on lines of its own below >-"
# What the parser says -> the way to mend what is most often meant by it.
_FIXES = (
    ("mapping values are not allowed", f"where a text holds a colon before a blank, {_IN_QUOTES}"),
    ("could not find expected ':'", "write the colon behind the key, or indent the line to go on with the text above"),
    ("did not find expected ',' or", "close the bracket, and put a comma between its elements"),
    ("did not find expected node content", "write the value there, or close the bracket that opened before"),
    ("did not find expected key", "line it up with its neighbours; behind a closing quote nothing may follow"),
    ("did not find expected '-'", "line it up with its neighbours; an element stands behind a dash"),
)


def not_yaml(error: yaml.YAMLError, document: Document) -> tuple[Location, str, str]:
    """The place, what is wrong there, and the way to mend it."""
    for number, line in enumerate(document.lines, start=1):
        if _CONFLICT.match(line):
            told = "is not YAML: two versions that were to be merged stand here, between <<<<<<< and >>>>>>>"
            return Location(document.shown, number), told, "keep one of them, and take out the lines of the marks"
    place = _place(getattr(error, "problem_mark", None), document)
    problem = str(getattr(error, "problem", None) or getattr(error, "reason", None) or "not YAML")
    if "quoted scalar" in str(getattr(error, "context", None)) and "end of stream" in problem:
        opened = _place(getattr(error, "context_mark", None), document)
        fix = "close it at the end of the text; a text that holds quotes goes on lines of its own below >-"
        return opened, "is not YAML: the quote that opens here is not closed", fix
    early = _opened_early(place, document)
    if early is not None:
        told = f"is not YAML: the quote that opens here is closed only in line {place.line}"
        return early, told, "close it at the end of the text; a quote within a text in such quotes is written twice"
    first = _indented_first(place, document)
    if first is not None:
        told = "is not YAML: the first line of this text is indented further than the lines below it"
        return first, told, "line it up with them"
    return place, f"is not YAML: {problem}", _fix(problem, place, document)


def _opened_early(place: Location, document: Document) -> Location | None:
    """Where the quote opens that ends in the line of a fault, where it opens in a line before: it ran on unseen."""
    ended = document.lines[place.line - 1][: place.column - 1] if place.line <= len(document.lines) else ""
    for quote in "'\"":
        if quote not in ended:
            continue
        for number in range(place.line - 1, max(0, place.line - MOST_LINES), -1):
            line = document.lines[number - 1]
            if quote in line:
                opened = _OPENS.match(line)
                if opened and opened["quote"] == quote and quote not in line[opened.end() :]:
                    return Location(document.shown, number, opened.end())
                break
    return None


def _indented_first(place: Location, document: Document) -> Location | None:
    """The first line of a text on lines of its own, where the fault is that a line below it is indented less."""
    ended = document.lines[place.line - 1] if place.line <= len(document.lines) else ""
    if _KEY.match(ended):  # rather that one stands wrong
        return None
    wanted = _indent(ended)
    for number in range(place.line - 1, max(0, place.line - MOST_LINES), -1):
        line = document.lines[number - 1]
        if _ON_ITS_OWN.search(line):
            first = _indent(document.lines[number])
            if number + 1 < place.line and _indent(line) < wanted < first:
                return Location(document.shown, number + 1, first + 1)
            return None
    return None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _fix(problem: str, place: Location, document: Document) -> str:
    line = document.lines[place.line - 1] if place.line <= len(document.lines) else ""
    if "tab" in problem or line.lstrip(" ").startswith("\t"):
        return "indent with blanks, not tabs"
    first = line[place.column - 1 : place.column]
    if "cannot start any token" in problem and first in {"@", "`", "%"}:
        return f"a text cannot begin with {first} here: {_IN_QUOTES}"
    return next((fix for told, fix in _FIXES if told in problem), "correct the YAML")


def _place(mark: Any, document: Document) -> Location:
    lines = document.lines
    if mark is None or mark.line >= len(lines):  # the end of the file
        return Location(document.shown, max(len(lines), 1), len(lines[-1]) + 1 if lines else 1)
    return Location(document.shown, mark.line + 1, mark.column + 1)
