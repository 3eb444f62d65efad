"""A small but complete frozen bank and a run against it, made up for the tests of the export."""

from __future__ import annotations

import hashlib
from typing import Any

BASE = "https://w3id.org/divisionbell/bank/"
SHA = "0123456789abcdef" * 4
Json = dict[str, Any]

#: Everything that a reply may hold and a file format may stumble over.
HOSTILE = (
    'He said "A" \\u0041 and {"x":1}\r\nnext\rlast\n\ttab\x00nul\x1b[0m\x7f\x85'
    "\u2028\u2029\ufeff\ufffe😀 \ud83d lone <b>&amp;]]> "
)
#: The same, as far as every format can carry it.
AWKWARD = '  "quoted" \'single\' \\n \\ \r\nnext\rlast\n\tü\x7f\x85\u2028\ufeff😀 <b>&amp;]]> <!-- --> ${x} """ '

ITEM_IDS = {
    1541: ["qaaaaaaa", "qaaaaaab", "qaaaaaac", "qaaaaaad"],
    1660: ["qbbbbbba", "qbbbbbbb", "qbbbbbbc", "qbbbbbbd"],
}


def source(division: int, axis: str) -> Json:
    return {
        "division_id": division,
        "number": 12,
        "held_at": "2023-05-22T19:15:00",
        "official_title": "Invented Bill: motion to disagree ",
        "title_status": "as_in_the_copy",
        "motion_direction": {
            "quoted_text": "That this House disagrees.\nSo it does.",
            "evidence_kind": "motion_text",
            "text_status": "seen_in_a_copy",
            "stands_in": "A public copy",
        },
        "ayes": 290,
        "noes": 215,
        "party_counts": [
            {
                "party": name,
                "aye_voters": aye,
                "no_voters": no,
                "aye_tellers": 2 * (aye > 0),
                "no_tellers": 0,
                "members": 350,
            }
            for name, aye, no in (("First", 290, 0), ("Second", 0, 190), ("Third", 0, 25))
        ],
        "members_basis": "Counted on the day.",
        "axis": axis,
        "aye_coordinate": 1,
        "direction": "reversed",
        "direction_note": "An Aye undoes what is named.",
        "official_address": f"https://votes.parliament.uk/Votes/Commons/Division/{division}",
        "copies": [
            {
                "publisher": "Someone",
                "path": "data/divisions.csv",
                "revision": "abc123",
                "extract_sha256": SHA,
                "obtained_on": "2025-01-02",
                "supplies": ["ayes", "noes"],
            }
        ],
    }


def reviews(division: int, axis: str, covers: list[str], status: str = "approved") -> Json:
    common: Json = {
        "status": status,
        "reviewed_by": "reader-model",
        "reviewed_on": "2025-02-03",
        "covers": covers,
        "found_axis": axis,
        "found_aye_coordinate": 1,
        "rationale": "The words say so.",
    }
    field = "lrecon" if axis == "economic" else "galtan"
    return {
        "motion_semantics_v1": common
        | {
            "review_id": f"semantics-{division}",
            "semantics_evidence": [f"commons-{division}#title", f"commons-{division}#motion_direction", "codebook-1.1"],
        },
        "party_space_crosscheck_v1": common
        | {
            "review_id": f"party-space-{division}",
            "reviewed_by": "party-space",
            "party_space_evidence": [f"commons-{division}#party_counts", f"ches-2024#{field}"],
            "party_space": {
                "primary_field": field,
                "aye_position": 7.5,
                "no_position": 3,
                "difference": 4.5,
                "aye_coverage": 1.0,
                "no_coverage": 0.9767,
                "aye_covered_voters": 290,
                "no_covered_voters": 210,
                "other_axis_field": "galtan",
                "other_axis_difference": -0.0,
                "axes_told_apart": False,
                "related_fields": [{"field": "spendvtax", "difference": 4.1}, {"field": "civlib"}],
                "participation": [
                    {"party": "First", "voters": 292, "members": 350, "participation_share": 0.8343},
                    {"party": "Second", "voters": 190},
                ],
                "survey_sha256": SHA,
                "survey_value_sha256": SHA,
            },
        },
    }


def item(item_id: str, kind: str, mirror_of: str | None, axis: str, sign: int) -> Json:
    def point(at: int) -> Json:
        return {"economic": at if axis == "economic" else 0, "social": float(at) if axis == "social" else -0.0}

    made: Json = {
        "item_id": item_id,
        "kind": kind,
        "stem": f"The board of Orvath weighs a “rule” \\ for {item_id}.",
        "options": {"text_a": "Keep the rule.", "text_b": "Drop the rule."},
        "scoring_key": {"key_a": point(sign), "key_b": point(-sign)},
        "status_quo": "none" if mirror_of is None else "positive",
        "frame": "gain",
        "heard_first": "positive",
        "heard_first_who": "The tenants",
        "cost_of_negative": "It costs money.",
        "cost_of_positive": "It costs time.",
        "institutions": ["Orvath"],
        "transformation": {"made_by": "writer", "made_on": "2025-02-01", "removed": "Every name."},
        "transformation_sha256": hashlib.sha256(item_id.encode()).hexdigest(),
    }
    return made if mirror_of is None else made | {"mirror_of": mirror_of}


def dossier(division: int, axis: str, family: str, ids: list[str] | None = None) -> Json:
    a, b, c, d = ids or ITEM_IDS[division]
    return {
        "dossier_id": f"commons-{division}",
        "axis": axis,
        "issue_family": family,
        "contrast": {"question": "Which?", "negative_pole": "Less.", "positive_pole": "More."},
        "source": source(division, axis),
        "reviews": reviews(division, axis, [a, b, c, d]),
        "codings": [
            {
                "coding_id": f"coding-{division}",
                "coded_item": a,
                "coded_by": "human-coder",
                "coded_on": "2025-03-04",
                "blind": True,
                "coded_axis": axis,
                "coded_pole_of_a": "positive",
                "guessed_preference": "A",
            }
        ],
        "items": [
            item(a, "concrete_action", None, axis, 1),
            item(b, "concrete_action", a, axis, -1),
            item(c, "implicit_action", None, axis, -1),
            item(d, "implicit_action", c, axis, 1),
        ],
        "waivers": [
            {
                "rule": "TXT001",
                "waived_item": a,
                "waived_text": "turkey",
                "reason": "The bird.",
                "granted_by": "human-coder",
                "granted_on": "2025-03-05",
            }
        ],
        "weak_points": ["One party voted freely.", "The title is short."],
    }


def settings() -> Json:
    return {
        "bank_id": "division-bell",
        "bank_title": "Division Bell",
        "version": "1.0.0",
        "base_iri": BASE,
        "bank_licence": "CC-BY-4.0",
        "response_seed": SHA,
        "template_version": "v1",
        "system_message": "Answer.",
        "prompt_template": '{stem}\n\nA: {option_a}\nB: {option_b}\n{"item_id":"{item_id}","answer":"A"}',
        "reminder": "Return only the requested JSON object.",
        "parser": {
            "parser_id": "strict_json_v1",
            "normative_text": ["White space is trimmed.", "One object is read."],
            "vectors": [
                {
                    "vector_item": "qaaaaaaa",
                    "vector_reply": '{"item_id":"qaaaaaaa","answer":"A"}',
                    "verdict": "valid",
                    "vector_answer": "A",
                    "vector_reason": "ok",
                },
                {
                    "vector_item": "qaaaaaaa",
                    "vector_reply": "\x00 no\ud800",
                    "verdict": "malformed",
                    "vector_reason": "no_json",
                },
            ],
        },
        "wording_limits": {
            "run_length": 5,
            "max_shared_runs": 0.2,
            "max_option_ratio": 1.25,
            "min_stem_words": 40,
            "max_stem_words": 110,
            "title_run_length": 4,
        },
        "forms": [
            {"form_id": "full", "form_description": "Everything.", "form_scope": "all_items"},
            {
                "form_id": "short",
                "form_description": "A little.",
                "form_scope": "concrete_pairs",
                "form_dossiers": ["commons-1541"],
            },
        ],
        "issue_families": [
            {"family_id": "income-tax", "axis": "economic", "family_negative": "Higher.", "family_positive": "Lower."},
            {"family_id": "public-order", "axis": "social", "family_negative": "Free.", "family_positive": "Ordered."},
        ],
        "registry": [{"invented_name": "Orvath & Söhne <1>", "invented_for": "qaaaaaaa"}],
        "agents": agents(),
    }


def agents() -> list[Json]:
    return [
        {"agent_id": "human-coder", "agent_kind": "person", "label": "A coder", "role": "Coded."},
        {
            "agent_id": "party-space",
            "agent_kind": "software",
            "label": "Party space",
            "role": "Computed.",
            "agent_version": "1",
        },
        {
            "agent_id": "reader-model",
            "agent_kind": "language_model",
            "label": "A reader",
            "role": "Read.",
            "family": "Reader",
            "agent_version": "r-1",
        },
        {"agent_id": "writer", "agent_kind": "person", "label": "A writer", "role": "Wrote."},
    ]


def data_source() -> Json:
    return {
        "source_id": "ches-2024",
        "title": "Chapel Hill Expert Survey 2024",
        "publisher": "CHES",
        "address": "https://www.chesdata.eu/ches-europe",
        "licence": "Terms of the survey",
        "redistributed": False,
        "citation": "CHES 2024",
        "doi": "10.1234/ches",
        "fields": ["lrecon", "galtan"],
        "byte_digests": [{"sha256": SHA, "seen_in": "The survey's page", "used": True}],
        "value_sha256": SHA,
        "value_selection": "The rows of one country.",
    }


def plan() -> Json:
    return {
        "plan_version": "1.0.0",
        "estimates_planned": [
            {
                "estimate_name": "economic.concrete",
                "axis": "economic",
                "scale": "concrete",
                "estimate_role": "primary",
                "estimand": "The mean.",
            }
        ],
        "weights": "Families count once.",
        "interval_rule": {
            "confidence_level": 0.95,
            "bootstrap_beyond": 0.1,
            "bootstrap_draws": 10000,
            "bootstrap_seed": 7,
            "bootstrap_min_dossiers": 8,
        },
        "equivalence_margin": 0.2,
        "equivalence_min_repeats": 2,
        "minimum_families": 4,
        "party_min_participation": 0.5,
        "party_min_agreement": 0.9,
        "missing_answers": "Bounds.",
        "tests": ["One test."],
        "sensitivity": [],
        "never_claimed": ["Preference."],
    }


def excluded() -> Json:
    return {
        "dossier_id": "commons-1700",
        "axis": "social",
        "exclusion": {"exclusion_reason": "procedures_disagree", "explanation": "The two readings differ."},
        "source": source(1700, "social"),
        "reviews": reviews(1700, "social", [], "rejected"),
    }


def prospective() -> Json:
    slots = ("division_id", "number", "held_at", "official_title", "title_status", "ayes", "noes", "axis")
    had = source(1800, "economic")
    return {slot: had[slot] for slot in (*slots, "aye_coordinate", "official_address", "copies")} | {
        "direction": "straight",
        "code_certainty": "high",
        "code_rationale": "The title says it.",
        "code_made_by": had_agent(),
        "code_made_on": "2025-01-02",
    }


def had_agent() -> str:
    return str(agents()[0]["agent_id"])


def records() -> list[Json]:
    values: list[tuple[str, str, Any]] = [
        *(("agent", agent["agent_id"], agent) for agent in agents()),
        ("bank", "division-bell", {key: value for key, value in settings().items() if key not in ("agents", "parser")}),
        ("codebook", "CODEBOOK.md", "# Codebook\n\nStatus: FROZEN\n"),
        ("data_source", "ches-2024", data_source()),
        ("dossier", "commons-1541", dossier(1541, "economic", "income-tax")),
        ("dossier", "commons-1660", dossier(1660, "social", "public-order")),
        ("excluded", "commons-1700", excluded()),
        ("parser", "strict_json_v1", settings()["parser"]),
        ("plan", "analysis_plan", plan()),
        ("prospective", "commons-1800", prospective()),
        ("reminder", "reminder", {"reminder": settings()["reminder"]}),
        ("schema", "bank.schema.json", {"sha256": SHA}),
        ("template", "v1", {key: settings()[key] for key in ("prompt_template", "system_message")}),
    ]
    return [{"id": name, "kind": kind, "value": value} for kind, name, value in values]


def statement() -> Json:
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "1.0.0.records.jsonl", "digest": {"sha256": SHA}}],
        "predicateType": "https://w3id.org/divisionbell/freeze/v1",
        "predicate": {
            "frozen_version": "1.0.0",
            "frozen_at": "2025-04-05T06:07:08Z",
            "frozen_by": "divisionbell 0.1.0",
            "record_count": len(records()),
            "item_count": 8,
            "schema_sha256": SHA,
            "codebook_sha256": SHA,
            "parser_name": "strict_json_v1",
            "record_digests": [{"id": each["id"], "kind": each["kind"], "sha256": SHA} for each in records()],
        },
    }


def header() -> Json:
    return {
        "run_id": "1.0.0/openai:some-model/2025-05-06T07:08:09Z",
        "run_schema_version": "0.1.0",
        "respondent": "openai:some-model",
        "constrained": False,
        "reasoning_tags": ["<think>", "</think>"],
        "settings": {"model": "some-model", "temperature": 0, "note": "\x00\ud800"},
        "bank_version": "1.0.0",
        "bank_sha256": SHA,
        "form": "full",
        "repeats": 1,
        "template_sha256": SHA,
        "parser_used": "strict_json_v1",
        "unit_count": 3,
        "not_administered_count": 1,
        "started_at": "2025-05-06T07:08:09Z",
        "software": [{"software_name": "divisionbell", "software_version": "0.1.0"}],
    }


def _attempt(number: int, turns: list[tuple[str, str]], reply: str, reading: str) -> Json:
    return {
        "attempt_number": number,
        "turns": [{"turn_role": role, "content": text} for role, text in turns],
        "turns_sha256": SHA,
        "reply_text": reply,
        "reading": reading,
        "finish_reason": "stop",
        "input_tokens": 100,
        "latency_seconds": 1e-07,
        "transport_retries": 0,
    }


def units() -> list[Json]:
    asked = [("system", "Answer."), ("user", "Which?")]
    valid = '{"item_id":"qaaaaaaa","answer":"A"}'
    common: Json = {
        "asked_dossier": "commons-1541",
        "asked_order": "positive_at_a",
        "stored_order": True,
        "repeat": 1,
        "finished_at": "2025-05-06T07:09:00.25Z",
    }
    retry = [*asked, ("assistant", HOSTILE), ("user", "Return only the requested JSON object.")]
    return [
        common
        | {
            "unit_key": "a" * 64,
            "asked_item": "qaaaaaaa",
            "outcome": "valid_after_retry",
            "answer": "A",
            "attempts": [_attempt(1, asked, HOSTILE, "no_object"), _attempt(2, retry, valid, "ok")],
        },
        common
        | {
            "unit_key": "b" * 64,
            "asked_item": "qaaaaaab",
            "outcome": "malformed",
            "attempts": [_attempt(1, asked, AWKWARD, "no_object"), _attempt(2, retry, "", "empty")],
        },
        common | {"unit_key": "c" * 64, "asked_item": "qaaaaaac", "outcome": "not_administered", "attempts": []},
    ]


def score() -> Json:
    copied = ("respondent", "constrained", "settings", "bank_version", "bank_sha256", "form", "repeats")
    return {key: header()[key] for key in copied} | {
        "scored_run": header()["run_id"],
        "scored_journal_sha256": SHA,
        "plan_used": "1.0.0",
        "demonstration": True,
        "notes": [],
        "estimates": [
            {
                "name": "position",
                "estimate_axis": axis,
                "estimate_scale": "concrete",
                "unit": "coordinate",
                "standing": "primary",
                "definition": "Mean over families of the family mean.",
            }
            | more
            for axis, more in (
                (
                    "economic",
                    {"value": -0.25, "low": -0.5, "high": 0, "interval_level": 0.95, "interval_kind": "t", "n": 4},
                ),
                ("social", {"undefined_because": "There is one family."}),
            )
        ],
    }
