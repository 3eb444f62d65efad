"""The short way of judging agrees with the full validation of mutants that are written to disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from on_disk import copied, disagreement, drawn
from proof import Proof

from divisionbell.bank.load import load

NUMBER = 24


@pytest.fixture(scope="module")
def on_disk(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Proof:
    folder = tmp_path_factory.mktemp("copy")
    return Proof(load(copied(repository, folder)), folder / "workshop")


def test_it_agrees_with_the_full_validation(on_disk: Proof) -> None:
    mutants = drawn(on_disk, NUMBER, "2026-01-02")
    assert len({mutant.kind for mutant in mutants}) == NUMBER
    assert [told for mutant in mutants if (told := disagreement(on_disk, mutant)) is not None] == []
