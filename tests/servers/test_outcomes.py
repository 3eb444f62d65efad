"""The outcomes are kept apart, the one reminder is a further turn, transport retries are no matter of scoring."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from driving import Home, units
from misbehaving import Call, Said, Server, completion

REMINDER = (
    "Return only the requested JSON object with the same item_id and one allowed answer. Do not explain or reconsider "
    "the substance."
)
KINDS = ("first", "retry", "malformed", "blocked", "refusal", "cut off", "no content", "not obtained")


def kind_of(prompt: str) -> str:
    """One of the kinds, by the prompt: the same whenever it is asked."""
    return KINDS[sum(prompt.encode()) % len(KINDS)]


async def every_kind(call: Call) -> Said:
    kind = kind_of(call.prompt)
    if kind == "not obtained":
        return 400, {"error": {"message": "the prompt is broken in a way that is not mended by asking again"}}
    if kind == "blocked":
        return 200, completion(None, "content_filter")
    if kind == "refusal":
        return 200, completion(None, "stop", refusal="I cannot help with that.")
    if kind in ("cut off", "no content"):
        return 200, completion(None if kind == "no content" else '{"item_id":', "length")
    if kind == "malformed" or (kind == "retry" and not call.reminded):
        return 200, completion(f"I choose A for {call.item}.")
    return 200, completion(call.answer())


OUTCOME = {
    "first": "valid_at_first",
    "retry": "valid_after_retry",
    "malformed": "malformed",
    "blocked": "blocked",
    "refusal": "blocked",
    "cut off": "cut_off",
    "no content": "cut_off",
    "not obtained": "transport_failed",
}


def prompt_of(unit: dict[str, Any]) -> str:
    return str(unit["attempts"][0]["turns"][1]["content"])


def test_every_outcome_is_its_own_and_failed_alone_is_asked_again(home: Home, tmp_path: Path) -> None:
    out = tmp_path / "run"
    with Server(every_kind) as server:
        home.run(server.url, out, "--form", "full", "--concurrency", "4", code=1)
        first = units(out)
        kinds = Counter(kind_of(prompt_of(unit)) for unit in first)
        assert len(first) == 96 and set(kinds) == set(KINDS)
        for unit in first:
            assert unit["outcome"] == OUTCOME[kind_of(prompt_of(unit))]
        asked = Counter(kind_of(call.prompt) for call in server.calls)
        twice = {"retry", "malformed"}
        assert asked == {kind: count * (2 if kind in twice else 1) for kind, count in kinds.items()}
        _, told = home.do("score", str(out), code=2)
        assert "--resume --failed" in told

        before = len(server.calls)
        told = home.run(server.url, out, "--form", "full", "--resume", code=1)
        assert len(server.calls) == before, "without --failed nothing is missing"
        assert f"0 units missing, {kinds['not obtained']} not reached" in told

        server.behaviour = recovered
        home.run(server.url, out, "--form", "full", "--resume", "--failed")
        assert {kind_of(call.prompt) for call in server.calls[before:]} == {"not obtained"}
        assert len(server.calls) - before == kinds["not obtained"]
    assert units(out)[: len(first)] == first
    home.do("runs", "verify", str(out))
    home.do("score", str(out))


def test_a_malformed_first_reply_is_kept_where_only_its_reminder_was_not_reached(home: Home, tmp_path: Path) -> None:
    """What is asked again is the reminder: a first answer is given once, also when the run is broken off behind it."""
    out = tmp_path / "run"

    async def lost_when_reminded(call: Call) -> Said:
        if call.reminded and sum(call.prompt.encode()) % 5 == 0:
            return 400, {"error": {"message": "the line was cut"}}
        return 200, completion(call.answer("A") if call.reminded else f"I choose A for {call.item}.")

    with Server(lost_when_reminded) as server:
        home.run(server.url, out, "--concurrency", "4", code=1)
        first = {unit["unit_key"]: unit for unit in units(out)}
        lost = {key for key, unit in first.items() if unit["outcome"] == "transport_failed"}
        assert 0 < len(lost) < len(first)
        given = ("--base-url", server.url, "--out", str(out))
        told, _ = home.do("run", "--resume", "--failed", *given, "--dry-run")
        assert told.count("the reminder after the malformed reply that is there") == len(lost)
        assert told.count(REMINDER) == len(lost)
        assert f"calls: {len(lost)} at least, {len(lost)} at most" in told

        before = len(server.calls)
        server.behaviour = recovered
        home.run(server.url, out, "--resume", "--failed")
        again = server.calls[before:]
        assert len(again) == len(lost)
        assert all(call.asked["messages"][2]["content"] == f"I choose A for {call.item}." for call in again)
    added = units(out)[len(first) :]
    assert {unit["unit_key"] for unit in added} == lost
    for unit in added:
        assert unit["outcome"] == "valid_after_retry"
        assert unit["attempts"][0] == first[unit["unit_key"]]["attempts"][0]
        assert [attempt["attempt_number"] for attempt in unit["attempts"]] == [1, 2]
    home.do("runs", "verify", str(out))
    home.do("score", str(out))


def test_no_reminder_is_paid_for_where_the_first_attempt_does_not_hold(home: Home, tmp_path: Path) -> None:
    out = tmp_path / "run"

    async def lost_when_reminded(call: Call) -> Said:
        if call.reminded and sum(call.prompt.encode()) % 5 == 0:
            return 400, {"error": {"message": "the line was cut"}}
        return 200, completion(call.answer("A") if call.reminded else "I choose A.")

    with Server(lost_when_reminded) as server:
        home.run(server.url, out, "--concurrency", "4", code=1)
        journal = out / "journal.jsonl"
        lines = journal.read_bytes().splitlines(keepends=True)
        at = next(n for n, line in enumerate(lines) if b'"transport_failed"' in line)
        before = len(server.calls)
        for old, new in (
            (b'"I choose A."', b'"I chose A."'),  # then the reminder was not sent after this reply
            (b'"attempt_number":1', b'"attempt_number":2'),
            (b"You are answering", b"You are now answering"),
        ):
            assert old in lines[at]
            journal.write_bytes(b"".join([*lines[:at], lines[at].replace(old, new, 1), *lines[at + 1 :]]))
            told = home.run(server.url, out, "--resume", "--failed", code=1)
            assert "restore the journal" in told and "runs verify" in told
            assert len(server.calls) == before


async def recovered(call: Call) -> Said:
    return 200, completion(call.answer("B"))


def test_the_reminder_is_a_further_turn_of_the_same_conversation_word_for_word(home: Home, tmp_path: Path) -> None:
    with Server(every_kind) as server:
        home.run(server.url, tmp_path / "run", "--concurrency", "4", code=1)
        reminded = [call.asked["messages"] for call in server.calls if call.reminded]
        plain = {call.prompt: call.asked["messages"] for call in server.calls if not call.reminded}
    assert reminded
    for turns in reminded:
        assert turns[:2] == plain[turns[1]["content"]]
        assert turns[2]["role"] == "assistant" and turns[2]["content"].startswith("I choose A for q")
        assert turns[3] == {"role": "user", "content": REMINDER}
        assert len(turns) == 4


@pytest.mark.parametrize("failures", [0, 2])
def test_transport_retries_change_no_outcome_and_no_score(home: Home, tmp_path: Path, failures: int) -> None:
    """Each call fails as often, each first reply is malformed: attempts and scores are those of a server that works."""
    seen: Counter[tuple[str, bool]] = Counter()

    async def fails(call: Call) -> Said:
        seen[call.prompt, call.reminded] += 1
        if seen[call.prompt, call.reminded] <= failures:
            return 500, {"error": "try again"}
        return 200, completion(call.answer("AB"[len(call.prompt) % 2]) if call.reminded else "A")

    with Server(fails) as server:
        home.run(server.url, tmp_path / "run", "--concurrency", "32")
    made = units(tmp_path / "run")
    assert {unit["outcome"] for unit in made} == {"valid_after_retry"}
    for unit in made:
        assert [attempt["attempt_number"] for attempt in unit["attempts"]] == [1, 2]
        assert [attempt["transport_retries"] for attempt in unit["attempts"]] == [failures, failures]
    scored, _ = home.do("score", str(tmp_path / "run"), "--format", "json")
    named = {estimate["name"]: estimate.get("value") for estimate in json.loads(scored)["estimates"]}
    assert (named["parse.initial_rate"], named["parse.final_rate"]) == (0.0, 1.0)


def test_the_time_recorded_is_that_of_the_attempt_that_was_answered(home: Home, tmp_path: Path) -> None:
    async def answers_late(call: Call) -> Said:
        return (503, {}, {"Retry-After": "2"}) if call.number == 1 else (200, completion(call.answer()))

    with Server(answers_late) as server:
        home.run(server.url, tmp_path / "run", "--concurrency", "1")
    attempts = [unit["attempts"][0] for unit in units(tmp_path / "run")]
    header = json.loads((tmp_path / "run" / "run.json").read_text())
    started, asked = (datetime.fromisoformat(text) for text in (header["started_at"], attempts[0]["asked_at"]))
    assert attempts[0]["transport_retries"] == 1 and (asked - started).total_seconds() >= 2
    assert all(attempt["asked_at"].endswith("Z") for attempt in attempts)
    assert [attempt["asked_at"] for attempt in attempts] == sorted(attempt["asked_at"] for attempt in attempts)
