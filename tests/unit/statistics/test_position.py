import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from divisionbell.statistics.position import position, theta_hat

cell = st.tuples(st.sampled_from([-1, 1]), st.sampled_from([-1, 1]), st.floats(0.01, 100))


@given(st.lists(cell, min_size=1, max_size=40))
def test_identity_of_score_and_consistent_score(cells):
    x1, x2, weights = zip(*cells, strict=True)
    p = position(x1, x2, weights)
    reference = math.fsum(w * (a + b) / 2 for a, b, w in cells) / math.fsum(weights)
    assert p.score == pytest.approx(reference, abs=1e-12)
    assert p.coverage == pytest.approx(1 - p.flip)
    if p.consistent_score is None:
        assert p.flip == pytest.approx(1)
        assert p.score == pytest.approx(0, abs=1e-12)
    else:
        assert p.consistent_score * (1 - p.flip) == pytest.approx(p.score, abs=1e-12)
    assert p.n == p.n_ll + p.n_rr + p.n_aa + p.n_bb == len(cells)


def test_by_hand():
    # In turn LL, RR, RR, AA, BB with weights 1, 1, 2, 3, 1 of 8.
    p = position([-1, 1, 1, -1, 1], [-1, 1, 1, 1, -1], [1, 1, 2, 3, 1])
    assert (p.n_ll, p.n_rr, p.n_aa, p.n_bb, p.n_consistent) == (1, 2, 1, 1, 3)
    assert (p.a_lock, p.b_lock, p.flip, p.coverage) == pytest.approx((3 / 8, 1 / 8, 0.5, 0.5))
    assert p.consistent_score == pytest.approx(0.5)
    assert (p.order_1, p.order_2, p.score) == pytest.approx((0.0, 0.5, 0.25))
    # Letters A: LL in order 1, RR in order 2, AA twice: (1 + 3 + 6) of 16.
    assert p.a_rate == pytest.approx(10 / 16)


@pytest.mark.parametrize(("x1", "x2", "lock"), [(-1, 1, "a_lock"), (1, -1, "b_lock")])
def test_always_one_letter(x1, x2, lock):
    p = position([x1] * 6, [x2] * 6, np.ones(6))
    assert (p.score, p.flip, getattr(p, lock)) == pytest.approx((0, 1, 1))
    assert (p.consistent_score, p.theta, p.theta_se) == (None, None, None)
    assert p.a_rate == pytest.approx(1 if lock == "a_lock" else 0)


@pytest.mark.parametrize("pole", [-1, 1])
def test_always_one_pole(pole):
    p = position([pole] * 6, [pole] * 6, np.ones(6))
    assert (p.score, p.flip, p.consistent_score, p.a_rate) == pytest.approx((pole, 0, pole, 0.5))


def test_no_cell_is_undefined_not_consistent():
    p = position([], [], [])
    assert {v for v in dataclasses.asdict(p).values() if v is not None} == {0}
    assert (p.flip, p.coverage, p.score, p.consistent_score, p.theta) == (None, None, None, None, None)


def test_theta_by_hand():
    assert theta_hat(0, 0) is None
    value, se = theta_hat(2, 7)
    assert value == pytest.approx(0.5 * math.log(3))
    assert se == pytest.approx(0.5 * math.sqrt(1 / 7.5 + 1 / 2.5))
    assert theta_hat(7, 2)[0] == pytest.approx(-value)
    assert math.isfinite(theta_hat(0, 5)[0])


def planted(theta, bias, rng):
    """Answers in both orders with logit P(positive) = theta -+ bias: a positive bias pulls to the letter A."""
    p1, p2 = 1 / (1 + np.exp(-(theta - bias))), 1 / (1 + np.exp(-(theta + bias)))
    return np.where(rng.random(bias.size) < p1, 1, -1), np.where(rng.random(bias.size) < p2, 1, -1)


@pytest.mark.parametrize("spread", [0.0, 1.0, 3.0])
def test_theta_recovers_the_planted_lean_under_item_specific_position_bias(spread):
    rng = np.random.default_rng(9)
    n, theta = 40_000, -0.6
    x1, x2 = planted(theta, rng.normal(spread, spread, n), rng)
    p = position(x1, x2, np.ones(n))
    assert abs(p.theta - theta) < 4 * p.theta_se
    assert p.consistent_score == pytest.approx(math.tanh(theta), abs=0.03)
    # The plain score fades with the bias; the consistent reading does not.
    unbiased = math.tanh(theta / 2)
    assert p.score == pytest.approx(unbiased, abs=0.02) if spread == 0 else abs(p.score) < abs(unbiased) - 0.03


def test_theta_is_the_maximum_of_the_conditional_likelihood():
    n_ll, n_rr = 30_000, 12_000

    def negative(t):
        return n_rr * np.log1p(np.exp(-2 * t)) + n_ll * np.log1p(np.exp(2 * t))

    best = optimize.minimize_scalar(negative, bounds=(-3, 3), method="bounded", options={"xatol": 1e-9}).x
    assert theta_hat(n_ll, n_rr)[0] == pytest.approx(best, abs=1e-4)


def test_theta_se_is_the_spread_over_repeated_draws():
    rng = np.random.default_rng(10)
    rr = rng.binomial(80, 1 / (1 + math.exp(1.0)), 4000)
    values = [theta_hat(80 - k, k)[0] for k in rr.tolist()]
    assert np.std(values) == pytest.approx(theta_hat(58, 22)[1], rel=0.08)


@pytest.mark.parametrize(
    "call",
    [
        lambda: position([1], [1, 1], [1, 1]),
        lambda: position([1, 0], [1, 1], [1, 1]),
        lambda: position([1, math.nan], [1, 1], [1, 1]),
        lambda: position([1, 1], [1, 1], [1, 0]),
        lambda: position([1, 1], [1, 1], [1, math.nan]),
        lambda: position([[1, 1]], [[1, 1]], [[1, 1]]),
        lambda: theta_hat(-1, 3),
    ],
)
def test_refusals(call):
    with pytest.raises(ValueError, match=r"\w{4,}"):
        call()


def test_shares_of_all_and_of_none_are_exact_whatever_the_weights_round_to():
    weights = np.repeat([1 / 19 / size for size in (7, 3, 11, 6, 9)], 50)
    assert weights.sum() * (1 / weights.sum()) == pytest.approx(1)
    positive, negative = np.ones(weights.size), -np.ones(weights.size)
    alike = position(positive, positive, weights)
    assert (alike.coverage, alike.flip, alike.score, alike.order_1, alike.order_2) == (1, 0, 1, 1, 1)
    letter_a = position(negative, positive, weights)
    assert (letter_a.coverage, letter_a.flip, letter_a.a_lock, letter_a.b_lock, letter_a.a_rate) == (0, 1, 1, 0, 1)
    half = np.where(np.arange(weights.size) % 2, 1.0, -1.0)
    mixed = position(half, -half, weights)  # both letters twice: every item flips, and neither lock is whole
    assert (mixed.flip, mixed.coverage) == (1, 0) and 0 < mixed.a_lock < 1
