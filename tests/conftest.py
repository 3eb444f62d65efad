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


@pytest.fixture
def copied_bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`bank` in a new working folder: a copy of the shipped bank, not frozen and without registered runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DIVISIONBELL_BANK", raising=False)
    shutil.copytree(REPOSITORY / "tests" / "pilot" / "bank", "bank", ignore=shutil.ignore_patterns("freeze"))
    shutil.copy(REPOSITORY / "tests" / "pilot" / "data_sources.yaml", "data_sources.yaml")
    Path("bank/evaluations.yaml").write_text("evaluations: []\n", encoding="utf-8")
    return Path("bank")


@pytest.fixture
def freeze_folder() -> Callable[[Path], str]:
    """A function that freezes the bank in a folder under the version that it names, and returns that version."""

    def frozen(folder: Path) -> str:
        valid = validate(load(folder))
        assert isinstance(valid, ValidBank)
        version = valid.bank.version
        assert version is not None
        freeze(valid, version, datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
        return version

    return frozen


@pytest.fixture
def frozen_bank(copied_bank: Path, freeze_folder: Callable[[Path], str]) -> Path:
    """The same copy, frozen."""
    freeze_folder(copied_bank)
    return copied_bank
