"""Planted models: their true scores are what the closed forms say, and their way is the way of every run."""

import numpy as np
import pytest

from divisionbell.estimate.planted_grid import HABITS, SCORES, SPREADS, grid
from divisionbell.estimate.planted_model import (
    Habits,
    Spread,
    biased_score,
    by_bias,
    by_habit,
    draw_items,
    true_d_sq,
    true_score,
)
from divisionbell.estimate.planted_run import LOST, Instrument
from divisionbell.estimate.planted_suites import PATTERNS, answers_of_plant, lose, named

MANY = (40_000, 2, 2)
ASKED = Instrument(12, 2)


@pytest.mark.parametrize("lean", [0.0, 0.6, -0.9, 1.0])
@pytest.mark.parametrize("spread", SPREADS.values())
def test_the_population_mean_is_the_lean(lean, spread):
    p = draw_items(np.random.default_rng(1), lean, spread, MANY)
    means = p.mean(axis=(1, 2))
    assert 2 * means.mean() - 1 == pytest.approx(lean, abs=4 * 2 * means.std() / np.sqrt(means.size) + 1e-12)
    assert ((p >= 0) & (p <= 1)).all()


def test_the_spread_is_what_it_is_said_to_be():
    p = draw_items(np.random.default_rng(2), 0.4, Spread(0.25, 0, 0), MANY)
    assert np.ptp(p, axis=(1, 2)).max() == 0
    assert p[:, 0, 0].var() == pytest.approx(0.25 * 0.7 * 0.3, rel=0.03)
    whole = draw_items(np.random.default_rng(2), 0.4, Spread(0.2, 0.3, 0.1), MANY)
    within = 1 - (1 - 0.2) * (1 - 0.3) * (1 - 0.1)
    assert whole.var() == pytest.approx(within * 0.7 * 0.3, rel=0.03)


def test_habits_shrink_the_score_and_nothing_else():
    items, status_quo = np.array([0.9, 0.2, 0.5]), np.array([1.0, -1.0, 1.0])
    for habits in (Habits(0.2, 0.3), Habits(-0.2, 0.3), Habits()):
        # Original and mirror: the same item with the status quo at one pole and at the other.
        both = [2 * by_habit(items, side * status_quo, habits).mean(axis=1) - 1 for side in (1, -1)]
        assert (both[0] + both[1]) / 2 == pytest.approx([true_score(2 * p - 1, habits) for p in items])
        assert status_quo * (both[1] - both[0]) == pytest.approx([true_d_sq(habits)] * 3)
        orders = by_habit(items, status_quo, habits)
        assert orders[:, 1] - orders[:, 0] == pytest.approx([habits.letter_a] * 3)


def test_the_biased_score_is_the_mean_of_both_orders():
    for bias in (0.0, 1.0, 3.0):
        p = by_bias(1, -0.4, bias)[0]
        assert biased_score(-0.4, bias) == pytest.approx(p.sum() - 1)
        rr, ll = p.prod(), (1 - p).prod()
        assert (rr - ll) / (rr + ll) == pytest.approx(np.tanh(-0.4))


def test_the_grid_is_even_and_the_true_score_is_planted():
    plants = grid(3 * 108, seed=4)
    cells = [(p.families, p.repeats, p.score, p.spread) for p in plants]
    assert len(set(cells)) == 108 and all(cells.count(cell) == 3 for cell in cells[:20])
    for plant in plants:
        assert true_score(plant.lean, HABITS[plant.habit]) == pytest.approx(plant.score)
        assert abs(plant.lean) <= 1
    assert {plant.habit for plant in plants} == set(HABITS)
    assert {plant.score for plant in plants} == set(SCORES)
    assert grid(20, 4) == plants[:20] and grid(20, 5) != plants[:20]


def test_families_are_drawn_anew_for_each_model():
    first, again, other = (answers_of_plant(grid(3, 1)[n], 1)[1] for n in (0, 0, 1))
    assert (first == again).all()
    assert first.shape != other.shape or (first != other).any()


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_fast_way_is_the_way_of_every_run(pattern):
    rng = np.random.default_rng(3)
    positive = ASKED.draw(rng, np.full((ASKED.items, 2), 0.6))
    gone = lose(pattern, positive, ASKED, rng)
    assert set(np.unique(gone)) == set(range(len(LOST) + 1))
    assert ASKED.score(positive, gone) == ASKED.score_whole(positive, gone)
    assert ASKED.score(positive) == ASKED.score_whole(positive)


def test_what_is_planted_is_what_is_read():
    """All-positive answers score 1, a letter scores 0, and the outcomes are those of the replies."""
    everything = np.ones((2, ASKED.items, 2), dtype=bool)
    found = named(ASKED.score(everything))
    assert (found["concrete.economic"]["value"], found["concrete.social"]["value"]) == (1, 1)
    letter_a = np.broadcast_to(np.array([False, True]), everything.shape)
    found = named(ASKED.score(letter_a))
    assert found["concrete.economic"]["value"] == 0
    assert found["concrete.economic.a_lock"]["value"] == pytest.approx(1)
    found = named(ASKED.score(everything, np.full(everything.shape, 1, dtype=np.int8)))
    assert found["concrete.economic.bounds"]["low"] == -1
    assert found["parse.final_rate"]["value"] == 0


def test_patterns_of_loss_are_what_they_say():
    rng = np.random.default_rng(5)
    wide = Instrument(19, 3)
    positive = wide.draw(rng, np.full((wide.items, 2), 0.5))
    share = {pattern: lose(pattern, positive, wide, rng) > 0 for pattern in PATTERNS}
    assert share["at random"].mean() == pytest.approx(0.15, abs=0.03)
    four = wide.family < 4
    assert share["by family"][:, four].mean() == pytest.approx(0.6, abs=0.06)
    assert share["by family"][:, ~four].mean() == pytest.approx(0.05, abs=0.03)
    assert share["by order"][..., 0].mean() == pytest.approx(0.7, abs=0.05)
    assert not share["by order"][..., 1].any()
    assert share["by answer"][positive].mean() == pytest.approx(0.5, abs=0.06)
    assert not share["by answer"][~positive].any()


def test_a_lean_beyond_one_is_refused():
    with pytest.raises(ValueError, match="lean"):
        draw_items(np.random.default_rng(1), 1.2, SPREADS["narrow"], (2, 2, 2))
