"""No command throws away what somebody else saved, and one that is ended leaves nothing half done."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from divisionbell.author import write_back
from divisionbell.bank.load import load
from divisionbell.bank.read import read
from divisionbell.run.find_runs import read_run

Command = Callable[..., Any]


def spoilt(dossier: Path) -> str:
    """Take the first transformation digest away, so that `hash` has something to fill in."""
    text = dossier.read_text(encoding="utf-8")
    dossier.write_text(re.sub(r"(transformation_sha256: )\S+", r"\g<1>'" + "0" * 64 + "'", text, count=1))
    return text


def saved_before_writing(monkeypatch: pytest.MonkeyPatch, *saved: Path) -> None:
    """Have an editor save a comment into these files in the moment before each is written."""
    real = write_back.write_whole

    def write(path: Path, data: bytes, instead_of: bytes | None = None) -> None:
        if any(path.samefile(other) for other in saved):
            path.write_bytes(path.read_bytes() + b"# an edit\n")
        real(path, data, instead_of)

    monkeypatch.setattr(write_back, "write_whole", write)


def test_hash_keeps_an_edit_and_fills_the_others(
    copied_bank: Path, divisionbell: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = sorted(copied_bank.glob("dossiers/social/*/*.yaml"))[:2]
    whole = [spoilt(first), spoilt(second)]
    saved_before_writing(monkeypatch, first)
    ended = divisionbell("hash")
    assert ended.code == 2
    assert f"error: {first} was not written: it changed while the command ran\n" in ended.err
    assert f"{second}:" in ended.text
    assert ended.text.endswith("1 digest filled, 1 file was not written\n")
    assert first.read_text().endswith("# an edit\n")
    assert "0" * 64 in first.read_text()
    assert second.read_text() == whole[1]


def test_hash_of_a_file_that_changed_since_another_process_read_it(
    copied_bank: Path, divisionbell: Command, monkeypatch: pytest.MonkeyPatch, dossier: Path
) -> None:
    spoilt(dossier)
    bank = load(copied_bank)
    for document in bank.dossiers:  # as the second process hands them over: without their text
        state = document.__getstate__()
        document.__dict__.clear()
        document.__setstate__(state)
    text = dossier.read_text() + "# an edit\n"
    dossier.write_text(text)
    monkeypatch.setattr("divisionbell.cli.hash.load", lambda _: bank)
    ended = divisionbell("hash")
    assert ended.code == 2
    assert "it changed while the command ran" in ended.err
    assert dossier.read_text() == text


def test_hash_leaves_links_and_read_only_files(copied_bank: Path, divisionbell: Command) -> None:
    first, second = sorted(copied_bank.glob("dossiers/social/*/*.yaml"))[:2]
    spoilt(first)
    spoilt(second)
    aim = copied_bank / "aim.txt"
    first.rename(aim)
    first.symlink_to(aim.resolve())
    second.chmod(0o444)
    before = aim.read_text(), second.read_text()
    ended = divisionbell("hash")
    assert ended.code == 2
    assert "it is a link" in ended.err
    assert "it is read-only" in ended.err
    assert first.is_symlink()
    assert (aim.read_text(), second.read_text()) == before


def test_mirror_keeps_an_edit(
    copied_bank: Path, divisionbell: Command, monkeypatch: pytest.MonkeyPatch, dossier: Path
) -> None:
    value = read(dossier).value
    mirror = next(item for item in value["items"] if "mirror_of" in item)
    lines = dossier.read_text().splitlines(keepends=True)
    start = next(n for n, line in enumerate(lines) if line.strip() == f"- item_id: {mirror['item_id']}")
    end = next((n for n in range(start + 1, len(lines)) if re.match(r"  - item_id|\S", lines[n])), len(lines))
    dossier.write_text("".join(lines[:start] + lines[end:]))
    saved_before_writing(monkeypatch, dossier)
    ended = divisionbell("mirror", mirror["mirror_of"])
    assert ended.code == 2, ended.text
    assert "was not written: it changed while the command ran" in ended.err
    assert dossier.read_text() == "".join(lines[:start] + lines[end:]) + "# an edit\n"


def test_code_says_what_was_written_and_what_not(
    copied_bank: Path, divisionbell: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert divisionbell("review", "sheet", "--out", "sheet.csv").code == 0
    rows = Path("sheet.csv").read_text().replace(",,,,,,\n", ",economic,negative,positive,,,\n")
    Path("sheet.csv").write_text(rows)
    agent = load(copied_bank).settings.value["agents"][0]["agent_id"]
    dossiers = [document.path for document in load(copied_bank).dossiers]
    saved_before_writing(monkeypatch, dossiers[1])
    ended = divisionbell("review", "code", "sheet.csv", "--agent", agent)
    assert ended.code == 2
    assert f"{dossiers[1]} was not written: it changed" in ended.err
    assert f"written before it: {dossiers[0]}\n" in ended.err
    assert dossiers[1].read_text().endswith("# an edit\n")
    again = divisionbell("review", "code", "sheet.csv", "--agent", agent)
    assert again.code == 2  # the editor saves at every try


@pytest.fixture
def runs(frozen_bank: Path, divisionbell: Command) -> list[str]:
    names = [f"runs/{name}" for name in ("a", "b", "c", "d")]
    for name in names:
        assert divisionbell("run", "scripted:coin", "--form", "short", "--out", name).code == 0
    return names


def registered() -> list[str]:
    return [entry["evaluated_run"] for entry in read(Path("bank/evaluations.yaml")).value["evaluations"]]


def test_runs_registered_at_the_same_time_are_all_there(runs: list[str], program: Command) -> None:
    started = [program("runs", "register", name, stderr=subprocess.PIPE) for name in runs]
    for process in started:
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
    assert sorted(registered()) == sorted(str(read_run(Path(name)).header["run_id"]) for name in runs)


@pytest.mark.parametrize(
    "spoil", ["evaluations: 5\n", "evaluations:\n  - {}\n", "evaluations:\n  - {evaluated_run: x}\n"]
)
def test_a_register_that_does_not_fit_is_refused(runs: list[str], divisionbell: Command, spoil: str) -> None:
    Path("bank/evaluations.yaml").write_text(spoil)
    ended = divisionbell("runs", "register", runs[0])
    assert ended.code == 2
    assert "bank/evaluations.yaml cannot be read, or does not fit the schema" in ended.err
    assert Path("bank/evaluations.yaml").read_text() == spoil


ENDED = """
import os, signal, sys
from divisionbell.freeze import whole_file
sign = getattr(signal, sys.argv.pop())
real = whole_file.write_synced
def write(path, data):
    real(path, data)
    os.kill(os.getpid(), sign)
whole_file.write_synced = write
from divisionbell.__main__ import program
program()
"""


@pytest.mark.parametrize(("sign", "code"), [("SIGTERM", 143), ("SIGINT", 130), ("SIGKILL", -9)])
def test_a_command_that_is_ended_leaves_nothing_half_written(
    copied_bank: Path, environment: dict[str, str], dossier: Path, divisionbell: Command, sign: str, code: int
) -> None:
    whole = spoilt(dossier)
    before = dossier.read_text()
    done = subprocess.run(
        [sys.executable, "-c", ENDED, "hash", sign], env=environment, capture_output=True, check=False
    )
    assert done.returncode == code, done.stderr
    assert dossier.read_text() == before
    left = [name for name in os.listdir(dossier.parent) if name.endswith(".part")]
    assert bool(left) == (sign == "SIGKILL")
    assert divisionbell("hash").code == 0
    assert dossier.read_text() == whole
    assert not [name for name in os.listdir(dossier.parent) if name.endswith(".part")]


def test_freeze_takes_away_no_file_of_others(copied_bank: Path, divisionbell: Command) -> None:
    folder = copied_bank / "freeze"
    folder.mkdir()
    kept = [".0.1.0.json.mine.part", ".0.1.0.records.jsonl.part", f".0.1.0.json.{os.getppid()}.part"]
    for name in kept:
        (folder / name).write_text("mine")
    assert divisionbell("freeze", "0.1.0").code == 0
    assert {name for name in os.listdir(folder) if name.startswith(".")} == set(kept)


@pytest.mark.parametrize("name", [".0.1.0.records.jsonl.interrupted", "0.1.0.records.jsonl"])
def test_only_a_file_is_taken_for_what_a_freeze_left(copied_bank: Path, divisionbell: Command, name: str) -> None:
    folder = copied_bank / "freeze"
    folder.mkdir()
    Path("aim").write_text("of somebody else")
    (folder / name).symlink_to(Path("aim").resolve())
    ended = divisionbell("freeze", "0.1.0")
    assert ended.code == 2
    assert f"bank/freeze/{name} is no file, so no freeze left it" in ended.err
    assert os.listdir(folder) == [name]
    assert Path("aim").read_text() == "of somebody else"
