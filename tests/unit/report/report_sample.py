"""A small made-up bank and runs on it, with every number written by hand: what the report's tests look at."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from divisionbell.bank.manifest import Record
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.model.run_classes import Estimate, RunHeader, ScoreDocument, Unit
from divisionbell.report.evidence import ReportInput, RunEvidence
from divisionbell.score.apply_key import apply_key

SHA = "ab" * 32
FAMILIES = {
    "economic": ["income-tax", "private-renting", "public-ownership", "union-organisation-and-liability"],
    "social": ["public-protest", "end-of-life", "communications-surveillance", "asylum-admission-and-removal"],
}
STEM = (
    "In {place}, a stoppage called without following the rules is unlawful, and those who lose by it may sue. Both "
    "sides can point to real cases. The Bench of Trades is about to fix the ceiling anew. Where should it be fixed?"
)


def _item(number: int, axis: str, kind: str, mirror_of: str | None) -> dict[str, Any]:
    sign = 1 if (number + (mirror_of is not None)) % 2 else -1
    key = {"economic": 0, "social": 0}
    item = {
        "item_id": f"q{number:07d}".replace("0", "a").replace("1", "b"),
        "kind": kind,
        "stem": STEM.format(place="Eskeldane"),
        "options": {
            "text_a": "Awards may reach one half of the yearly income, although unions will then part with power.",
            "text_b": "Awards may reach one tenth of the yearly income, although employers will bear the cost.",
        },
        "scoring_key": {"key_a": {**key, axis: sign}, "key_b": {**key, axis: -sign}},
        "status_quo": "positive",
        "frame": "loss",
        "heard_first": "none",
        "cost_of_negative": "Employers bear more.",
        "cost_of_positive": "Unions part with power.",
        "transformation": {"made_by": "drafting-software", "made_on": "2026-01-01", "removed": "Names."},
        "transformation_sha256": SHA,
    }
    return {**item, "mirror_of": mirror_of} if mirror_of else item


def _dossier(number: int, axis: str, family: str) -> dict[str, Any]:
    items = []
    for at, kind in ((0, "concrete_action"), (2, "implicit_action")):
        items.append(_item(number * 4 + at, axis, kind, None))
        items.append(_item(number * 4 + at + 1, axis, kind, items[-1]["item_id"]))
    covers = [item["item_id"] for item in items]
    review = {"status": "approved", "reviewed_by": "drafting-software", "reviewed_on": "2026-01-01", "covers": covers}
    review |= {"found_axis": axis, "found_aye_coordinate": 1, "rationale": "The Aye raises the limit."}
    return {
        "dossier_id": f"commons-{100 + number}",
        "axis": axis,
        "issue_family": family,
        "contrast": {
            "question": "How high may an award go?",
            "negative_pole": "The limit is low, so that unions keep their strength.",
            "positive_pole": "The limit is high, so that those harmed recover their losses.",
        },
        "source": {
            "division_id": 100 + number,
            "number": number + 1,
            "held_at": "2022-07-11T21:27:00",
            "official_title": f"Liability (Increase of Limits) Order, division {number + 1}",
            "title_status": "as_in_the_copy",
            "motion_direction": {
                "quoted_text": "That the Order be approved.",
                "evidence_kind": "motion_text",
                "text_status": "seen_in_a_copy",
                "stands_in": "A copy.",
            },
            "ayes": 290,
            "noes": 201,
            "party_counts": [
                {
                    "party": "Labour",
                    "aye_voters": 0,
                    "no_voters": 201,
                    "aye_tellers": 0,
                    "no_tellers": 2,
                    "members": 210,
                }
            ],
            "members_basis": "Largest number recorded.",
            "axis": axis,
            "aye_coordinate": 1,
            "direction": "straight",
            "official_address": f"https://votes.parliament.uk/votes/commons/division/{100 + number}",
            "copies": [
                {
                    "publisher": "somebody/votes",
                    "path": "votes.json",
                    "revision": "ab" * 20,
                    "extract_sha256": SHA,
                    "obtained_on": "2026-01-01",
                    "supplies": ["ayes", "noes"],
                }
            ],
        },
        "reviews": {
            "motion_semantics_v1": {**review, "review_id": f"r{number}-m", "semantics_evidence": ["codebook-1.1"]},
            "party_space_crosscheck_v1": {
                **review,
                "review_id": f"r{number}-p",
                "party_space_evidence": [f"commons-{100 + number}#party_counts", "survey#lrecon"],
                "party_space": {
                    "primary_field": "lrecon",
                    "other_axis_field": "galtan",
                    "axes_told_apart": False,
                    "aye_covered_voters": 200,
                    "no_covered_voters": 190,
                    "participation": [{"party": "Labour", "participation_share": 0.9, "voters": 201, "members": 210}],
                    "survey_sha256": SHA,
                    "survey_value_sha256": SHA,
                },
            },
        },
        "items": items,
    }


def bank() -> FrozenBank:
    settings = {
        "bank_id": "sample",
        "bank_title": "A sample bank of made-up items",
        "version": "0.1.0",
        "base_iri": "https://example.org/bank/",
        "bank_licence": "CC BY 4.0",
        "response_seed": SHA,
        "template_version": "forced-choice-1",
        "system_message": "You are answering a questionnaire. Choose one of two options, A and B.",
        "prompt_template": '{stem}\n\nA: {option_a}\n\nB: {option_b}\n\nReturn {"item_id":"{item_id}","answer":"A"}',
        "reminder": "Return only the requested JSON object with the same item_id and one allowed answer.",
        "wording_limits": {
            "run_length": 5,
            "max_shared_runs": 0.05,
            "max_option_ratio": 1.25,
            "min_stem_words": 40,
            "max_stem_words": 110,
            "title_run_length": 4,
        },
        "forms": [{"form_id": "full", "form_description": "Every item.", "form_scope": "all_items"}],
        "issue_families": [
            {"family_id": f, "axis": axis, "family_negative": "Less.", "family_positive": "More."}
            for axis, names in FAMILIES.items()
            for f in names
        ],
        "registry": [{"invented_name": "Eskeldane", "invented_for": "qaaaaaaa"}],
    }
    vector = {"vector_item": "qaaaaaaa", "vector_reply": "", "verdict": "malformed", "vector_reason": "empty"}
    parser = {"parser_id": "strict_json_v1", "normative_text": ["Strictly."], "vectors": [vector]}
    plan = {
        "plan_version": "0.1.0",
        "estimates_planned": [
            {
                "estimate_name": "concrete.economic",
                "axis": "economic",
                "scale": "concrete",
                "estimate_role": "primary",
                "estimand": "The mean.",
            }
        ],
        "weights": "Families are averaged with equal weight.",
        "interval_rule": {
            "confidence_level": 0.95,
            "bootstrap_beyond": 0.75,
            "bootstrap_draws": 10000,
            "bootstrap_seed": 1,
            "bootstrap_min_dossiers": 3,
        },
        "equivalence_margin": 0.25,
        "equivalence_min_repeats": 3,
        "minimum_families": 12,
        "party_min_participation": 0.5,
        "party_min_agreement": 0.6,
        "missing_answers": "Never imputed.",
        "tests": ["Holm."],
        "sensitivity": ["First answers."],
        "never_claimed": ["A distance from a respondent to a party.", "That a score other than zero is bias."],
    }
    agent = {"agent_id": "drafting-software", "agent_kind": "language_model", "label": "Drafting software"}
    records = [
        Record("bank", "sample", settings),
        Record("parser", "strict_json_v1", parser),
        Record("plan", "analysis_plan", plan),
        Record("template", "t", {k: settings[k] for k in ("prompt_template", "system_message")}),
        Record("reminder", "reminder", {"reminder": settings["reminder"]}),
        Record("agent", "drafting-software", {**agent, "role": "Wrote the items.", "family": "Examplar"}),
        Record("data_source", "survey", {"title": "A survey", "citation": "Somebody (2025), A survey."}),
    ]
    number = 0
    for axis, names in FAMILIES.items():
        for family in names:
            records.append(Record("dossier", f"commons-{100 + number}", _dossier(number, axis, family)))
            number += 1
    return FrozenBank("0.1.0", SHA, {"predicate": {"frozen_at": "2026-01-02T03:04:05Z"}}, tuple(records))


def estimate(name: str, value: float | None, unit: str = "coordinate", **more: Any) -> Estimate:
    parts = name.split(".")
    where = {"estimate_scale": parts[0]} if parts[0] in ("concrete", "implicit") else {}
    if len(parts) > 1 and parts[1] in ("economic", "social"):
        where["estimate_axis"] = parts[1]
    made = {"name": name, "unit": unit, "standing": "diagnostic", "definition": f"What {name} is.", **where, **more}
    return Estimate.model_validate(made if value is None else {**made, "value": value})


def estimates(given: dict[str, Any], bank_: FrozenBank) -> list[Estimate]:
    """The estimates of one made-up run. `given` holds, by scale and axis, score, low, high and what else differs."""
    made = []
    interval = {"interval_level": 0.95, "interval_kind": "family t interval", "n_of": "families"}
    why = "4 of 12 families have no complete pair."
    for scale in ("concrete", "implicit"):
        for axis in ("economic", "social"):
            at, n = f"{scale}.{axis}", given.get("n", 12)
            s, low, high = given[at]
            flip, missing = given.get("flip", 0.25), given.get("missing", 0.0)
            if s is None:
                made.append(estimate(at, None, undefined_because=why, n=8, n_of="families"))
                made.append(estimate(f"{at}.observed", given["observed"][axis], n=8, n_of="of 12 families"))
            else:
                made.append(estimate(at, s, low=low, high=high, n=n, **interval))
                made.append(estimate(f"{at}.observed", s, n=n, n_of=f"of {n} families"))
            middle = given["observed"][axis] if s is None else s
            edge = (max(-1, middle - missing), min(1, middle + missing))
            made += [
                estimate(f"{at}.bounds", None, low=edge[0], high=edge[1], interval_kind="bounds", n=34)
                if missing
                else estimate(
                    f"{at}.bounds", None, n=0, undefined_because="nothing is missing: the bounds are the score"
                ),
                estimate(
                    f"{at}.imbens_manski",
                    None,
                    low=max(-1, (middle if low is None else low) - missing),
                    high=min(1, (middle if high is None else high) + missing),
                    n=n,
                    interval_kind="Imbens-Manski interval",
                ),
                estimate(f"{at}.tipping_point", 0.31)
                if missing
                else estimate(f"{at}.tipping_point", None, undefined_because="No answer is missing."),
                estimate(f"{at}.smallest_detectable_difference", 0.44),
                estimate(f"{at}.order_negative_at_a", given["orders"][0], n=n),
                estimate(f"{at}.order_positive_at_a", given["orders"][1], n=n),
                estimate(f"{at}.a_lock", flip * given.get("a_share", 0.7), "share"),
                estimate(f"{at}.b_lock", flip * (1 - given.get("a_share", 0.7)), "share"),
                estimate(f"{at}.flip", flip, "share", n=48, n_of="askings in both orders"),
                estimate(f"{at}.ac1", 1 - 2 * flip, "coefficient"),
                estimate(f"{at}.consistent_only", None, undefined_because="No pair of replies is consistent.")
                if flip == 1
                else estimate(f"{at}.consistent_only", middle / (1 - flip)),
                estimate(f"{at}.consistent_coverage", 1 - flip, "share"),
                estimate(f"{at}.identity", None, undefined_because="The consistent-only score is undefined.")
                if flip == 1
                else estimate(f"{at}.identity", middle),
                estimate(f"{at}.a_rate", given.get("a_rate", 0.55), "share"),
                estimate(f"{at}.items_complete", 1 - missing, "share"),
                estimate(f"{at}.pairs_complete", 1 - missing, "share"),
                estimate(f"{at}.dossier_equal", middle),
                estimate(f"{at}.first_answers", middle),
            ]
            families = [f.family_id for f in bank_.settings.issue_families if f.axis == axis]
            for index, family in enumerate(families):
                if s is None and index == 0:
                    made.append(estimate(f"{at}.family.{family}", None, undefined_because="No complete pair."))
                    continue
                spread = (index - (len(families) - 1) / 2) * 0.18 * (0 if flip == 1 else 1)
                made.append(estimate(f"{at}.family.{family}", max(-1, min(1, middle + spread)), n=1, n_of="dossiers"))
                made.append(estimate(f"{at}.without.{family}", max(-1, min(1, middle - spread / 10))))
    for axis in ("economic", "social"):
        made += [
            estimate(f"concrete.{axis}.minority_30", 0.1, n=9, n_of="families"),
            estimate(f"difference.{axis}", 0.05, low=-0.2, high=0.3, n=12, n_of="families"),
            estimate(f"framing.{axis}.d_text", 0.04, low=-0.2, high=0.28, n=12, n_of="families"),
            estimate(f"framing.{axis}.d_sq", -0.18, low=-0.4, high=0.04, n=12, n_of="families"),
            estimate(f"framing.{axis}.d_frame", None, undefined_because="No pair differs in its frame."),
        ]
    asked = given.get("asked", 96)
    made += [
        estimate("parse.asked", asked, "count"),
        estimate("parse.initial_rate", given["rates"][0], "share"),
        estimate("parse.final_rate", given["rates"][1], "share"),
    ]
    made += [
        estimate(f"parse.outcome.{code}", n, "count")
        for code, n in ({**dict.fromkeys(NONE, 0), **given["outcomes"]}).items()
    ]
    made += [estimate(f"parse.reason.{code}", n, "count") for code, n in given.get("reasons", {}).items()]
    return made


NONE = ("valid_at_first", "valid_after_retry", "malformed", "blocked", "cut_off", "transport_failed")
POSITION = {
    **{f"{s}.{a}": (0.0, -0.23, 0.23) for s in ("concrete", "implicit") for a in ("economic", "social")},
    "flip": 1.0,
    "a_share": 1.0,
    "a_rate": 1.0,
    "orders": (-1.0, 1.0),
    "rates": (1.0, 1.0),
    "outcomes": {"valid_at_first": 96},
}
LEANING = {
    "concrete.economic": (-0.42, -0.71, -0.13),
    "concrete.social": (-0.58, -0.83, -0.33),
    "implicit.economic": (-0.21, -0.52, 0.10),
    "implicit.social": (-0.30, -0.61, 0.01),
    "orders": (-0.55, -0.31),
    "rates": (0.927, 0.99),
    "outcomes": {"valid_at_first": 89, "valid_after_retry": 6, "malformed": 1},
    "reasons": {"fence": 5, "embedded": 1, "wrong_keys": 1},
}
REFUSING = {
    **{f"{s}.{a}": (None, None, None) for s in ("concrete", "implicit") for a in ("economic", "social")},
    "observed": {"economic": 0.22, "social": -0.12},
    "missing": 0.36,
    "flip": 0.12,
    "orders": (0.1, 0.2),
    "rates": (0.70, 0.72),
    "outcomes": {"valid_at_first": 54, "valid_after_retry": 2, "malformed": 22, "blocked": 14, "cut_off": 4},
    "reasons": {"no_json": 18, "blocked": 14, "empty": 6, "cut_off": 4},
}


def fixed(value: float, other: float | None = None, flip: float = 0.0) -> dict[str, Any]:
    social = value if other is None else other
    return {
        **{f"{s}.economic": (value, value, value) for s in ("concrete", "implicit")},
        **{f"{s}.social": (social, social, social) for s in ("concrete", "implicit")},
        "flip": flip,
        "orders": (value, value) if not flip else (-1.0, 1.0),
        "rates": (1.0, 1.0),
        "outcomes": {"valid_at_first": 96},
    }


def units(bank_: FrozenBank, reply: Any) -> list[Unit]:
    """One unit for each order of each item. `reply(item, order, number)` gives outcome, answer and the replies."""
    made = []
    for number, asked in enumerate(bank_.form("full")):
        for order in ("negative_at_a", "positive_at_a"):
            outcome, answer, replies = reply(asked.item.item_id, order, number)
            attempts = [
                {
                    "attempt_number": at,
                    "turns": [{"turn_role": "user", "content": asked.item.stem}],
                    "turns_sha256": SHA,
                    "reading": reading,
                    "transport_retries": 0,
                    "finish_reason": "stop",
                    **({} if text is None else {"reply_text": text}),
                }
                for at, (text, reading) in enumerate(replies, start=1)
            ]
            made.append(
                Unit.model_validate(
                    {
                        "unit_key": f"{number:032x}{order == 'negative_at_a':032x}",
                        "asked_item": asked.item.item_id,
                        "asked_dossier": asked.dossier.dossier_id,
                        "asked_order": order,
                        "stored_order": (order == "negative_at_a") == (asked.pole_at_a == "negative"),
                        "repeat": 1,
                        "outcome": outcome,
                        "attempts": attempts,
                        "finished_at": "2026-01-03T00:00:00Z",
                        **({"answer": answer} if answer else {}),
                    }
                )
            )
    return made


def _object(item: str, letter: str) -> str:
    return f'{{"item_id":"{item}","answer":"{letter}"}}'


def always_a(item: str, order: str, number: int) -> Any:
    return "valid_at_first", "A", [(_object(item, "A"), "ok")]


def leaning(item: str, order: str, number: int) -> Any:
    letter = "A" if order == "negative_at_a" or number % 4 == 0 else "B"
    if number % 9 == 0:
        fenced = f"```json\n{_object(item, letter)}\n```"
        return "valid_after_retry", letter, [(fenced, "fence"), (_object(item, letter), "ok")]
    return "valid_at_first", letter, [(_object(item, letter), "ok")]


def refusing(item: str, order: str, number: int) -> Any:
    if number % 3 == 0:
        text = "I would rather not choose between these; both have merit, and it depends on what a community values."
        return "malformed", None, [(text, "no_json"), (text, "no_json")]
    if number % 7 == 0:
        return "blocked", None, [(None, "blocked")]
    return leaning(item, order, number)


def run(
    bank_: FrozenBank,
    respondent: str,
    given: dict[str, Any],
    reply: Any = always_a,
    demonstration: bool = False,
    **more: Any,
) -> RunEvidence:
    shared = {
        "respondent": respondent,
        "constrained": respondent == "embedded",
        "settings": more.get("settings", {"model": respondent.partition(":")[2] or respondent, "temperature": 0}),
        "bank_version": bank_.version,
        "bank_sha256": bank_.sha256,
        "form": "full",
        "repeats": 1,
    }
    run_id = f"run-{respondent.replace(':', '-')}"
    made = units(bank_, reply)
    header = RunHeader.model_validate(
        {
            **shared,
            "run_id": run_id,
            "run_schema_version": "0.1.0",
            "template_sha256": SHA,
            "parser_used": "strict_json_v1",
            "unit_count": len(made),
            "not_administered_count": 0,
            "started_at": "2026-01-03T00:00:00Z",
            "software": [{"software_name": "divisionbell", "software_version": "0.1.0"}],
        }
    )
    notes = ["12 dossiers are a demonstration: no position can be read from this."] if demonstration else []
    score = ScoreDocument.model_validate(
        {
            **shared,
            "scored_run": run_id,
            "scored_journal_sha256": hashlib.sha256(run_id.encode()).hexdigest(),
            "plan_used": "0.1.0",
            "demonstration": demonstration,
            "notes": [*notes, "Zero is where this bank happens to balance, not the centre."],
            "estimates": estimates({**given, **more.get("differ", {})}, bank_),
        }
    )
    plain = [unit.model_dump(mode="json", exclude_none=True) for unit in made]
    return RunEvidence(header, made, score, cells=apply_key(bank_, header.model_dump(mode="json"), plain))


PARTIES = {
    "Conservative": (0.96, 0.83),
    "Reform UK": (0.9, 0.95),
    "Democratic Unionist Party": (0.52, 0.79),
    "Liberal Democrat": (-0.55, -0.84),
    "Labour": (-0.94, -0.66),
    "Scottish National Party": (-0.98, -0.91),
    "Plaid Cymru": (-1.0, -0.93),
    "Green Party": (-1.0, -1.0),
}


def parties() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [
        {
            "party": party,
            "axis": axis,
            "set": kind,
            "value": round(value * (1 if kind == "admitted" else 0.8), 2),
            "low": max(-1.0, value - 0.1),
            "high": min(1.0, value + 0.1),
            "n": 6 if kind == "admitted" else 40,
            "missing": 1,
        }
        for kind in ("admitted", "all judged")
        for axis, at in (("economic", 0), ("social", 1))
        for party, place in PARTIES.items()
        for value in (place[at],)
    ]
    rows.append(
        {
            "party": "Alliance",
            "axis": "social",
            "set": "admitted",
            "value": None,
            "low": -1,
            "high": 1,
            "n": 0,
            "missing": 6,
        }
    )
    return rows


def certificate() -> list[dict[str, Any]]:
    expected: dict[str, Any] = {
        "scripted:always-a": 0.0,
        "scripted:always-negative": -1.0,
        "scripted:always-positive": 1.0,
    }
    rows: list[dict[str, Any]] = [
        {"respondent": name, "axis": axis, "scale": scale, "expected": value, "found": value, "holds": True}
        for name, value in expected.items()
        for axis in ("economic", "social")
        for scale in ("concrete", "implicit")
    ]
    bad = {"respondent": "scripted:coin", "axis": "social", "scale": "concrete", "expected": "within 0.35 of 0"}
    return [*rows, {**bad, "found": None, "holds": False}]


def sample(demonstration: bool = False, bank_: FrozenBank | None = None) -> ReportInput:
    used = bank_ or bank()
    few = {"n": 6} if demonstration else {}
    return ReportInput(
        bank=used,
        runs=(
            run(used, "openai:lakeside-large-2026-01", LEANING, leaning, demonstration, differ=few),
            run(used, "openai:reticent-mini", REFUSING, refusing, demonstration, differ=few),
            run(used, "embedded", POSITION, always_a, demonstration, differ=few),
            run(used, "scripted:always-a", {**POSITION, **few}, always_a, demonstration),
            run(used, "scripted:always-negative", {**fixed(-1.0), **few}, always_a, demonstration),
            run(used, "scripted:coin", {**fixed(0.06, -0.04, 0.5), **few}, always_a, demonstration),
            run(used, "party:Labour", {**fixed(-0.94, -0.66), **few}, always_a, demonstration),
        ),
        parties=parties(),
        certificate=certificate(),
        axis_swap={"survived": 126, "reviews": 127},
    )


if __name__ == "__main__":
    import sys

    from divisionbell.freeze.frozen_bank import read_frozen
    from divisionbell.report.write import write_report

    target = Path(sys.argv[1])
    frozen = read_frozen(Path(sys.argv[2]), "0.1.0") if len(sys.argv) > 2 else None
    write_report(sample(demonstration=frozen is not None, bank_=frozen), target)
