"""What the compiled schema says about each slot: its predicate, its datatype and what its values are.

Predicates and datatypes come from the JSON-LD context, the shape of a value from the JSON Schema. What neither of the
two says is written down here: which IRI a node has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from divisionbell.export.terms import PREFIXES, ExportError, iri, segment
from divisionbell.model import model_file

__all__ = ["BANK", "KINDS", "RUN", "Slot", "class_of", "evidence_iri", "read_model"]

BANK = ("bank.schema.json", "context.jsonld")
RUN = ("run.schema.json", "run_context.jsonld")

#: Class → (kind, slot): the node is named base + kind + "_" + the slot's value.
KINDS: Mapping[str, tuple[str, str]] = {
    "Agent": ("agent", "agent_id"),
    "AnalysisPlan": ("plan", "plan_version"),
    "Bank": ("bank", "bank_id"),
    "Coding": ("coding", "coding_id"),
    "DataSource": ("source", "source_id"),
    "DivisionSourceRecord": ("division", "division_id"),
    "Dossier": ("dossier", "dossier_id"),
    "ExcludedDossier": ("dossier", "dossier_id"),
    "Form": ("form", "form_id"),
    "Institution": ("institution", "invented_name"),
    "IssueFamily": ("family", "family_id"),
    "Item": ("item", "item_id"),
    "MotionSemanticsReview": ("review", "review_id"),
    "ParserSpecification": ("parser", "parser_id"),
    "PartySpaceReview": ("review", "review_id"),
    "ProspectiveCode": ("prospective", "division_id"),
    "RunHeader": ("run", "run_id"),
}
# The context maps an identifier to the node itself; this is the slot that repeats it as a literal.
IDENTIFIER_AS = {"invented_name": "schema:name", "unit_key": "db:unit_key"}
# Examples that tell from a pattern what a reference refers to.
PROBES = (
    ("commons-1#title", "evidence"),
    ("ches-2024#lrecon", "evidence"),
    ("a-b", "slug"),
    ("qaaaaaaa", "item"),
    ("commons-1", "dossier"),
)


class Slot(NamedTuple):
    """How one slot of one class is written."""

    name: str
    predicate: str
    form: str  # node, text, typed, integer, number, boolean, reference or any
    detail: str  # class, datatype or kind of reference
    many: bool
    pattern: re.Pattern[str] | None


def evidence_iri(base: str, name: str) -> str:
    """The IRI of a piece of evidence: ``commons-1541#title`` is a division's title, ``ches-2024#lrecon`` a field."""
    whole, _, part = name.partition("#")
    if not part:
        return iri(f"{base}codebook_{segment(name.removeprefix('codebook-'))}")
    if whole.startswith("commons-"):
        return iri(f"{base}division_{segment(whole.removeprefix('commons-'))}_{segment(part)}")
    return iri(f"{base}{segment(whole)}_{segment(part)}")


@cache
def read_model(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(model_file(name))
    return found


def _expand(context: Mapping[str, Any], name: str) -> str:
    prefix, colon, local = name.partition(":")
    if not colon:
        return iri(str(context["@vocab"]) + name)
    return iri(str(context.get(prefix, PREFIXES.get(prefix))) + local)


@cache
def class_of(model: tuple[str, str], name: str) -> tuple[str, dict[str, Slot]]:
    """The IRI of a class and its slots by their name in a record."""
    schema, context = read_model(model[0]), read_model(model[1])["@context"]
    slots = {key: _slot(schema, context, key, part) for key, part in schema["$defs"][name]["properties"].items()}
    return _expand(context, context.get(name, {"@id": name})["@id"]), slots


def _slot(schema: Mapping[str, Any], context: Mapping[str, Any], key: str, part: Mapping[str, Any]) -> Slot:
    entry = context.get(key, {"@id": key})
    entry = {"@id": IDENTIFIER_AS.get(key, "dcterms:identifier")} if entry == "@id" else entry
    many = part.get("type") == "array"
    single = part["items"] if many else part
    pattern = re.compile(single["pattern"]) if "pattern" in single else None
    target = str(single.get("$ref", "")).rpartition("/")[2]
    datatype = str(entry.get("@type", ""))
    form, detail = "text", "xsd:string"
    if target:
        values = schema["$defs"][target].get("enum")
        form, detail = ("any" if target == "Any" else "typed" if values else "node"), target
        if values:
            detail, pattern = "xsd:string", re.compile(rf"\A(?:{'|'.join(map(re.escape, values))})\Z")
    elif datatype == "@id":
        form, detail = "reference", _refers_to(key, pattern)
    elif single.get("type") in ("integer", "number", "boolean"):
        form = str(single["type"])
        detail = datatype or {"integer": "xsd:integer", "number": "xsd:double", "boolean": "xsd:boolean"}[form]
    elif datatype.startswith("xsd:"):
        form, detail = "typed", datatype
    return Slot(key, _expand(context, entry["@id"]), form, detail, many, pattern)


def _refers_to(key: str, pattern: re.Pattern[str] | None) -> str:
    if pattern is None or pattern.search("https://a.example/"):
        return "address"
    kind = next((kind for probe, kind in PROBES if pattern.search(probe)), "")
    if kind == "slug":
        kind = "family" if "family" in key else "agent" if key.endswith("_by") else ""
    if not kind:
        raise ExportError(f"the schema does not say what slot {key} refers to")
    return kind
