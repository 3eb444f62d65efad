"""Read a run with its frozen bank and score it; score.json beside the journal holds what was computed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from divisionbell.bank.load import find_bank, read_in
from divisionbell.cli.frozen import frozen_bank
from divisionbell.diagnostics import Findings, shown_path
from divisionbell.estimate.document import score_run
from divisionbell.freeze.freeze import write_whole
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.find_runs import Run, read_run
from divisionbell.run.journal import SCORE, journal_sha256
from divisionbell.run.verify_run import registration_problems, verify_run
from divisionbell.validate.shape import validator


def bank_of(run: Run, bank_folder: str | None) -> FrozenBank:
    """The frozen version that a run was asked from."""
    return frozen_bank(bank_folder, str(run.header.get("bank_version")))


def run_problems(bank: FrozenBank, run: Run, bank_folder: str | None) -> list[str]:
    """What does not hold in a run: against its frozen bank, and against what was registered of it."""
    register = read_in(find_bank(bank_folder), "evaluations.yaml")
    fits = not register.problems and validator("EvaluationRegister").is_valid(register.value)
    entries = register.value["evaluations"] if fits else []
    return [*verify_run(bank, run), *registration_problems(entries, run.header, journal_sha256(run.folder))]


def scored(folder: Path, bank_folder: str | None) -> tuple[FrozenBank, Run, dict[str, Any]]:
    """A run with its bank and its score document, computed from the stored replies and written to score.json.

    Every reply is read again first. Raises Findings where a unit is not what its replies come to.
    """
    run = read_run(folder)
    bank = bank_of(run, bank_folder)
    problems = run_problems(bank, run, bank_folder)
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise Findings(
            f"{shown_path(folder)} was not scored: {problems[0]}{more}",
            fix="divisionbell runs verify RUN lists them all",
        )
    document = score_run(bank, run.header, run.units, journal_sha256(folder))
    text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    write_whole(folder / SCORE, text.encode("utf-8"))
    return bank, run, document
