"""Ctrl-C and SIGTERM with 64 requests in flight: acknowledged, what was answered is kept, exit 130, resumable."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest
from driving import Home, units
from misbehaving import Call, Said, Server, completion, good

ANSWERED = 40


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_with_64_in_flight(home: Home, tmp_path: Path, number: signal.Signals) -> None:
    async def answers_some(call: Call) -> Said:
        if call.number > ANSWERED:
            await asyncio.sleep(60)
        return await good(call)

    out = tmp_path / "run"
    journal = out / "journal.jsonl"
    with Server(answers_some) as server:
        process = home.start(*home.asking(server.url, out, "--form", "full", "--repeats", "2", "--concurrency", "64"))
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (
            server.in_flight == 64 and journal.read_bytes().count(b"\n") == ANSWERED
        ):
            time.sleep(0.01)
        assert server.in_flight == 64
        sent = time.monotonic()
        process.send_signal(number)
        assert process.stderr is not None
        acknowledged = process.stderr.readline()
        waited = time.monotonic() - sent
        out_text, err = process.communicate(timeout=20)
        ended = time.monotonic() - sent
        assert acknowledged == "interrupted: what was answered is kept\n"
        assert waited < 1 and ended < 5
        assert process.returncode == 130
        assert "Traceback" not in err and f"{ANSWERED} of 192 units" in out_text and "--resume" in err
        kept = units(out)
        assert len(kept) == ANSWERED
        server.behaviour = good
        before = len(server.calls)
        home.run(server.url, out, "--form", "full", "--repeats", "2", "--resume")
        assert len(server.calls) - before == 192 - ANSWERED
    made = units(out)
    assert made[:ANSWERED] == kept
    assert len({unit["unit_key"] for unit in made}) == len(made) == 192


def test_a_second_ctrl_c_while_the_first_is_carried_out_changes_nothing(home: Home, tmp_path: Path) -> None:
    async def slow(call: Call) -> Said:
        await asyncio.sleep(0 if call.number <= 5 else 60)
        return 200, completion(call.answer())

    journal = tmp_path / "run" / "journal.jsonl"
    with Server(slow) as server:
        process = home.start(*home.asking(server.url, tmp_path / "run", "--concurrency", "8"))
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (journal.exists() and journal.read_bytes().count(b"\n") == 5):
            time.sleep(0.01)
        for _ in range(3):
            process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert err.count("interrupted") == 1 and "Traceback" not in err
    assert len(units(tmp_path / "run")) == 5


def test_ctrl_c_ends_a_run_whose_reader_was_ended_by_it_as_well(home: Home, tmp_path: Path) -> None:
    """As in `divisionbell run … 2>&1 | tee log`: the same Ctrl-C ends tee."""

    async def slow(call: Call) -> Said:
        await asyncio.sleep(0 if call.number <= 5 else 60)
        return 200, completion(call.answer())

    journal = tmp_path / "run" / "journal.jsonl"
    reads, writes = os.pipe()
    with Server(slow) as server:
        process = home.start(*home.asking(server.url, tmp_path / "run"), stdout=writes, stderr=writes)
        os.close(writes)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (journal.exists() and journal.read_bytes().count(b"\n") == 5):
            time.sleep(0.01)
        os.close(reads)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
    assert len(units(tmp_path / "run")) == 5


def test_a_run_whose_progress_nobody_takes_goes_on(home: Home, tmp_path: Path) -> None:
    async def unhurried(call: Call) -> Said:
        await asyncio.sleep(0.7)  # long enough that progress is told
        return await good(call)

    with Server(unhurried) as server, Path("/dev/full").open("w") as full:
        process = home.start(*home.asking(server.url, tmp_path / "run", "--concurrency", "8"), stderr=full)
        told, _ = process.communicate(timeout=60)
    assert process.returncode == 0 and "32 of 32 units" in told
    assert len(units(tmp_path / "run")) == 32
