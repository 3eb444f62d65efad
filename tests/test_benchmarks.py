"""The synthetic banks that the benchmarks time are valid: else their figures would be those of writing findings."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from divisionbell.bank.load import load
from divisionbell.validate.engine import ValidBank, validate

ROOT = Path(__file__).resolve().parent.parent


def test_a_synthetic_bank_is_valid(tmp_path: Path) -> None:
    made = subprocess.run(
        [sys.executable, "benchmarks/synthetic_bank.py", "26", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (made.returncode, made.stdout) == (0, f"{tmp_path / 'bank'}\n"), made.stderr
    found = validate(load(tmp_path / "bank"))
    assert isinstance(found, ValidBank), found.diagnostics
    assert len(found.bank.dossiers) == 26
