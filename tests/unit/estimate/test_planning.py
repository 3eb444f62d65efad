"""Variances from runs, and what a study planned with them finds."""

import itertools
import math
import random

import numpy as np
import pytest
from planted import always, bank, coin, lost, run

from divisionbell.diagnostics import UsageProblem
from divisionbell.estimate.compared import Compared
from divisionbell.estimate.planning import (
    ONE,
    TWO,
    Variances,
    Wish,
    impossible,
    of_run,
    of_two_runs,
    study,
    whole_bank,
)
from divisionbell.score.answers import answers_of
from divisionbell.statistics.power import power_of_t
from divisionbell.statistics.variance_split import VarianceSplit

UNEVEN = bank((2, 2), (1, 2))
WIDE = bank((3,) * 14, (2,) * 12)
WISH = Wish(difference=0.3, families=None, repeats=None, dossiers=3.0, level=0.95, power=0.8)


NUMBERS = itertools.count()


def asked(respondent, **kwargs):
    number = next(NUMBERS)
    header, units = run(WIDE, respondent, form="short", run_id=f"run-{number}", **kwargs)
    return Compared(header, answers_of(WIDE, header, units), f"{number:064x}")


def by_family(asked_item, order, repeat):
    """Every other family leans to the other side, with certainty."""
    return "positive" if int(asked_item.dossier.issue_family[1:]) % 2 else "negative"


def by_dossier(asked_item, order, repeat):
    """A pole drawn for each dossier alone."""
    return random.Random(asked_item.dossier.dossier_id).choice(("negative", "positive"))


def test_a_coin_has_noise_alone():
    found = of_run(asked(coin(3), repeats=5), "economic")
    # Four cells of +-1 with equal chances: variance 4/16 for one repeat.
    assert found.split.noise == pytest.approx(0.25, abs=0.03)
    assert found.split.family < 0.03 and found.split.dossier < 0.03
    assert (found.comparison, found.families, found.dossiers, found.repeats) == (ONE, 14, pytest.approx(3), 5)


def test_two_repeats_are_enough_to_tell_the_noise():
    split = of_run(asked(coin(3), repeats=2), "economic").split
    assert split.noise == pytest.approx(0.25, abs=0.05) and split.dossier is not None
    assert split.family < 0.04 and split.dossier < 0.06


def test_certain_families_have_family_variance_alone():
    split = of_run(asked(by_family, repeats=3), "social").split
    assert (split.dossier, split.noise) == (0, 0)
    assert split.family == pytest.approx(np.var([1, -1] * 6, ddof=1))


def test_certain_dossiers_have_dossier_variance():
    split = of_run(asked(by_dossier), "economic").split
    assert split.noise is None
    assert split.dossier == pytest.approx(1, abs=0.35)
    assert split.family < 0.35


def test_two_runs_of_the_same_lean_differ_by_noise_alone():
    one, two = asked(by_family, repeats=3), asked(coin(4), repeats=3)
    same = of_two_runs(one, asked(by_family, repeats=3), "economic")
    assert (same.split.family, same.split.dossier, same.split.noise) == (0, 0, 0)
    assert same.correlation == pytest.approx(1)
    other = of_two_runs(one, two, "economic")
    assert other.split.noise == pytest.approx(0.25, abs=0.05)
    assert other.split.family == pytest.approx(1, abs=0.3)
    assert other.comparison == TWO
    assert of_two_runs(two, asked(always("A"), repeats=3), "economic").correlation is None


def test_only_what_both_answered_is_set_against_each_other():
    gone = lost(by_family, 1, 1, where=lambda item, order: item.dossier.issue_family == "e3")
    found = of_two_runs(asked(by_family, repeats=3), asked(gone, repeats=3), "economic")
    assert found.families == 13 and found.split.family == 0


def test_what_cannot_be_set_against_each_other():
    with pytest.raises(UsageProblem, match="differ in repeats"):
        of_two_runs(asked(coin(1)), asked(coin(1), repeats=3), "economic")
    with pytest.raises(UsageProblem, match="0 families have a complete pair"):
        of_run(asked(always("blocked")), "economic")
    with pytest.raises(UsageProblem, match="has constrained decoding"):
        of_two_runs(asked(coin(1)), asked(coin(2), constrained=True), "economic")
    one = asked(coin(1))
    copy = Compared(one.header | {"run_id": "copy"}, one.answers, one.journal_sha256)
    with pytest.raises(UsageProblem, match="hold the same replies"):
        of_two_runs(one, copy, "economic")


def test_a_run_of_less_than_the_bank_says_what_the_whole_has():
    assert whole_bank(WIDE, "economic") == (14, pytest.approx(3)) and whole_bank(UNEVEN, "social") == (
        2,
        pytest.approx(4 / 3),
    )
    split = VarianceSplit(0.04, None, 0.09)
    whole = study(Variances(ONE, "social", split, 14, 3.0, 3, form="full", whole=(14, 3.0)), WISH)
    assert not {"families_of_bank", "dossiers_of_bank", "constrained"} & set(whole)
    for families, dossiers in ((12, 3.0), (14, 1.0)):
        part = study(Variances(ONE, "social", split, families, dossiers, 3, form="short", whole=(14, 3.0)), WISH)
        assert (part["families_of_run"], part["families_of_bank"], part["dossiers_of_bank"]) == (families, 14, 3.0)


def test_a_spread_is_impossible_beyond_what_the_ends_of_the_scale_leave():
    # Popoviciu's limit: what lies in [-L, L] with the mean d has at most the variance L^2 - d^2
    assert impossible(VarianceSplit(0.6, 0.3, 0.1), ONE) is None
    assert impossible(VarianceSplit(0.6, 0.3, 0.2), ONE) == 1
    assert impossible(VarianceSplit(0.5, None, None), ONE, 0.8) == pytest.approx(0.6)
    assert impossible(VarianceSplit(2, 1, 1), TWO) is None and impossible(VarianceSplit(2, 1, 1), TWO, 1.0) == 3**0.5


def test_a_study_says_what_its_numbers_find():
    split = VarianceSplit(0.04, 0.12, 0.09)
    made = study(Variances(ONE, "economic", split, 19, 3.0, 3), WISH)
    assert [row["repeats"] for row in made["table"]] == [1, 3, 5, 10, "any"]
    for row in made["table"]:
        repeats = math.inf if row["repeats"] == "any" else row["repeats"]
        assert row["sd"] == pytest.approx(math.sqrt(0.04 + (0.12 + 0.09 / repeats) / 3))
        assert row["power_reached"] == pytest.approx(power_of_t(0.3, row["sd"], 19))
        assert power_of_t(row["smallest_difference"], row["sd"], 19) == pytest.approx(0.8)
        assert power_of_t(0.3, row["sd"], row["families_needed"]) >= 0.8
    falling = [row["families_needed"] for row in made["table"]]
    assert falling == sorted(falling, reverse=True)
    assert made["sign_flip"] == {
        "families_needed": 6,
        "families_needed_over_two_axes": 7,
        "smallest_p": 1 / 20_001,
    }


def test_a_study_of_unknown_noise_plans_the_repeats_that_were_made():
    made = study(Variances(ONE, "economic", VarianceSplit(0.04, 0.12, None), 19, 3.0, 4), WISH)
    assert [row["repeats"] for row in made["table"]] == [4]
    assert made["table"][0]["sd"] == pytest.approx(math.sqrt(0.08))
    assert "noise" not in made["variances"]


def test_without_noise_repeats_change_nothing_and_without_spread_nothing_is_planned():
    still = study(Variances(ONE, None, VarianceSplit(0.04, 0.0, 0.0)), WISH)
    assert [row["repeats"] for row in still["table"]] == [1]
    assert "smallest_difference" not in still["table"][0] and "families" not in still
    none = study(Variances(ONE, None, VarianceSplit(0.0, 0.0, 0.0), 12, 3.0, 1), WISH)
    assert "nothing varies" in none["table"][0]["undefined_because"]


def test_a_planted_difference_between_two_is_found_as_often_as_stated():
    """Family scores of two respondents with planted variances and correlation, tested by t over families."""
    rng, families, dossiers, repeats = np.random.default_rng(6), 14, 3, 3
    family, dossier, noise, r, difference, trials = 0.06, 0.10, 0.20, 0.5, 0.25, 6000
    shared = np.array([[1, r], [r, 1]])

    def pair(variance, shape):
        return np.moveaxis(rng.multivariate_normal([0, 0], variance * shared, shape), -1, 0)

    scores = pair(family, (trials, families)) + pair(dossier, (trials, families, dossiers)).mean(axis=-1)
    scores += rng.normal(0, math.sqrt(noise / repeats / dossiers), (2, trials, families))
    d = scores[0] - scores[1] + difference
    t = d.mean(axis=1) / (d.std(axis=1, ddof=1) / math.sqrt(families))
    found = (np.abs(t) > 2.1604).mean()  # t_.975 with 13 degrees of freedom

    split = VarianceSplit(2 * family * (1 - r), 2 * dossier * (1 - r), 2 * noise)
    wish = Wish(difference, families, repeats, float(dossiers), 0.95, 0.8)
    table = study(Variances(TWO, None, split), wish)["table"]
    stated = next(row["power_reached"] for row in table if row["repeats"] == repeats)
    assert 0.3 < stated < 0.95
    assert found == pytest.approx(stated, abs=0.02)
