"""How a run that ended early says what was kept, why, and how it goes on; and how it then goes on."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from driving import KEY, Home, units
from misbehaving import Call, Said, Server, good


def advised(told: str) -> list[str]:
    """The arguments of the command that the last line advises."""
    line = told.strip().splitlines()[-1]
    return shlex.split(line.partition("go on with: ")[2])[1:]


def test_the_advice_is_the_command_and_the_reasons_are_told(home: Home, tmp_path: Path) -> None:
    out, mended = tmp_path / "my run", False

    async def some_fail(call: Call) -> Said:
        return (400, {"error": {"message": "exploded"}}) if call.number % 8 == 3 and not mended else await good(call)

    with Server(some_fail) as server:
        options = ("--temperature", "0.5", "--repeats", "2", "--concurrency", "1")
        told = home.run(server.url, out, *options, code=1)
        assert "  not reached: HTTP 400: exploded (8)\n" in told
        assert "not reached: HTTP 400: exploded (8)" in home.do("runs", "show", str(out))[0]
        arguments = advised(told)
        assert arguments == ["run", "--resume", "--failed", "--base-url", server.url, "--out", str(out)]
        mended = True
        home.do(*arguments)
        assert {call.asked["temperature"] for call in server.calls} == {0.5}
    assert len({unit["unit_key"] for unit in units(out)}) == 64
    told, _ = home.do("runs", "show", str(out))
    assert "64 of 64 units: 64 valid at first" in told


def test_a_run_that_stops_itself_says_where_what_was_kept_is(home: Home, tmp_path: Path) -> None:
    async def revoked(call: Call) -> Said:
        return (401, {"error": {"message": "revoked"}}) if call.number > 10 else await good(call)

    with Server(revoked) as server:
        place = ("--base-url", server.url, "--concurrency", "1", *home.no_preflight)
        said, told = home.do("run", "openai:asked-model", "--form", "short", *place, code=1)
        folder = home.folder / said.partition(":")[0]
        assert "openai:asked-model, 10 of 32 units: 10 valid at first" in said
        assert "error: openai:asked-model at" in told and "HTTP 401, the key is missing or refused (revoked)" in told
        assert "fix: check the key: " in told and "; then go on with: divisionbell run --resume" in told
        assert home.folder / advised(told)[-1] == folder
        server.behaviour = good
        home.do(*advised(told))
    assert len(units(folder)) == 32


def test_a_name_without_a_run_begins_nothing(home: Home, tmp_path: Path) -> None:
    with Server(good) as server:
        for more in ((), ("--dry-run",)):
            told = home.run(server.url, tmp_path / "mistyped", "--resume", *more, code=2)
            assert "is no run, so there is nothing to go on with" in told and "runs list" in told
        home.run(server.url, tmp_path / "runs" / "one")
        asked = len(server.calls)
        told = home.run(server.url, tmp_path / "runs", "--resume", code=2)
        assert f"holds runs and is none itself\n  fix: name one of them: --out {tmp_path / 'runs' / 'one'}" in told
        assert len(server.calls) == asked
    assert not (tmp_path / "mistyped").exists()


def test_no_key_is_sent_to_an_address_that_only_the_folder_names(home: Home, tmp_path: Path) -> None:
    out = tmp_path / "run"

    async def five(call: Call) -> Said:
        return (402, {}) if call.number > 5 else await good(call)

    with Server(five) as server:
        home.run(server.url, out, "--concurrency", "1", code=1)
        header = json.loads((out / "run.json").read_text())
        with Server(good) as thief:
            (out / "run.json").write_text(
                json.dumps(header | {"settings": header["settings"] | {"base_url": thief.url}})
            )
            _, told = home.do("run", "--resume", "--out", str(out), code=2)
            assert f"asked at {thief.url}, and a key would be sent there" in told and KEY not in told
            assert thief.calls == []


def test_a_shard_with_other_options_than_its_neighbour_is_not_asked(home: Home, tmp_path: Path) -> None:
    with Server(good) as server:
        home.run(server.url, tmp_path / "big", "--shard", "1/2")
        asked = len(server.calls)
        told = home.run(server.url, tmp_path / "big", "--shard", "2/2", "--temperature", "0.5", code=2)
        assert "shard-1-of-2 was started with another temperature: 0.0 there, 0.5 now" in told
        assert len(server.calls) == asked
        home.run(server.url, tmp_path / "big", "--shard", "2/2")
        _, told = home.do("run", "--resume", "--base-url", server.url, "--out", str(tmp_path / "big" / "shard-2-of-2"))
        assert len(server.calls) == 32
    assert "asking" not in told


def test_a_dry_run_of_what_is_left(home: Home, tmp_path: Path) -> None:
    out = tmp_path / "run"

    async def half(call: Call) -> Said:
        return (402, {}) if call.number > 16 else await good(call)

    with Server(half) as server:
        home.run(server.url, out, "--concurrency", "1", code=1)
        said, _ = home.do("run", "--resume", "--base-url", server.url, "--out", str(out), "--dry-run")
        assert said.count("Return only a JSON object with this item_id") == 16
        assert ": 16 units to ask, 0 not administered" in said
        assert len(server.calls) == 17


@pytest.mark.parametrize("arguments", [(), ("runs",), ("batch",), ("export",)])
def test_a_group_without_a_verb_shows_its_help(home: Home, arguments: tuple[str, ...]) -> None:
    _, told = home.do(*arguments, code=2)
    assert told.startswith("Usage: divisionbell") and "\nCommands:\n" in told and "\\u000a" not in told


def test_what_a_form_is_good_for_is_told_before_anything_is_paid_for(home: Home, tmp_path: Path) -> None:
    arguments = ("run", "scripted:coin", "--dry-run")
    said, _ = home.do(*arguments, "--form", "short")
    assert "form short: 16 items, a trial: no position can be read from it, since economic has 4 of the 12" in said
    said, told = home.do("run", "openai:m", "--form", "short", "--out", str(tmp_path / "run"), "--resume", code=2)
    assert "no run" in told and said == ""
