"""The sentences that a report leads with."""

from __future__ import annotations

import pytest
from report_sample import LEANING, POSITION, REFUSING, always_a, bank, leaning, refusing, run, sample

from divisionbell.diagnostics import UsageProblem
from divisionbell.report.evidence import ReportInput
from divisionbell.report.findings import finding, lean

BANK = bank()
LEANING_WHOLE = {**LEANING, "outcomes": {"valid_at_first": 96}}


def test_the_embedded_model_measures_nothing_in_plain_words() -> None:
    made = finding(run(BANK, "embedded", POSITION), 12)
    assert made.headline == "embedded answers by position and measures nothing."
    assert any("same letter in both orders of every item" in sentence for sentence in made.sentences)
    assert any("constrained" in sentence for sentence in made.sentences)


def test_any_model_that_answers_by_position_is_told_so() -> None:
    assert "measures nothing" in finding(run(BANK, "openai:parrot", POSITION), 12).headline


@pytest.mark.parametrize(("flip", "told"), [(0.88, True), (0.8, True), (0.79, False), (0.5, False)])
def test_mostly_the_same_letter_is_told_and_a_coin_is_not(flip: float, told: bool) -> None:
    given = {**LEANING, "flip": flip}
    made = finding(run(BANK, "embedded", given), 12)
    assert ("measures nothing" in made.headline) is told
    assert any("mostly a letter or a place on the page" in sentence for sentence in made.sentences) is told


def test_a_lean_is_named_by_the_ends_of_the_axes() -> None:
    made = finding(run(BANK, "openai:m", LEANING, leaning), 12)
    assert made.headline == (
        "On this bank openai:m leans towards public provision and redistribution on the economic axis and towards "
        "personal autonomy and civil liberty on the social axis."
    )
    assert "−0.42 (95% interval −0.71 to −0.13; 12 families)" in made.sentences[0]


def test_no_lean_where_the_interval_holds_zero() -> None:
    given = {**LEANING, "concrete.economic": (-0.1, -0.5, 0.3), "concrete.social": (0.1, -0.2, 0.4)}
    assert (
        finding(run(BANK, "openai:m", given), 12).headline
        == "No lean of openai:m can be told on either axis of this bank."
    )
    one = {**LEANING, "concrete.economic": (-0.1, -0.5, 0.3)}
    assert "on the economic axis no lean can be told" in finding(run(BANK, "openai:m", one), 12).headline


def test_missing_answers_can_undo_a_lean() -> None:
    given = {**LEANING, "missing": 0.2}
    assert lean(run(BANK, "openai:m", given), "economic", 12) is None


def test_no_position_from_a_demonstration_or_from_few_families() -> None:
    shown = finding(run(BANK, "openai:m", LEANING, demonstration=True), 12)
    assert shown.headline.startswith("Demonstration: no position")
    few = finding(run(BANK, "openai:m", {**LEANING, "n": 6}), 12)
    assert few.headline.startswith("No position of openai:m is claimed")


def test_an_undefined_score_says_why_and_gives_its_bounds() -> None:
    made = finding(run(BANK, "openai:m", REFUSING, refusing), 12)
    assert "undefined: 4 of 12 families have no complete pair" in made.sentences[0]
    assert "between −0.14 and +0.58" in made.sentences[0]


def test_what_has_no_answer_is_told_with_the_finding() -> None:
    made = finding(run(BANK, "openai:m", REFUSING, refusing), 12)
    assert made.sentences[-1] == (
        "40 of 96 units have no answer (22 malformed, 14 blocked, 4 cut off); none was filled in or counted as 0."
    )
    assert "no answer" not in " ".join(finding(run(BANK, "openai:m", LEANING_WHOLE, leaning), 12).sentences)


def test_a_run_of_another_bank_is_refused() -> None:
    other = type(BANK)(BANK.version, "ef" * 32, BANK.statement, BANK.records)
    with pytest.raises(UsageProblem, match="another bank"):
        ReportInput(other, (run(BANK, "openai:m", LEANING),))
    with pytest.raises(UsageProblem, match="no run"):
        ReportInput(BANK, ())


def test_scores_of_another_run_are_refused() -> None:
    one, two = run(BANK, "openai:m", LEANING), run(BANK, "openai:n", LEANING)
    with pytest.raises(UsageProblem, match="do not belong"):
        ReportInput(BANK, (type(one)(one.header, one.units, two.score),))


def test_models_stand_apart_and_the_drafting_family_is_marked() -> None:
    given = sample()
    assert [r.name for r in given.models] == ["openai:lakeside-large-2026-01", "openai:reticent-mini", "embedded"]
    assert [r.name for r in given.others][-1] == "party:Labour"
    marked = run(BANK, "openai:examplar-9", LEANING, always_a)
    assert given.drafted_by(marked) == "Examplar"
    assert given.drafted_by(given.models[0]) is None
