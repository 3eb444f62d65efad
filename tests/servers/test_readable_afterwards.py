"""Whatever a server says and a person types: a run that was paid for can be read; one that could not is not begun."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from driving import Home, units
from misbehaving import Call, Said, Server, completion, good

HUGE = "1" + "0" * 400


@pytest.mark.parametrize("count", [HUGE, str(2**64 - 1), str(2**63)])
def test_counts_that_are_none_are_unknown_and_the_run_is_scored(home: Home, tmp_path: Path, count: str) -> None:
    async def boasts(call: Call) -> Said:
        told = completion(call.answer(), over={"usage": {"prompt_tokens": 777, "completion_tokens": 777}})
        return 200, json.dumps(told).replace(": 777", f": {count}").encode()

    out = tmp_path / "run"
    with Server(boasts) as server:
        base = ("--base-url", server.url, "--form", "short", "--out", str(out))
        _, told = home.do("run", "openai:asked-model", *base)
    assert "from characters / 4" in told
    assert not any("input_tokens" in unit["attempts"][0] for unit in units(out))
    for arguments in (("score", str(out)), ("runs", "verify", str(out)), ("runs", "show", str(out))):
        home.do(*arguments)


def test_a_log_probability_that_is_no_float_is_left_out(home: Home, tmp_path: Path) -> None:
    async def certain(call: Call) -> Said:
        told = completion(call.answer())
        tops = [{"token": "A", "logprob": -777}, {"token": "B", "logprob": -2}]
        told["choices"][0]["logprobs"] = {
            "content": [{"token": piece, "logprob": -1, "top_logprobs": tops} for piece in call.answer()]
        }
        return 200, json.dumps(told).replace("-777", f"-{HUGE}").encode()

    with Server(certain) as server:
        home.run(server.url, tmp_path / "run", "--logprobs")
    for unit in units(tmp_path / "run"):
        assert unit["attempts"][0]["answer_token_logprobs"] == [{"logprob": -2.0, "token": "B"}]
    home.do("score", str(tmp_path / "run"))


@pytest.mark.parametrize(
    "arguments",
    [
        ("openai: m ",),
        ("openai:m\nx",),
        ("openai:m", "--reasoning-tags", " <think>", "</think>"),
        ("openai:m", "--max-tokens", str(2**60)),
        ("openai:m", "--reasoning-tokens", HUGE),
    ],
)
def test_what_no_header_could_hold_is_refused_before_anything_is_paid_for(
    home: Home, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    with Server(good) as server:
        base = ("--base-url", server.url, "--form", "short", "--out", str(tmp_path / "run"))
        home.do("run", *arguments, *base, code=2)
        assert server.calls == []
    assert not (tmp_path / "run").exists()
