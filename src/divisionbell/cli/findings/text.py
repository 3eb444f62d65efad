"""Findings for people: place and message, the line with a caret, related places, and how to mend it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator

from divisionbell.cli.findings.excerpt import Sources, cut
from divisionbell.diagnostics import Diagnostic, Location, visible

WIDTH = 100
# More related places than this stand without their lines, else the finding drowns in them.
NOTES_WITH_EXCERPT = 2

_CODES = {"place": "1", "error": "1;31", "note": "1;36", "fix": "1;32", "caret": "1;31", "number": "2"}


def finding(diagnostic: Diagnostic, sources: Sources, colour: bool = False) -> str:
    """One finding, ended by a line feed; without colour and excerpts it is `Diagnostic.text()`."""
    return "".join(f"{line}\n" for line in _lines(diagnostic, sources, colour))


def _lines(diagnostic: Diagnostic, sources: Sources, colour: bool) -> Iterator[str]:
    def paint(kind: str, text: str) -> str:
        return f"\x1b[{_CODES[kind]}m{text}\x1b[0m" if colour else text

    def excerpt(place: Location) -> Iterator[str]:
        line = sources.line(place)
        if line is None:
            return
        number = f"{place.line} |"
        shown, column = cut(line, _width(len(number)))
        yield f"  {paint('number', number)} {shown}".rstrip()
        yield f"  {paint('number', '|'.rjust(len(number)))} {' ' * column}{paint('caret', '^')}"

    place = paint("place", visible(str(diagnostic.location)))
    yield f"{place}: {paint('error', f'error[{diagnostic.rule}]')} {visible(diagnostic.message)}"
    yield from excerpt(diagnostic.location)
    few = len(diagnostic.related) <= NOTES_WITH_EXCERPT
    for related in diagnostic.related:
        place = paint("place", visible(str(related.location)))
        yield f"{place}: {paint('note', 'note:')} {visible(related.message)}"
        if few:
            yield from excerpt(related.location)
    yield f"  {paint('fix', 'fix:')} {visible(diagnostic.fix)}"


def _width(gutter: int) -> int:
    """The columns for an excerpt: fewer than WIDTH only on a terminal that is narrower."""
    if not sys.stdout.isatty():
        return WIDTH
    return max(20, min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns - gutter - 10))
