"""Bounds of many differences at once: against all flips and a plain second way, at the edges, and by planted losses."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from divisionbell.statistics.bounds import imbens_manski
from divisionbell.statistics.comparison import Differences, max_t
from divisionbell.statistics.simultaneous_bounds import DifferenceBounds, simultaneous_imbens_manski

Floats = NDArray[np.float64]


def t_of(values: Floats) -> float:
    spread = values.std(ddof=1)
    return math.inf if spread == 0 else float(abs(values.mean()) / (spread / math.sqrt(values.size)))


def of_all_flips(rows: Sequence[Floats], level: float = 0.95) -> float:
    """The critical value by counting every flip of the centred rows, which all have one number of families."""
    every = [
        max(t_of(np.array(signs) * (row - row.mean())) for row in rows)
        for signs in itertools.product((-1.0, 1.0), repeat=rows[0].size)
    ]
    return float(np.quantile(every, level, method="higher"))


def by_halving(ratio: float, alone: float, df: int) -> float:
    """c of F(c + ratio) - F(-c) = alone, found without the root finder that is tested."""
    low, high = 0.0, 100.0
    for _ in range(200):
        middle = (low + high) / 2
        held = stats.t.cdf(middle + ratio, df) - stats.t.cdf(-middle, df)
        low, high = (middle, high) if held < alone else (low, middle)
    return low


def test_it_agrees_with_all_flips_and_the_equation_by_halving() -> None:
    rng = np.random.default_rng(8)
    lower = np.clip(rng.normal(0.1, 0.4, (3, 10)), -1.5, 1.5)
    lost = np.array([0.0, 0.03, 0.4]).reshape(3, 1) * rng.uniform(0.5, 1.5, (3, 10))
    upper = lower + lost
    limit = of_all_flips([*lower, *upper[1:]])
    (found,) = simultaneous_imbens_manski([DifferenceBounds(lower, upper)], seed=1, draws=40_000)
    alone = 2 * stats.t.cdf(limit, 9) - 1
    for low, high, made in zip(lower, upper, found, strict=True):
        se_low, se_high = (float(stats.sem(end)) for end in (low, high))
        c = by_halving(float((high.mean() - low.mean()) / max(se_low, se_high)), alone, 9)
        assert made.interval is not None and made.families == 10
        assert made.interval.low == pytest.approx(low.mean() - c * se_low, abs=0.02)
        assert made.interval.high == pytest.approx(high.mean() + c * se_high, abs=0.02)
        assert made.interval.level == 0.95 and made.interval.method == "imbens_manski_max_t"


def test_with_nothing_missing_it_is_the_simultaneous_interval() -> None:
    rng = np.random.default_rng(9)
    axes = [rng.uniform(-1, 1, (3, 12)), rng.uniform(-1, 1, (3, 14))]
    axes[1][2] = 0.5  # no spread at all
    whole = max_t([Differences(v, np.ones(v.shape, dtype=bool)) for v in axes], seed=4, draws=2000)
    wide = simultaneous_imbens_manski([DifferenceBounds(v, v) for v in axes], seed=4, draws=2000)
    for one, other in zip(itertools.chain(*whole), itertools.chain(*wide), strict=True):
        assert one.interval is not None and other.interval is not None
        assert (other.interval.low, other.interval.high) == pytest.approx((one.interval.low, one.interval.high))


def test_it_holds_the_bounds_and_is_wider_than_of_the_pair_alone() -> None:
    rng = np.random.default_rng(10)
    lower = rng.uniform(-1, 0.5, (6, 12))
    upper = lower + rng.uniform(0, 0.8, (6, 12))
    (found,) = simultaneous_imbens_manski([DifferenceBounds(lower, upper)], seed=2, draws=2000)
    for low, high, made in zip(lower / 2, upper / 2, found, strict=True):
        alone = imbens_manski(low.mean(), high.mean(), float(stats.sem(low)), float(stats.sem(high)), 11)
        assert made.interval is not None
        assert made.interval.low < 2 * alone.low < 2 * low.mean()
        assert made.interval.high > 2 * alone.high > 2 * high.mean()


def test_an_end_without_spread_moves_by_the_exact_rule() -> None:
    lower, upper = np.full((1, 12), -0.5), np.linspace(0.2, 0.9, 12).reshape(1, 12)
    ((found,),) = simultaneous_imbens_manski([DifferenceBounds(lower, upper)], seed=2, draws=2000)
    assert found.interval is not None and found.interval.low < -0.5 and found.interval.high > upper.mean()
    assert found.interval.note is not None and "exact limit there" in found.interval.note
    everything = np.full((1, 12), 2.0)
    ((silent,),) = simultaneous_imbens_manski([DifferenceBounds(-everything, everything)], seed=2, draws=2000)
    assert silent.interval is not None and (silent.interval.low, silent.interval.high) == (-2, 2)
    ((equal,),) = simultaneous_imbens_manski([DifferenceBounds(lower, lower)], seed=2, draws=2000)
    assert equal.interval is not None and equal.interval.low < -0.5 < equal.interval.high
    assert equal.interval.note == "all 12 families are equal at -0.5: exact interval, other families may differ"


def test_too_few_families_have_no_interval_and_say_why() -> None:
    one = DifferenceBounds(np.array([[0.2]]), np.array([[0.4]]))
    ((found,),) = simultaneous_imbens_manski([one], seed=1)
    assert found.interval is None and found.reason is not None and "one family only" in found.reason
    two = DifferenceBounds(np.array([[0.2, 0.6]]), np.array([[0.4, 0.7]]))
    ((found,),) = simultaneous_imbens_manski([two], seed=1)
    assert found.interval is None and found.reason == "the simultaneous interval has no limit"


CELLS = 24


def planted(rng: np.random.Generator, families: int, share: float) -> tuple[list[Floats], list[Floats], list[Floats]]:
    """Three respondents of one lean on one axis; the first two give no answer where it would have been negative, in
    `share` of all cells. Differences over what both answered, lower ends and upper ends of the three pairs."""
    chance = rng.beta(6, 6, families)
    x = np.where(rng.random((3, families, CELLS)) < chance[:, None], 1.0, -1.0)
    gone = (x < 0) & (rng.random(x.shape) < 2 * np.array([share, share / 2, 0]).reshape(3, 1, 1))
    a, b = np.where(gone, 0.0, x).mean(axis=2), gone.mean(axis=2)
    observed, lower, upper = [], [], []
    for i, j in itertools.combinations(range(3), 2):
        both = ~gone[i] & ~gone[j]
        observed.append(((x[i] - x[j]) * both).sum(axis=1) / np.maximum(both.sum(axis=1), 1))
        lower.append(a[i] - b[i] - a[j] - b[j])
        upper.append(a[i] + b[i] - a[j] + b[j])
    return observed, lower, upper


@pytest.mark.parametrize("share", [0.15, 0.3])
def test_losses_that_depend_on_the_answer_tell_nobody_apart_who_is_not(share: float) -> None:
    """300 comparisons on two axes where nobody differs and only negative answers are lost: the truth lies at an end of
    the bounds. By bounds alone one is told apart in most of them, by the interval in fewer than 5 of 100."""
    rng, false, before, covered = np.random.default_rng(int(100 * share)), 0, 0, 0
    for number in range(300):
        axes = [planted(rng, 14, share) for _ in range(2)]
        observed = [np.array(axis[0]) for axis in axes]
        bounds = [DifferenceBounds(np.array(axis[1]), np.array(axis[2])) for axis in axes]
        tested = max_t([Differences(v, np.ones(v.shape, dtype=bool)) for v in observed], seed=number, draws=1000)
        wide = simultaneous_imbens_manski(bounds, seed=number, draws=1000)
        old, new, held = False, False, True
        for row, of_axis, ends in zip(tested, wide, bounds, strict=True):
            for one, made, low, high in zip(row, of_axis, ends.lower, ends.upper, strict=True):
                assert one.interval is not None and made.interval is not None
                apart = one.interval.excludes_zero
                old |= apart and (low.mean() > 0 or high.mean() < 0)
                new |= apart and made.interval.excludes_zero
                held &= not made.interval.excludes_zero
        false, before, covered = false + new, before + old, covered + held
    assert before / 300 > 0.25
    assert false / 300 <= 0.05 and covered / 300 >= 0.95


@pytest.mark.parametrize(
    ("lower", "upper"),
    [
        (np.array([0.1, 0.2]), np.array([0.1, 0.2])),
        (np.array([[0.1, 0.2]]), np.array([[0.1, 0.2, 0.3]])),
        (np.array([[0.1, np.nan]]), np.array([[0.2, 0.3]])),
        (np.array([[-2.5, 0.1]]), np.array([[0.2, 0.3]])),
        (np.array([[0.4, 0.1]]), np.array([[0.2, 0.3]])),
    ],
)
def test_what_are_no_bounds_is_refused(lower: Floats, upper: Floats) -> None:
    with pytest.raises(ValueError, match="bounds"):
        DifferenceBounds(lower, upper)


def test_few_draws_and_an_impossible_level_are_refused() -> None:
    given = [DifferenceBounds(np.array([[0.1, 0.2]]), np.array([[0.1, 0.2]]))]
    with pytest.raises(ValueError, match="draws"):
        simultaneous_imbens_manski(given, seed=1, draws=100)
    with pytest.raises(ValueError, match="level"):
        simultaneous_imbens_manski(given, seed=1, level=1.5)
