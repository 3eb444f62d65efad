"""The short way of judging agrees with the full validation of mutants that are written to disk."""

from __future__ import annotations

from pathlib import Path

from on_disk import copied, disagreement, drawn
from proof import Proof

from divisionbell.bank.load import load

REPOSITORY = Path(__file__).resolve().parents[2]
NUMBER = 24


def test_it_agrees_with_the_full_validation(tmp_path: Path) -> None:
    proof = Proof(load(copied(REPOSITORY, tmp_path)), tmp_path / "workshop")
    mutants = drawn(proof, NUMBER, "2026-01-02")
    assert len({mutant.kind for mutant in mutants}) == NUMBER
    assert [told for mutant in mutants if (told := disagreement(proof, mutant)) is not None] == []
