import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divisionbell.estimate.two_axes import holm, sign_flip, smallest_reachable


def by_enumeration(scores):
    flips = itertools.product((-1, 1), repeat=len(scores))
    sums = [sum(s * x for s, x in zip(signs, scores, strict=True)) for signs in flips]
    return np.mean([abs(total) >= abs(sum(scores)) - 1e-9 for total in sums])


@given(st.lists(st.sampled_from([-1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=9))
def test_exact_p_is_the_share_of_flips(scores):
    found = sign_flip(scores, 1)
    assert found.p == pytest.approx(by_enumeration(scores))
    assert found.p >= found.smallest - 1e-12


def test_smallest_reachable():
    found = sign_flip([0.5] * 6, 1)
    assert (found.p, found.smallest, found.families) == (2 / 64, 2 / 64, 6)
    # Six families can never pass Holm over two axes.
    assert min(holm(found.smallest, found.smallest)) > 0.05


def test_families_at_zero_do_not_help():
    assert sign_flip([0.0, 0.0, 1.0], 1).smallest == 1
    assert sign_flip([0.0], 1).p == 1


def test_many_families_are_drawn():
    found = sign_flip([0.3] * 20, 5)
    assert found.p == pytest.approx(1 / 20_001)
    assert found == sign_flip([0.3] * 20, 5)
    mixed = np.linspace(-0.5, 0.55, 20)
    assert 0.5 < sign_flip(mixed, 5).p <= 1


@pytest.mark.parametrize(
    ("given", "adjusted"), [((0.01, 0.04), (0.02, 0.04)), ((0.04, 0.01), (0.04, 0.02)), ((0.03, 0.04), (0.06, 0.06))]
)
def test_holm(given, adjusted):
    assert holm(*given) == pytest.approx(adjusted)
    assert holm(0.8, 0.9) == (1, 1)


@pytest.mark.parametrize("scores", [[], [float("nan")], [[1.0]]])
def test_refuses(scores):
    with pytest.raises(ValueError, match="finite array"):
        sign_flip(scores, 1)


def test_a_p_of_drawn_flips_has_the_floor_of_their_number():
    assert smallest_reachable(16) == 2 / 2**16
    assert smallest_reachable(17) == smallest_reachable(40) == 1 / 20_001
    for families in (16, 17, 40):
        found = sign_flip([1.0] * families, 1)
        assert found.smallest == smallest_reachable(families) <= found.p
    with pytest.raises(ValueError, match="families"):
        smallest_reachable(0)
