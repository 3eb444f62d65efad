"""A habit of position is judged over all items together."""

from __future__ import annotations

import pytest

from divisionbell.estimate.by_position import answers_by_position


@pytest.mark.parametrize(
    ("flips", "expected"),
    [
        ([(0.96, 24), (0.79, 24)], True),
        ([(0.8, 10), (0.8, 10)], True),
        ([(1.0, 24), (0.5, 24)], False),
        ([(0.5, 100), (1.0, 10)], False),
        ([(1.0, 4), (None, 0)], True),
        ([(None, 0), (None, 0)], False),
        ([], False),
    ],
)
def test_axes_are_taken_together(flips: list[tuple[float | None, int]], expected: bool) -> None:
    assert answers_by_position(flips) is expected
