import json
import math
import time
from importlib.resources import files

import jsonschema
import pytest
from planted import PLAN, always, attempt, bank, coin, lost, run

from divisionbell.diagnostics import UsageProblem
from divisionbell.estimate.document import score_run

SCHEMA = json.loads(files("divisionbell.model").joinpath("run.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator({**SCHEMA, "$ref": "#/$defs/ScoreDocument"})
SMALL = bank()
WIDE = bank((2,) * 12, (2,) * 12)
ENTITY = "a" * 64


def document(of, respondent, *, form="full", repeats=1, **header):
    return score_run(of, *run(of, respondent, form, repeats, **header), ENTITY)


def named(made):
    return {one["name"]: one for one in made["estimates"]}


def said(made, words):
    return any(words in note for note in made["notes"])


def leaves(value):
    if isinstance(value, dict):
        for entry in value.values():
            yield from leaves(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from leaves(entry)
    else:
        yield value


GONE = lost(always("A"), 1, 1, "not_administered")
RESPONDENTS = {
    "always-a": always("A"),
    "positive": always("positive"),
    "coin": coin(1),
    "refuse": always("blocked"),
    "prose": always("malformed"),
    "cut-off": always("cut_off"),
    "after the reminder": always("negative!"),
    "holes": lost(coin(2), 0.4, 3),
    "few holes": lost(always("negative"), 0.05, 4, "cut_off"),
    "one axis": lost(coin(5), 1, 1, "not_administered", lambda asked, order: asked.dossier.axis == "social"),
    "nothing": GONE,
}


@pytest.mark.parametrize("name", RESPONDENTS)
@pytest.mark.parametrize("form", ["full", "short"])
@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("of", [SMALL, bank((1,), (2,)), bank((1, 1), ())], ids=["small", "tiny", "one axis"])
def test_every_document_fits_the_schema(of, name, form, repeats):
    made = document(of, RESPONDENTS[name], form=form, repeats=repeats)
    VALIDATOR.validate(made)
    for leaf in leaves(made):
        assert leaf is not None
        assert not isinstance(leaf, float) or math.isfinite(leaf)
    json.dumps(made, allow_nan=False)
    for one in made["estimates"]:
        if "low" in one:
            assert one["low"] < one["high"]
            assert one["interval_kind"]
        assert ("value" in one) or ("low" in one) or one["undefined_because"]
        assert not ("value" in one and "undefined_because" in one)
    found = named(made)
    assert len(found) == len(made["estimates"])
    for scale in ("concrete", "implicit"):
        for axis in ("economic", "social"):
            assert f"{scale}.{axis}" in found


def test_what_the_document_is_bound_to():
    header, units = run(SMALL, always("A"), settings={"model": "m"})
    made = score_run(SMALL, header, units, ENTITY)
    assert (made["scored_run"], made["scored_journal_sha256"], made["plan_used"]) == ("planted-run", ENTITY, "0.1.0")
    assert made["settings"] == {"model": "m"}
    assert made["bank_sha256"] == SMALL.sha256


def test_standing():
    found = named(document(SMALL, coin(1)))
    assert {name for name, one in found.items() if one["standing"] == "primary"} == {
        "concrete.economic",
        "concrete.social",
    }
    assert found["implicit.social"]["standing"] == "second scale"
    assert found["framing.economic.d_sq"]["standing"] == "exploratory"


def test_demonstration_below_the_families_of_the_plan():
    made = document(SMALL, coin(1))
    assert made["demonstration"] is True
    assert made["notes"][0].startswith("Demonstration: no position can be read from this")
    assert not said(made, "lean")
    assert document(bank((2,) * 12, (2,) * 11 + (1,)), coin(1))["demonstration"] is True
    whole = document(WIDE, coin(1))
    assert whole["demonstration"] is False
    assert not said(whole, "Demonstration")


def test_a_lean_is_called_only_outside_zero():
    made = document(WIDE, always("negative"))
    assert said(made, "a lean to the negative pole is called")
    assert said(document(WIDE, always("A")), "It holds 0, so no lean is called")
    mixed = lost(always("negative"), 0.6, 1)
    bounds = named(document(WIDE, mixed))["concrete.social.imbens_manski"]
    assert bounds["high"] > 0
    assert not said(document(WIDE, mixed), "a lean")


def test_notes_on_how_it_was_answered():
    assert said(document(SMALL, coin(1), constrained=True), "Constrained decoding")
    assert not said(document(SMALL, coin(1)), "Constrained decoding")
    assert said(document(SMALL, always("A")), "by position, not by content")
    assert not said(document(SMALL, coin(1)), "by position, not by content")
    refused = document(SMALL, lost(coin(1), 0.5, 1, "blocked"))
    assert said(refused, " blocked)")
    assert said(document(WIDE, coin(1)), "by Holm over the two axes")


def test_position_on_one_axis_alone_is_no_position_answerer():
    half = document(SMALL, lambda asked, order, repeat: "A" if asked.dossier.axis == "social" else "negative")
    assert not said(half, "by position, not by content")


def test_changes_in_what_was_served():
    header, units = run(SMALL, coin(1))
    for number, one in enumerate(units):
        one["attempts"] = [attempt(1, "ok", served_model="m-1" if number else "m-2", fingerprint="f")]
    made = score_run(SMALL, header, units, ENTITY)
    assert said(made, "2 model names within this run (m-1, m-2)")
    assert not said(made, "serving fingerprints")


def test_respondent_of_a_family_that_made_the_bank():
    coder = {"agent_id": "coder", "agent_kind": "language_model", "label": "C", "role": "Coded.", "family": "Examplar"}
    of = bank(agents=[coder])
    assert said(document(of, coin(1), settings={"model": "examplar-7b"}), "of the family Examplar")
    assert not said(document(of, coin(1), settings={"model": "other"}), "of the family Examplar")


def test_not_administered_dossiers_are_counted():
    gone = lost(coin(1), 1, 1, "not_administered", lambda asked, order: asked.dossier.issue_family == "e0")
    made = document(SMALL, gone)
    assert said(made, "2 of 12 dossiers were not administered")
    assert said(made, "drop out with them: e0")
    found = named(made)
    assert found["concrete.economic"]["n"] == 2
    assert found["parse.outcome.not_administered"]["value"] == 16
    assert found["parse.asked"]["value"] == 80
    assert "nothing is missing" in found["concrete.economic.bounds"]["undefined_because"]


def test_a_plan_that_is_not_carried_out_here_is_refused():
    other = bank(plan=PLAN | {"equivalence_margin": 0.1})
    with pytest.raises(UsageProblem, match="equivalence_margin"):
        document(other, coin(1))


def test_parse_rates():
    def respond(asked, order, repeat):
        return {1: "A", 2: "A!", 3: "malformed", 4: "blocked"}[repeat]

    found = named(document(SMALL, respond, repeats=4))
    assert found["parse.initial_rate"]["value"] == pytest.approx(1 / 3)
    assert found["parse.final_rate"]["value"] == pytest.approx(2 / 3)
    assert found["parse.asked"]["value"] == 4 * 96
    assert found["parse.outcome.valid_after_retry"]["value"] == 96
    assert found["parse.reason.no_json"]["value"] == 2 * 96
    assert found["parse.reason.blocked"]["value"] == 96
    assert found["parse.outcome.cut_off"]["value"] == 0


def test_a_reply_blocked_after_the_reminder_was_malformed_at_first():
    header, units = run(SMALL, always("blocked"))
    for one in units:
        one["attempts"] = [attempt(1, "fence"), attempt(2, "blocked")]
    found = named(score_run(SMALL, header, units, ENTITY))
    assert found["parse.initial_rate"]["value"] == 0
    assert "value" not in found["parse.final_rate"]


def test_first_answers_count_no_retry():
    def late(asked, order, repeat):
        return "negative!" if asked.dossier.issue_family == "e0" else "negative"

    found = named(document(SMALL, late))
    assert found["concrete.economic"]["value"] == -1
    assert "1 of 3 families" in found["concrete.economic.first_answers"]["undefined_because"]
    assert found["concrete.social.first_answers"]["value"] == -1


def test_leave_one_family_out_and_family_means():
    def respond(asked, order, repeat):
        return "positive" if asked.dossier.issue_family == "e0" else "negative"

    found = named(document(SMALL, respond))
    assert found["concrete.economic.family.e0"]["value"] == 1
    assert found["concrete.economic.without.e0"]["value"] == -1
    assert found["concrete.economic.without.e1"]["value"] == 0
    holes = lost(respond, 1, 1, where=lambda asked, order: asked.dossier.issue_family == "e0")
    found = named(document(SMALL, holes))
    assert (found["concrete.economic.family.e0"]["low"], found["concrete.economic.family.e0"]["high"]) == (-1, 1)
    assert found["concrete.economic.without.e0"]["value"] == -1
    assert "value" not in found["concrete.economic.without.e1"]


def test_difference_of_the_scales():
    def respond(asked, order, repeat):
        return "negative" if asked.item.kind == "concrete_action" else "positive"

    found = named(document(SMALL, respond))
    assert found["difference.economic"]["value"] == -2
    assert found["difference.economic"]["low"] == -2
    assert found["difference.economic"]["high"] > -2
    assert "value" not in named(document(SMALL, respond, form="short"))["difference.economic"]


def test_agreement_of_repeats():
    found = named(document(SMALL, always("negative"), repeats=3))
    assert (found["agreement.repeat.raw"]["value"], found["agreement.repeat.ac1"]["value"]) == (1, 1)
    assert found["agreement.repeat.raw"]["n"] == 96 * 3
    tossed = named(document(WIDE, coin(1), repeats=5))
    assert tossed["agreement.repeat.raw"]["value"] == pytest.approx(0.5, abs=0.05)
    assert tossed["agreement.repeat.economic.ac1"]["value"] == pytest.approx(0, abs=0.1)
    assert tossed["agreement.repeat.icc"]["value"] == pytest.approx(0, abs=0.15)
    assert tossed["agreement.repeat.social.sem"]["value"] == pytest.approx(0.7, abs=0.1)  # a mean of two fair coins
    assert found["agreement.repeat.icc"]["n"] == 48 and found["agreement.repeat.sem"]["value"] == 0
    assert not any(name.startswith("agreement") for name in named(document(SMALL, coin(1))))


def test_closely_contested_divisions():
    found = named(document(SMALL, coin(1)))
    assert found["concrete.economic.minority_30"]["value"] == found["concrete.economic"]["value"]
    assert "implicit.economic.minority_30" not in found


def test_fast_enough():
    large = bank((10,) * 12, (10,) * 12)
    header, units = run(large, lost(coin(1), 0.1, 2), repeats=5)
    assert len(units) == 9600
    score_run(large, header, units, ENTITY)
    start = time.perf_counter()
    score_run(large, header, units, ENTITY)
    assert time.perf_counter() - start < 3


def test_original_and_mirror_lie_their_contrast_apart_and_around_the_score():
    found = named(document(WIDE, coin(3)))
    for axis in ("economic", "social"):
        original, mirror = (found[f"framing.{axis}.{name}"]["value"] for name in ("original", "mirror"))
        assert original != mirror
        assert original - mirror == pytest.approx(found[f"framing.{axis}.d_text"]["value"])
        assert (original + mirror) / 2 == pytest.approx(found[f"concrete.{axis}"]["value"])
    gone = named(document(SMALL, always("malformed")))["framing.economic.original"]
    assert "value" not in gone and gone["undefined_because"] == "no pair is complete"


def test_a_note_on_framing_says_in_words_what_was_found():
    assert said(document(WIDE, coin(1)), "not tested (3 repeats are needed, 1 made)")
    assert said(document(WIDE, always("negative"), repeats=3), "on the economic axis neither shown nor ruled out")
    last = document(WIDE, coin(1))["notes"][-2:]
    assert all(note.startswith("Exploratory: ") for note in last)
    assert "families are not at 0" in last[1] and "No p, before Holm, can be below" in last[1]
