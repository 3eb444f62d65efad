"""A run enters the register once, by its id and by its journal."""

from __future__ import annotations

from pathlib import Path

import pytest

from divisionbell.author.register import register_run
from divisionbell.bank.load import load
from divisionbell.diagnostics import UsageProblem


def entry(run: str, journal: str) -> dict[str, str]:
    return {
        "evaluated_run": run,
        "evaluated_version": "0.1.0",
        "records_sha256": "a" * 64,
        "statement_sha256": "b" * 64,
        "journal_sha256": journal * 64,
        "respondent_name": "scripted:coin",
        "asked_form": "full",
        "registered_at": "2026-01-02T03:04:05Z",
    }


def test_a_journal_is_registered_once(copied_bank: Path) -> None:
    register_run(copied_bank, entry("one", "c"))
    with pytest.raises(UsageProblem, match="the journal of run two is that of run one"):
        register_run(copied_bank, entry("two", "c"))
    register_run(copied_bank, entry("three", "d"))
    register = load(copied_bank).evaluations
    assert register is not None
    assert [had["evaluated_run"] for had in register.value["evaluations"]] == ["one", "three"]
