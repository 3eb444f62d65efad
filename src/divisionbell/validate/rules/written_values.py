"""SCH003: dates are days of the calendar and addresses lead to a host, which no pattern can say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime
from functools import cache, lru_cache
from typing import Any
from urllib.parse import urlsplit

from divisionbell.bank.read import Document, Path_
from divisionbell.diagnostics import Diagnostic
from divisionbell.validate.rule import Context, Example, Rule
from divisionbell.validate.shape import schema

_NOT_IN_ADDRESS = frozenset('<>"{}|^`\\')
# Most addresses are plain, and a pattern takes less time than taking them apart.
_PLAIN_ADDRESS = re.compile(r"https?://[a-z0-9][a-z0-9.-]*[a-z0-9](/[A-Za-z0-9._~/?#=&%+-]*)?")
# What an IRI must end with so that the kind and id after it cannot run into its last word.
_BASE_ENDS = ("/", "#", "_", "-")
# One slot of each type; the compiled schema keeps a type's pattern and not its name.
_DAY, _MOMENT, _UTC = (
    ("Transformation", "made_on"),
    ("DivisionSourceRecord", "held_at"),
    ("Evaluation", "registered_at"),
)
_ADDRESS = ("DataSource", "address")


@lru_cache(maxsize=4096)
def _no_day(text: str) -> str | None:
    try:
        date.fromisoformat(text)
    except ValueError:
        return f"{text} is no day of the calendar"
    return None


@lru_cache(maxsize=4096)
def _no_moment(text: str) -> str | None:
    try:
        datetime.fromisoformat(text.removesuffix("Z"))
    except ValueError:
        return f"{text} is no time of the calendar"
    return None


def _no_address(text: str) -> str | None:
    if _PLAIN_ADDRESS.fullmatch(text):
        return None
    odd = sorted(_NOT_IN_ADDRESS & set(text))
    if odd:
        return f"the address holds {' '.join(odd)}, which no address may"
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "the address cannot be taken apart into host, port and path"
    return None if host and any(c.isalnum() for c in host) else "the address names no host"


@cache
def _checks() -> dict[str, tuple[Callable[[str], str | None], str]]:
    """Pattern of a type -> what is wrong with a text of that type, and how to mend it."""
    made: dict[str, tuple[Callable[[str], str | None], str]] = {}
    for (owner, slot), check, fix in (
        (_DAY, _no_day, "write a day that exists, as YYYY-MM-DD"),
        (_MOMENT, _no_moment, "write a time that exists"),
        (_UTC, _no_moment, "write a time that exists"),
        (_ADDRESS, _no_address, "copy the address from the page itself"),
    ):
        made[schema()["$defs"][owner]["properties"][slot]["pattern"]] = (check, fix)
    return made


@cache
def _plan(owner: str) -> tuple[tuple[str, str, Callable[[str], str | None] | None, str], ...]:
    """The slots of a class that are to be looked at, or lead to such: name, class, check and fix."""
    made: list[tuple[str, str, Callable[[str], str | None] | None, str]] = []
    for slot, body in schema()["$defs"][owner].get("properties", {}).items():
        part = body.get("items", body)
        inner = part.get("$ref", "").rsplit("/", 1)[-1]
        if inner and _plan(inner):
            made.append((slot, inner, None, ""))
        elif part.get("pattern") in _checks():
            made.append((slot, "", *_checks()[part["pattern"]]))
    return tuple(made)


def _wrong(owner: str, value: dict[str, Any], path: Path_, found: list[tuple[Path_, str, str]]) -> None:
    """Add path, fault and fix of every value below `value` that is no real date or address."""
    for slot, inner, check, fix in _plan(owner):
        held = value.get(slot)
        if held is None:
            continue
        for number, part in enumerate(held) if isinstance(held, list) else ((None, held),):
            if check is None:
                _wrong(inner, part, (*path, slot) if number is None else (*path, slot, number), found)
            elif (told := check(part)) is not None:
                found.append(((*path, slot) if number is None else (*path, slot, number), told, fix))


_DOSSIERS = ("Dossier", "ExcludedDossier")


def _document(rule: Rule, root: str, document: Document) -> Iterator[Diagnostic]:
    found: list[tuple[Path_, str, str]] = []
    _wrong(root, document.value, (), found)
    for path, told, fix in found:
        yield rule.found(document.at(*path), f"{'.'.join(map(str, path))}: {told}", fix=fix)


def _of_dossiers(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    for root, document in context.sound:
        if root in _DOSSIERS:
            yield from _document(rule, root, document)


def _of_others(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    for root, document in context.sound:
        if root not in _DOSSIERS:
            yield from _document(rule, root, document)
    settings = context.settings
    if settings is not None and not settings["base_iri"].endswith(_BASE_ENDS):
        yield rule.found(
            context.bank.settings.at("base_iri"),
            "base_iri: the kind of a record would run into its last word",
            fix="end it with a slash",
        )


REAL = Rule(
    "SCH003",
    "dates and addresses are real",
    "A date can be written rightly and be no day, and an address lead nowhere; no pattern can tell.",
    "write the date or address as its source gives it",
    _of_dossiers,
    _of_others,
    example=Example(
        "day that no calendar has",
        bad="""
reviewed_by: drafting-software
reviewed_on: "2026-02-30"
""",
        good="""
reviewed_by: drafting-software
reviewed_on: '2026-11-30'
""",
    ),
)
