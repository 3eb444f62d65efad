"""Mutants of one value: its characters, its number, its member of a list of values, its day, its type."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta

from mutant import Mutant, Splice, TextMutant, Touched, line_edit, replaced
from slots import DATES, NAMES, NUMBERS, Site, identifiers, members

from divisionbell.bank.document import Document

LETTERS = string.ascii_lowercase + string.digits
HEX = "0123456789abcdef"
LOOK_ALIKES = dict(zip("aceopxyABCEHKMOPTX", "асеорхуАВСЕНКМОРТХ", strict=True)) | {
    digit: chr(0xFF10 + int(digit)) for digit in string.digits
}

Pool = Mapping[str, Sequence[str]]
"""Range -> names of it that occur in the bank."""


def draw_for(site: Site, kind: str) -> random.Random:
    """The same draws for the same place of the same file, in whatever order mutants are made."""
    return random.Random(f"{site.document.shown} {site.path} {kind}")


def of_value(site: Site, pool: Pool) -> Iterator[Mutant]:
    """Every mutant of a scalar."""
    if isinstance(site.value, bool):
        yield _written(site, "bool: flipped", "false" if site.value else "true")
        yield _written(site, "type: quoted", f"'{_plain(site)}'")
    elif site.range in NUMBERS:
        yield from _of_number(site)
        yield _written(site, "type: quoted", f"'{_plain(site)}'")
    else:
        yield from _of_characters(site)
        yield _as_list(site)
        if site.range in members():
            for other in members()[site.range]:
                if other != site.value:
                    yield _written(site, "enumeration: another member", other)
        elif site.range in DATES:
            yield _next_day(site)
        elif site.range == "Sha256":
            yield from _hex_digit(site)
        elif site.range in NAMES:
            yield from _another_name(site, pool)
    yield _emptied(site)


def span(site: Site) -> tuple[int, int]:
    """First line and the line after the last of a value, from 0."""
    return site.mark.line - 1, site.mark.end_line


def _head(site: Site) -> str:
    """What stands before a value in its first line."""
    return site.document.lines[site.mark.line - 1][: site.mark.column - 1]


def _plain(site: Site) -> str:
    """A value of one line as it is written."""
    return site.document.lines[site.mark.line - 1][site.mark.column - 1 :]


def _names(site: Site) -> frozenset[str]:
    return frozenset((site.value,)) if site.path[-1] in identifiers() else frozenset()


def _mutant(site: Site, kind: str, splice: Splice, line: int) -> Mutant:
    touched = Touched(site.document.shown, site.path, line, line)
    return TextMutant(kind, site.slot, (touched,), (splice,), names=_names(site))


def _written(site: Site, kind: str, text: str) -> Mutant:
    """The whole value written anew in one line."""
    start, end = span(site)
    return _mutant(site, kind, replaced(site.document, start, end, [_head(site) + text]), start + 1)


def _as_list(site: Site) -> Mutant:
    return _written(site, "type: made a list", json.dumps([site.value], ensure_ascii=False))


def _emptied(site: Site) -> Mutant:
    return _written(site, "value emptied", "")


def _of_number(site: Site) -> Iterator[Mutant]:
    value = site.value
    for kind, other in (
        ("number: one more", value + 1),
        ("number: one less", value - 1),
        ("number: sign turned", -value),
        ("number: zero", type(value)(0)),
    ):
        if other != value:
            yield _written(site, kind, repr(round(other, 6) if isinstance(other, float) else other))
    if isinstance(value, float):
        decimals = len(repr(value).partition(".")[2])
        yield _written(site, "number: last digit", repr(round(value + 10**-decimals, decimals)))


def characters(document: Document, site: Site) -> list[tuple[int, int]]:
    """Line and column, from 0, of every letter and digit that a value is written with."""
    start, end = span(site)
    found = []
    for number in range(start, end):
        line = document.lines[number]
        first = site.mark.column - 1 if number == start else 0
        if number == start and line[first : first + 1] in {">", "|"}:
            continue
        found += [(number, n) for n in range(first, len(line)) if line[n].isalnum() and line[n - 1] != "\\"]
    return found


def _of_characters(site: Site) -> Iterator[Mutant]:
    places = characters(site.document, site)
    if not places:
        if _plain(site) in {"''", '""'}:
            yield _written(site, "text: one character added", "'x'")
        return
    for kind, old in (
        ("text: one character changed", 1),
        ("text: one character removed", 1),
        ("text: one character added", 0),
    ):
        draw = draw_for(site, kind)
        line, column = draw.choice(places)
        was = site.document.lines[line][column]
        new = "" if "removed" in kind else draw.choice([letter for letter in LETTERS if letter != was])
        yield _at_character(site, kind, line, column, old, new)
    kind = "text: a look-alike"
    alike = [(line, column) for line, column in places if site.document.lines[line][column] in LOOK_ALIKES]
    if alike:
        line, column = draw_for(site, kind).choice(alike)
        yield _at_character(site, kind, line, column, 1, LOOK_ALIKES[site.document.lines[line][column]])


def _at_character(site: Site, kind: str, line: int, column: int, old: int, new: str) -> Mutant:
    text = site.document.lines[line]
    return _mutant(site, kind, line_edit(site.document, line, text[:column] + new + text[column + old :]), line + 1)


def _next_day(site: Site) -> Mutant:
    day, rest = site.value[:10], site.value[10:]
    other = date.fromisoformat(day) + timedelta(days=1)
    return _written(site, "date: another day", f"'{other.isoformat()}{rest}'")


def _hex_digit(site: Site) -> Iterator[Mutant]:
    kind = "digest: one digit"
    draw = draw_for(site, kind)
    line, column = draw.choice(characters(site.document, site))
    was = site.document.lines[line][column]
    yield _at_character(site, kind, line, column, 1, draw.choice([digit for digit in HEX if digit != was]))


def _another_name(site: Site, pool: Pool) -> Iterator[Mutant]:
    kind = "name: another that exists"
    others = [name for name in pool.get(pool_key(site), ()) if name != site.value]
    if others:
        yield _written(site, kind, draw_for(site, kind).choice(others))


def pool_key(site: Site) -> str:
    """Names are exchanged within their range; those of the general range Slug within their slot."""
    return site.slot if site.range == "Slug" else site.range
