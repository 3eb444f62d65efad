"""The short way of judging agrees with the full validation of mutants that are written to disk."""

from __future__ import annotations

from on_disk import disagreement, drawn
from proof import Proof

NUMBER = 24


def test_it_agrees_with_the_full_validation(on_disk: Proof) -> None:
    mutants = drawn(on_disk, NUMBER, "2026-01-02")
    assert len({mutant.kind for mutant in mutants}) == NUMBER
    assert [told for mutant in mutants if (told := disagreement(on_disk, mutant)) is not None] == []
