"""A run folder that comes from elsewhere: pipes are not waited for, links are not written through, nothing of somebody
else is cut off."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from test_journal import HEADER, key, unit

from divisionbell.diagnostics import DivisionBellError, Findings, UsageProblem
from divisionbell.run.batch_state import read_state
from divisionbell.run.find_runs import read_run
from divisionbell.run.journal import Journal, journal_sha256, parse_journal, read_header
from divisionbell.run.merge import read_part


@pytest.fixture(autouse=True)
def no_waiting() -> Iterator[None]:
    signal.alarm(30)
    yield
    signal.alarm(0)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    with Journal(tmp_path / "run", HEADER) as journal:
        journal.append(unit("k1"))
    return tmp_path / "run"


def pipe(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path)


READERS: list[Callable[[Path], Any]] = [read_run, read_part, journal_sha256, lambda folder: Journal(folder, HEADER)]


@pytest.mark.parametrize("read", READERS)
def test_a_journal_that_is_a_pipe_or_a_folder_is_told(run: Path, read: Callable[[Path], Any]) -> None:
    pipe(run / "journal.jsonl")
    with pytest.raises(DivisionBellError) as told:
        read(run)
    assert "cannot be" in told.value.message
    (run / "journal.jsonl").unlink()
    (run / "journal.jsonl").mkdir()
    with pytest.raises(DivisionBellError):
        read(run)


def test_a_header_or_a_state_that_is_a_pipe_is_told(run: Path) -> None:
    pipe(run / "run.json")
    with pytest.raises(Findings, match=r"run\.json cannot be read: run\.json is no file"):
        read_header(run)
    pipe(run / "batch.json")
    with pytest.raises(Findings, match=r"batch\.json cannot be read"):
        read_state(run)


def test_nothing_is_written_through_a_link(run: Path, tmp_path: Path) -> None:
    victim = tmp_path / "authorized"
    victim.write_text("ssh-ed25519 AAAA one line\n")
    (run / "journal.jsonl").unlink()
    (run / "journal.jsonl").symlink_to(victim)
    with pytest.raises(UsageProblem, match=r"journal\.jsonl is a link"):
        Journal(run, HEADER)
    assert victim.read_text() == "ssh-ed25519 AAAA one line\n"


@pytest.mark.parametrize("held", [b"a diary", b"a diary\n", b'{"a":1}\n'])
def test_a_journal_without_a_header_is_no_run_to_begin(tmp_path: Path, held: bytes) -> None:
    (tmp_path / "journal.jsonl").write_bytes(held)
    with pytest.raises(UsageProblem, match=r"journal\.jsonl is there, and no run\.json"):
        Journal(tmp_path, HEADER)
    assert (tmp_path / "journal.jsonl").read_bytes() == held
    assert [path.name for path in tmp_path.iterdir()] == ["journal.jsonl"]


def test_an_empty_journal_that_a_crash_left_is_begun(tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").touch()
    with Journal(tmp_path, HEADER) as journal:
        journal.append(unit("k1"))
    assert read_header(tmp_path) == HEADER


def test_a_whole_last_line_that_is_no_unit_is_a_finding_and_stays(run: Path) -> None:
    whole = json.dumps({**unit("k2"), "repeat": "1"}).encode() + b"\n"
    with (run / "journal.jsonl").open("ab") as file:
        file.write(whole)
    held = (run / "journal.jsonl").read_bytes()
    for read in (lambda: parse_journal(run / "journal.jsonl"), lambda: Journal(run, HEADER)):
        with pytest.raises(Findings, match=r"journal\.jsonl:2: cannot be read: repeat"):
            read()
    assert (run / "journal.jsonl").read_bytes() == held


def test_a_run_whose_header_could_not_be_read_again_is_not_begun(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="is not begun"):
        Journal(tmp_path, {**HEADER, "preflight": {"input_tokens": 2**64}})
    assert not (tmp_path / "run.json").exists()


def test_a_file_elsewhere_may_be_read_through_a_link(run: Path, tmp_path: Path) -> None:
    (run / "journal.jsonl").rename(tmp_path / "elsewhere.jsonl")
    (run / "journal.jsonl").symlink_to(tmp_path / "elsewhere.jsonl")
    assert [one["unit_key"] for one in read_run(run).units] == [key("k1")]
