"""A run and its scores as PROV-O.

A unit is the activity of asking one item once: it used the item and was informed by the run. Each reply is an entity
that unit and run generated; the journal collects the replies; scores are derived from the journal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from divisionbell.export.nodes import Writer
from divisionbell.export.slots import RUN
from divisionbell.export.terms import ExportError, Triple, base_of, literal, segment, term

__all__ = ["run_triples"]

TYPES = {
    "Attempt": ["prov:Entity"],
    "Estimate": ["prov:Entity"],
    "RunHeader": ["prov:Activity"],
    "ScoreDocument": ["prov:Entity", "prov:Collection"],
    "Turn": ["prov:Entity"],
    "Unit": ["prov:Activity"],
}


def run_triples(
    base_iri: str,
    header: Mapping[str, Any],
    units: Iterable[Mapping[str, Any]],
    score: Mapping[str, Any] | None = None,
) -> list[Triple]:
    """A run's header, its units and, where there is one, its score document as triples, sorted and each once.

    ``base_iri`` is that of the bank that was asked. Replies are untrusted: their text becomes a literal and is never
    part of an IRI. Raises ExportError where a value does not have the shape that the schema gives it, where a slot that
    the links need is missing, and where the score document belongs to another run.
    """
    try:
        return _run_triples(base_iri, header, units, score)
    except KeyError as error:
        raise ExportError(f"the slot {error} is missing") from error


def _run_triples(
    base_iri: str, header: Mapping[str, Any], units: Iterable[Mapping[str, Any]], score: Mapping[str, Any] | None
) -> list[Triple]:
    run_id = header["run_id"]
    names = _Names(segment(run_id), base_of(base_iri))
    writer = Writer(RUN, base_iri, TYPES, names)
    run, version = writer.node("RunHeader", header), writer.iri("version", header["bank_version"])
    respondent = writer.iri("respondent", header["respondent"])
    writer.add(run, "prov:used", version, writer.iri("form", header["form"]))
    writer.add(run, "prov:wasAssociatedWith", respondent)
    writer.add(respondent, "rdf:type", term("prov:SoftwareAgent"))
    writer.text(respondent, "schema:name", header["respondent"])
    journal = writer.iri("journal", run_id)
    writer.add(journal, "rdf:type", term("prov:Entity"), term("prov:Collection"))
    writer.add(journal, "prov:wasGeneratedBy", run)
    for value in units:
        _unit(writer, value, run, version, respondent, journal)
    if score is not None:
        if score.get("scored_run") != run_id:
            raise ExportError(f"the scores are those of run {score.get('scored_run')!r}, not of {run_id!r}")
        _score(writer, score, journal, names)
    return sorted(set(writer.triples))


class _Names:
    """The IRIs of what is inside a run; all hold the run's id, since two runs can share a unit key."""

    def __init__(self, run: str, base: str) -> None:
        self.run, self.base = run, base
        self.estimates: Counter[str] = Counter()

    def __call__(self, class_name: str, value: Mapping[str, Any], parent: str) -> str | None:
        if class_name == "Unit":
            return f"<{self.base}unit_{self.run}_{segment(value['unit_key'])}>"
        if class_name == "Attempt":
            unit = parent[len(self.base) + len("<unit_") : -1]
            return f"<{self.base}reply_{unit}_{segment(value['attempt_number'])}>"
        if class_name == "ScoreDocument":
            return f"<{self.base}score_{self.run}>"
        if class_name == "Estimate":
            parts = [value["name"], *(value[key] for key in ("estimate_axis", "estimate_scale") if key in value)]
            name = "_".join(segment(part) for part in parts)
            self.estimates[name] += 1
            again = "" if self.estimates[name] == 1 else f"_{self.estimates[name]}"
            return f"<{self.base}estimate_{self.run}_{name}{again}>"
        return None


def _unit(writer: Writer, value: Mapping[str, Any], run: str, version: str, respondent: str, journal: str) -> None:
    unit, item = writer.node("Unit", value), writer.iri("item", value["asked_item"])
    writer.add(unit, "prov:used", item, version)
    writer.add(unit, "prov:wasInformedBy", run)
    writer.add(unit, "prov:wasAssociatedWith", respondent)
    writer.add(unit, "dcterms:isPartOf", run)
    before = None
    for attempt in value["attempts"]:
        reply = str(writer.own_iri("Attempt", attempt, unit))
        writer.add(reply, "prov:wasGeneratedBy", unit, run)
        writer.add(reply, "prov:wasAttributedTo", respondent)
        writer.add(reply, "prov:wasDerivedFrom", item)
        if before:
            writer.add(reply, "prov:wasInfluencedBy", before)
        writer.add(journal, "prov:hadMember", reply)
        before = reply


def _score(writer: Writer, score: Mapping[str, Any], journal: str, names: _Names) -> None:
    document = writer.node("ScoreDocument", score)
    writer.add(document, "prov:wasDerivedFrom", journal)
    writer.add(journal, "db:sha256", literal(score["scored_journal_sha256"]))
    names.estimates.clear()
    for estimate in score["estimates"]:
        node = str(names("Estimate", estimate, document))
        writer.add(node, "prov:wasDerivedFrom", journal)
        writer.add(document, "prov:hadMember", node)
