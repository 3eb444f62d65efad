"""Scaffold a dossier: what can be computed is filled in, the rest is left empty with a word on what goes there.

An empty value is a finding of `validate` at its line, so nothing unwritten can be frozen.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from divisionbell.author.layout import emit
from divisionbell.bank.canonical import extract_sha256
from divisionbell.bank.order import Pole, pole_at_a
from divisionbell.sources.ches import Survey
from divisionbell.sources.commons import Figures
from divisionbell.sources.party_space import PRIMARY, RELATED, compute, verdict
from divisionbell.validate.shape import schema

BASE32 = "abcdefghijklmnopqrstuvwxyz234567"
REMOVED = (
    "Jurisdiction, party, legislator, bill and country names; invented places and institutions stand in their place."
)


@dataclass
class Blanks:
    """The places that the author must fill, as tokens until the file is written."""

    comments: list[str] = field(default_factory=list)

    def ask(self, owner: str, slot: str, more: str = "") -> str:
        """A token for a slot of a class; its comment is the schema's own description."""
        described = schema()["$defs"][owner]["properties"][slot]["description"]
        self.comments.append(f"{more}{described}")
        return f"§{len(self.comments) - 1}§"

    def fill(self, text: str) -> str:
        """The tokens of an emitted file replaced by comments."""
        return re.sub(r"(?:['\"])?§(\d+)§(?:['\"])?", lambda m: f"# {self.comments[int(m.group(1))]}", text)


def draw_id(taken: set[str]) -> str:
    """A new item id: q and seven random base-32 characters, not among those taken."""
    while True:
        drawn = "q" + "".join(secrets.choice(BASE32) for _ in range(7))
        if drawn not in taken:
            taken.add(drawn)
            return drawn


def scoring_key(axis: str, at_a: Pole) -> dict[str, dict[str, int]]:
    """The key with coordinate -1 or +1 on one axis for the pole that stands at A."""
    sign = -1 if at_a == "negative" else 1

    def point(value: int) -> dict[str, int]:
        return {name: value if name == axis else 0 for name in ("economic", "social")}

    return {"key_a": point(sign), "key_b": point(-sign)}


def scaffold_item(
    blanks: Blanks, item_id: str, kind: str, axis: str, at_a: Pole, agent: str, today: date, mirror_of: str | None
) -> dict[str, Any]:
    """One item with its key filled in by the seed and its texts left to be written."""
    at_b = "positive" if at_a == "negative" else "negative"
    item: dict[str, Any] = {"item_id": item_id, "kind": kind}
    if mirror_of is not None:
        item["mirror_of"] = mirror_of
    return item | {
        "stem": blanks.ask("Item", "stem"),
        "options": {
            "text_a": blanks.ask("Options", "text_a", f"The {at_a} pole. "),
            "text_b": blanks.ask("Options", "text_b", f"The {at_b} pole. "),
        },
        "scoring_key": scoring_key(axis, at_a),
        "status_quo": blanks.ask("Item", "status_quo"),
        "frame": blanks.ask("Item", "frame"),
        "heard_first": blanks.ask("Item", "heard_first"),
        "cost_of_negative": blanks.ask("Item", "cost_of_negative"),
        "cost_of_positive": blanks.ask("Item", "cost_of_positive"),
        "transformation": {"made_by": agent, "made_on": today.isoformat(), "removed": REMOVED},
        "transformation_sha256": blanks.ask("Item", "transformation_sha256", "Run divisionbell hash. "),
    }


@dataclass(frozen=True)
class Wanted:
    """What the author says about a new dossier."""

    axis: str
    family: str | None
    aye: Pole
    reversed: bool
    agent: str
    computed_by: str
    today: date
    excluded: str | None = None


def scaffold(figures: Figures, wanted: Wanted, seed: str, taken: set[str], survey: Survey) -> str:
    """The text of a new dossier, without its schema line."""
    blanks = Blanks()
    number = figures.source["division_id"]
    name = f"commons-{number}"
    coordinate = -1 if wanted.aye == "negative" else 1
    source = _source(figures, wanted, coordinate, blanks)
    items = []
    for kind in () if wanted.excluded else ("concrete_action", "implicit_action"):
        original = draw_id(taken)
        mirror = draw_id(taken)
        for item_id, of in ((original, None), (mirror, original)):
            at_a = pole_at_a(seed, original, mirror=of is not None)
            items.append(scaffold_item(blanks, item_id, kind, wanted.axis, at_a, wanted.agent, wanted.today, of))
    record: dict[str, Any] = {"dossier_id": name, "axis": wanted.axis}
    if wanted.family is not None:
        record["issue_family"] = wanted.family
    if wanted.excluded:
        record["exclusion"] = {
            "exclusion_reason": wanted.excluded,
            "explanation": blanks.ask("Exclusion", "explanation"),
        }
    else:
        record["contrast"] = {
            slot: blanks.ask("Contrast", slot) for slot in ("question", "negative_pole", "positive_pole")
        }
    record["source"] = source
    record["reviews"] = _reviews(name, source, wanted, coordinate, [item["item_id"] for item in items], survey, blanks)
    if items:
        record["items"] = items
    return blanks.fill(emit(record))


def _source(figures: Figures, wanted: Wanted, coordinate: int, blanks: Blanks) -> dict[str, Any]:
    had = figures.source
    source: dict[str, Any] = {
        slot: had[slot] for slot in ("division_id", "number", "held_at", "official_title", "title_status")
    }
    source["motion_direction"] = {
        slot: blanks.ask("MotionDirection", slot)
        for slot in ("quoted_text", "evidence_kind", "text_status", "stands_in")
    }
    source |= {slot: had[slot] for slot in ("ayes", "noes", "party_counts", "members_basis")}
    source |= {
        "axis": wanted.axis,
        "aye_coordinate": coordinate,
        "direction": "reversed" if wanted.reversed else "straight",
    }
    if wanted.reversed:
        source["direction_note"] = blanks.ask("DivisionSourceRecord", "direction_note")
    source["official_address"] = had["official_address"]
    source["copies"] = [
        {
            "publisher": copy["publisher"],
            "path": copy["path"],
            "revision": copy["revision"],
            "extract_sha256": extract_sha256(source, copy["supplies"]),
            "obtained_on": wanted.today.isoformat(),
            "supplies": copy["supplies"],
        }
        for copy in figures.copies
    ]
    return source


def _reviews(
    name: str,
    source: Mapping[str, Any],
    wanted: Wanted,
    coordinate: int,
    ids: list[str],
    survey: Survey,
    blanks: Blanks,
) -> dict[str, Any]:
    covers = {"covers": ids} if ids else {}
    return {
        "motion_semantics_v1": {
            "review_id": f"{name}-motion-semantics",
            "status": blanks.ask("MotionSemanticsReview", "status", "approved or rejected. "),
            "reviewed_by": wanted.agent,
            "reviewed_on": wanted.today.isoformat(),
            **covers,
            "found_axis": wanted.axis,
            "found_aye_coordinate": coordinate,
            "rationale": blanks.ask("MotionSemanticsReview", "rationale"),
            "semantics_evidence": [f"{name}#title", f"{name}#motion_direction", "codebook-1.1"],
        },
        "party_space_crosscheck_v1": party_space_review(name, source, wanted, ids, survey),
    }


def party_space_review(
    name: str, source: Mapping[str, Any], wanted: Wanted, ids: list[str], survey: Survey
) -> dict[str, Any]:
    """The cross-check as a review, every figure computed."""
    space = compute(source, wanted.axis, survey.values, survey.sha256, survey.value_sha256)
    status, found, why = verdict(space, source["aye_coordinate"])
    review: dict[str, Any] = {
        "review_id": f"{name}-party-space",
        "status": status,
        "reviewed_by": wanted.computed_by,
        "reviewed_on": wanted.today.isoformat(),
    }
    if ids:
        review["covers"] = ids
    review["found_axis"] = wanted.axis
    if found is not None:
        review["found_aye_coordinate"] = found
    fields = [
        PRIMARY[wanted.axis],
        PRIMARY["social" if wanted.axis == "economic" else "economic"],
        *RELATED[wanted.axis],
    ]
    return review | {
        "rationale": f"Computed from the party counts and the survey: {why}.",
        "party_space_evidence": [f"{name}#party_counts", *(f"ches-2024#{field}" for field in fields)],
        "party_space": space,
    }
