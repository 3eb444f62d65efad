"""The page of a rule: all that is said about it, from the table and from what it said to its own example."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import orjson

from divisionbell.validate.grounds import grounds_of
from divisionbell.validate.rule import Rule

# What each family of rules is about, by the letters that its ids begin with.
FAMILIES = {
    "SCH": "shape of files and records",
    "REF": "ids, references and lists",
    "FAM": "issue families",
    "KEY": "scoring keys",
    "REV": "reviews and codings",
    "SRC": "source records and data sources",
    "TXT": "texts, names and the prompt",
    "ORD": "order by seed",
    "MIR": "mirrors",
    "HSH": "hash coverage",
    "FRZ": "freeze",
    "PRV": "provenance",
}


@dataclass(frozen=True)
class Held:
    """One sentence that a rule holds: its table, its number there, and what it says."""

    table: str
    number: str
    says: str


@dataclass(frozen=True)
class Page:
    """One rule as a reader meets it. `says` is what `validate` says to the wrong lines, digests left out."""

    id: str
    name: str
    family: str
    protects: str
    holds: tuple[Held, ...]
    wrong: str
    right: str
    says: str
    also: tuple[str, ...]
    fix: str
    waiver: str


@cache
def _said() -> dict[str, str]:
    said: dict[str, str] = orjson.loads(files("divisionbell.validate").joinpath("said.json").read_bytes())
    return said


def page(rule: Rule) -> Page:
    """All that is said about a rule. Raises KeyError where `make docs` has not yet written what it says."""
    return Page(
        rule.id,
        rule.name,
        FAMILIES[rule.id[:3]],
        rule.protects,
        tuple(Held(table, ground.number, ground.says) for table, ground in grounds_of(rule.id)),
        rule.example.bad.strip("\n"),
        rule.example.good.strip("\n"),
        _said()[rule.id],
        rule.example.also,
        rule.fix,
        rule.waiver,
    )
