"""Power against the library's noncentral t, an integral, a simulation, and what is known of the ends."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from divisionbell.statistics.intervals import smallest_detectable_difference
from divisionbell.statistics.power import (
    MOST_FAMILIES,
    detectable_difference,
    families_for_sign_flip,
    families_needed,
    power_of_t,
    sd_factors,
    smallest_p,
)

GRID = [(d, sd, g) for d in (0.05, 0.2, 0.5) for sd in (0.2, 0.5) for g in (6, 12, 19)]


@pytest.mark.parametrize(("difference", "sd", "families"), GRID)
def test_the_noncentral_t_of_the_library(difference, sd, families):
    df, nc = families - 1, difference * math.sqrt(families) / sd
    limit = stats.t.ppf(0.975, df)
    expected = stats.nct.sf(limit, df, nc) + stats.nct.cdf(-limit, df, nc)
    if math.isfinite(expected):
        assert power_of_t(difference, sd, families) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("df", "nc"), [(1, 45.0), (5, 10.0), (11, 20.0), (1000, 10.0), (9999, 38.0), (9, 2.5)])
def test_where_the_library_has_holes_the_integral_stands(df, nc):
    """P(|z + nc| > limit s) over the density of s, written down once more, on the scale of s."""
    limit, families = stats.t.ppf(0.975, df), df + 1

    def beyond(s):
        density = stats.chi2.pdf(df * s * s, df) * 2 * df * s
        return (stats.norm.sf(limit * s - nc) + stats.norm.cdf(-limit * s - nc)) * density

    low, high = (math.sqrt(stats.chi2.ppf(q, df) / df) for q in (1e-13, 1 - 1e-13))
    expected = integrate.quad(beyond, low, high, limit=300, points=[1.0])[0]
    assert power_of_t(nc / math.sqrt(families), 1.0, families) == pytest.approx(expected, abs=1e-7)


def test_known_ends():
    assert power_of_t(0.0, 0.4, 12) == pytest.approx(0.05)
    assert power_of_t(0.3, 0.4, 12) == power_of_t(-0.3, 0.4, 12)
    powers = [power_of_t(0.2, 0.5, g) for g in range(3, 400, 7)]
    assert powers == sorted(powers)
    # Two rows of the tables of Cohen (1988), one-sample t at 5 %, two-sided: d = 0.5 needs 34, d = 0.8 needs 15.
    assert (families_needed(0.5, 1.0), families_needed(0.8, 1.0)) == (34, 15)


@pytest.mark.parametrize(("difference", "sd", "families"), [(0.3, 0.4, 14), (0.2, 0.4, 19), (0.5, 0.5, 12)])
def test_a_planted_difference_is_found_as_often_as_stated(difference, sd, families):
    rng = np.random.default_rng(3)
    scores = rng.normal(difference, sd, (20_000, families))
    t = scores.mean(axis=1) / (scores.std(axis=1, ddof=1) / math.sqrt(families))
    found = (np.abs(t) > stats.t.ppf(0.975, families - 1)).mean()
    assert found == pytest.approx(power_of_t(difference, sd, families), abs=0.012)


@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_the_detectable_difference_is_found_with_its_power(power):
    for families in (6, 12, 19):
        found = detectable_difference(0.4, families, 0.95, power)
        assert power_of_t(found, 0.4, families) == pytest.approx(power)
    usual = smallest_detectable_difference(0.4 / math.sqrt(19), 19)
    assert detectable_difference(0.4, 19) == pytest.approx(usual, rel=0.01)


def test_families_needed_are_the_fewest():
    for difference, sd in ((0.1, 0.4), (0.3, 0.4), (0.2, 0.2)):
        needed = families_needed(difference, sd)
        assert power_of_t(difference, sd, needed) >= 0.8 > power_of_t(difference, sd, needed - 1)
    assert families_needed(0.0001, 1.0) is None
    assert power_of_t(0.0001, 1.0, MOST_FAMILIES) < 0.8


def test_the_sign_flip_test_has_a_floor():
    assert (smallest_p(6), smallest_p(12)) == (2 / 64, 2 / 4096)
    assert families_for_sign_flip(0.05) == 6
    assert families_for_sign_flip(0.025) == 7  # six families cannot pass Holm over two axes
    assert families_for_sign_flip(0.5) == 2
    assert families_needed(1.9, 0.01) == 6


def test_the_interval_of_a_standard_deviation_holds_it_as_often_as_stated():
    rng = np.random.default_rng(7)
    found = rng.normal(0, 0.4, (20_000, 12)).std(axis=1, ddof=1)
    low, high = sd_factors(12)
    assert ((low * found <= 0.4) & (high * found >= 0.4)).mean() == pytest.approx(0.95, abs=0.006)
    assert sd_factors(19) == pytest.approx((0.7556, 1.4788), abs=1e-4)


def test_what_is_refused():
    for bad in (lambda: power_of_t(0.1, 0, 12), lambda: power_of_t(0.1, 0.3, 1), lambda: power_of_t(math.nan, 0.3, 12)):
        with pytest.raises(ValueError):
            bad()
    with pytest.raises(ValueError, match="power"):
        detectable_difference(0.4, 12, 0.95, 0.04)
    with pytest.raises(ValueError, match="difference"):
        families_needed(0, 0.4)
    with pytest.raises(ValueError, match="alpha"):
        families_for_sign_flip(1.0)
    with pytest.raises(ValueError, match="families"):
        smallest_p(0)
