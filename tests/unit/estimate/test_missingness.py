import numpy as np
import pytest
from scipy import stats

from divisionbell.estimate.missingness import PERMUTATIONS, by_order, groups_p


def test_by_order_by_hand():
    # Ten item repeats: two lost in order 1 alone, one in both, none in order 2 alone.
    lost = np.zeros((10, 2, 1), dtype=bool)
    lost[:2, 0] = True
    lost[2] = True
    found = by_order(lost)
    assert (found.negative_at_a, found.positive_at_a) == (0.3, 0.1)
    assert found.p == pytest.approx(0.5)
    assert not found.flagged


def test_nothing_lost_in_one_order_alone_has_no_p():
    assert by_order(np.zeros((4, 2, 2), dtype=bool)).p is None
    assert by_order(np.ones((4, 2, 2), dtype=bool)).p is None


def test_by_order_is_mcnemar():
    lost = np.random.default_rng(1).random((60, 2, 2)) < [[[0.1], [0.4]]]
    one, two = (lost[:, 0] & ~lost[:, 1]).sum(), (lost[:, 1] & ~lost[:, 0]).sum()
    assert by_order(lost).p == pytest.approx(2 * stats.binom.cdf(min(one, two), one + two, 0.5))
    assert by_order(lost).flagged


def test_groups():
    share, group = np.array([0.0] * 10 + [1.0] * 10), np.array(["a"] * 10 + ["b"] * 10)
    assert groups_p(share, group, 1) == 1 / (PERMUTATIONS + 1)
    assert groups_p(share, np.array(["a", "b"] * 10), 1) == 1
    assert groups_p(np.zeros(20), group, 1) is None
    assert groups_p(share, np.array(["a"] * 20), 1) is None


def test_groups_p_is_uniform_where_nothing_depends():
    rng = np.random.default_rng(2)
    group = np.array(list("abcd") * 8)
    found = [groups_p(rng.random(32).round(1), group, seed) for seed in range(150)]
    assert np.mean(np.array(found) < 0.2) == pytest.approx(0.2, abs=0.1)
