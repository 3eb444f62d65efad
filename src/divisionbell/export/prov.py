"""The frozen bank, and a run against it, as PROV-O.

``bank_triples`` and ``run_triples`` give triples, ``serialise`` turns them into bytes. Plain slots are written as the
schema says (``nodes``); this file, ``dossier_prov`` and ``run_prov`` add what the schema cannot say: who used, made and
derived what.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from divisionbell.export.dossier_prov import dossier, excluded, transformation_iri
from divisionbell.export.nodes import Writer
from divisionbell.export.run_prov import run_triples
from divisionbell.export.serialise import FORMATS, serialise
from divisionbell.export.slots import BANK
from divisionbell.export.terms import ExportError, Triple, address, base_of, literal, term

__all__ = ["FORMATS", "ExportError", "bank_triples", "run_triples", "serialise"]

TYPES = {
    "AnalysisPlan": ["prov:Entity", "prov:Plan"],
    "Bank": ["prov:Entity"],
    "Coding": ["prov:Entity"],
    "Contrast": ["prov:Entity"],
    "DataSource": ["prov:Entity"],
    "DivisionSourceRecord": ["prov:Entity"],
    "Dossier": ["prov:Entity", "prov:Collection"],
    "ExcludedDossier": ["prov:Entity"],
    "FreezeStatement": ["prov:Entity"],
    "Item": ["prov:Entity"],
    "MotionDirection": ["prov:Entity"],
    "MotionSemanticsReview": ["prov:Activity"],
    "ParserSpecification": ["prov:Entity", "prov:Plan"],
    "PartySpace": ["prov:Entity"],
    "PartySpaceReview": ["prov:Activity"],
    "ProspectiveCode": ["prov:Entity"],
    "PublicCopy": ["prov:Entity"],
    "Rewriting": ["prov:Activity"],
    "Transformation": ["prov:Activity"],
    "Waiver": ["prov:Entity"],
}


def bank_triples(records: Sequence[Mapping[str, Any]], statement: Mapping[str, Any] | None = None) -> list[Triple]:
    """The records of a frozen bank and its freeze statement as triples, sorted and each once.

    Each record is ``{"id", "kind", "value"}`` as in the frozen record file; without a statement (a bank not yet frozen)
    the freeze and the bank version are left out. Raises ExportError where there is not exactly one record of kind
    ``bank``, where a kind is unknown, where a value does not have the shape that the schema gives it, and where a slot
    that the links need is missing.
    """
    try:
        return _bank_triples(records, statement)
    except KeyError as error:
        raise ExportError(f"the slot {error} is missing") from error


def _bank_triples(records: Sequence[Mapping[str, Any]], statement: Mapping[str, Any] | None) -> list[Triple]:
    banks = [record for record in records if record["kind"] == "bank"]
    if len(banks) != 1:
        raise ExportError(f"{len(banks)} records of kind bank; there must be one")
    settings = banks[0]["value"]
    if not isinstance(settings, Mapping):
        raise ExportError("the bank record holds no settings")
    writer = Writer(BANK, base_of(settings.get("base_iri")), TYPES, transformation_iri)
    bank = writer.node("Bank", settings)
    _families(writer, settings.get("issue_families", []))
    members = [bank]
    for record in records:
        if record["kind"] not in WRITERS:
            raise ExportError(f"record {record['id']!r} has the unknown kind {record['kind']!r}")
        if record["kind"] != "bank":
            members += WRITERS[record["kind"]](writer, bank, record)
    if statement is not None:
        _freeze(writer, statement, members)
    return sorted(set(writer.triples))


def _families(writer: Writer, families: Sequence[Mapping[str, Any]]) -> None:
    scheme = writer.iri("scheme", "issue-families")
    writer.add(scheme, "rdf:type", term("skos:ConceptScheme"))
    writer.text(scheme, "dcterms:title", "Issue families")
    for family in families:
        concept = writer.iri("family", family["family_id"])
        writer.add(scheme, "skos:hasTopConcept", concept)
        writer.add(concept, "skos:inScheme", scheme)
        writer.add(concept, "skos:topConceptOf", scheme)
        writer.text(concept, "skos:prefLabel", family["family_id"])


def _agent(writer: Writer, bank: str, record: Mapping[str, Any]) -> list[str]:
    agent = writer.node("Agent", record["value"])
    kind = record["value"]["agent_kind"]
    writer.add(agent, "rdf:type", term("prov:Person" if kind == "person" else "prov:SoftwareAgent"))
    writer.add(bank, "db:agents", agent)
    return [agent]


def _data_source(writer: Writer, _bank: str, record: Mapping[str, Any]) -> list[str]:
    return [writer.node("DataSource", record["value"])]


def _plan(writer: Writer, _bank: str, record: Mapping[str, Any]) -> list[str]:
    return [writer.node("AnalysisPlan", record["value"])]


def _parser(writer: Writer, bank: str, record: Mapping[str, Any]) -> list[str]:
    parser = writer.node("ParserSpecification", record["value"])
    # A set of sentences has no order in RDF; the whole text keeps it.
    writer.text(parser, "schema:text", "\n".join(record["value"]["normative_text"]))
    writer.add(bank, "db:parser", parser)
    return [parser]


def _prospective(writer: Writer, _bank: str, record: Mapping[str, Any]) -> list[str]:
    code = writer.node("ProspectiveCode", record["value"])
    writer.add(code, "prov:wasDerivedFrom", address(record["value"]["official_address"]))
    return [code]


def _loose(writer: Writer, bank: str, record: Mapping[str, Any]) -> list[str]:
    node = writer.iri(record["kind"], record["id"])
    writer.add(node, "rdf:type", term("prov:Entity"))
    writer.loose(node, record["value"], "Bank")
    writer.add(bank, "dcterms:hasPart", node)
    return [node]


def _freeze(writer: Writer, statement: Mapping[str, Any], members: Sequence[str]) -> None:
    predicate = statement["predicate"]
    name = predicate["frozen_version"]
    version, freeze = writer.iri("version", name), writer.iri("freeze", name)
    program = writer.iri("program", predicate["frozen_by"])
    own = writer.node("FreezeStatement", statement, writer.iri("statement", name))
    writer.add(own, "prov:wasGeneratedBy", freeze)
    writer.add(own, "prov:wasDerivedFrom", version)
    writer.add(version, "rdf:type", term("prov:Entity"), term("prov:Collection"))
    writer.add(version, "schema:version", literal(name))
    writer.add(version, "db:sha256", literal(statement["subject"][0]["digest"]["sha256"]))
    writer.add(version, "prov:wasGeneratedBy", freeze)
    writer.add(version, "prov:hadMember", *members)
    writer.add(freeze, "rdf:type", term("prov:Activity"))
    writer.add(freeze, "prov:endedAtTime", literal(predicate["frozen_at"], "xsd:dateTime"))
    writer.add(freeze, "prov:wasAssociatedWith", program)
    writer.add(freeze, "prov:used", *members)
    writer.add(program, "rdf:type", term("prov:SoftwareAgent"))
    writer.text(program, "schema:name", predicate["frozen_by"])


WRITERS: Mapping[str, Callable[[Writer, str, Mapping[str, Any]], list[str]]] = {
    "agent": _agent,
    "bank": lambda _writer, bank, _record: [bank],
    "codebook": _loose,
    "data_source": _data_source,
    "dossier": dossier,
    "excluded": excluded,
    "parser": _parser,
    "plan": _plan,
    "prospective": _prospective,
    "reminder": _loose,
    "schema": _loose,
    "template": _loose,
}
