"""Every place of a bank document that holds a value, with the slot of the schema that it fills."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from divisionbell.bank.document import Document, Mark, Path_
from divisionbell.bank.read import read

SCHEMA = Path(__file__).resolve().parents[2] / "schema"
ROOT_NAMES = {
    "Bank": "bank",
    "AnalysisPlan": "plan",
    "DataSources": "sources",
    "EvaluationRegister": "evaluations",
    "Dossier": "dossier",
    "ExcludedDossier": "excluded",
    "ProspectiveRegister": "prospective",
}
NUMBERS = {"integer", "double"}
DATES = {"IsoDate", "LocalTime", "UtcTime"}
# Ranges whose values name something: another value of the same range is a mutant that keeps its shape.
NAMES = {
    "Slug",
    "ItemId",
    "ItemReference",
    "DossierId",
    "DossierReference",
    "AgentReference",
    "FamilyReference",
    "FieldName",
    "SemanticsEntity",
    "PartySpaceEntity",
}


@dataclass(frozen=True)
class Site:
    """A key with its value, or an element of a list.

    `slot` is the path of names that leads there in every file of its kind, such as dossier.items.options.text_a; an
    element's ends in []. `range` is the schema's: a class, an enumeration or a type.
    """

    document: Document
    path: Path_
    slot: str
    range: str
    mark: Mark
    value: Any

    @property
    def is_element(self) -> bool:
        return isinstance(self.path[-1], int)

    @property
    def is_scalar(self) -> bool:
        return self.mark.children is None


@cache
def classes() -> dict[str, dict[str, str]]:
    """Class -> slot, as files spell it -> the slot's range."""
    slots: dict[str, tuple[str, str]] = {}
    held: dict[str, list[str]] = {}
    for file in sorted(SCHEMA.glob("*.yaml")):
        written = read(file).value
        for name, slot in written.get("slots", {}).items():
            slots[name] = slot.get("alias", name), slot.get("range", written.get("default_range", "string"))
        for name, of in written.get("classes", {}).items():
            held[name] = of.get("slots", [])
    return {name: dict(slots[slot] for slot in own) for name, own in held.items()}


@cache
def members() -> dict[str, list[str]]:
    """Enumeration -> its values."""
    found: dict[str, list[str]] = {}
    for file in sorted(SCHEMA.glob("*.yaml")):
        for name, enumeration in read(file).value.get("enums", {}).items():
            found[name] = list(enumeration["permissible_values"])
    return found


@cache
def identifiers() -> frozenset[str]:
    """The slots that give a thing the name by which others refer to it."""
    found = {"publisher"}  # copies name their data source by its publisher
    for file in sorted(SCHEMA.glob("*.yaml")):
        found |= {name for name, slot in read(file).value.get("slots", {}).items() if slot.get("identifier")}
    return frozenset(found)


def sites(root: str, document: Document) -> Iterator[Site]:
    """Every key and every element of a document of the class `root`, outer ones first."""
    yield from _below(document, (), ROOT_NAMES[root], root, document.root, document.value)


def _below(document: Document, path: Path_, slot: str, of: str, mark: Mark, value: Any) -> Iterator[Site]:
    if isinstance(mark.children, dict):
        for key, child in mark.children.items():
            yield from _site(document, (*path, key), f"{slot}.{key}", classes()[of][key], child, value[key])
    elif isinstance(mark.children, list):
        for number, child in enumerate(mark.children):
            yield from _site(document, (*path, number), f"{slot}[]", of, child, value[number])


def _site(document: Document, path: Path_, slot: str, of: str, mark: Mark, value: Any) -> Iterator[Site]:
    yield Site(document, path, slot, of, mark, value)
    yield from _below(document, path, slot, of, mark, value)
