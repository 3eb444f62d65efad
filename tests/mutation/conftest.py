"""The shipped bank, its mutants, and what became of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest
from proof import Proof, together
from sample import Sample
from tally import Tally

from divisionbell.bank.load import load

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proof]:
    """The mutants of the shipped bank and what judges them."""
    with chdir(REPOSITORY):
        yield Proof(load(Path("bank")), tmp_path_factory.mktemp("workshop"))


@pytest.fixture(scope="session")
def tally(proof: Proof, figures: list[str]) -> Tally:
    """What was found of the sampled mutants."""
    whole = Tally()
    sample = Sample(proof)
    with chdir(REPOSITORY):
        for _, part in together(sample, sample.parts(), 2):
            whole += part
    figures += whole.lines()
    return whole
