"""The short way of judging agrees with the full validation of mutants that are written to disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from on_disk import copied, disagreement, drawn
from proof import Proof

import beside
from divisionbell.bank.load import load

REPOSITORY = Path(__file__).resolve().parents[2]
NUMBER = 24


def disagreements(folder: Path) -> tuple[set[str], list[str]]:
    """The kinds of mutants that were drawn, and what was found of them one way and not the other."""
    proof = Proof(load(copied(REPOSITORY, folder)), folder / "workshop")
    mutants = drawn(proof, NUMBER, "2026-01-02")
    told = [told for mutant in mutants if (told := disagreement(proof, mutant)) is not None]
    return {mutant.kind for mutant in mutants}, told


beside.register("written mutants", disagreements)


@pytest.mark.beside("written mutants")
def test_it_agrees_with_the_full_validation(tmp_path: Path) -> None:
    kinds, told = beside.result("written mutants", tmp_path)
    assert len(kinds) == NUMBER
    assert told == []
