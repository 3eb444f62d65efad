"""Servers that keep silent in every way. Limits are short here: the respondent is given them, not the command."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from driving import Home, units
from misbehaving import Behaviour, Call, Said, Server, completion, good

from divisionbell.diagnostics import Incomplete
from divisionbell.freeze.frozen_bank import FrozenBank, read_frozen
from divisionbell.run.administer import administer, header, plan
from divisionbell.run.group_commit import GroupCommit
from divisionbell.run.journal import Journal
from divisionbell.run.respondents.openai import OpenAI
from divisionbell.run.respondents.transport import Limits

SHORT_LIMITS: dict[str, Any] = {
    "connect_seconds": 0.3,
    "read_seconds": 0.3,
    "attempt_seconds": 0.6,
    "retry_seconds": 0.5,
    "first_backoff_seconds": 0.05,
    "few_retries": 1,
}


@pytest.fixture(scope="module")
def bank(home: Home) -> FrozenBank:
    return read_frozen(home.folder / "bank" / "freeze", "0.1.0")


def asked(bank: FrozenBank, url: str, out: Path, concurrency: int = 16, **limits: Any) -> OpenAI:
    """Administer the short form with a journal, as the command does."""
    respondent = OpenAI("asked-model", url, limits=Limits(**(SHORT_LIMITS | limits)))
    planned = plan(bank, respondent, "short", 1)

    async def main() -> None:
        try:
            async with GroupCommit(journal) as commit:
                wanted = [unit for unit in planned if unit.key not in journal.standing]
                await administer(bank, respondent, wanted, commit.put, concurrency)
        finally:
            await respondent.close()

    with Journal(out, header(bank, respondent, "short", 1, "r", planned)) as journal:
        asyncio.run(main())
    return respondent


async def never(call: Call) -> Said:
    await asyncio.sleep(30)
    return await good(call)


async def stalls(call: Call) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(call.http)
    await response.write(b'{"choices":')
    await asyncio.sleep(30)
    return response


async def drips(call: Call) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(call.http)
    for _ in range(600):
        await response.write(b" ")
        await asyncio.sleep(0.05)
    return response


@pytest.mark.parametrize("behaviour", [never, stalls, drips])
def test_silence_ends_the_run_and_every_failure_is_recorded(
    bank: FrozenBank, tmp_path: Path, behaviour: Behaviour
) -> None:
    with Server(behaviour) as server:
        with pytest.raises(Incomplete, match="stopped after 10 units in a row did not reach the respondent: timed out"):
            asked(bank, server.url, tmp_path)
        made = units(tmp_path)
        assert 10 <= len(made) <= 26, "at most those in flight besides"
        assert {unit["outcome"] for unit in made} == {"transport_failed"}
        assert all(unit["attempts"][0]["transport_error"].startswith("timed out") for unit in made)
        assert not any("asked_at" in attempt for unit in made for attempt in unit["attempts"])


def test_a_server_that_is_slow_with_many_and_quick_with_few_gets_few(bank: FrozenBank, tmp_path: Path) -> None:
    async def slow_when_full(call: Call) -> Said:
        await asyncio.sleep(1.5 if call.server.in_flight > 6 else 0.02)
        return await good(call)

    with Server(slow_when_full) as server:
        slow = {"read_seconds": 0.8, "attempt_seconds": 0.8, "longest_backoff_seconds": 0.2, "retry_seconds": 30.0}
        respondent = asked(bank, server.url, tmp_path, concurrency=32, **slow)
    assert [unit["outcome"] for unit in units(tmp_path)] == ["valid_at_first"] * 32
    assert respondent._transport.pace.limit <= 16


@contextmanager
def accepts_nobody() -> Iterator[str]:
    """An address whose queue of connections is full: the system answers no further one, as a dead host would not."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(listening.getsockname())
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        finally:
            for one in waiting:
                one.close()


def test_a_host_that_takes_no_connection_stops_the_run_soon(bank: FrozenBank, tmp_path: Path) -> None:
    with accepts_nobody() as url, pytest.raises(Incomplete, match="cannot be reached: timed out") as caught:
        asked(bank, url, tmp_path, retry_seconds=60.0)
    assert "check the address" in caught.value.fix
    assert units(tmp_path) == []


def test_the_command_says_what_is_missing_and_goes_on_later(home: Home, tmp_path: Path) -> None:
    """The real command in a process whose limits are short; it has no option and no variable for them."""
    code = (
        "import functools; from divisionbell.run.respondents import openai\n"
        f"openai.Limits = functools.partial(openai.Limits, **{SHORT_LIMITS!r})\n"
        "from divisionbell.__main__ import main; main()\n"
    )

    async def silent_after_six(call: Call) -> Said:
        if call.number > 6:
            await asyncio.sleep(30)
        return await good(call)

    out = tmp_path / "run"
    with Server(silent_after_six) as server:
        process = home.start(*home.asking(server.url, out, "--concurrency", "4"), program=("-c", code))
        _, err = process.communicate(timeout=60)
        assert process.returncode == 1 and "Traceback" not in err
        assert "did not reach the respondent: timed out" in err and "--resume --failed" in err
        failed = [unit for unit in units(out) if unit["outcome"] == "transport_failed"]
        assert len(units(out)) - len(failed) == 6 and len(failed) >= 10
        _, scored = home.do("score", str(out), code=2)
        assert "--resume" in scored
        server.behaviour = good
        home.run(server.url, out, "--resume", "--failed")
    standing = {unit["unit_key"]: unit["outcome"] for unit in units(out)}
    assert list(standing.values()) == ["valid_at_first"] * 32
    assert len(units(out)) == 32 + len(failed)


def test_what_has_come_through_restarts_the_patience_of_all(bank: FrozenBank, tmp_path: Path) -> None:
    """With 2 of 32 let in at a time the whole takes several times the budget of one call; none is given up."""

    async def lets_two_in(call: Call) -> Said:
        if call.server.in_flight > 2:
            return 503, {"error": "full"}
        await asyncio.sleep(0.25)
        return 200, completion(call.answer())

    patient = {"connect_seconds": 10.0, "read_seconds": 10.0, "attempt_seconds": 10.0, "longest_backoff_seconds": 0.5}
    with Server(lets_two_in) as server:
        asked(bank, server.url, tmp_path, concurrency=32, retry_seconds=3.0, **patient)
        assert server.arrivals[-1] - server.arrivals[0] > 3.0
    assert [unit["outcome"] for unit in units(tmp_path)] == ["valid_at_first"] * 32
