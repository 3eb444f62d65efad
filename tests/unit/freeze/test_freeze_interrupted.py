"""A freeze that is killed, raced, or has its ground moved: both files whole or none, and the next freeze finishes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import forked
from divisionbell.bank.load import load
from divisionbell.bank.manifest import record_file, records
from divisionbell.diagnostics import UsageProblem
from divisionbell.freeze import freeze as module
from divisionbell.freeze.freeze import alone, freeze
from divisionbell.freeze.frozen_bank import read_frozen
from divisionbell.validate import engine
from divisionbell.validate.engine import ValidBank, check, validate

VERSION = "0.1.0"
# A freeze that kills itself just before the numbered call of one of the steps that change the folder.
KILLED = """
import os, signal, sys
from divisionbell.freeze import freeze as module
name, left = sys.argv[1], int(sys.argv[2])
real = getattr(module, name)
def step(*arguments):
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    return real(*arguments)
setattr(module, name, step)
sys.argv = ["divisionbell", "freeze", "0.1.0"]
from divisionbell.__main__ import main
main()
"""


def divisionbell(*arguments: str) -> subprocess.CompletedProcess[str]:
    return forked.run(*arguments)


def kill(step: str, number: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, step, str(number)], capture_output=True, text=True, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


BOTH = [f"{VERSION}.json", f"{VERSION}.records.jsonl"]


@pytest.mark.parametrize(
    ("step", "number", "left"),
    [
        ("_write_synced", 0, []),
        ("_write_synced", 1, []),
        ("_name_new", 0, []),
        ("_name_new", 1, [f"{VERSION}.records.jsonl"]),
        ("_sync_folder", 0, BOTH),
    ],
)
def test_a_killed_freeze_is_finished_by_the_next(copied_bank: Path, step: str, number: int, left: list[str]) -> None:
    folder = copied_bank / "freeze"
    kill(step, number)
    assert [name for name in names(folder) if not name.startswith(".")] == left
    expected = record_file(records(load(copied_bank)))
    if left != BOTH:
        assert check(load(copied_bank)).clean == (left == [])
        done = divisionbell("freeze", VERSION)
        assert done.returncode == 0, done.stdout + done.stderr
        assert ("an interrupted freeze of 0.1.0 was finished" in done.stdout) == (left != [])
        assert names(folder) == BOTH
    assert (folder / f"{VERSION}.records.jsonl").read_bytes() == expected
    assert read_frozen(folder, VERSION).version == VERSION
    assert divisionbell("verify").returncode == 0


def test_killed_again_while_it_finishes(copied_bank: Path) -> None:
    folder = copied_bank / "freeze"
    kill("_name_new", 1)
    kill("_write_synced", 0)  # the record file is set aside at this moment
    assert f".{VERSION}.records.jsonl.interrupted" in names(folder)
    assert check(load(copied_bank)).clean
    kill("_name_new", 1)
    assert divisionbell("freeze", VERSION).returncode == 0
    assert names(folder) == BOTH


def edit(folder: Path) -> Path:
    file = folder / "analysis_plan.yaml"
    text = file.read_text(encoding="utf-8")
    assert "equivalence_margin: 0.25" in text
    file.write_text(text.replace("equivalence_margin: 0.25", "equivalence_margin: 0.3"), encoding="utf-8")
    return file


def test_an_interrupted_freeze_of_other_records_is_not_finished(copied_bank: Path) -> None:
    folder = copied_bank / "freeze"
    kill("_name_new", 1)
    interrupted = (folder / f"{VERSION}.records.jsonl").read_bytes()
    edit(copied_bank)
    done = divisionbell("freeze", VERSION)
    assert done.returncode == 2
    assert "of an interrupted freeze, and the working files give others" in done.stderr
    assert [name for name in names(folder) if not name.endswith(".part")] == [f"{VERSION}.records.jsonl"]
    assert (folder / f"{VERSION}.records.jsonl").read_bytes() == interrupted
    (folder / f"{VERSION}.records.jsonl").unlink()  # what it says to do
    assert divisionbell("freeze", VERSION).returncode == 0
    assert names(folder) == BOTH


def test_an_interrupted_freeze_of_a_bank_that_is_not_valid_stays_as_it_was(copied_bank: Path) -> None:
    kill("_name_new", 1)
    before = (copied_bank / "freeze" / f"{VERSION}.records.jsonl").read_bytes()
    file = next(copied_bank.glob("dossiers/*/*/*.yaml"))
    file.write_text(file.read_text(encoding="utf-8").replace("axis: ", "axis: x", 1), encoding="utf-8")
    done = divisionbell("freeze", VERSION)
    assert done.returncode == 1
    assert "nothing was frozen" in done.stderr
    assert (copied_bank / "freeze" / f"{VERSION}.records.jsonl").read_bytes() == before


def test_a_lost_statement_of_a_version_that_a_run_used_is_not_made_anew(frozen_bank: Path) -> None:
    entry = {"evaluated_run": "run-1", "evaluated_version": VERSION, "records_sha256": "a" * 64}
    entry |= {"statement_sha256": "b" * 64, "journal_sha256": "c" * 64, "respondent_name": "coin"}
    entry |= {"asked_form": "full", "registered_at": "2026-01-02T03:04:05Z"}
    (frozen_bank / "evaluations.yaml").write_text(json.dumps({"evaluations": [entry]}))
    (frozen_bank / "freeze" / f"{VERSION}.json").unlink()
    done = divisionbell("freeze", VERSION)
    assert done.returncode == 2
    assert "a registered run used version 0.1.0" in done.stderr
    assert names(frozen_bank / "freeze") == [f"{VERSION}.records.jsonl"]


def test_a_lost_record_file_is_not_made_anew(frozen_bank: Path) -> None:
    (frozen_bank / "freeze" / f"{VERSION}.records.jsonl").unlink()
    done = divisionbell("freeze", VERSION)
    assert (done.returncode, "frozen already" in done.stderr) == (2, True)
    assert names(frozen_bank / "freeze") == [f"{VERSION}.json"]


def valid(folder: Path) -> ValidBank:
    found = validate(load(folder))
    assert isinstance(found, ValidBank)
    return found


def test_what_was_validated_is_frozen_whatever_becomes_of_the_files(copied_bank: Path) -> None:
    bank = valid(copied_bank)
    expected = record_file(records(bank.bank))
    edit(copied_bank)
    (copied_bank / "CODEBOOK.md").write_text("Another codebook.\n")
    shutil.rmtree(copied_bank / "dossiers")
    path, _ = freeze(bank, VERSION)
    assert path.read_bytes() == expected
    assert len(read_frozen(copied_bank / "freeze", VERSION).dossiers) == 12
    # The working files are not it any more, and that is found.
    assert "FRZ001" in {d.rule for d in check(load(copied_bank)).diagnostics}


def test_freezes_at_the_same_time(copied_bank: Path) -> None:
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "divisionbell", "freeze", VERSION],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    ended = [(process.wait(), *process.communicate()) for process in started]
    assert sorted(code for code, _, _ in ended) == [0, 2, 2, 2]
    for code, out, err in ended:
        assert ("wrote" in out) == (code == 0)
        assert code == 0 or "frozen already" in err or "under way" in err or "meanwhile" in err
    assert names(copied_bank / "freeze") == BOTH
    assert read_frozen(copied_bank / "freeze", VERSION)


@pytest.mark.parametrize("parts_before", [0, 1, 4])
@pytest.mark.parametrize("appears", [True, False])
def test_a_freeze_that_comes_or_goes_while_the_bank_is_checked(
    frozen_bank: Path, monkeypatch: pytest.MonkeyPatch, parts_before: int, appears: bool
) -> None:
    freeze_folder, elsewhere = frozen_bank / "freeze", Path("elsewhere")
    if appears:
        freeze_folder.rename(elsewhere)
    bank = load(frozen_bank)

    def in_parts(parts: list[Any], work: Callable[[Any], Any], pays: bool) -> list[Any]:
        assert len(parts) == 4
        done = [work(part) for part in parts[:parts_before]]
        shutil.move(*((elsewhere, freeze_folder) if appears else (freeze_folder, elsewhere)))
        return done + [work(part) for part in parts[parts_before:]]

    monkeypatch.setattr(engine, "PART", 4)
    monkeypatch.setattr(engine, "in_two", in_parts)
    found = {(d.rule, d.message.split(":")[0]) for d in check(bank).diagnostics}
    assert found == (set() if appears else {("FRZ002", "cannot be read")})


def test_one_freeze_holds_the_folder(copied_bank: Path) -> None:
    bank = valid(copied_bank)
    with alone(copied_bank), pytest.raises(UsageProblem, match="another freeze of bank is under way"):
        freeze(bank, VERSION)
    assert names(copied_bank / "freeze") == []
    assert freeze(bank, VERSION)


@pytest.mark.parametrize("which", [f"{VERSION}.records.jsonl", f"{VERSION}.json"])
def test_a_name_that_is_taken_meanwhile_is_left_alone(
    copied_bank: Path, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    """Where no lock holds, as on some network file systems, the name itself is taken or not."""
    real: Callable[[Path, bytes], None] = module._write_synced

    def raced(path: Path, data: bytes) -> None:
        real(path, data)
        (copied_bank / "freeze" / which).write_bytes(b"theirs")

    monkeypatch.setattr(module, "_write_synced", raced)
    with pytest.raises(UsageProblem, match="frozen by somebody else meanwhile"):
        freeze(valid(copied_bank), VERSION)
    assert names(copied_bank / "freeze") == [which]
    assert (copied_bank / "freeze" / which).read_bytes() == b"theirs"


def test_a_file_system_without_links(copied_bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    freeze(valid(copied_bank), VERSION)
    assert names(copied_bank / "freeze") == BOTH


def test_a_folder_that_cannot_be_written(copied_bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bank = valid(copied_bank)
    (copied_bank / "freeze").write_text("a file")
    with pytest.raises(UsageProblem, match="bank/freeze cannot be written: File exists; nothing was frozen"):
        freeze(bank, VERSION)
    (copied_bank / "freeze").unlink()

    def read_only(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(module, "_write_synced", read_only)
    with pytest.raises(UsageProblem, match="cannot be written: Read-only file system; nothing was frozen"):
        freeze(bank, VERSION)
    assert names(copied_bank / "freeze") == []


AS_SOMEBODY_ELSE = """
import os
from pathlib import Path
from divisionbell.bank.load import load
from divisionbell.diagnostics import UsageProblem
from divisionbell.freeze.freeze import freeze
from divisionbell.validate.engine import validate
valid = validate(load(Path("bank")))
if os.geteuid() == 0:  # root may write everywhere
    os.seteuid(65534)
try:
    freeze(valid, "0.1.0")
except UsageProblem as problem:
    print(problem.message)
"""


def test_a_read_only_folder(copied_bank: Path) -> None:
    (copied_bank / "freeze").mkdir(mode=0o555)
    done = subprocess.run([sys.executable, "-c", AS_SOMEBODY_ELSE], capture_output=True, text=True, check=False)
    assert done.stdout == "bank/freeze cannot be written: Permission denied; nothing was frozen\n", done.stderr
    assert names(copied_bank / "freeze") == []


@pytest.mark.parametrize("version", ["../../x", "1.0", "x", "1.0.0/..", "-1.0.0"])
def test_what_is_no_version_is_refused(copied_bank: Path, version: str) -> None:
    for arguments in (("freeze", "--", version), ("verify", "--", version), ("diff", "--", version, "WORKING")):
        done = divisionbell(*arguments)
        assert done.returncode == 2, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
    assert names(copied_bank / "freeze") == []
    assert not Path("x.json").exists()
