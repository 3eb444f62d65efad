"""A mean over complete pairs that no completion of the missing answers gives is no figure, wherever it would stand."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from planted import bank, coin, lost, run

from divisionbell.estimate.compared import Compared
from divisionbell.estimate.comparison import compare_runs
from divisionbell.estimate.completions import NO_COMPLETION, ends, given, why_not
from divisionbell.estimate.document import score_run
from divisionbell.estimate.framing_estimates import _reach, contrast_signs, contrasts
from divisionbell.estimate.scale import scale_of
from divisionbell.estimate.specification_curve import pair_weights
from divisionbell.score.answers import answers_of
from divisionbell.score.apply_key import apply_key

OF = bank((3,) * 12, (3,) * 12)
ASKED = {asked.item.item_id: asked for asked in OF.form("full")}
FIRST: dict[str, str] = {}
for one in ASKED.values():
    FIRST.setdefault(one.dossier.issue_family, one.dossier.dossier_id)


def two_minds(asked, order, repeat, pole="positive", other="negative", kinds=("concrete_action", "implicit_action")):
    """One dossier a family is whole and leans one way; in the others an answer is lost and the rest leans the other."""
    whole = asked.dossier.dossier_id == FIRST[asked.dossier.issue_family]
    if whole or asked.item.kind not in kinds:
        return pole
    return "malformed" if order == "positive_at_a" and not asked.is_mirror else other


def named(respondent, of=OF):
    return {one["name"]: one for one in score_run(of, *run(of, respondent), "0" * 64)["estimates"]}


def compared(respondent, number, of=OF):
    head, units = run(of, respondent, run_id=f"run-{number}")
    return Compared(head, answers_of(of, head, units), f"{number:064x}")


def differences(first, second, of=OF):
    found = compare_runs(of, [compared(first, 1, of), compared(second, 2, of)])["estimates"]
    return {one["name"]: one for one in found}


@pytest.mark.parametrize("seed", range(4))
def test_the_ends_are_what_completions_bring(seed):
    """Missing answers filled in by their sign in the sum; then every figure is computed as for a whole run."""
    cells = apply_key(OF, *run(OF, lost(coin(seed), 0.3, seed), repeats=2))
    scale = scale_of(cells, "economic", "concrete")
    for fill, place in ((-1.0, 0), (1.0, 1)):
        filled = replace(scale, x=np.where(scale.answered, scale.x, fill), answered=np.ones_like(scale.answered))
        score = float(np.mean(list(filled.family_scores.values())))
        assert ends(scale, scale.pair_weight)[place] == pytest.approx(score)
    for what in ("d_text", "d_sq", "d_frame"):
        signs = partial(contrast_signs, what=what)
        sign = signs(scale).reshape(-1, 1, 1, 1) * np.array([1.0, -1.0]).reshape(1, 2, 1, 1)
        reach = _reach([scale], signs, (1.0, -1.0)) if signs(scale).any() else None
        for fill, place in ((-1.0, 0), (1.0, 1)):
            x = np.where(scale.answered, scale.x, fill * np.where(sign == 0, 1.0, sign))
            found = contrasts(replace(scale, x=x, answered=np.ones_like(scale.answered)))[what].values
            assert (reach is None) == (found.size == 0)
            if reach is not None:
                assert reach[place] == pytest.approx(found.mean()), what


def test_why_not_says_what_completions_give():
    assert why_not(0.5, (0.2, 0.5)) is None and given(0.5, (0.5, 0.5))
    assert why_not(0.6, (-0.2, 0.5)) == f"{NO_COMPLETION}; they give from -0.20 to +0.50"


def test_nothing_that_no_completion_gives_is_a_figure_of_a_score():
    found = named(two_minds)
    for name in found:
        if ".family." in name or ".without." in name:
            assert "value" not in found[name] and NO_COMPLETION in found[name]["undefined_because"], name
    for name in ("concrete.economic", "concrete.economic.dossier_equal", "concrete.economic.first_answers"):
        assert "value" not in found[name]
    assert found["concrete.economic.observed"]["value"] == 1
    assert "no completion gives it" in found["concrete.economic.observed"]["definition"]
    for name, one in found.items():
        if ".spec." in name and name.endswith("-mean"):
            assert "value" not in one, name


@pytest.mark.parametrize("seed", range(6))
def test_every_family_mean_lies_within_its_bounds(seed):
    """Losses in some families alone, and only of one pole: means of complete pairs fall outside, figures do not."""
    found = named(lost(coin(seed, weights=(2, 3)), 0.35, seed, where=lambda asked, order: order == "positive_at_a"))
    families = [one for name, one in found.items() if ".family." in name]
    assert len(families) > 40
    for one in families:
        if "value" in one and "low" in one:
            assert one["low"] - 1e-9 <= one["value"] <= one["high"] + 1e-9, one["name"]
    assert any("value" not in one for one in families)


def test_a_difference_that_no_completion_gives_is_undefined_and_tells_nobody_apart():
    found = differences(two_minds, coin(3, weights=(3, 2)))
    for axis in ("economic", "social"):
        name = f"difference.{axis}.1-2"
        assert "value" not in found[name] and "low" not in found[name]
        assert NO_COMPLETION in found[name]["undefined_because"]
        assert found[f"{name}.bounds"]["low"] < found[f"{name}.bounds"]["high"]
        for p in ("max_t_p", "sign_flip_p"):
            assert NO_COMPLETION in found[f"{name}.{p}"]["undefined_because"]
        assert found[f"{name}.told_apart"]["value"] == 0
        assert (found[f"rank.{axis}.1"]["low"], found[f"rank.{axis}.1"]["high"]) == (1, 2)


def test_a_difference_of_scales_and_a_contrast_that_no_completion_gives_are_undefined():
    implicit = named(partial(two_minds, kinds=("implicit_action",)))
    assert implicit["concrete.economic"]["value"] == 1 and "value" not in implicit["implicit.economic"]
    assert NO_COMPLETION in implicit["difference.economic"]["undefined_because"]

    def wordings(asked, order, repeat):
        """A whole pair follows the wording one way, the others the other way and lack one answer."""
        pole, other = ("positive", "negative") if asked.is_mirror else ("negative", "positive")
        return two_minds(asked, order, repeat, pole, other)

    found = named(wordings)
    for name in ("d_text", "original", "mirror"):
        assert NO_COMPLETION in found[f"framing.economic.{name}"]["undefined_because"], name
        assert "low" not in found[f"framing.economic.{name}"]


def test_weights_of_a_specification_bound_its_own_mean():
    scale = scale_of(apply_key(OF, *run(OF, lost(coin(5), 0.2, 5))), "social", "concrete")
    weights = pair_weights(scale, "dossier", {})
    low, high = ends(scale, weights / weights.sum())
    assert -1 <= low < high <= 1
    missing = float((~scale.answered).mean())
    assert high - low == pytest.approx(2 * missing)  # dossiers of one pair each weigh alike


def test_a_note_on_leans_says_which_interval_there_is():
    def notes(respondent):
        return [note for note in score_run(OF, *run(OF, respondent), "0" * 64)["notes"] if "called" in note]

    whole = notes(coin(1, weights=(1, 3)))[0]
    assert whole.startswith("On the economic axis (concrete pairs) the interval of the score reaches from +0.")
    assert whole.endswith(". It leaves out 0, so a lean to the positive pole is called.") and "Imbens" not in whole
    both = notes(lost(coin(1, weights=(1, 3)), 0.05, 2))[0]
    assert "the interval of the score reaches from +0." in both and ", and the Imbens-Manski interval" in both
    assert both.endswith("Both leave out 0, so a lean to the positive pole is called.")
    open_ = notes(lost(coin(1, weights=(4, 5)), 0.08, 2))[0]
    assert open_.endswith("They do not both leave out 0, so no lean is called.")
    none = notes(two_minds)[0]
    assert "the score is undefined and has no interval; the Imbens-Manski interval" in none
    assert "the interval of the score" not in none
