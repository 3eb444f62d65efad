import itertools
import math

import numpy as np
import pytest

from divisionbell.statistics.bootstrap import bounded_mean_limits, family_bootstrap_t
from divisionbell.statistics.intervals import exact_equal, family_t


def test_agrees_with_the_full_enumeration_of_resamples():
    """All 3,125 resamples of five families, each t* by the textbook formula in plain Python."""
    scores = [0.1, 0.35, -0.2, 0.6, 0.45]
    mean = sum(scores) / 5
    se = math.sqrt(sum((s - mean) ** 2 for s in scores) / 20)
    t_star = []
    for sample in itertools.product(scores, repeat=5):
        m = sum(sample) / 5
        v = sum((s - m) ** 2 for s in sample) / 20
        t_star.append((m - mean) / math.sqrt(v) if len(set(sample)) > 1 else math.copysign(math.inf, m - mean))
    t_star.sort()
    low, high = mean - t_star[round(0.95 * 3125)] * se, mean - t_star[round(0.05 * 3125)] * se
    interval = family_bootstrap_t(scores, seed=1, draws=100_000, level=0.90)
    assert interval.low == pytest.approx(low, abs=0.02 * (high - low))
    assert interval.high == pytest.approx(high, abs=0.02 * (high - low))
    assert interval.method == "family_bootstrap_t" and interval.note is None


def test_agrees_with_t_in_mid_range_within_a_tenth_of_the_width():
    scores = np.random.default_rng(8).normal(0.2, 0.25, 14)
    boot, student = family_bootstrap_t(scores, seed=1), family_t(scores)
    width = student.high - student.low
    assert abs(boot.low - student.low) < 0.1 * width
    assert abs(boot.high - student.high) < 0.1 * width


def test_same_seed_same_interval():
    scores = [0.9, 0.8, 1.0, 0.7, 0.95]
    assert family_bootstrap_t(scores, seed=4) == family_bootstrap_t(scores, seed=4)
    assert family_bootstrap_t(scores, seed=4) != family_bootstrap_t(scores, seed=5)


def test_mirrored_scores_give_the_mirrored_interval():
    scores = np.array([0.9, 0.8, 1.0, 0.7, 0.95, 1.0])
    up, down = family_bootstrap_t(scores, seed=4), family_bootstrap_t(-scores, seed=4)
    assert (down.low, down.high) == pytest.approx((-up.high, -up.low), abs=1e-3)


def test_covers_near_the_end_of_the_scale_where_t_does_not():
    """Truth 0.93, twelve families of five dossiers with eight answers each, families redrawn each time."""
    rng = np.random.default_rng(12)
    runs, truth = 500, 0.93
    p = rng.beta(8 * (1 + truth) / 2, 8 * (1 - truth) / 2, (runs, 12))
    scores = 2 * rng.binomial(40, p) / 40 - 1
    covered = {"bootstrap": 0, "t": 0}
    for number, row in enumerate(scores):
        if np.ptp(row) == 0:
            continue
        for name, interval in (("bootstrap", family_bootstrap_t(row, seed=number)), ("t", family_t(row))):
            covered[name] += interval.low <= truth <= interval.high
    assert covered["bootstrap"] / runs >= 0.93
    assert covered["t"] / runs <= 0.90


def test_a_side_without_a_limit_falls_back_and_says_so():
    # Ten of twelve families at +1: (10/12)^12 = 11 % of the draws have no spread, more than the 2.5 % of a tail.
    interval = family_bootstrap_t([1.0] * 10 + [0.5, 0.0], seed=1)
    assert interval.note is not None and interval.note.startswith("1,1") and " of 10,000 draws have" in interval.note
    assert -1 < interval.low < 0.875 < interval.high <= 1
    # Scores that are all at least 0 cannot have a lower limit below that of twelve scores of 0.
    assert interval.low > exact_equal(0.0, 12).low


@pytest.mark.parametrize("value", [0.0, 0.9, -0.4])
def test_bounded_limits_of_equal_scores_are_the_exact_ones(value):
    low, high = bounded_mean_limits(np.full(12, value), np.random.default_rng(2), 400_000, 0.95)
    exact = exact_equal(value, 12)
    assert (low, high) == pytest.approx((exact.low, exact.high), abs=0.005)


def test_bounded_limits_hold_for_every_two_point_population():
    """Exact coverage for families at -1 or +1: the outcome is a binomial count of thirteen cases."""
    rng = np.random.default_rng(2)
    limits = [bounded_mean_limits(np.repeat([1.0, -1.0], [k, 12 - k]), rng, 100_000, 0.95) for k in range(13)]
    for p in np.linspace(0.05, 0.95, 19):
        covered = sum(
            math.comb(12, k) * p**k * (1 - p) ** (12 - k)
            for k, (low, high) in enumerate(limits)
            if low <= 2 * p - 1 <= high
        )
        assert covered >= 0.95


@pytest.mark.parametrize(
    "call",
    [
        lambda: family_bootstrap_t([0.1, 0.2, 0.3], seed=1, draws=9_999),
        lambda: family_bootstrap_t([0.4], seed=1),
        lambda: family_bootstrap_t([0.4, 0.4], seed=1),
        lambda: family_bootstrap_t([], seed=1),
        lambda: family_bootstrap_t([0.4, math.nan], seed=1),
    ],
)
def test_refusals(call):
    with pytest.raises(ValueError, match=r"\w{4,}"):
        call()
