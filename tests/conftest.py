"""Copies of the shipped bank that a test may break."""

from __future__ import annotations

import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import beside
import pilot_bank

REPOSITORY = Path(__file__).parent.parent

# A shell that starts the tests in the background has its children ignore Ctrl-C; what is tested must hear it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _works(items: list[pytest.Item]) -> list[str]:
    return list(dict.fromkeys(mark.args[0] for item in items for mark in item.iter_markers("beside")))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is done beside the tests is asked for when all others are through."""
    items.sort(key=lambda item: item.get_closest_marker("beside") is not None)


@pytest.fixture(scope="session", autouse=True)
def _work_beside(request: pytest.FixtureRequest) -> Iterator[None]:
    """Long work that is done by another process meanwhile."""
    if len(request.session.items) < beside.FEW:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="beside-") as folder:
        beside.start(_works(request.session.items), Path(folder))
        try:
            yield
        finally:
            beside.end()


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
