"""The journal: whole or not there, torn lines, one writer, transport failures giving way, runs killed and resumed."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from divisionbell.diagnostics import Findings, UsageProblem
from divisionbell.run.find_runs import read_run
from divisionbell.run.journal import Journal, latest, line_of, parse_journal, read_header


def key(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def unit(name: str, outcome: str = "malformed") -> dict[str, Any]:
    """A unit that fits the schema, with a reply that is hard to keep on one line."""
    attempt = {
        "attempt_number": 1,
        "turns": [{"turn_role": "user", "content": "x"}],
        "turns_sha256": "0" * 64,
        "reply_text": "a\u2028b\u0085c\x00d\ud800e",
        "reading": "no_json",
        "transport_retries": 0,
    }
    return {
        "unit_key": key(name),
        "asked_item": "q2345abc",
        "asked_dossier": "commons-1",
        "asked_order": "negative_at_a",
        "stored_order": True,
        "repeat": 1,
        "outcome": outcome,
        "attempts": [attempt],
        "finished_at": "2026-01-01T00:00:00Z",
    }


HEADER = {
    "run_id": "r",
    "run_schema_version": "0.1.0",
    "respondent": "scripted:coin",
    "constrained": False,
    "settings": {},
    "bank_version": "0.1.0",
    "bank_sha256": "0" * 64,
    "form": "short",
    "repeats": 1,
    "template_sha256": "0" * 64,
    "parser_used": "strict_json_v1",
    "unit_count": 2,
    "not_administered_count": 0,
    "started_at": "2026-01-01T00:00:00Z",
    "software": [],
}


def test_awkward_text_stays_on_its_line(tmp_path: Path) -> None:
    with Journal(tmp_path, HEADER) as journal:
        journal.append(unit("k1"))
        journal.append(unit("k2"))
    units, whole = parse_journal(tmp_path / "journal.jsonl")
    assert units == [unit("k1"), unit("k2")]
    assert whole == (tmp_path / "journal.jsonl").stat().st_size


@pytest.mark.parametrize("torn", [b'{"unit_key":"k2","outc', b'{"unit_key":"k2"', b"\x00\x00\x00", b'{"a":1\n'])
def test_a_torn_last_line_is_cut_off_before_going_on(tmp_path: Path, torn: bytes) -> None:
    with Journal(tmp_path, HEADER) as journal:
        journal.append(unit("k1"))
    with (tmp_path / "journal.jsonl").open("ab") as file:
        file.write(torn)
    with Journal(tmp_path, {**HEADER, "run_id": "other"}) as journal:
        assert list(journal.standing) == [key("k1")]
        journal.append(unit("k2"))
    assert [u["unit_key"] for u in parse_journal(tmp_path / "journal.jsonl")[0]] == [key("k1"), key("k2")]
    assert (read_header(tmp_path) or {})["run_id"] == "r"


def test_a_broken_line_before_the_last_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(line_of(unit("k1")) + b"{broken\n" + line_of(unit("k2")))
    with pytest.raises(Findings, match=":2: cannot be read"):
        parse_journal(path)


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    with Journal(tmp_path, HEADER), pytest.raises(UsageProblem, match="another process"):
        Journal(tmp_path, HEADER)


def test_a_transport_failure_gives_way_and_an_answer_does_not() -> None:
    standing = latest([unit("k", "transport_failed"), unit("k", "malformed")])
    assert standing[key("k")]["outcome"] == "malformed"
    with pytest.raises(Findings, match="stands twice"):
        latest([unit("k", "malformed"), unit("k")])


def divisionbell(*arguments: str, **more: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "divisionbell", *arguments], **more)


def answers(folder: Path) -> dict[str, tuple[str, str | None]]:
    return {u["unit_key"]: (u["outcome"], u.get("answer")) for u in read_run(folder).units}


def begun(folder: Path) -> tuple[str, ...]:
    """A kill can come before there is anything to go on with."""
    return ("--resume",) if (folder / "run.json").exists() else ()


def test_a_run_killed_and_resumed_equals_an_unbroken_one(bank_folder: Path, tmp_path: Path) -> None:
    """Kill -9 at random moments, a torn line now and then, and resume until it is complete."""
    common = ("scripted:coin", "--repeats", "5", "--bank", str(bank_folder))
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    assert divisionbell("run", *common, "--out", str(tmp_path / "whole"), **quiet).wait() == 0
    broken = tmp_path / "broken"
    chance = random.Random(7)
    kills = 0
    for _ in range(12):
        process = divisionbell("run", *common, *begun(broken), "--out", str(broken), **quiet)
        journal = broken / "journal.jsonl"
        before = journal.stat().st_size if journal.exists() else 0
        deadline = time.monotonic() + 20
        while process.poll() is None and time.monotonic() < deadline:
            if journal.exists() and journal.stat().st_size > before:
                time.sleep(chance.uniform(0, 0.02))
                break
            time.sleep(0.001)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            kills += 1
        process.wait()
        if chance.random() < 0.5:
            with journal.open("ab") as file:
                file.write(b'{"unit_key":"half')
    assert kills >= 3
    assert divisionbell("run", *common, "--resume", "--out", str(broken), **quiet).wait() == 0
    lines = [json.loads(line) for line in (broken / "journal.jsonl").read_bytes().splitlines()]
    assert len(lines) == len({line["unit_key"] for line in lines})
    assert answers(broken) == answers(tmp_path / "whole")


def test_resuming_a_complete_run_does_nothing(bank_folder: Path, tmp_path: Path) -> None:
    place = ("--bank", str(bank_folder), "--out", str(tmp_path))
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    assert divisionbell("run", "scripted:always-a", "--form", "short", *place, **quiet).wait() == 0
    before = (tmp_path / "journal.jsonl").read_bytes()
    assert divisionbell("run", "--resume", *place, **quiet).wait() == 0
    assert (tmp_path / "journal.jsonl").read_bytes() == before


def test_another_configuration_is_refused_by_name(bank_folder: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    base = ("--bank", str(bank_folder), "--form", "short")
    assert divisionbell("run", "scripted:coin", *base, "--out", out, stdout=subprocess.DEVNULL).wait() == 0
    for changed, name in (
        (("scripted:always-a", *base), "respondent"),
        (("scripted:coin", "--bank", str(bank_folder), "--form", "full"), "form"),
        (("scripted:coin", *base, "--repeats", "2"), "repeats"),
    ):
        process = divisionbell(
            "run", *changed, "--resume", "--out", out, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
        )
        _, told = process.communicate()
        assert process.returncode == 2
        assert f"another {name}:" in told.decode()


def test_a_run_is_never_written_over(bank_folder: Path, tmp_path: Path) -> None:
    common = ("run", "scripted:coin", "--form", "short", "--bank", str(bank_folder), "--out", str(tmp_path / "r"))
    assert divisionbell(*common, stdout=subprocess.DEVNULL).wait() == 0
    process = divisionbell(*common, stderr=subprocess.PIPE)
    _, told = process.communicate()
    assert process.returncode == 2
    assert b"holds a run" in told


def test_a_full_disk_is_told_and_what_was_written_stays(bank_folder: Path, tmp_path: Path) -> None:
    """/dev/full takes no byte: the journal's own path is made to lead there after some units were written."""
    code = (
        "import json, sys; from pathlib import Path; from divisionbell.run.journal import Journal\n"
        "from divisionbell.diagnostics import Incomplete\n"
        "header, one, two = (json.loads(text) for text in sys.argv[2:])\n"
        "with Journal(Path(sys.argv[1]), header) as j:\n"
        "    j.append(one)\n"
        "    j._file.close(); j._file = open('/dev/full', 'ab', buffering=0)\n"
        "    try: j.append(two)\n"
        "    except Incomplete as e: print(e.message)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path), *map(json.dumps, (HEADER, unit("k1"), unit("k2")))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "No space left on device" in done.stdout
    assert [u["unit_key"] for u in parse_journal(tmp_path / "journal.jsonl")[0]] == [key("k1")]
