"""Planted banks and respondents: frozen banks made on the spot, and complete runs whose answers are known."""

import hashlib
import itertools
import random

from divisionbell.bank.manifest import Record
from divisionbell.freeze.frozen_bank import FrozenBank

ORDERS = ("negative_at_a", "positive_at_a")
WHEN = "2026-01-02T03:04:05Z"
PLAN = {
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


def _id(number):
    alphabet = "abcdefghijklmnopqrstuvwxyz234567"
    digits = ""
    for _ in range(7):
        number, digit = divmod(number, 32)
        digits = alphabet[digit] + digits
    return "q" + digits


def _item(axis, item_id, kind, mirror_of, positive_at_a, status_quo, frame):
    value = 1 if positive_at_a else -1
    keys = [{"economic": 0, "social": 0, axis: side} for side in (value, -value)]
    made = {
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


def _source(axis, number, aye_coordinate, ayes, noes, party_counts):
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


def _reviews(axis, number, aye_coordinate, other_difference):
    common = {
        "status": "approved",
        "reviewed_by": "maker",
        "reviewed_on": "2026-01-01",
        "found_axis": axis,
        "found_aye_coordinate": aye_coordinate,
        "rationale": "So.",
    }
    space = {
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


def party(name, ayes, noes, members=None, tellers=(0, 0)):
    """One row of party counts."""
    row = {
        "party": name,
        "aye_voters": ayes,
        "no_voters": noes,
        "aye_tellers": tellers[0],
        "no_tellers": tellers[1],
    }
    return row if members is None else row | {"members": members}


def two_sides(aye_coordinate):
    """Blue votes for the positive pole, Red for the negative one."""
    blue, red = ((9, 0), (0, 8)) if aye_coordinate > 0 else ((0, 9), (8, 0))
    return [party("Blue", *blue, members=10), party("Red", *red, members=10)]


def dossier(axis, family, number, *, ids, aye_coordinate=1, votes=(300, 200), counts=None, other=1.5):
    """A dossier of four items: concrete and implicit, original and mirror, with opposite status quo and frame."""
    items = []
    for kind, positive_at_a in (("concrete", number % 2 == 0), ("implicit", number % 3 == 0)):
        original, mirror = _id(next(ids)), _id(next(ids))
        items += [
            _item(axis, original, kind, None, positive_at_a, "negative", "loss"),
            _item(axis, mirror, kind, original, not positive_at_a, "positive", "gain"),
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


def excluded(axis, number, aye_coordinate, counts):
    """An excluded dossier."""
    return {
        "dossier_id": f"commons-{number}",
        "axis": axis,
        "exclusion": {"exclusion_reason": "procedures_disagree", "explanation": "They do."},
        "source": _source(axis, number, aye_coordinate, 300, 200, counts),
        "reviews": _reviews(axis, number, aye_coordinate, 1.0),
    }


def frozen(dossiers, *, left_out=(), plan=None, forms=None, agents=()):
    """A FrozenBank of these dossiers; its digest is made up."""
    families = sorted({(one["axis"], one["issue_family"]) for one in dossiers})
    settings = {
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
        Record("parser", "strict_json_v1", parser),
        Record("plan", "analysis_plan", PLAN if plan is None else plan),
        *(Record("agent", agent["agent_id"], agent) for agent in (maker, *agents)),
        *(Record("dossier", one["dossier_id"], one) for one in dossiers),
        *(Record("excluded", one["dossier_id"], one) for one in left_out),
    ]
    digest = hashlib.sha256(repr(records).encode()).hexdigest()
    return FrozenBank("0.1.0", digest, {}, tuple(records))


def bank(economic=(2, 2, 2), social=(2, 2, 2), **kwargs):
    """A bank with so many dossiers in every family of each axis, named e0, e1 … and s0, s1 …"""
    ids, numbers = itertools.count(), itertools.count(1)
    dossiers = [
        dossier(axis, f"{axis[0]}{family}", next(numbers), ids=ids, aye_coordinate=1 if family % 2 else -1)
        for axis, sizes in (("economic", economic), ("social", social))
        for family, size in enumerate(sizes)
        for _ in range(size)
    ]
    return frozen(dossiers, **kwargs)


def attempt(number, reading, **more):
    return {
        "attempt_number": number,
        "turns": [],
        "turns_sha256": "0" * 64,
        "reading": reading,
        "transport_retries": 0,
        **more,
    }


def unit(asked, order, repeat, said):
    """One Unit. `said` is a letter, a pole, either followed by "!" for after the reminder, or an outcome."""
    late, said = said.endswith("!"), said.removesuffix("!")
    if said in ("negative", "positive"):
        said = "A" if order == f"{said}_at_a" else "B"
    key = hashlib.sha256(f"{asked.item.item_id} {order} {repeat}".encode()).hexdigest()
    made = {
        "unit_key": key,
        "asked_item": asked.item.item_id,
        "asked_dossier": asked.dossier.dossier_id,
        "asked_order": order,
        "stored_order": order == f"{asked.pole_at_a}_at_a",
        "repeat": repeat,
        "outcome": said,
        "attempts": [],
        "finished_at": WHEN,
    }
    if said in ("A", "B"):
        readings = ["no_json", "ok"] if late else ["ok"]
        outcome = "valid_after_retry" if late else "valid_at_first"
        attempts = [attempt(number, reading) for number, reading in enumerate(readings, 1)]
        return made | {"outcome": outcome, "answer": said, "attempts": attempts}
    if said == "not_administered":
        return made
    readings = {"malformed": ["no_json", "no_json"], "transport_failed": ["transport"]}.get(said, [said])
    return made | {"attempts": [attempt(number, reading) for number, reading in enumerate(readings, 1)]}


def run(of, respondent, form="full", repeats=1, **header):
    """(header, units) of a complete run; `respondent(asked, order, repeat)` says what `unit` takes."""
    units = [
        unit(asked, order, repeat, respondent(asked, order, repeat))
        for asked in of.form(form)
        for order in ORDERS
        for repeat in range(1, repeats + 1)
    ]
    head = {
        "run_id": "planted-run",
        "run_schema_version": "0.1.0",
        "respondent": "scripted:planted",
        "constrained": False,
        "settings": {},
        "bank_version": of.version,
        "bank_sha256": of.sha256,
        "form": form,
        "repeats": repeats,
        "template_sha256": "0" * 64,
        "parser_used": "strict_json_v1",
        "unit_count": len(units),
        "not_administered_count": sum(one["outcome"] == "not_administered" for one in units),
        "started_at": WHEN,
        "software": [],
    }
    return head | header, units


def always(said):
    return lambda asked, order, repeat: said


def coin(seed, poles=("negative", "positive"), weights=None):
    """Draws anew for every unit; a function of the unit alone."""

    def respond(asked, order, repeat):
        rng = random.Random(f"{seed} {asked.item.item_id} {order} {repeat}")
        return rng.choices(poles, weights)[0]

    return respond


def lost(respondent, share, seed, outcome="malformed", where=lambda asked, order: True):
    """The same respondent with a random share of answers lost where `where` holds."""

    def respond(asked, order, repeat):
        rng = random.Random(f"{seed} lost {asked.item.item_id} {order} {repeat}")
        gone = rng.random() < share and where(asked, order)
        return outcome if gone else respondent(asked, order, repeat)

    return respond
