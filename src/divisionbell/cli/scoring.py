"""Read a run with its frozen bank and score it; score.json beside the journal holds what was computed."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from divisionbell.bank.load import find_bank, read_in
from divisionbell.cli.frozen import frozen_bank
from divisionbell.diagnostics import Findings, UsageProblem, shown_path
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.freeze.whole_file import write_whole
from divisionbell.run.find_runs import Run, read_run
from divisionbell.run.journal import JOURNAL, SCORE, journal_sha256, read_header
from divisionbell.run.verify_run import registration_problems, verify_run
from divisionbell.run.way_on import left, way_on
from divisionbell.score.answers import answers_of
from divisionbell.score.missing import refuse_shard
from divisionbell.score.read_journal import read_answers
from divisionbell.validate.shape import validator

if TYPE_CHECKING:
    from divisionbell.estimate.compared import Compared


@dataclass(frozen=True)
class Scored:
    """A run with its units, its score document, and what it is compared by."""

    run: Run
    document: dict[str, Any]
    compared: Compared


def bank_of(header: Mapping[str, Any], bank_folder: str | None) -> FrozenBank:
    """The frozen version that a run was asked from."""
    return frozen_bank(bank_folder, str(header.get("bank_version")))


def run_problems(bank: FrozenBank, run: Run, bank_folder: str | None) -> list[str]:
    """What does not hold in a run: against its frozen bank, and against what was registered of it."""
    return [*verify_run(bank, run), *_unregistered(run.header, journal_sha256(run.folder), bank_folder)]


def _entries(bank_folder: str | None) -> list[dict[str, Any]]:
    register = read_in(find_bank(bank_folder), "evaluations.yaml")
    fits = not register.problems and validator("EvaluationRegister").is_valid(register.value)
    return list(register.value["evaluations"]) if fits else []


def is_registered(header: Mapping[str, Any], bank_folder: str | None) -> bool:
    """Whether the register of the bank, as far as it can be read, names a run."""
    return any(entry["evaluated_run"] == header["run_id"] for entry in _entries(bank_folder))


def _unregistered(header: Mapping[str, Any], journal: str, bank_folder: str | None) -> list[str]:
    return registration_problems(_entries(bank_folder), header, journal)


def score(folder: Path, bank_folder: str | None) -> dict[str, Any]:
    """The score document of a run, computed from the stored replies and written to score.json.

    Every reply is read again first. Raises Findings where a unit is not what its replies come to.
    """
    header = read_header(folder) if folder.is_dir() else None
    if header is not None:
        bank = bank_of(header, bank_folder)
        read = read_answers(bank, header, folder / JOURNAL, meanwhile=_get_ready)
        if read is not None and not _unregistered(header, read[1], bank_folder):
            from divisionbell.estimate.document import score_document

            return _written(folder, score_document(bank, header, *read))
    return scored(folder, bank_folder)[2]


def _get_ready() -> None:
    """What computes the estimates is imported while another process reads: it takes as long as 50,000 lines do."""
    importlib.import_module("divisionbell.estimate.document")


def answers_of_runs(folders: Sequence[Path], bank_folder: str | None) -> tuple[FrozenBank, list[Compared]]:
    """The answers of several runs with the frozen bank of the first. Every reply is read again first.

    Raises Findings where a unit is not what its replies come to, UsageProblem where a run is incomplete or a shard.
    """
    bank, read = runs_to_compare(folders, bank_folder)
    return bank, [compared for _, compared in read]


def runs_to_compare(folders: Sequence[Path], bank_folder: str | None) -> tuple[FrozenBank, list[tuple[Run, Compared]]]:
    """The same with the runs themselves."""
    from divisionbell.estimate.compared import Compared

    banks: dict[str, FrozenBank] = {}
    made = []
    for folder in folders:
        run = read_run(folder)
        version = str(run.header.get("bank_version"))
        bank = banks[version] = banks.get(version) or bank_of(run.header, bank_folder)
        _refuse_unfit(run, run_problems(bank, run, bank_folder))
        answers = answers_of(bank, run.header, run.units)
        made.append((run, Compared(run.header, answers, journal_sha256(folder))))
    return banks[str(made[0][0].header["bank_version"])], made


def _refuse_unfit(run: Run, problems: list[str]) -> None:
    """Refuse a run that is not what its replies come to, a shard, and one that is incomplete, with the way on."""
    folder = run.folder
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise Findings(
            f"{shown_path(folder)} was not scored: {problems[0]}{more}",
            fix="divisionbell runs verify RUN lists them all",
        )
    refuse_shard(run.header)
    if run.missing:
        raise UsageProblem(f"{shown_path(folder)} is incomplete: {left(run)}", way_on(run))


def scored_runs(folders: Sequence[Path], bank_folder: str | None) -> tuple[FrozenBank, list[Scored]]:
    """Several runs of one frozen version, each scored the careful way, with every unit kept.

    Raises Findings where a unit is not what its replies come to, UsageProblem where a run is incomplete, a shard, of
    another version, named twice, or a copy of another.
    """
    from divisionbell.estimate.compared import Compared, refuse_same_run
    from divisionbell.estimate.document import score_document

    bank: FrozenBank | None = None
    made: list[Scored] = []
    named: dict[str, Path] = {}
    for folder in folders:
        run = read_run(folder)
        run_id, version = str(run.header["run_id"]), str(run.header.get("bank_version"))
        if run_id in named:
            raise UsageProblem(
                f"{shown_path(folder)} is run {run_id}, which is named already ({shown_path(named[run_id])})",
                "name each run once",
            )
        named[run_id] = folder
        bank = bank or bank_of(run.header, bank_folder)
        if version != bank.version:
            raise UsageProblem(
                f"{shown_path(folder)} is of version {version}, {shown_path(folders[0])} of {bank.version}",
                "report runs of one version together",
            )
        _refuse_unfit(run, run_problems(bank, run, bank_folder))
        answers, sha256 = answers_of(bank, run.header, run.units), journal_sha256(folder)
        refuse_same_run([(one.compared.header, one.compared.journal_sha256) for one in made] + [(run.header, sha256)])
        document = _written(folder, score_document(bank, run.header, answers, sha256))
        made.append(Scored(run, document, Compared(run.header, answers, sha256)))
    assert bank is not None
    return bank, made


def scored(folder: Path, bank_folder: str | None) -> tuple[FrozenBank, Run, dict[str, Any]]:
    """The same the careful way, which keeps every unit and says what is wrong; with the bank and the run.

    Raises UsageProblem where the run is incomplete or a shard, with the way to go on with it.
    """
    bank, run = checked(folder, bank_folder)
    return bank, run, _written(folder, document_of(bank, run))


def checked(folder: Path, bank_folder: str | None) -> tuple[FrozenBank, Run]:
    """A run with its frozen bank. Raises Findings where a unit is not what its replies come to, else as `scored`."""
    run = read_run(folder)
    bank = bank_of(run.header, bank_folder)
    _refuse_unfit(run, run_problems(bank, run, bank_folder))
    return bank, run


def document_of(bank: FrozenBank, run: Run) -> dict[str, Any]:
    """The score document of a run that was checked; nothing is written."""
    from divisionbell.estimate.document import score_run

    return score_run(bank, run.header, run.units, journal_sha256(run.folder))


def _written(folder: Path, document: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    write_whole(folder / SCORE, text.encode("utf-8"))
    return document
