"""REV: two approved reviews with distinct evidence, which cover every item and agree."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from divisionbell.bank.read import Document, Path_
from divisionbell.diagnostics import Diagnostic, Related
from divisionbell.sources.ches import FIELDS
from divisionbell.sources.party_space import fields, inconsistencies, weaknesses
from divisionbell.validate.rule import Context, Example, Rule

SEMANTICS, PARTY_SPACE = "motion_semantics_v1", "party_space_crosscheck_v1"
_NO_READING = {SEMANTICS: {"rejected"}}
_READ = {SEMANTICS: {"approved"}}
# Reason for an exclusion -> what the reviews must have come to where it is the reason.
REASONS = {
    "ambiguous": _NO_READING,
    "both_axes": _NO_READING,
    "not_a_policy": _NO_READING,
    "direction_unproved": _NO_READING,
    "same_question": _READ,
    "procedures_disagree": {**_READ, PARTY_SPACE: {"rejected"}},
    "party_space_too_weak": {**_READ, PARTY_SPACE: {"rejected", "not_computable"}},
}


def _approved(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    for document in context.dossiers:
        ids = [item["item_id"] for item in document.value["items"]]
        for procedure, review in document.value["reviews"].items():
            if review["status"] != "approved":
                yield rule.found(
                    document.at("reviews", procedure, "status"),
                    f"{procedure} is {review['status']}",
                    fix="make its record by divisionbell new DIVISION --exclude REASON, then remove this file",
                )
            covered = set(review.get("covers", ()))
            for number, name in enumerate(ids):
                if name in covered:
                    continue
                yield rule.found(
                    document.at_key("reviews", procedure, "covers"),
                    f"{procedure} does not cover {name}",
                    Related(document.at("items", number, "item_id"), "the item is here"),
                    fix="review the item and add it to covers",
                )


def _agree(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    for document in context.dossiers:
        source = document.value["source"]
        for procedure, review in document.value["reviews"].items():
            for slot, expected in (("found_axis", source["axis"]), ("found_aye_coordinate", source["aye_coordinate"])):
                if review.get(slot) != expected:
                    own = "axis" if slot == "found_axis" else "aye_coordinate"
                    yield rule.found(
                        document.at("reviews", procedure, slot),
                        f"{procedure} finds {slot.removeprefix('found_')} {review.get(slot, 'none')}",
                        Related(document.at("source", own), f"the source record says {expected}"),
                    )
    for document in context.excluded:
        yield from _excluded(rule, document)


def _excluded(rule: Rule, document: Document) -> Iterable[Diagnostic]:
    """The record of an excluded division is what the reading found, and its reason is what the reviews say."""
    value = document.value
    source, reviews, reason = value["source"], value["reviews"], value["exclusion"]["exclusion_reason"]
    for procedure, slot, own in (
        (SEMANTICS, "found_axis", "axis"),
        (SEMANTICS, "found_aye_coordinate", "aye_coordinate"),
        (PARTY_SPACE, "found_axis", "axis"),
    ):
        if reviews[procedure].get(slot) != source[own]:
            yield rule.found(
                document.at("reviews", procedure, slot),
                f"{procedure} finds {slot.removeprefix('found_')} {reviews[procedure].get(slot, 'none')}",
                Related(document.at("source", own), f"the source record says {source[own]}"),
            )
    found = [reviews[name].get("found_aye_coordinate") for name in (SEMANTICS, PARTY_SPACE)]
    told: list[tuple[str, Path_, str]] = []
    if reason == "procedures_disagree" and found[0] == found[1]:
        told.append((PARTY_SPACE, ("found_aye_coordinate",), "the two procedures do not disagree"))
    for procedure, admitted in REASONS[reason].items():
        status = reviews[procedure]["status"]
        if status not in admitted:
            told.append((procedure, ("status",), f"{reason} is no reason where {procedure} is {status}"))
    if not told and reason == "party_space_too_weak" and not weaknesses(reviews[PARTY_SPACE]["party_space"]):
        figure = ("party_space", "difference")
        told.append((PARTY_SPACE, figure, "the party space is above every threshold, so that it is not too weak"))
    for procedure, path, message in told:
        yield rule.found(
            document.at("exclusion", "exclusion_reason"),
            message,
            Related(document.at("reviews", procedure, *path), "the review says so here"),
            fix="name the true reason for the exclusion",
        )


def _evidence(review: dict[str, Any], procedure: str) -> tuple[str, list[str]]:
    slot = "semantics_evidence" if procedure == SEMANTICS else "party_space_evidence"
    return slot, review[slot]


def _distinct(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    for document in [*context.dossiers, *context.excluded]:
        yield from _own_evidence(rule, document)
        for number, entity in enumerate(document.value["reviews"][PARTY_SPACE]["party_space_evidence"]):
            survey, _, name = entity.partition("#")
            if survey == "ches-2024" and name not in FIELDS:
                place = document.at("reviews", PARTY_SPACE, "party_space_evidence", number)
                yield rule.found(place, f"{name} is no field that the cross-check uses", fix="take it out")


def _own_evidence(rule: Rule, document: Document) -> Iterable[Diagnostic]:
    value = document.value
    own = f"commons-{value['source']['division_id']}"
    needed = {
        SEMANTICS: ["codebook-1.1"],
        PARTY_SPACE: [f"{own}#party_counts", *(f"ches-2024#{field}" for field in fields(value["axis"]))],
    }
    used: dict[str, tuple[str, str, int]] = {}
    for procedure in (SEMANTICS, PARTY_SPACE):
        slot, entities = _evidence(value["reviews"][procedure], procedure)
        for number, entity in enumerate(entities):
            if entity.startswith("commons-") and entity.split("#")[0] != own:
                place = document.at("reviews", procedure, slot, number)
                yield rule.found(place, f"{entity} is not about this division", fix=f"use evidence of {own}")
            if entity in used and used[entity][0] != procedure:
                first = used[entity]
                yield rule.found(
                    document.at("reviews", procedure, slot, number),
                    f"{entity} is evidence of both reviews",
                    Related(document.at("reviews", *first), "it is used here too"),
                )
            if procedure == PARTY_SPACE and entity.startswith("ches-2024#") and entity not in needed[procedure]:
                place = document.at("reviews", procedure, slot, number)
                yield rule.found(place, f"nothing is computed from {entity}", fix="remove it")
            used.setdefault(entity, (procedure, slot, number))
        for entity in needed[procedure]:
            if entity not in entities:
                yield rule.found(
                    document.at_key("reviews", procedure, slot),
                    f"{procedure} does not name {entity}",
                    fix=f"add {entity}",
                )
        if procedure == SEMANTICS and not any(e.startswith(own) for e in entities):
            yield rule.found(
                document.at_key("reviews", procedure, slot),
                "the reading rests on no official text",
                fix=f"add {own}#title or {own}#motion_direction",
            )


def _computed(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    for document in [*context.dossiers, *context.excluded]:
        value = document.value
        for problem in inconsistencies(value["source"], value["reviews"][PARTY_SPACE], value["axis"]):
            notes = [Related(document.at(*path), f"{path[-1]} is here") for path in problem.beside]
            yield rule.found(document.at("reviews", PARTY_SPACE, *problem.path), problem.message, *notes)


def _codings(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    for document in context.dossiers:
        for number, coding in enumerate(document.value.get("codings", [])):
            read = coding.get("coded_text_sha256")
            if coding["blind"] and (read is None or "coded_pole_of_b" not in coding):
                lacks = "coded_text_sha256" if read is None else "coded_pole_of_b"
                yield rule.found(document.at("codings", number, "coding_id"), f"{coding['coding_id']} lacks {lacks}")
                continue
            name = f"{coding['coded_item']}-{coding['coded_by']}-{read[:8]}" if read else None
            if name is not None and coding["coding_id"] != name:
                named = ("coded_item", "coded_by", "coded_text_sha256")
                yield rule.found(
                    document.at("codings", number, "coding_id"),
                    f"{coding['coding_id']} is not the coding of this item, coder and text",
                    *(Related(document.at("codings", number, slot), f"{slot} is here") for slot in named),
                    fix=f"restore what the sheet gave; its name would be {name}",
                )


APPROVED = Rule(
    "REV001",
    "two approved reviews cover every item",
    "Codebook: every record has two approved reviews.",
    "have the item reviewed",
    _approved,
    example=Example(
        "item not covered",
        bad="""
covers:
  - qstltic6
  - qgunvinl
  - q5d67lhh
found_axis: social
""",
        good="""
covers:
  - qstltic6
  - qgunvinl
  - q5d67lhh
  - qefmpysi
found_axis: social
""",
    ),
)
AGREE = Rule(
    "REV002",
    "the reviews agree with each other and with the source record",
    "Codebook: an item enters only when the two procedures agree on the relevant axis and sign.",
    "correct the record, or exclude the division with both results",
    _agree,
    example=Example(
        "reading finds the other sign",
        bad="""
found_axis: social
found_aye_coordinate: 1
""",
        good="""
found_axis: social
found_aye_coordinate: -1
""",
    ),
)
DISTINCT = Rule(
    "REV003",
    "the evidence of the two reviews is distinct",
    "Codebook: two reviews with distinct evidence: official text and codebook; party counts and survey.",
    "take the entity out of one of the two",
    _distinct,
    example=Example(
        "no codebook",
        bad="""
motion_semantics_v1:
  …
  semantics_evidence:
    - commons-1541#title
    - commons-1541#motion_direction
party_space_crosscheck_v1:
""",
        good="""
motion_semantics_v1:
  …
  semantics_evidence:
    - commons-1541#title
    - commons-1541#motion_direction
    - codebook-1.1
""",
    ),
)
COMPUTED = Rule(
    "REV004",
    "the party-space figures are consistent with the counts",
    "The cross-check is computed, never typed: what can be recomputed without the survey file is.",
    "restore the count or figure that changed; if it is meant: divisionbell review party-space DOSSIER --ches FILE",
    _computed,
    example=Example(
        "difference is not that of the positions",
        bad="""
aye_position: 2.6778
no_position: 7.1429
difference: -4.3
""",
        good="""
aye_position: 2.6778
no_position: 7.1429
difference: -4.4651
""",
    ),
)
CODED = Rule(
    "REV005",
    "a coding names its item, coder and text",
    "A blind coding counts for the words that were read, so that a first reading cannot be moved to other words.",
    "take the coding from its sheet: divisionbell review code SHEET",
    _codings,
    example=Example(
        "name of another text",
        bad="""
codings:
  - coding_id: some-other-name
    coded_item: 'qstltic6'
    coded_by: drafting-software
    …
    coded_text_sha256: c45ec45e…
""",
        good="""
codings:
  - coding_id: qstltic6-drafting-software-c45ec45e
    coded_item: 'qstltic6'
    coded_by: drafting-software
    …
    coded_text_sha256: c45ec45e…
""",
        good_case="name of item coder and text",
    ),
)
