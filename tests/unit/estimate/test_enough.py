"""What is lacking for a position to be told."""

from __future__ import annotations

import pytest

from divisionbell.bank.load import load
from divisionbell.estimate.enough import dossiers_asked, lacking
from divisionbell.freeze.frozen_bank import read_frozen

TWO = {"a": 2, "b": 2}


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"economic": TWO, "social": {"a": 2, "b": 3}}, []),
        ({"economic": {"a": 2}, "social": TWO}, ["economic has 1 of the 2 issue families that are needed"]),
        (
            {"economic": TWO, "social": {"a": 2, "b": 1}},
            ["of 2 social families 1 family has one dossier where two are needed (b)"],
        ),
        ({"economic": {"a": 1, "b": 1}, "social": TWO}, ["every economic family has one dossier where 2 are needed"]),
        (
            {"economic": dict.fromkeys("edcba", 1) | {"z": 2}, "social": TWO},
            ["of 6 economic families 5 families have one dossier where two are needed (a, b, c …)"],
        ),
        ({"economic": {}, "social": TWO}, ["economic has 0 of the 2 issue families that are needed"]),
    ],
)
def test_each_axis_says_what_it_lacks(asked: dict[str, dict[str, int]], told: list[str]) -> None:
    assert lacking(asked, 2) == told


def test_the_shipped_forms(repository: object) -> None:
    from pathlib import Path

    folder = Path(str(repository)) / "bank"
    bank = read_frozen(folder / "freeze", str(load(folder).version))
    whole, short = (dossiers_asked(bank.form(form)) for form in ("full", "short"))
    assert lacking(whole, bank.plan.minimum_families) == []
    assert sum(map(sum, (families.values() for families in whole.values()))) == len(bank.dossiers) == 125
    assert [told.partition(" has ")[0] for told in lacking(short, bank.plan.minimum_families)] == [
        *("every economic family", "every social family"),
    ]
