"""A share in words: 0% and 100% are said where they are exact, and nowhere else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from divisionbell.diagnostics import percent, signed


@pytest.mark.parametrize(
    ("share", "places", "told"),
    [
        (0, 0, "0%"),
        (1, 1, "100%"),
        (0.9999999999999998, 1, "100%"),  # a sum of weights that are 1
        (1e-17, 0, "0%"),
        (0.9996, 1, "over 99.9%"),
        (0.996, 0, "over 99%"),
        (0.996, 1, "99.6%"),
        (0.994, 0, "99%"),
        (0.004, 0, "under 1%"),
        (0.0004, 1, "under 0.1%"),
        (0.925, 1, "92.5%"),
        (-0.25, 0, "-25%"),
    ],
)
def test_a_share_that_only_rounds_to_an_end_is_not_that_end(share: float, places: int, told: str) -> None:
    assert percent(share, places) == told


def test_no_share_is_rounded_to_a_percentage_elsewhere(repository: Path) -> None:
    """A format such as .0% writes 99.6 % as all of it."""
    found = [
        f"{path.relative_to(repository)}:{number}"
        for path in sorted((repository / "src").rglob("*.py"))
        if path.name != "diagnostics.py"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(r":[^{}\"']*\.\d%\}", line)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("value", "form", "told"),
    [
        (0.0, "+.6g", "0"),
        (-0.0, "+.6g", "0"),
        (-1e-17, "+.3f", "0.000"),
        (0.0004, "+.3f", "+0.0004"),
        (-0.00096, "+.2f", "-0.001"),
        (0.0051, "+.2f", "+0.01"),
        (0.25, "+.3f", "+0.250"),
        (-1, "+.6g", "-1"),
        (0.001, "+.6g", "+0.001"),
    ],
)
def test_what_is_written_as_0_has_no_sign(value: float, form: str, told: str) -> None:
    assert signed(value, form) == told
