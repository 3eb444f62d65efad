import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divisionbell.statistics.family_interval import family_interval
from divisionbell.statistics.intervals import exact_equal, family_t


def test_families_weigh_the_same_whatever_their_size():
    small = family_interval([[0.5, 0.1], [-0.2, 0.4]], seed=1)
    large = family_interval([[0.5, 0.1] * 10, [-0.2, 0.4]], seed=1)
    assert small.mean == pytest.approx(0.2)
    assert large.mean == pytest.approx(small.mean)
    assert large.interval == small.interval


def test_one_family_has_no_interval_and_a_reason():
    estimate = family_interval([[0.5, 0.1]], seed=1)
    assert (estimate.mean, estimate.se, estimate.families, estimate.interval) == (pytest.approx(0.3), None, 1, None)
    assert estimate.reason is not None and "one family" in estimate.reason


def test_equal_families_get_the_exact_interval():
    estimate = family_interval([[1.0, 0.0], [0.5, 0.5], [0.25, 0.75]], seed=1)
    assert estimate.se == 0
    assert estimate.interval == exact_equal(0.5, 3)


def test_mid_range_uses_t_without_a_note():
    families = [[0.1, 0.3], [0.5, 0.7], [-0.2, 0.2]]
    interval = family_interval(families, seed=1).interval
    assert interval == family_t([0.2, 0.6, 0.0])
    assert interval is not None and interval.note is None


def test_near_the_end_with_few_dossiers_uses_t_and_says_it_is_low():
    families = [[1.0, 1.0, 1.0]] * 3 + [[0.8, 0.6]]
    interval = family_interval(families, seed=1).interval
    assert interval is not None and interval.method == "family_t"
    assert interval.note is not None and "below nominal" in interval.note


@pytest.mark.parametrize("sign", [1, -1])
def test_near_the_end_with_three_dossiers_uses_the_bootstrap_and_says_so(sign):
    families = [sign * np.array(f) for f in ([1, 1, 0.9], [1, 0.8, 0.7], [0.9, 0.6, 1], [0.5, 0.9, 1], [1, 1, 0.75])]
    interval = family_interval(families, seed=1).interval
    assert interval is not None and interval.method == "family_bootstrap_t"
    assert interval.note is not None and "bootstrap" in interval.note


def test_exactly_at_the_switch_stays_with_t():
    interval = family_interval([[1.0, 1.0, 1.0], [0.5, 0.5, 0.5]], seed=1).interval
    assert interval is not None and interval.method == "family_t"


score = st.sampled_from([-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0])


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(score, min_size=1, max_size=5), min_size=2, max_size=15))
def test_never_without_width_never_outside_the_scale(families):
    estimate = family_interval(families, seed=3)
    assert estimate.interval is not None
    assert -1 <= estimate.interval.low < estimate.interval.high <= 1
    assert estimate.interval.low - 1e-12 <= estimate.mean <= estimate.interval.high + 1e-12


@pytest.mark.parametrize("families", [[], [[0.1], []], [[0.1], [math.nan]], [[0.1], [2.0]]])
def test_refusals(families):
    with pytest.raises(ValueError, match=r"\w{4,}"):
        family_interval(families, seed=1)
