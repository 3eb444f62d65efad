"""The shipped bank, its mutants, and a line on what became of them at the end of the run."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest
from on_disk import copied
from proof import Proof, together
from sample import Sample
from tally import Tally

import beside
from divisionbell.bank.load import load

REPOSITORY = Path(__file__).resolve().parents[2]
FIGURES = pytest.StashKey[list[str]]()


@pytest.fixture(scope="session")
def figures(request: pytest.FixtureRequest) -> list[str]:
    """Lines that are printed at the end of the run."""
    return request.config.stash.setdefault(FIGURES, [])


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


def sampled(folder: Path) -> Tally:
    """What was found of the sampled mutants."""
    whole = Tally()
    processes = 2 if multiprocessing.parent_process() is None else 1
    with chdir(REPOSITORY):
        sample = Sample(Proof(load(Path("bank")), folder))
        for _, part in together(sample, sample.parts(), processes):
            whole += part
    return whole


beside.register("mutants", sampled)


@pytest.fixture(scope="session")
def tally(tmp_path_factory: pytest.TempPathFactory, figures: list[str]) -> Tally:
    """What was found of the sampled mutants."""
    whole: Tally = beside.result("mutants", tmp_path_factory.mktemp("workshop"))
    figures += whole.lines()
    return whole


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say how many mutants were found."""
    lines = config.stash.get(FIGURES, [])
    if lines:
        terminalreporter.section("mutants of the shipped bank")
        for line in lines:
            terminalreporter.write_line(line)
