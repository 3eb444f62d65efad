"""A frozen copy of the shipped bank for the run's tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from divisionbell.bank.load import load
from divisionbell.freeze.freeze import freeze
from divisionbell.freeze.frozen_bank import FrozenBank, read_frozen
from divisionbell.validate.engine import ValidBank

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def bank_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped bank, copied and frozen under its own version where it is not frozen yet."""
    home = tmp_path_factory.mktemp("frozen")
    shutil.copytree(ROOT / "tests" / "pilot" / "bank", home / "bank")
    shutil.copy(ROOT / "tests" / "pilot" / "data_sources.yaml", home / "data_sources.yaml")
    bank = load(home / "bank")
    if not (home / "bank" / "freeze" / f"{bank.version}.json").exists():
        freeze(ValidBank(bank), str(bank.version))
    return home / "bank"


@pytest.fixture(scope="session")
def frozen(bank_folder: Path) -> FrozenBank:
    """That bank, read back from its two frozen files."""
    return read_frozen(bank_folder / "freeze", str(load(bank_folder).version))
