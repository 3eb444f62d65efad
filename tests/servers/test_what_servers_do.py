"""What a server did, and what the run does: every row, and where its test is. Servers are real, over real sockets.

| the server, or what happens | the test |
| --- | --- |
| 200 with an error, or no choices | here; every shape of it in tests/unit/run/respondents/test_openai.py |
| 401, 402, 404 on every call | tests/unit/cli/test_run_over_http.py; credit used up half-way: here |
| 429 in waves, 20 in flight allowed, 64 asked | here |
| Retry-After 0, 90, 3600, a date, garbage | here; finer in test_openai.py |
| never accepts, never answers, stalls in mid-body, drips | test_time_outs.py |
| content null with length, content_filter, a refusal field | test_outcomes.py |
| U+0085, U+2028, NUL, a lone surrogate, 1 MB, </script> | test_hostile_replies.py |
| another model than asked, or one that changes half-way | here |
| the temperature parameter is refused | here |
| kill -9, torn last lines | test_crash.py, which runs benchmarks/crash.py |
| resuming with another configuration | test_other_configuration.py |
| a full disk | test_full_disk.py |
| Ctrl-C and SIGTERM with 64 in flight | test_interrupts.py |
| repeats = 5 | here |
| tokens cached inside or beside, unknown | here |
"""

from __future__ import annotations

import asyncio
import resource
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from driving import Home, units
from misbehaving import Call, Said, Server, completion, good

SHORT = 32  # units of the short form of the pilot bank


@pytest.mark.parametrize("body", [{"error": {"message": "upstream is gone", "code": 502}}, {"choices": None}])
def test_an_error_under_200_is_retried_and_never_read_as_an_answer(home: Home, tmp_path: Path, body: Any) -> None:
    seen: Counter[str] = Counter()

    async def fails_once(call: Call) -> Said:
        seen[call.prompt] += 1
        return (200, body) if seen[call.prompt] == 1 else await good(call)

    with Server(fails_once) as server:
        home.run(server.url, tmp_path / "run", "--concurrency", "32")
    made = units(tmp_path / "run")
    assert {unit["outcome"] for unit in made} == {"valid_at_first"}
    assert [[attempt["transport_retries"] for attempt in unit["attempts"]] for unit in made] == [[1]] * SHORT
    assert seen.total() == 2 * SHORT


def test_an_overload_told_under_200_is_waited_for_like_a_429(home: Home, tmp_path: Path) -> None:
    async def overloaded(call: Call) -> Said:
        if call.server.in_flight > 4:
            return 200, {"error": {"message": "rate limited upstream", "code": 429}}
        await asyncio.sleep(0.01)
        return await good(call)

    with Server(overloaded) as server:
        home.run(server.url, tmp_path / "run", "--concurrency", "32")
    assert [unit["outcome"] for unit in units(tmp_path / "run")] == ["valid_at_first"] * SHORT


def test_when_credit_is_used_up_half_way_what_was_in_flight_is_kept(home: Home, tmp_path: Path) -> None:
    async def paid_for_twenty(call: Call) -> Said:
        if call.number > 20:
            return 402, {"error": {"message": "no credit"}}
        await asyncio.sleep(1.0)
        return await good(call)

    with Server(paid_for_twenty) as server:
        told = home.run(server.url, tmp_path / "run", "--concurrency", "64", code=1)
        assert len([line for line in told.splitlines() if line.startswith("error:")]) == 1
        assert "HTTP 402, no credit is left" in told
        assert len(units(tmp_path / "run")) == 20
        server.behaviour = good
        home.run(server.url, tmp_path / "run", "--resume")
    keys = [unit["unit_key"] for unit in units(tmp_path / "run")]
    assert len(keys) == len(set(keys)) == SHORT


def test_in_a_storm_of_429_all_pause_together_adapt_and_lose_nothing(home: Home, tmp_path: Path) -> None:
    """The server serves 20 at a time; telling the others to wait a second takes it a moment as well."""
    serving, refused, crowds = 0, list[float](), list[tuple[float, int]]()

    async def allows_twenty(call: Call) -> Said:
        nonlocal serving
        crowds.append((time.monotonic(), call.server.in_flight))
        if serving == 20:
            await asyncio.sleep(0.3)
            refused.append(time.monotonic())
            return 429, {"error": {"message": "slow down"}}, {"Retry-After": "1"}
        serving += 1
        await asyncio.sleep(0.2)
        serving -= 1
        return await good(call)

    with Server(allows_twenty) as server:
        home.run(server.url, tmp_path / "run", "--form", "full", "--repeats", "3", "--concurrency", "64")
        made = units(tmp_path / "run")
        calls = len(server.calls)
    assert {unit["outcome"] for unit in made} == {"valid_at_first"}
    assert len(made) == len({unit["unit_key"] for unit in made}) == 288 == calls - len(refused)
    assert len(refused) >= 30, "the first wave asks for 64"
    arrivals = [arrival for arrival, _ in crowds]
    pause = next((n for n, (one, two) in enumerate(pairwise(arrivals), start=1) if two - one > 0.7), None)
    assert pause is not None, "nobody asks during the pause"
    first, later = (max(crowd for _, crowd in part) for part in (crowds[:pause], crowds[pause:]))
    assert first > 44
    assert later <= 32 + 288 // 32, "half as many, and one more after each window of successes"


def test_more_calls_than_the_system_opens_sockets_for_wait(home: Home, tmp_path: Path) -> None:
    async def slow(call: Call) -> Said:
        await asyncio.sleep(0.2)
        return await good(call)

    def few_files() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))

    with Server(slow) as server:
        asking = home.asking(server.url, tmp_path / "run", "--form", "full", "--repeats", "3", "--concurrency", "256")
        process = home.start(*asking, preexec_fn=few_files)
        _, err = process.communicate(timeout=100)
        assert process.returncode == 0 and "Traceback" not in err, err
        assert server.most == 36, "64 are left for other files"
    assert [unit["outcome"] for unit in units(tmp_path / "run")] == ["valid_at_first"] * 288


@pytest.mark.parametrize("value", ["0", "garbage", "-5", "past"])
def test_a_retry_after_that_asks_for_nothing_is_answered_by_our_own_wait(
    home: Home, tmp_path: Path, value: str
) -> None:
    if value == "past":
        value = format_datetime(datetime.now(UTC) - timedelta(hours=1), usegmt=True)

    async def refuses_first(call: Call) -> Said:
        return (429, {}, {"Retry-After": value}) if call.number == 1 else await good(call)

    with Server(refuses_first) as server:
        home.run(server.url, tmp_path / "run")
    assert sum(unit["attempts"][0]["transport_retries"] for unit in units(tmp_path / "run")) == 1


@pytest.mark.parametrize("value", ["90", "3600", "date"])
def test_a_long_retry_after_stops_clearly_and_the_run_can_be_resumed(home: Home, tmp_path: Path, value: str) -> None:
    if value == "date":
        value = format_datetime(datetime.now(UTC) + timedelta(hours=2), usegmt=True)

    async def refuses_later(call: Call) -> Said:
        return (429, {}, {"Retry-After": value}) if call.number > 10 else await good(call)

    with Server(refuses_later) as server:
        told = home.run(server.url, tmp_path / "run", "--concurrency", "4", code=1)
        assert (
            "the server asks to wait" in told
            and "at most 60 s are sat out" in told
            and "go on with: divisionbell run --resume" in told
        )
        assert len(units(tmp_path / "run")) == 10
        server.behaviour = good
        home.run(server.url, tmp_path / "run", "--resume")
    assert [unit["outcome"] for unit in units(tmp_path / "run")] == ["valid_at_first"] * SHORT


def test_a_model_that_changes_half_way_is_recorded_and_warned_of(home: Home, tmp_path: Path) -> None:
    async def changes(call: Call) -> Said:
        late = call.number > 16
        served = {
            "model": "asked-model-b" if late else "asked-model-a",
            "system_fingerprint": "fp_2" if late else "fp_1",
        }
        return 200, completion(call.answer("AB"[call.number % 2]), over=served)

    with Server(changes) as server:
        home.run(server.url, tmp_path / "run")
    attempts = [attempt for unit in units(tmp_path / "run") for attempt in unit["attempts"]]
    assert Counter(attempt["served_model"] for attempt in attempts) == {"asked-model-a": 16, "asked-model-b": 16}
    assert Counter(attempt["fingerprint"] for attempt in attempts) == {"fp_1": 16, "fp_2": 16}
    shown, _ = home.do("runs", "show", str(tmp_path / "run"))
    scored, _ = home.do("score", str(tmp_path / "run"))
    home.do("report", str(tmp_path / "run"), "--out", str(tmp_path / "report.html"))
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "served as asked-model-a (16), asked-model-b (16)" in shown and "fingerprints fp_1 (16), fp_2 (16)" in shown
    assert shown.count("! more than one: it is not certain that one model gave all answers") == 2
    for told in (scored, page):
        assert "2 model names within this run (asked-model-a, asked-model-b)" in told
        assert "2 serving fingerprints within this run (fp_1, fp_2)" in told


def test_another_model_than_asked_for_is_warned_of(home: Home, tmp_path: Path) -> None:
    async def another(call: Call) -> Said:
        return 200, completion(call.answer(), over={"model": "cheap-model\ud800\u001b[31m"})

    with Server(another) as server:
        home.run(server.url, tmp_path / "run")
    shown, _ = home.do("runs", "show", str(tmp_path / "run"))
    assert "served as cheap-model\\ud800\\u001b[31m (32)" in shown and "! the model asked for is asked-model" in shown
    home.do("runs", "show", str(tmp_path / "run"), "--format", "json")
    told, _ = home.do("score", str(tmp_path / "run"))
    assert "the model asked for is asked-model, and the server says that cheap-model?\\u001b[31m answered" in told
    home.do("report", str(tmp_path / "run"), "--out", str(tmp_path / "report.html"))
    assert "cheap-model?" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_refused_temperature_is_left_out_and_told(home: Home, tmp_path: Path) -> None:
    async def picky(call: Call) -> Said:
        if "temperature" in call.asked:
            return 400, {"error": {"message": "Unsupported parameter: 'temperature'", "param": "temperature"}}
        return await good(call)

    with Server(picky) as server:
        home.run(server.url, tmp_path / "run", "--concurrency", "4")
        assert sum("temperature" in call.asked for call in server.calls) <= 4
    attempts = [attempt for unit in units(tmp_path / "run") for attempt in unit["attempts"]]
    assert [attempt["dropped_parameters"] for attempt in attempts] == [["temperature"]] * SHORT
    assert {attempt["transport_retries"] for attempt in attempts} == {0}
    shown, _ = home.do("runs", "show", str(tmp_path / "run"))
    assert "the server refused temperature: its own default held" in shown
    told, _ = home.do("score", str(tmp_path / "run"))
    assert "The server refuses temperature: there the provider's default held" in told


def test_five_repeats_are_five_draws(home: Home, tmp_path: Path) -> None:
    draws: Counter[str] = Counter()

    async def alternates(call: Call) -> Said:
        draws[call.prompt] += 1
        return 200, completion(call.answer("AB"[draws[call.prompt] % 2]))

    with Server(alternates) as server:
        home.run(server.url, tmp_path / "run", "--repeats", "5")
    assert len(draws) == SHORT and set(draws.values()) == {5}
    by_prompt: dict[tuple[str, str], list[str]] = {}
    for unit in units(tmp_path / "run"):
        by_prompt.setdefault((unit["asked_item"], unit["asked_order"]), []).append(unit["answer"])
    assert {tuple(sorted(answers)) for answers in by_prompt.values()} == {("A", "A", "B", "B", "B")}
    assert len({unit["unit_key"] for unit in units(tmp_path / "run")}) == 5 * SHORT


def test_tokens_are_right_whichever_way_they_are_counted_and_unknown_is_left_out(home: Home, tmp_path: Path) -> None:
    inside = {"prompt_tokens": 250, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 200}}
    beside = {"prompt_tokens": 50, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 200}}

    async def counts(call: Call) -> Said:
        usage = (inside, beside, None, {"prompt_tokens": None})[call.number % 4]
        return 200, completion(call.answer(), over={} if usage is None else {"usage": usage})

    with Server(counts) as server:
        home.run(server.url, tmp_path / "run")
    told = Counter(
        tuple(unit["attempts"][0].get(f"{kind}_tokens") for kind in ("input", "cached", "output"))
        for unit in units(tmp_path / "run")
    )
    assert told == {(250, 200, 20): SHORT // 2, (None, None, None): SHORT // 2}
