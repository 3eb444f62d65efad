"""Krippendorff's alpha against a published example, its ends, and Wilson's interval against its closed form."""

from __future__ import annotations

import math

import pytest

from divisionbell.statistics.agreement import krippendorff_alpha
from divisionbell.statistics.proportion import wilson

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section C: four observers, twelve units, alpha 0.743.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def test_published_example() -> None:
    found = krippendorff_alpha(list(zip(*OBSERVERS, strict=True)))
    assert found == pytest.approx(0.743, abs=0.0005)


def test_binary_example_of_two_observers() -> None:
    # Krippendorff (2011), section A: alpha 0.095
    first = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    second = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert krippendorff_alpha(list(zip(first, second, strict=True))) == pytest.approx(0.095, abs=0.0005)


@pytest.mark.parametrize(
    ("ratings", "expected"),
    [
        ([("a", "a"), ("b", "b")], 1.0),
        ([("a", "a"), ("a", "a")], None),
        ([("a", None), (None, "b")], None),
        ([], None),
    ],
)
def test_ends(ratings: list[tuple[str | None, str | None]], expected: float | None) -> None:
    assert krippendorff_alpha(ratings) == expected


def test_a_missing_rating_changes_nothing_when_its_unit_had_only_one() -> None:
    base = [("a", "b"), ("b", "b"), ("a", "a")]
    assert krippendorff_alpha([*base, ("a", None)]) == krippendorff_alpha(base)


@pytest.mark.parametrize(("successes", "units"), [(0, 10), (10, 10), (7, 10), (838, 848)])
def test_wilson_is_its_closed_form(successes: int, units: int) -> None:
    z = 1.959963984540054
    p = successes / units
    middle = (p + z * z / (2 * units)) / (1 + z * z / units)
    half = z / (1 + z * z / units) * math.sqrt(p * (1 - p) / units + z * z / (4 * units * units))
    found = wilson(successes, units)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((max(0.0, middle - half), min(1.0, middle + half)), abs=1e-9)


def test_wilson_without_units_and_with_impossible_counts() -> None:
    assert wilson(0, 0) is None
    with pytest.raises(ValueError, match="k"):
        wilson(3, 2)
