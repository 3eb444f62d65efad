"""Agreement of repeats: against a table of all pairs, a published example, and planted spreads."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divisionbell.statistics.agreement import gwet_ac1, raw_agreement
from divisionbell.statistics.repeats import icc_2_1, repeat_agreement

CELLS = st.lists(st.lists(st.sampled_from([-1.0, 1.0]), max_size=6), min_size=1, max_size=12)


@given(CELLS)
def test_counts_give_what_a_table_of_all_pairs_gives(cells: list[list[float]]) -> None:
    pairs = [pair for cell in cells for pair in itertools.combinations(cell, 2)]
    found = repeat_agreement([sum(x > 0 for x in cell) for cell in cells], [len(cell) for cell in cells])
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    assert found.pairs == len(pairs)
    if not pairs:
        assert found.raw is None and found.ac1 is None
        return
    assert found.raw == pytest.approx(raw_agreement(first, second))
    assert found.ac1 == pytest.approx(gwet_ac1(first, second))


def test_many_repeats_take_no_table() -> None:
    found = repeat_agreement(np.full(2000, 500), np.full(2000, 1000))
    assert found.pairs == 2000 * 1000 * 999 // 2
    assert found.raw == pytest.approx((500 * 499 * 2) / (1000 * 999))


@pytest.mark.parametrize(("positive", "answered"), [([1], [1, 2]), ([3], [2]), ([-1], [2]), ([0.5], [1])])
def test_what_are_no_counts_is_refused(positive: list[float], answered: list[float]) -> None:
    with pytest.raises(ValueError, match="positive and answered"):
        repeat_agreement(positive, answered)


def test_the_published_example() -> None:
    """Shrout and Fleiss (1979), table 2: six targets, four judges; ICC(2,1) = .29 in table 4."""
    judged = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    found = icc_2_1(judged)
    assert found.icc == pytest.approx(0.2898, abs=0.0001)  # mean squares 11.24, 32.49 and 1.02 there
    assert found.sem == pytest.approx(np.sqrt((32.4861 - 1.0194) / 6 + 1.0194), abs=0.001)


def test_planted_spreads_come_back() -> None:
    rng = np.random.default_rng(2)
    items, repeats = rng.normal(0, 0.6, (4000, 1)), rng.normal(0, 0.0, (1, 5))
    found = icc_2_1(items + repeats + rng.normal(0, 0.3, (4000, 5)))
    assert found.sem == pytest.approx(0.3, abs=0.01)
    assert found.icc == pytest.approx(0.36 / (0.36 + 0.09), abs=0.02)


def test_the_ends() -> None:
    assert icc_2_1([[1.0, 1.0], [-1.0, -1.0]]).icc == pytest.approx(1)
    assert icc_2_1([[1.0, 1.0], [-1.0, -1.0]]).sem == 0
    alike = icc_2_1(np.ones((3, 4)))
    assert alike.icc is None and alike.sem == 0
    with pytest.raises(ValueError, match="at least two items"):
        icc_2_1([[1.0, 1.0]])
    with pytest.raises(ValueError, match="not finite"):
        icc_2_1([[1.0, np.nan], [1.0, 1.0]])
