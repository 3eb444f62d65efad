"""Copies of the shipped bank that a test may break, and figures that are told at the end of the tests."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pilot_bank

REPOSITORY = Path(__file__).parent.parent
FIGURES = pytest.StashKey[dict[str, list[str]]]()

# A shell that starts the tests in the background has its children ignore Ctrl-C; what is tested must hear it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the repository."""
    return REPOSITORY


@pytest.fixture
def copied_bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`bank` in a new working folder: a copy of the shipped bank, not frozen and without registered runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DIVISIONBELL_BANK", raising=False)
    pilot_bank.copied(tmp_path)
    return Path("bank")


@pytest.fixture
def freeze_folder() -> Callable[[Path], str]:
    """A function that freezes the bank in a folder under the version that it names, and returns that version."""
    return pilot_bank.frozen


@pytest.fixture(scope="session")
def _once_frozen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of frozen versions of that copy, frozen once for all tests."""
    bank = pilot_bank.copied(tmp_path_factory.mktemp("frozen"))
    pilot_bank.frozen(bank)
    return bank / "freeze"


@pytest.fixture
def frozen_bank(copied_bank: Path, _once_frozen: Path) -> Path:
    """The same copy, frozen."""
    shutil.copytree(_once_frozen, copied_bank / "freeze")
    return copied_bank


@pytest.fixture(scope="session")
def figures(request: pytest.FixtureRequest) -> dict[str, list[str]]:
    """Lines by their heading, told at the end of the tests."""
    return request.config.stash.setdefault(FIGURES, {})


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Of the processes that share the tests each hands its figures to the one that tells them."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["figures"] = session.config.stash.get(FIGURES, {})


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take the figures of a process that has ended."""
    node.config.stash.setdefault(FIGURES, {}).update(getattr(node, "workeroutput", {}).get("figures", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Tell the figures."""
    for heading, lines in config.stash.get(FIGURES, {}).items():
        terminalreporter.section(heading)
        for line in lines:
            terminalreporter.write_line(line)
