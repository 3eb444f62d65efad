"""What the LinkML schema promises, read from it with linkml's own SchemaView, and where a bank has a value of it.

Nothing here lists slots: a slot added to the schema is found, and with it whatever it promises. Runs and scores are a
schema of their own, which `validate` does not read: `runs verify` is held to it elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_args

from linkml_runtime import SchemaView

from divisionbell.bank.load import Bank, Root
from divisionbell.bank.read import Document, Path_

SCHEMA = Path(__file__).resolve().parents[2] / "schema"
ROOTS: tuple[str, ...] = get_args(Root)
# The classes of the two frozen files, which are JSON and are held by FRZ002 as a whole.
FROZEN_ROOTS = ("FreezeStatement", "FreezeRecord")
# What the derivation below understands. A key that is not here is a promise that nobody has proved.
UNDERSTOOD = {
    "schema": {
        "id", "name", "title", "description", "version", "license", "default_prefix", "default_range", "prefixes",
        "imports", "enums", "slots", "classes", "types",
    },
    "classes": {"description", "slots", "rules", "class_uri", "broad_mappings", "tree_root"},
    "slots": {
        "description", "range", "required", "multivalued", "inlined", "inlined_as_list", "identifier", "alias",
        "minimum_cardinality", "maximum_cardinality", "minimum_value", "maximum_value", "pattern", "slot_uri",
        "list_elements_unique",
    },
    "types": {"description", "uri", "base", "pattern"},
    "enums": {"description", "permissible_values"},
    "permissible_values": {"description", "exact_mappings", "broad_mappings"},
    "rules": {"description", "preconditions", "postconditions"},
    "expressions": {"slot_conditions"},
    "conditions": {"equals_string", "pattern", "required"},
}  # fmt: skip
TEXT_BASES = {"str", "uri", "uriorcurie"}
DATES = {"IsoDate", "LocalTime", "UtcTime"}
# Text that may have blanks at its ends, or be anything: official titles as published, replies as they came.
AS_IT_CAME = {"OfficialTitle", "string"}


@dataclass(frozen=True)
class Slot:
    """One slot as one class has it, under the name that documents give it."""

    owner: str
    name: str
    range: str
    kind: str
    definition: Any

    @property
    def key(self) -> str:
        return f"{self.owner}.{self.name}"

    @property
    def many(self) -> bool:
        return bool(self.definition.multivalued)

    @property
    def is_id(self) -> bool:
        """An identifier by LinkML's word, by its IRI, or because its description says that it is one or unique."""
        told = re.search(r"\bunique\b|own name|'s id\b", self.definition.description or "")
        return bool(self.definition.identifier or self.definition.slot_uri == "dcterms:identifier" or told)

    @property
    def refers(self) -> bool:
        """Whether the type's own name says that the value names a thing elsewhere."""
        return self.range.endswith(("Reference", "Entity"))


@dataclass(frozen=True)
class Place:
    """One value of a slot in a bank."""

    root: str
    document: Document
    path: Path_


@cache
def view() -> SchemaView:
    return SchemaView(str(SCHEMA / "divisionbell.yaml"))


@cache
def slots_of(owner: str) -> tuple[Slot, ...]:
    made = []
    for definition in view().class_induced_slots(owner):
        named = definition.range
        if named in view().all_classes():
            kind = "class"
        elif named in view().all_enums():
            kind = "enum"
        else:
            base = next(a for a in view().type_ancestors(named) if view().get_type(a).base)
            kind = {"int": "integer", "float": "number", "Bool": "boolean"}.get(view().get_type(base).base, "text")
        made.append(Slot(owner, definition.alias or definition.name, named, kind, definition))
    return tuple(made)


def reached(roots: tuple[str, ...]) -> list[str]:
    """Every class that the roots reach."""
    found = list(roots)
    for owner in found:
        found += [s.range for s in slots_of(owner) if s.kind == "class" and s.range not in found]
    return found


def pattern_of(slot: Slot) -> str | None:
    if slot.definition.pattern:
        return str(slot.definition.pattern)
    own = view().get_type(slot.range).pattern if slot.kind == "text" else None
    return str(own) if own else None


def places(bank: Bank) -> dict[tuple[str, str], list[Place]]:
    """(root, class.slot) -> every value of it in the bank; a list is one value, and so is each of its elements."""
    found: dict[tuple[str, str], list[Place]] = {}

    def walk(root: str, document: Document, owner: str, value: dict[str, Any], path: Path_) -> None:
        for slot in slots_of(owner):
            if slot.name not in value:
                continue
            here, held = (*path, slot.name), value[slot.name]
            found.setdefault((root, slot.key), []).append(Place(root, document, here))
            if slot.kind == "class":
                for step, part in enumerate(held) if slot.many else ((None, held),):
                    walk(root, document, slot.range, part, here if step is None else (*here, step))

    for root, document in bank.documents():
        walk(root, document, root, document.value, ())
    return found


def holders(bank: Bank) -> Iterator[tuple[Place, str]]:
    """Every object in the bank with its class."""

    def walk(
        root: str, document: Document, owner: str, value: dict[str, Any], path: Path_
    ) -> Iterator[tuple[Place, str]]:
        yield Place(root, document, path), owner
        for slot in slots_of(owner):
            if slot.kind == "class" and slot.name in value:
                held, here = value[slot.name], (*path, slot.name)
                for step, part in enumerate(held) if slot.many else ((None, held),):
                    yield from walk(root, document, slot.range, part, here if step is None else (*here, step))

    for root, document in bank.documents():
        yield from walk(root, document, root, document.value, ())
