import itertools
from fractions import Fraction

import numpy as np
import pytest

from divisionbell.statistics.agreement import gwet_ac1, raw_agreement


def ratings(both_positive, only_first, only_second, both_negative):
    """Two ratings with the given counts in the four cells of their table."""
    cells = [(1, 1)] * both_positive + [(1, -1)] * only_first + [(-1, 1)] * only_second + [(-1, -1)] * both_negative
    first, second = zip(*cells, strict=True)
    return first, second


def test_gwets_published_table():
    """118, 5, 2, 0 of 125: the table Gwet uses against kappa, with p_a 0.944 and AC1 0.941 (kappa is -0.023)."""
    first, second = ratings(118, 5, 2, 0)
    assert raw_agreement(first, second) == pytest.approx(0.944)
    assert gwet_ac1(first, second) == pytest.approx(0.941, abs=0.0005)


def test_every_small_table_against_exact_fractions():
    """All tables of seven units, p_e as the sum over both categories of pi_k (1 - pi_k)/(q - 1)."""
    for a, b, c in itertools.product(range(8), repeat=3):
        d = 7 - a - b - c
        if d < 0:
            continue
        shares = [Fraction(2 * a + b + c, 14), Fraction(2 * d + b + c, 14)]
        chance = sum(share * (1 - share) for share in shares)
        expected = (Fraction(a + d, 7) - chance) / (1 - chance)
        first, second = ratings(a, b, c, d)
        assert gwet_ac1(first, second) == pytest.approx(float(expected))
        assert gwet_ac1(second, first) == pytest.approx(float(expected))


def test_extremes():
    assert gwet_ac1([1, 1, 1], [1, 1, 1]) == 1.0
    assert gwet_ac1([1, -1], [-1, 1]) == -1.0
    assert raw_agreement([1, -1], [-1, 1]) == 0.0


def test_independent_fair_ratings_have_agreement_near_zero():
    a, b = np.random.default_rng(1).choice([-1, 1], (2, 100_000))
    assert gwet_ac1(a, b) == pytest.approx(0, abs=0.02)


def test_no_unit_is_undefined():
    assert raw_agreement([], []) is None
    assert gwet_ac1([], []) is None


@pytest.mark.parametrize(("a", "b"), [([1], [1, 1]), ([1, 0], [1, 1]), ([1, float("nan")], [1, 1])])
def test_refusals(a, b):
    with pytest.raises(ValueError, match=r"\w{4,}"):
        gwet_ac1(a, b)
