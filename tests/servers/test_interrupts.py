"""Ctrl-C and SIGTERM with 64 requests in flight: acknowledged, what was answered is kept, exit 130, resumable."""

from __future__ import annotations

import asyncio
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
