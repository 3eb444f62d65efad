import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from divisionbell.statistics.intervals import (
    Interval,
    contrast_interval,
    exact_equal,
    family_t,
    joint_axis_multiplier,
    kish_n,
    mean_and_se,
    smallest_detectable_difference,
)


def test_mean_and_se_by_hand():
    # Deviations -0.3, 0, 0.3 around 0.2: sum of squares 0.18, divided by 3 * 2.
    mean, se = mean_and_se([-0.1, 0.2, 0.5])
    assert mean == pytest.approx(0.2)
    assert se == pytest.approx(math.sqrt(0.18 / 6))


def test_mean_and_se_degenerate():
    assert mean_and_se([0.4]) == (0.4, None)
    assert mean_and_se([1 / 3, (0.1 + 0.2) / 0.9, 1 / 3])[1] == 0.0


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_family_t_agrees_with_the_one_sample_test(level):
    scores = np.random.default_rng(3).uniform(-0.8, 0.6, 12)
    reference = stats.ttest_1samp(scores, 0).confidence_interval(level)
    interval = family_t(scores, level)
    assert (interval.low, interval.high) == pytest.approx((reference.low, reference.high), abs=1e-12)
    assert interval.note is None


def test_family_t_covers_a_planted_mean_at_twelve_families():
    """Families drawn anew each time: five dossiers of eight answers, mean 0.3, spread 0.3 between families."""
    rng = np.random.default_rng(20)
    runs, covered = 4000, 0
    effects = np.clip(0.3 + rng.normal(0, 0.3, (runs, 12)), -1, 1)
    truth = float(np.clip(0.3 + rng.normal(0, 0.3, 1_000_000), -1, 1).mean())
    scores = 2 * rng.binomial(40, (effects + 1) / 2) / 40 - 1
    for row in scores:
        interval = family_t(row)
        covered += interval.low <= truth <= interval.high
    assert 0.93 <= covered / runs <= 0.97


def test_family_t_is_clipped_and_says_when_coverage_is_low():
    interval = family_t([1, 1, 1, 0.6])
    assert interval.high == 1.0
    assert interval.note is not None and "below nominal" in interval.note


@pytest.mark.parametrize("families", [2, 6, 12, 40])
def test_exact_equal_at_a_pole_is_the_one_sided_binomial_limit(families):
    proportion = stats.binomtest(families, families, alternative="greater").proportion_ci(0.95, method="exact").low
    interval = exact_equal(1.0, families)
    assert (interval.low, interval.high) == pytest.approx((2 * proportion - 1, 1.0))
    mirrored = exact_equal(-1.0, families)
    assert (mirrored.low, mirrored.high) == pytest.approx((-1.0, 1 - 2 * proportion))


@pytest.mark.parametrize("value", [-0.5, 0.0, 0.25, 0.99])
def test_exact_equal_inside_is_the_two_sided_binomial_limit_of_either_pole(value):
    share = stats.binomtest(12, 12).proportion_ci(0.95, method="exact").low  # families that are at `value`, at least
    interval = exact_equal(value, 12)
    assert interval.low == pytest.approx(share * value + (1 - share) * -1)
    assert interval.high == pytest.approx(share * value + (1 - share) * 1)


def test_exact_equal_by_hand_at_twelve():
    # 0.05^(1/12) = 0.77908, so q = 0.22092 and the lower end is 1 - 2q.
    assert exact_equal(1.0, 12).low == pytest.approx(0.55816, abs=1e-5)
    # 0.025^(1/12) = 0.73535: the half-width at 0 is 0.26465.
    assert exact_equal(0.0, 12).high == pytest.approx(0.26465, abs=1e-5)


def test_exact_equal_misses_at_its_stated_rate_by_enumeration():
    """Families at -1 or +1: every outcome that leads to this interval, weighted by its probability."""
    worst = {}
    for families in (5, 6, 8, 12):
        edge = 0.05 ** (1 / families)  # the truth at which the limit stands when all families are positive
        for p in [*np.linspace(0.01, 0.99, 99), edge - 1e-9, 1 - edge + 1e-9]:
            by_pole = []
            for pole, probability in ((1, p**families), (-1, (1 - p) ** families)):
                interval = exact_equal(pole, families)
                by_pole.append(probability * (not interval.low <= 2 * p - 1 <= interval.high))
            assert max(by_pole) <= 0.05
            worst[families] = max(worst.get(families, 0), sum(by_pole))
    # Both poles together: what the docstring states.
    assert [round(100 * worst[families], 1) for families in (5, 6, 8, 12)] == [6.9, 5.4, 5.0, 5.0]


@given(st.floats(-1, 1), st.integers(2, 60), st.sampled_from([0.9, 0.95, 0.99]))
def test_exact_equal_always_has_width_and_holds_the_value(value, families, level):
    interval = exact_equal(value, families, level)
    assert -1 <= interval.low < interval.high <= 1
    assert interval.low - 1e-9 <= value <= interval.high + 1e-9


def test_contrast_interval_reaches_beyond_one():
    contrasts = np.array([1.2, 1.5, 0.9, 1.4])
    reference = stats.ttest_1samp(contrasts, 0).confidence_interval(0.95)
    interval = contrast_interval(contrasts)
    assert (interval.low, interval.high) == pytest.approx((reference.low, reference.high))
    equal = contrast_interval([2.0, 2.0, 2.0])
    assert (equal.low, equal.high) == pytest.approx((2 - 4 * (1 - 0.05 ** (1 / 3)), 2.0))
    assert equal.note is not None and "equal at 2" in equal.note


def test_joint_axis_multiplier_by_simulation():
    rng = np.random.default_rng(5)
    for first, second, quoted in ((12, 12, 2.80), (14, 14, 2.74), (12, 20, None)):
        radius = np.hypot(rng.standard_t(first - 1, 2_000_000), rng.standard_t(second - 1, 2_000_000))
        found = joint_axis_multiplier(first, second)
        assert found == pytest.approx(float(np.quantile(radius, 0.95)), abs=0.01)
        if quoted is not None:
            assert round(found, 2) == quoted


def test_joint_axis_multiplier_of_many_families_is_the_normal_one():
    assert joint_axis_multiplier(100_000, 100_000) == pytest.approx(math.sqrt(stats.chi2.ppf(0.95, 2)), abs=1e-3)
    # Two Cauchy variables: the far tail is 4/(pi c), so c is near 25 where 5 % are left.
    assert joint_axis_multiplier(2, 2) == pytest.approx(4 / (math.pi * 0.05), rel=0.01)


def test_smallest_detectable_difference_from_t_tables():
    assert smallest_detectable_difference(0.1, 12) == pytest.approx(0.1 * (2.201 + 0.876), abs=1e-4)
    assert smallest_detectable_difference(0.0, 12) is None


def test_kish_n_by_hand():
    assert kish_n([3, 3, 3, 3]) == pytest.approx(4)
    assert kish_n([2, 1, 1]) == pytest.approx(16 / 6)


@pytest.mark.parametrize(
    "call",
    [
        lambda: mean_and_se([]),
        lambda: mean_and_se([0.1, math.nan]),
        lambda: family_t([0.5]),
        lambda: family_t([0.5, 0.5]),
        lambda: family_t([0.5, 1.5]),
        lambda: family_t([0.5, math.inf]),
        lambda: family_t([0.1, 0.2], level=95),
        lambda: family_t([[0.1, 0.2]]),
        lambda: exact_equal(1.0, 1),
        lambda: exact_equal(1.2, 12),
        lambda: exact_equal(math.nan, 12),
        lambda: contrast_interval([0.3]),
        lambda: joint_axis_multiplier(12, 1),
        lambda: smallest_detectable_difference(-0.1, 12),
        lambda: smallest_detectable_difference(math.nan, 12),
        lambda: kish_n([]),
        lambda: kish_n([1, 0]),
        lambda: Interval(0.2, 0.2, 0.95, "none"),
        lambda: Interval(math.nan, 0.2, 0.95, "none"),
    ],
)
def test_refusals_are_value_errors_with_text(call):
    with pytest.raises(ValueError, match=r"\w{4,}"):
        call()


def test_excludes_zero():
    assert Interval(0.1, 0.2, 0.95, "m").excludes_zero
    assert Interval(-0.2, -0.1, 0.95, "m").excludes_zero
    assert not Interval(-0.1, 0.2, 0.95, "m").excludes_zero
    assert not Interval(0.0, 0.2, 0.95, "m").excludes_zero
