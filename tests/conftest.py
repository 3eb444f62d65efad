"""Copies of the shipped bank that a test may break."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from divisionbell.bank.load import load
from divisionbell.freeze.freeze import freeze
from divisionbell.validate.engine import ValidBank, validate

REPOSITORY = Path(__file__).parent.parent

# A shell that starts the tests in the background has its children ignore Ctrl-C; what is tested must hear it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the repository."""
    return REPOSITORY


def _copied(folder: Path) -> Path:
    pilot = REPOSITORY / "tests" / "pilot"
    shutil.copytree(pilot / "bank", folder / "bank", ignore=shutil.ignore_patterns("freeze"))
    shutil.copy(pilot / "data_sources.yaml", folder)
    (folder / "bank" / "evaluations.yaml").write_text("evaluations: []\n", encoding="utf-8")
    return folder / "bank"


@pytest.fixture
def copied_bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`bank` in a new working folder: a copy of the shipped bank, not frozen and without registered runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DIVISIONBELL_BANK", raising=False)
    _copied(tmp_path)
    return Path("bank")


def _frozen(folder: Path) -> str:
    valid = validate(load(folder))
    assert isinstance(valid, ValidBank)
    version = valid.bank.version
    assert version is not None
    freeze(valid, version, datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
    return version


@pytest.fixture
def freeze_folder() -> Callable[[Path], str]:
    """A function that freezes the bank in a folder under the version that it names, and returns that version."""
    return _frozen


@pytest.fixture(scope="session")
def _once_frozen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of frozen versions of that copy, frozen once for all tests."""
    bank = _copied(tmp_path_factory.mktemp("frozen"))
    _frozen(bank)
    return bank / "freeze"


@pytest.fixture
def frozen_bank(copied_bank: Path, _once_frozen: Path) -> Path:
    """The same copy, frozen."""
    shutil.copytree(_once_frozen, copied_bank / "freeze")
    return copied_bank
