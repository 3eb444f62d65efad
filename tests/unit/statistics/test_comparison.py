"""Many differences at once: against all flips, against a plain second way, and by planted differences."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray

from divisionbell.statistics.comparison import Difference, Differences, max_t, rank_intervals

Floats = NDArray[np.float64]


def whole(values: Floats) -> Differences:
    return Differences(values, np.ones(values.shape, dtype=bool))


def t_of(values: Floats) -> float:
    return float(abs(values.mean()) / (values.std(ddof=1) / math.sqrt(values.size)))


def all_flips(rows: list[Floats], families: int) -> list[float]:
    """The largest |T| of every flip of the centred rows, one pair a row."""
    made = []
    for signs in itertools.product((-1.0, 1.0), repeat=families):
        made.append(max(t_of(np.array(signs) * (row - row.mean())) for row in rows))
    return made


def test_one_axis_agrees_with_all_flips() -> None:
    rng = np.random.default_rng(4)
    values = np.clip(rng.normal(0.25, 0.4, (3, 10)), -2, 2)
    every = np.array(all_flips(list(values), 10))
    (found,) = max_t([whole(values)], seed=1, draws=40_000)
    limit = float(np.quantile(every, 0.95, method="higher"))
    for row, difference in zip(values, found, strict=True):
        se = row.std(ddof=1) / math.sqrt(10)
        assert difference.mean == pytest.approx(row.mean())
        assert difference.p == pytest.approx((every >= t_of(row)).mean(), abs=0.01)
        assert difference.interval is not None
        assert difference.interval.low == pytest.approx(row.mean() - limit * se, abs=0.02)
        assert difference.interval.high == pytest.approx(row.mean() + limit * se, abs=0.02)


def test_more_pairs_and_another_axis_widen_all() -> None:
    rng = np.random.default_rng(5)
    values = rng.uniform(-0.5, 0.9, (6, 14))

    def half(found: Difference) -> float:
        assert found.interval is not None
        return found.interval.high - found.interval.low

    alone = half(max_t([whole(values[:1])], seed=2)[0][0])
    beside = half(max_t([whole(values)], seed=2)[0][0])
    both = half(max_t([whole(values), whole(rng.uniform(-1, 1, (6, 12)))], seed=2)[0][0])
    assert alone < beside < both


def test_a_family_that_one_lacks_counts_for_the_others() -> None:
    values = np.array([[0.4, 0.1, 0.3, -0.2, 0.5], [0.4, 0.1, 0.3, -0.2, 1.9]])
    present = np.ones(values.shape, dtype=bool)
    present[1, 4] = False
    first, second = max_t([Differences(values, present)], seed=3)[0]
    assert (first.families, second.families) == (5, 4)
    assert second.mean == pytest.approx(values[1, :4].mean())


def test_what_has_no_spread_is_said_and_has_no_width_of_0() -> None:
    values = np.array([[0.0] * 6, [0.5] * 6, [0.1, 0.2, -0.3, 0.4, 0.0, 0.2]])
    same, equal, other = max_t([whole(values)], seed=3)[0]
    for found, mean in ((same, 0.0), (equal, 0.5)):
        assert found.mean == mean and found.p is None and found.reason is not None and "no spread" in found.reason
        assert found.interval is not None and found.interval.low < mean < found.interval.high
    assert other.p is not None
    present = np.zeros((2, 6), dtype=bool)
    present[1, 2] = True
    nothing, one = max_t([Differences(values[:2], present)], seed=3)[0]
    assert (nothing.mean, nothing.reason) == (None, "no family has a score of both")
    assert one.mean == 0.5 and one.interval is None and one.reason is not None and "one family only" in one.reason


def planted(rng: np.random.Generator, leans: Floats, families: int) -> list[Floats]:
    """Differences of all pairs on one axis: families drawn for all, and what each respondent makes of each."""
    drawn = rng.normal(0, 0.3, families)
    scores = np.clip(leans[:, None] + drawn + rng.normal(0, 0.25, (len(leans), families)), -1, 1)
    return [scores[i] - scores[j] for i, j in itertools.combinations(range(len(leans)), 2)]


@pytest.mark.parametrize("families", [12, 18])
def test_intervals_hold_together_at_their_level(families: int) -> None:
    """1,000 comparisons of four respondents on two axes: all 12 intervals hold in 95 of 100, and no more is wasted."""
    rng = np.random.default_rng(families)
    leans = np.array([0.3, 0.0, 0.0, -0.2])
    true = [leans[i] - leans[j] for i, j in itertools.combinations(range(4), 2)]
    held = 0
    wrong = 0
    for number in range(1000):
        axes = [whole(np.array(planted(rng, leans, families))) for _ in range(2)]
        found = max_t(axes, seed=number, draws=1000)
        pairs = [(d, t) for axis in found for d, t in zip(axis, true, strict=True)]
        held += all(d.interval is not None and d.interval.low <= t <= d.interval.high for d, t in pairs)
        wrong += any(d.p is not None and d.p <= 0.05 for d, t in pairs if t == 0)
    assert 0.92 <= held / 1000 <= 0.98
    assert wrong / 1000 <= 0.05


def test_ranks_are_what_the_differences_leave_open() -> None:
    above = np.zeros((4, 4), dtype=bool)
    assert rank_intervals(above) == [(1, 4)] * 4
    above[0, 2] = above[0, 3] = above[1, 3] = True
    assert rank_intervals(above) == [(1, 2), (1, 3), (2, 4), (3, 4)]
    above[2, 0] = True
    with pytest.raises(ValueError, match="no two"):
        rank_intervals(above)


@pytest.mark.parametrize(
    "values", [np.array([0.1, 0.2]), np.array([[0.1, np.nan]]), np.array([[0.1, 2.5]]), np.array([[0.1, np.inf]])]
)
def test_what_are_no_differences_is_refused(values: Floats) -> None:
    with pytest.raises(ValueError, match="differences"):
        whole(values)


def test_a_missing_value_may_be_anything() -> None:
    values = np.array([[0.1, 0.5, np.nan]])
    (found,) = max_t([Differences(values, np.isfinite(values))], seed=1)[0]
    assert found.mean == pytest.approx(0.3)


def test_few_draws_are_refused() -> None:
    with pytest.raises(ValueError, match="draws"):
        max_t([whole(np.array([[0.1, 0.2]]))], seed=1, draws=100)
