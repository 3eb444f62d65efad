"""From one figure of a score or a comparison to everything it rests on: units, replies, items, reviews, divisions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from divisionbell.bank.load import Bank
from divisionbell.diagnostics import shown_path
from divisionbell.estimate.behind import SAYS, Behind, behind
from divisionbell.estimate.behind_comparison import behind_comparison
from divisionbell.estimate.entering import Entry, Scored
from divisionbell.freeze.frozen_bank import Asked, FrozenBank
from divisionbell.freeze.placed import Placed, placed
from divisionbell.model.classes import Dossier
from divisionbell.run.find_runs import Run
from divisionbell.run.journal import JOURNAL
from divisionbell.run.journal_lines import standing_lines
from divisionbell.score.apply_key import ORDERS, kind_of, version_of

FORMAT = "divisionbell-trace/1"
SHOWN_CHARACTERS = 300
CARRIED = ("respondent", "constrained", "bank_version", "bank_sha256", "form", "repeats", "plan_used", "demonstration")
COMPARED = ("bank_version", "bank_sha256", "form", "constrained", "plan_used", "demonstration")
_ORDER = {number: name for name, number in ORDERS.items()}


@dataclass(frozen=True)
class _Sources:
    """What the parts of a trace are looked up in; units and lines for each run, the first being 1."""

    units: Mapping[int, Mapping[tuple[str, int, int], Mapping[str, Any]]]
    lines: Mapping[int, Mapping[str, int]]
    places: Mapping[str, Placed]
    reviewers: Mapping[str, str]


def trace(
    bank: FrozenBank, working: Bank, run: Run, scored: Mapping[str, Any], figure: Mapping[str, Any]
) -> dict[str, Any]:
    """The trace of `figure`, an estimate of the score document `scored` of a complete run; a JSON value.

    `working` is the bank folder that the frozen version was read from. LookupError for a name that no score has.
    """
    found = behind(Scored(bank, run.header, run.units), dict(figure))
    return {
        "format": FORMAT,
        "run": {
            "run_id": scored["scored_run"],
            "folder": shown_path(run.folder),
            **{slot: scored[slot] for slot in CARRIED},
            "journal": shown_path(run.folder / JOURNAL),
            "journal_sha256": scored["scored_journal_sha256"],
            "records": _records(bank, working),
        },
        "notes": scored["notes"],
        "figure": dict(figure),
        **_rest(bank, working, [run], found),
    }


def trace_comparison(
    bank: FrozenBank, working: Bank, runs: Sequence[Run], document: Mapping[str, Any], figure: Mapping[str, Any]
) -> dict[str, Any]:
    """The trace of `figure`, an estimate of the comparison document of complete `runs`, which are in its order."""
    found = behind_comparison([Scored(bank, run.header, run.units) for run in runs], dict(figure))
    return {
        "format": FORMAT,
        "comparison": {**{slot: document[slot] for slot in COMPARED}, "records": _records(bank, working)},
        "runs": [
            {
                "number": number,
                "run_id": one["scored_run"],
                "folder": shown_path(run.folder),
                **{slot: one[slot] for slot in ("respondent", "repeats", "started_at")},
                "journal": shown_path(run.folder / JOURNAL),
                "journal_sha256": one["scored_journal_sha256"],
            }
            for number, (run, one) in enumerate(zip(runs, document["compared"], strict=True), start=1)
        ],
        "notes": document["notes"],
        "figure": dict(figure),
        **_rest(bank, working, runs, found),
    }


def _records(bank: FrozenBank, working: Bank) -> str:
    return shown_path(working.freeze_folder / f"{bank.version}.records.jsonl")


def _rest(bank: FrozenBank, working: Bank, runs: Sequence[Run], found: Behind) -> dict[str, Any]:
    """How a figure is made and everything behind it."""
    by_dossier: dict[str, list[Entry]] = defaultdict(list)
    for entry in found.entries:
        by_dossier[entry.asked.dossier.dossier_id].append(entry)
    sources = _Sources(
        {number: {_key(unit): unit for unit in run.units} for number, run in enumerate(runs, start=1)},
        {number: standing_lines(run.folder) for number, run in enumerate(runs, start=1)},
        placed(bank, working, by_dossier),
        {str(agent.agent_id): agent.label for agent in bank.settings.agents},
    )
    dossiers = [dossier for dossier in bank.dossiers if dossier.dossier_id in by_dossier]
    dossiers.sort(key=lambda dossier: (str(dossier.axis), dossier.issue_family))
    return {
        "made": {"rule": found.made, "says": SAYS[found.made], "depends_on": found.by, "again": found.again},
        "counts": _counts(found, sources),
        "families": _families(found),
        "dossiers": [_dossier(dossier, by_dossier[dossier.dossier_id], sources) for dossier in dossiers],
    }


def _key(unit: Mapping[str, Any]) -> tuple[str, int, int]:
    return unit["asked_item"], ORDERS[unit["asked_order"]], int(unit["repeat"])


def _counts(found: Behind, sources: _Sources) -> dict[str, int]:
    asked = [entry.asked for entry in found.entries]
    made = {
        "families": len({(str(one.dossier.axis), one.dossier.issue_family) for one in asked}),
        "dossiers": len({one.dossier.dossier_id for one in asked}),
        "items": len({one.item.item_id for one in asked}),
        "units": len(asked),
        "units_without_an_answer": sum("answer" not in sources.units[entry.run][entry.unit] for entry in found.entries),
    }
    return made | ({"units_of_weight_0": sum(e.weight == 0 for e in found.entries)} if found.weighted else {})


def _weights(entries: Iterable[Entry]) -> dict[str, float]:
    """The weight of several units and their part of the figure; nothing where units have none. Weights of both signs,
    as those of the two runs of a difference, take each other off: the part alone then says anything."""
    given = [(entry.weight, entry.enters_as) for entry in entries]
    if any(weight is None for weight, _ in given):
        return {}
    weights = [weight or 0.0 for weight, _ in given]
    part = {"part": fsum((weight or 0.0) * (enters or 0.0) for weight, enters in given) + 0.0}
    return part if min(weights) < 0 < max(weights) else {"weight": fsum(weights) + 0.0, **part}


def _families(found: Behind) -> list[dict[str, Any]]:
    grouped: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in found.entries:
        grouped[str(entry.asked.dossier.axis), entry.asked.dossier.issue_family].append(entry)
    return [
        {
            "family": family,
            "axis": axis,
            "dossiers": len({entry.asked.dossier.dossier_id for entry in entries}),
            "units": len(entries),
            **_weights(entries),
        }
        for (axis, family), entries in sorted(grouped.items())
    ]


def _dossier(dossier: Dossier, entries: list[Entry], sources: _Sources) -> dict[str, Any]:
    place, source = sources.places[dossier.dossier_id], dossier.source
    by_item: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        by_item[entry.asked.item.item_id].append(entry)
    return {
        "dossier_id": dossier.dossier_id,
        "axis": str(dossier.axis),
        "family": dossier.issue_family,
        "place": place.at(),
        "working_copy": place.working_copy,
        **({"note": place.word} if place.word else {}),
        **_weights(entries),
        "division": {
            "division_id": source.division_id,
            "title": source.official_title,
            "held_at": source.held_at,
            "ayes": source.ayes,
            "noes": source.noes,
            "official_address": source.official_address,
            "place": place.at("source", "official_address"),
        },
        "reviews": _reviews(dossier, place, sources),
        "items": [
            _item(Asked(dossier, item), place.at("items", number), by_item[item.item_id], sources)
            for number, item in enumerate(dossier.items)
            if item.item_id in by_item
        ],
    }


def _reviews(dossier: Dossier, place: Placed, sources: _Sources) -> list[dict[str, Any]]:
    semantics, space = dossier.reviews.motion_semantics_v1, dossier.reviews.party_space_crosscheck_v1
    return [
        {
            "procedure": procedure,
            "review_id": review.review_id,
            "status": str(review.status),
            "reviewed_by": review.reviewed_by,
            "reviewer": sources.reviewers.get(review.reviewed_by, "not among the agents of the bank"),
            "reviewed_on": review.reviewed_on,
            "evidence": list(evidence),
            "place": place.at("reviews", procedure),
        }
        for procedure, review, evidence in (
            ("motion_semantics_v1", semantics, semantics.semantics_evidence),
            ("party_space_crosscheck_v1", space, space.party_space_evidence),
        )
    ]


def _item(asked: Asked, place: str, entries: list[Entry], sources: _Sources) -> dict[str, Any]:
    return {
        "item_id": asked.item.item_id,
        "alias": asked.alias,
        "scale": kind_of(asked),
        "version": version_of(asked),
        "place": place,
        "transformation_sha256": asked.item.transformation_sha256,
        **_weights(entries),
        "units": [_unit(entry, sources) for entry in sorted(entries, key=_in_order)],
    }


def _in_order(entry: Entry) -> tuple[int, int, int]:
    """Runs beside each other within an order."""
    return entry.order, entry.run, entry.repeat


def _unit(entry: Entry, sources: _Sources) -> dict[str, Any]:
    unit = sources.units[entry.run][entry.unit]
    told: dict[str, Any] = {
        **({"run": entry.run} if len(sources.units) > 1 else {}),
        "unit_key": unit["unit_key"],
        "line": f"{JOURNAL}:{sources.lines[entry.run][unit['unit_key']]}",
        "order": _ORDER[entry.order],
        "repeat": entry.repeat,
        "outcome": unit["outcome"],
        "role": entry.role,
    }
    if "answer" in unit:
        at_a = -1 if entry.order == 0 else 1
        told |= {"answer": unit["answer"], "coordinate": at_a if unit["answer"] == "A" else -at_a}
    if entry.weight is not None:
        told |= {"weight": entry.weight, "enters_as": entry.enters_as}
    return told | {"replies": [_reply(attempt) for attempt in unit["attempts"]]}


def _reply(attempt: Mapping[str, Any]) -> dict[str, Any]:
    """One attempt: how it was read, and its raw text as far as it is shown."""
    told: dict[str, Any] = {"attempt": attempt["attempt_number"], "reading": attempt["reading"]}
    for slot in ("reply_text", "finish_reason", "refusal_field", "transport_error"):
        text = attempt.get(slot)
        if text is not None:
            told[slot] = text[:SHOWN_CHARACTERS]
            if len(text) > SHOWN_CHARACTERS:
                told[f"{slot}_more_characters"] = len(text) - SHOWN_CHARACTERS
    return told


def only_item(told: Mapping[str, Any], item: str) -> dict[str, Any] | None:
    """The same trace with one item alone, named by its id or its readable name; None where it is not behind it."""
    kept = []
    for dossier in told["dossiers"]:
        items = [one for one in dossier["items"] if item in (one["item_id"], one["alias"])]
        if items:
            kept.append(dossier | {"items": items})
    return {**told, "only_item": item, "dossiers": kept} if kept else None
