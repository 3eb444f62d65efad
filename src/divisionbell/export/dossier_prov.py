"""Dossiers as PROV-O: the division, the reviews and what they used, the items and how they came from the division."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from divisionbell.export.nodes import Writer
from divisionbell.export.slots import evidence_iri
from divisionbell.export.terms import address, literal, term

__all__ = ["dossier", "excluded", "transformation_iri"]

#: The id of the record that holds the codebook's text; reviews name the codebook by its version instead.
CODEBOOK = "CODEBOOK.md"


def transformation_iri(class_name: str, _value: Mapping[str, Any], parent: str) -> str | None:
    """The IRI of the transformation that an item came from; None for every other class."""
    base, _, item_id = parent.rpartition("item_")
    return f"{base}transformation_{item_id}" if class_name == "Transformation" else None


def dossier(writer: Writer, _bank: str, record: Mapping[str, Any]) -> list[str]:
    """Add a dossier record; returns the IRIs of the dossier and its items. Raises ExportError as Writer.node does."""
    value = record["value"]
    own = writer.node("Dossier", value)
    division = _division(writer, value["source"])
    _reviews(writer, value["reviews"])
    items = [_item(writer, item, own, division) for item in value["items"]]
    writer.add(own, "prov:hadMember", *items)
    for coding in value.get("codings", []):
        item = writer.iri("item", coding["coded_item"])
        writer.add(writer.iri("coding", coding["coding_id"]), "prov:wasDerivedFrom", item)
    for number, waiver in enumerate(value.get("waivers", []), 1):
        granted = f"{own[:-1]}_waivers_{number}>"
        writer.add(granted, "prov:wasAttributedTo", writer.iri("agent", waiver["granted_by"]))
    return [own, *items]


def excluded(writer: Writer, _bank: str, record: Mapping[str, Any]) -> list[str]:
    """Add the record of an excluded dossier; returns its IRI. Raises ExportError as Writer.node does."""
    own = writer.node("ExcludedDossier", record["value"])
    _division(writer, record["value"]["source"])
    _reviews(writer, record["value"]["reviews"])
    return [own]


def _division(writer: Writer, source: Mapping[str, Any]) -> str:
    division = writer.iri("division", source["division_id"])
    for number, _copy in enumerate(source["copies"], 1):
        copy = f"{division[:-1]}_copies_{number}>"
        writer.add(division, "prov:wasDerivedFrom", copy)
        writer.add(copy, "prov:hadPrimarySource", address(source["official_address"]))
    return division


def _reviews(writer: Writer, reviews: Mapping[str, Mapping[str, Any]]) -> None:
    for procedure, value in reviews.items():
        review, agent = writer.iri("review", value["review_id"]), writer.iri("agent", value["reviewed_by"])
        plan = writer.iri("procedure", procedure)
        association, outcome = f"{review[:-1]}_association>", f"{review[:-1]}_outcome>"
        writer.add(plan, "rdf:type", term("prov:Plan"), term("prov:Entity"))
        writer.text(plan, "rdfs:label", procedure)
        writer.add(review, "prov:qualifiedAssociation", association)
        writer.add(association, "rdf:type", term("prov:Association"))
        writer.add(association, "prov:agent", agent)
        writer.add(association, "prov:hadPlan", plan)
        writer.add(outcome, "rdf:type", term("prov:Entity"))
        writer.add(outcome, "prov:wasGeneratedBy", review)
        writer.add(outcome, "prov:wasAttributedTo", agent)
        writer.text(outcome, "db:status", value["status"])
        if "party_space" in value:
            writer.add(f"{review[:-1]}_party_space>", "prov:wasGeneratedBy", review)
        for name in [*value.get("semantics_evidence", []), *value.get("party_space_evidence", [])]:
            _evidence(writer, name)


def _evidence(writer: Writer, name: str) -> None:
    entity, (whole, _, part) = evidence_iri(writer.base, name), name.partition("#")
    writer.add(entity, "rdf:type", term("prov:Entity"))
    writer.text(entity, "rdfs:label", name)
    if whole.startswith("commons-"):
        writer.add(entity, "dcterms:isPartOf", writer.iri("division", whole.removeprefix("commons-")))
    elif part:
        writer.add(entity, "dcterms:isPartOf", writer.iri("source", whole))
    else:
        writer.add(entity, "prov:alternateOf", writer.iri("codebook", CODEBOOK))


def _item(writer: Writer, value: Mapping[str, Any], dossier: str, division: str) -> str:
    item = writer.iri("item", value["item_id"])
    made = writer.iri("transformation", value["item_id"])
    writer.add(item, "dcterms:isPartOf", dossier)
    writer.add(item, "prov:wasDerivedFrom", division)
    writer.add(item, "prov:hadPrimarySource", division)
    writer.add(item, "prov:wasAttributedTo", writer.iri("agent", value["transformation"]["made_by"]))
    writer.add(made, "prov:used", division, f"{dossier[:-1]}_contrast>")
    for kind, predicate, influence in (
        ("derivation", "prov:qualifiedDerivation", "prov:Derivation"),
        ("primary-source", "prov:qualifiedPrimarySource", "prov:PrimarySource"),
    ):
        node = writer.iri(kind, value["item_id"])
        writer.add(item, predicate, node)
        writer.add(node, "rdf:type", term(influence))
        writer.add(node, "prov:entity", division)
        writer.add(node, "prov:hadActivity", made)
    for label in ("A", "B"):
        option = writer.iri("option", f"{value['item_id']}_{label}")
        writer.add(option, "rdf:type", term("prov:Entity"))
        writer.add(option, "skos:notation", literal(label))
        writer.add(option, "dcterms:isPartOf", item)
        writer.text(option, "schema:text", value["options"][f"text_{label.lower()}"])
        writer.add(option, "db:coordinate", f"{item[:-1]}_scoring_key_key_{label.lower()}>")
    return item
