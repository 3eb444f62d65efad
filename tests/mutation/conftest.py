"""The shipped bank, its mutants, and what became of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest
from on_disk import copied
from proof import Proof, together
from sample import Sample
from tally import Tally

from divisionbell.bank.load import load

REPOSITORY = Path(__file__).resolve().parents[2]
WORKER = "PYTEST_XDIST_WORKER"


@pytest.fixture(scope="session")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proof]:
    """The mutants of the shipped bank and what judges them."""
    with chdir(REPOSITORY):
        yield Proof(load(Path("bank")), tmp_path_factory.mktemp("workshop"))


@pytest.fixture(scope="session")
def on_disk(tmp_path_factory: pytest.TempPathFactory) -> Proof:
    """The mutants of a copy of the shipped bank, which they can be written over."""
    folder = tmp_path_factory.mktemp("copy")
    return Proof(load(copied(REPOSITORY, folder)), folder / "workshop")


@pytest.fixture(scope="session")
def tally(proof: Proof, figures: dict[str, list[str]]) -> Tally:
    """What was found of the sampled mutants."""
    whole = Tally()
    processes = 1 if WORKER in os.environ else len(os.sched_getaffinity(0))
    with chdir(REPOSITORY):
        sample = Sample(proof)
        for _, part in together(sample, sample.parts(), processes):
            whole += part
    figures["mutants of the shipped bank"] = whole.lines()
    return whole
