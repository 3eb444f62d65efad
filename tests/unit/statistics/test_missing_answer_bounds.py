import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from divisionbell.statistics.bounds import (
    answered_and_missing,
    cell_bounds,
    cell_weights,
    imbens_manski,
    linear_bounds,
    one_order_bounds,
    tipping_point,
)
from divisionbell.statistics.intervals import exact_equal, family_t

# Three families of 1, 2 and 1 dossiers; every dossier has two versions in two orders: 16 cells.
CELLS = [
    (family, dossier, version, order)
    for family, dossiers in (("tax", ("t1",)), ("police", ("p1", "p2")), ("health", ("h1",)))
    for dossier in dossiers
    for version in ("mirror", "original")
    for order in (1, 2)
]


def nested_mean(cells, values):
    """The score by its definition: average over orders, versions, dossiers, families, one step at a time."""
    if len(cells[0]) == 0:
        return sum(values) / len(values)
    groups = {}
    for cell, value in zip(cells, values, strict=True):
        groups.setdefault(cell[0], []).append((cell[1:], value))
    means = [nested_mean([c for c, _ in group], [v for _, v in group]) for group in groups.values()]
    return sum(means) / len(means)


def test_weights_reproduce_the_nested_means():
    weights = cell_weights(*zip(*CELLS, strict=True))
    assert weights.sum() == pytest.approx(1)
    assert weights[0] == pytest.approx(1 / 12)  # a family of one dossier: 1/3 over 4 cells
    assert weights[4] == pytest.approx(1 / 24)  # a family of two
    x = np.random.default_rng(1).choice([-1, 1], len(CELLS))
    assert weights @ x == pytest.approx(nested_mean(CELLS, list(x)))


def test_weights_do_not_depend_on_the_order_of_the_cells_or_on_label_reuse():
    shuffled = np.random.default_rng(2).permutation(len(CELLS))
    weights = cell_weights(*zip(*CELLS, strict=True))
    again = cell_weights(*zip(*[CELLS[i] for i in shuffled], strict=True))
    assert again == pytest.approx(weights[shuffled])
    # The same dossier label in two families is two dossiers.
    assert cell_weights(["a", "a", "b"], [1, 2, 1]) == pytest.approx([0.25, 0.25, 0.5])


def test_bounds_are_the_extremes_of_every_completion():
    weights = cell_weights(*zip(*CELLS, strict=True))
    x = np.random.default_rng(4).choice([-1.0, 1.0], len(CELLS))
    answered = np.ones(len(CELLS), dtype=bool)
    answered[[0, 1, 4, 9, 12, 14]] = False
    holes = np.flatnonzero(~answered)
    a, b = answered_and_missing(np.where(answered, x, np.nan), weights, answered)
    low, high = linear_bounds(a, b)
    scores = []
    for completion in itertools.product((-1.0, 1.0), repeat=holes.size):
        filled = x.copy()
        filled[holes] = completion
        scores.append(nested_mean(CELLS, list(filled)))
        assert low - 1e-12 <= scores[-1] <= high + 1e-12
        delta = float(weights[holes] @ np.array(completion)) / b
        assert a + b * delta == pytest.approx(scores[-1])
    assert (min(scores), max(scores)) == pytest.approx((low, high))


def test_bounds_are_wider_than_twice_the_missing_rate_when_a_small_family_misses():
    weights = cell_weights(["a"] * 8 + ["b"] * 2, list(range(10)))
    answered = np.array([True] * 8 + [False] * 2)
    a, b = answered_and_missing(np.ones(10), weights, answered)
    low, high = linear_bounds(a, b)
    assert high - low == pytest.approx(1.0)
    assert high - low > 2 * 0.2


def test_refusing_everything_and_nothing():
    weights = np.full(4, 0.25)
    everything = answered_and_missing(np.full(4, np.nan), weights, np.zeros(4, dtype=bool))
    assert linear_bounds(*everything) == (-1.0, 1.0)
    nothing = answered_and_missing([1, 1, 1, -1], weights, np.ones(4, dtype=bool))
    assert linear_bounds(*nothing) == (0.5, 0.5)
    assert tipping_point(*nothing) is None


@pytest.mark.parametrize(
    ("a", "b", "expected"), [(0.2, 0.4, -0.5), (-0.3, 0.3, 1.0), (0.5, 0.4, None), (0.0, 0.0, None), (0.0, 0.4, 0.0)]
)
def test_tipping_point(a, b, expected):
    assert tipping_point(a, b) == (None if expected is None else pytest.approx(expected))


@given(st.integers(0, 5), st.integers(0, 5), st.integers(0, 5))
def test_cell_bounds_hold_every_completion(plus, minus, lost):
    if plus + minus + lost == 0:
        with pytest.raises(ValueError, match="repeat"):
            cell_bounds([plus], [minus], [lost])
        return
    low, high = cell_bounds([plus], [minus], [lost])
    means = [(plus - minus + sum(rest)) / (plus + minus + lost) for rest in itertools.product((-1, 1), repeat=lost)]
    assert (low[0], high[0]) == pytest.approx((min(means), max(means)))


def test_one_order_bounds_by_hand():
    low, high = one_order_bounds([1, -1, 0.5])
    assert low == pytest.approx([0, -1, -0.25])
    assert high == pytest.approx([1, 0, 0.75])


@pytest.mark.parametrize("gap", [0.0, 0.05, 0.3, 0.8])
def test_imbens_manski_solves_its_equation(gap):
    interval = imbens_manski(-0.4, -0.4 + gap, 0.1, 0.05, 11)
    c = (-0.4 - interval.low) / 0.1
    assert (interval.high - gap + 0.4) / 0.05 == pytest.approx(c)
    inside = stats.t.sf(-(c + gap / 0.1), 11) - stats.t.sf(c, 11)
    assert inside == pytest.approx(0.95, abs=1e-9)


def test_imbens_manski_limits():
    scores = np.linspace(-0.3, 0.5, 12)
    se = float(stats.sem(scores))
    point = imbens_manski(0.1, 0.1, se, se, 11)
    student = family_t(scores)
    assert (point.low, point.high) == pytest.approx((student.low, student.high))
    wide = imbens_manski(-0.5, 0.5, 0.02, 0.02, 11)
    assert wide.high - 0.5 == pytest.approx(0.02 * stats.t.isf(0.05, 11), abs=1e-6)
    assert (imbens_manski(-1, 1, 0, 0, 11).low, imbens_manski(-1, 1, 0, 0, 11).high) == (-1.0, 1.0)


def test_imbens_manski_is_never_shorter_for_missing_answers():
    complete = imbens_manski(1, 1, 0, 0, 11)
    assert (complete.low, complete.high) == (exact_equal(1, 12).low, 1.0)
    tenth_missing = imbens_manski(0.8, 1, 0, 0, 11)
    assert tenth_missing.low < complete.low
    assert tenth_missing.note is not None


def test_imbens_manski_covers_either_end_of_the_bounds():
    """Truth at the lower end, then at the upper: twelve families drawn each time, a share missing at random."""
    rng = np.random.default_rng(6)
    runs, rate = 3000, 0.1
    covered = np.zeros(2)
    for _ in range(runs):
        middle = rng.normal(0.2, 0.25, 12) * (1 - rate)
        lost = rng.uniform(0.0, 2 * rate, 12)
        low, high = middle - lost, middle + lost
        interval = imbens_manski(low.mean(), high.mean(), float(stats.sem(low)), float(stats.sem(high)), 11)
        for end, truth in enumerate((0.18 - rate, 0.18 + rate)):
            covered[end] += interval.low <= truth <= interval.high
    assert ((covered / runs > 0.93) & (covered / runs < 0.97)).all()


@pytest.mark.parametrize(
    "call",
    [
        lambda: cell_weights(),
        lambda: cell_weights([]),
        lambda: cell_weights([1, 2], [1]),
        lambda: cell_weights([1, 1], [2, 2]),
        lambda: answered_and_missing([1, 1], [0.5, 0.4], np.array([True, True])),
        lambda: answered_and_missing([1, np.nan], [0.5, 0.5], np.array([True, True])),
        lambda: answered_and_missing([1, 1], [0.5, 0.5], np.array([1, 0])),
        lambda: answered_and_missing([1, 1], [1.5, -0.5], np.array([True, True])),
        lambda: linear_bounds(0.5, -0.1),
        lambda: linear_bounds(0.8, 0.3),
        lambda: tipping_point(math.nan, 0.3),
        lambda: cell_bounds([1], [-1], [2]),
        lambda: one_order_bounds([]),
        lambda: imbens_manski(0.4, 0.2, 0.1, 0.1, 11),
        lambda: imbens_manski(0.2, 0.4, -0.1, 0.1, 11),
        lambda: imbens_manski(0.2, 0.4, math.nan, 0.1, 11),
        lambda: imbens_manski(0.2, 0.4, 0.1, 0.1, 0),
    ],
)
def test_refusals(call):
    with pytest.raises(ValueError, match=r"\w{4,}"):
        call()
