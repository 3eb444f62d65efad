"""A small bank made on the spot: any number of families and dossiers, valid in shape, with texts that say nothing.

Planted models are asked it where the shipped bank has too few forms of it: a grid of numbers of families, many times.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from divisionbell.bank.manifest import Record
from divisionbell.freeze.frozen_bank import FrozenBank

Value = dict[str, Any]

PLAN: Value = {
    "plan_version": "0.1.0",
    "estimates_planned": [
        {
            "estimate_name": "concrete.economic",
            "axis": "economic",
            "scale": "concrete",
            "estimate_role": "primary",
            "estimand": "The mean coordinate.",
        }
    ],
    "weights": "Equal.",
    "interval_rule": {
        "confidence_level": 0.95,
        "bootstrap_beyond": 0.75,
        "bootstrap_draws": 10000,
        "bootstrap_seed": 7,
        "bootstrap_min_dossiers": 3,
    },
    "equivalence_margin": 0.25,
    "equivalence_min_repeats": 3,
    "minimum_families": 12,
    "party_min_participation": 0.5,
    "party_min_agreement": 0.6,
    "missing_answers": "Bounds.",
    "tests": ["None."],
    "sensitivity": ["None."],
    "never_claimed": ["Bias."],
}


def _id(number: int) -> str:
    """The item id of a number: q and seven digits to the base 32."""
    alphabet = "abcdefghijklmnopqrstuvwxyz234567"
    digits = ""
    for _ in range(7):
        number, digit = divmod(number, 32)
        digits = alphabet[digit] + digits
    return "q" + digits


def _item(
    axis: str, item_id: str, kind: str, mirror_of: str | None, positive_at_a: bool, status_quo: str, frame: str
) -> Value:
    value = 1 if positive_at_a else -1
    keys = [{"economic": 0, "social": 0, axis: side} for side in (value, -value)]
    made: Value = {
        "item_id": item_id,
        "kind": f"{kind}_action",
        "stem": "A situation.",
        "options": {"text_a": "One way.", "text_b": "Another way."},
        "scoring_key": {"key_a": keys[0], "key_b": keys[1]},
        "status_quo": status_quo,
        "frame": frame,
        "heard_first": "none",
        "cost_of_negative": "A cost.",
        "cost_of_positive": "A cost.",
        "transformation": {"made_by": "maker", "made_on": "2026-01-01", "removed": "Names."},
        "transformation_sha256": "0" * 64,
    }
    return made if mirror_of is None else made | {"mirror_of": mirror_of}


def _source(axis: str, number: int, aye_coordinate: int, ayes: int, noes: int, party_counts: list[Value]) -> Value:
    return {
        "division_id": number,
        "number": number,
        "held_at": "2020-01-01T12:00:00",
        "official_title": "A title",
        "title_status": "as_published",
        "motion_direction": {
            "quoted_text": "That.",
            "evidence_kind": "motion_text",
            "text_status": "seen_in_a_copy",
            "stands_in": "A copy",
        },
        "ayes": ayes,
        "noes": noes,
        "party_counts": party_counts,
        "members_basis": "Known.",
        "axis": axis,
        "aye_coordinate": aye_coordinate,
        "direction": "straight",
        "official_address": "https://example.org/",
        "copies": [
            {
                "publisher": "p",
                "path": "f",
                "revision": "r",
                "extract_sha256": "0" * 64,
                "obtained_on": "2026-01-01",
                "supplies": ["ayes"],
            }
        ],
    }


def _reviews(axis: str, number: int, aye_coordinate: int, other_difference: float | None) -> Value:
    common: Value = {
        "status": "approved",
        "reviewed_by": "maker",
        "reviewed_on": "2026-01-01",
        "found_axis": axis,
        "found_aye_coordinate": aye_coordinate,
        "rationale": "So.",
    }
    space: Value = {
        "primary_field": "lrecon",
        "difference": 2.0 * aye_coordinate,
        "aye_covered_voters": 30,
        "no_covered_voters": 30,
        "other_axis_field": "galtan",
        "axes_told_apart": False,
        "participation": [],
        "survey_sha256": "0" * 64,
        "survey_value_sha256": "0" * 64,
    }
    if other_difference is not None:
        space["other_axis_difference"] = other_difference
    return {
        "motion_semantics_v1": common | {"review_id": f"m{number}", "semantics_evidence": ["title"]},
        "party_space_crosscheck_v1": common
        | {"review_id": f"p{number}", "party_space_evidence": ["counts", "field"], "party_space": space},
    }


def party(name: str, ayes: int, noes: int, members: int | None = None, tellers: tuple[int, int] = (0, 0)) -> Value:
    """One row of party counts."""
    row: Value = {
        "party": name,
        "aye_voters": ayes,
        "no_voters": noes,
        "aye_tellers": tellers[0],
        "no_tellers": tellers[1],
    }
    return row if members is None else row | {"members": members}


def two_sides(aye_coordinate: int) -> list[Value]:
    """Blue votes for the positive pole, Red for the negative one."""
    blue, red = ((9, 0), (0, 8)) if aye_coordinate > 0 else ((0, 9), (8, 0))
    return [party("Blue", *blue, members=10), party("Red", *red, members=10)]


def dossier(
    axis: str,
    family: str,
    number: int,
    *,
    ids: Iterator[int],
    aye_coordinate: int = 1,
    votes: tuple[int, int] = (300, 200),
    counts: list[Value] | None = None,
    other: float | None = 1.5,
    turned: bool = False,
) -> Value:
    """A dossier of four items: concrete and implicit, original and mirror, with opposite status quo and frame.

    The status quo is the negative pole of the original, and the positive one where it is `turned`.
    """
    sides = [("negative", "loss"), ("positive", "gain")][:: -1 if turned else 1]
    items: list[Value] = []
    for kind, positive_at_a in (("concrete", number % 2 == 0), ("implicit", number % 3 == 0)):
        original, mirror = _id(next(ids)), _id(next(ids))
        items += [
            _item(axis, original, kind, None, positive_at_a, *sides[0]),
            _item(axis, mirror, kind, original, not positive_at_a, *sides[1]),
        ]
    return {
        "dossier_id": f"commons-{number}",
        "axis": axis,
        "issue_family": family,
        "contrast": {"question": "Which?", "negative_pole": "One.", "positive_pole": "Other."},
        "source": _source(
            axis, number, aye_coordinate, *votes, two_sides(aye_coordinate) if counts is None else counts
        ),
        "reviews": _reviews(axis, number, aye_coordinate, other),
        "items": items,
    }


def excluded(axis: str, number: int, aye_coordinate: int, counts: list[Value]) -> Value:
    """An excluded dossier."""
    return {
        "dossier_id": f"commons-{number}",
        "axis": axis,
        "exclusion": {"exclusion_reason": "procedures_disagree", "explanation": "They do."},
        "source": _source(axis, number, aye_coordinate, 300, 200, counts),
        "reviews": _reviews(axis, number, aye_coordinate, 1.0),
    }


def frozen(
    dossiers: Sequence[Value],
    *,
    left_out: Sequence[Value] = (),
    plan: Value | None = None,
    forms: list[Value] | None = None,
    agents: Sequence[Value] = (),
) -> FrozenBank:
    """A FrozenBank of these dossiers. Its digest is of their Python form: nothing of it is ever written."""
    families = sorted({(one["axis"], one["issue_family"]) for one in dossiers})
    settings: Value = {
        "bank_id": "planted",
        "bank_title": "Planted",
        "version": "0.1.0",
        "base_iri": "https://example.org/",
        "bank_licence": "None",
        "response_seed": "0" * 64,
        "template_version": "t",
        "system_message": "s",
        "prompt_template": "p",
        "reminder": "r",
        "wording_limits": {
            "run_length": 5,
            "max_shared_runs": 0.5,
            "max_option_ratio": 2,
            "min_stem_words": 1,
            "max_stem_words": 100,
            "title_run_length": 3,
        },
        "forms": forms
        or [
            {"form_id": "full", "form_description": "All.", "form_scope": "all_items"},
            {"form_id": "short", "form_description": "Concrete.", "form_scope": "concrete_pairs"},
        ],
        "issue_families": [
            {"family_id": family, "axis": axis, "family_negative": "One.", "family_positive": "Other."}
            for axis, family in families
        ],
        "registry": [{"invented_name": "Nowhere", "invented_for": "qaaaaaaa"}],
    }
    parser = {
        "parser_id": "strict_json_v1",
        "normative_text": ["So."],
        "vectors": [
            {"vector_item": "qaaaaaaa", "vector_reply": "x", "verdict": "malformed", "vector_reason": "no_json"}
        ],
    }
    maker = {"agent_id": "maker", "agent_kind": "software", "label": "Maker", "role": "Made it."}
    records = [
        Record("bank", "planted", settings),
        Record("template", "t", {name: settings[name] for name in ("prompt_template", "system_message")}),
        Record("reminder", "reminder", {"reminder": settings["reminder"]}),
        Record("parser", "strict_json_v1", parser),
        Record("plan", "analysis_plan", PLAN if plan is None else plan),
        *(Record("agent", agent["agent_id"], agent) for agent in (maker, *agents)),
        *(Record("dossier", one["dossier_id"], one) for one in dossiers),
        *(Record("excluded", one["dossier_id"], one) for one in left_out),
    ]
    digest = hashlib.sha256(repr([(one.kind, one.id, one.value) for one in records]).encode()).hexdigest()
    return FrozenBank("0.1.0", digest, {}, tuple(records))


def bank(
    economic: Sequence[int] = (2, 2, 2), social: Sequence[int] = (2, 2, 2), *, alternate: bool = False, **kwargs: Any
) -> FrozenBank:
    """A bank with so many dossiers in every family of each axis, named e0, e1 … and s0, s1 …

    With `alternate` the status quo of every other dossier is turned, so that it does not go with the version.
    """
    ids, numbers = itertools.count(), itertools.count(1)
    dossiers = [
        dossier(
            axis,
            f"{axis[0]}{family}",
            number := next(numbers),
            ids=ids,
            aye_coordinate=1 if family % 2 else -1,
            turned=alternate and number % 2 == 0,
        )
        for axis, sizes in (("economic", economic), ("social", social))
        for family, size in enumerate(sizes)
        for _ in range(size)
    ]
    return frozen(dossiers, **kwargs)
