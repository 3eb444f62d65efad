"""Copies of the pilot bank, which a test may break."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

from divisionbell.bank.load import load
from divisionbell.freeze.freeze import freeze
from divisionbell.validate.engine import ValidBank, validate

PILOT = Path(__file__).parent / "pilot"


def copied(folder: Path) -> Path:
    """The bank in this folder: a copy, not frozen and without registered runs."""
    shutil.copytree(PILOT / "bank", folder / "bank", ignore=shutil.ignore_patterns("freeze"))
    shutil.copy(PILOT / "data_sources.yaml", folder)
    (folder / "bank" / "evaluations.yaml").write_text("evaluations: []\n", encoding="utf-8")
    return folder / "bank"


def frozen(bank: Path) -> str:
    """Freeze a bank under the version that it names, and return that version."""
    valid = validate(load(bank))
    assert isinstance(valid, ValidBank)
    version = valid.bank.version
    assert version is not None
    freeze(valid, version, datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
    return version
