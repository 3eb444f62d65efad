"""The lines of batch files, as each provider documents them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from divisionbell.diagnostics import UsageProblem
from divisionbell.run.batch_formats import FORMATS, custom_id, format_of, unit_of
from divisionbell.run.respondents.respondent import Message, RespondentRefused

KEY = "0123456789abcdef" * 4
TURNS = (
    Message("system", "Be brief."),
    Message("user", "A or B?"),
    Message("assistant", ""),
    Message("user", "Only \u2028 \ud800 JSON."),
)
SETTINGS = {"model": "m", "base_url": "https://x/v1", "temperature": 0.0, "max_tokens": 64, "reasoning_tags": None}


@given(st.binary(min_size=32, max_size=32), st.sampled_from([1, 2]))
def test_an_id_can_be_read_back_and_fits_both_providers(key: bytes, attempt: int) -> None:
    name = custom_id(key.hex(), attempt)
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name)
    assert unit_of(name) == (key.hex(), attempt)
    assert unit_of(f"{key.hex()}-{attempt}") == (key.hex(), attempt)


@given(st.text())
def test_an_id_that_is_none_of_ours_is_none(name: str) -> None:
    found = unit_of(name)
    assert found is None or name in (custom_id(*found), f"{found[0]}-{found[1]}") or len(name) == 45


def test_an_openai_line_has_the_documented_shape() -> None:
    line = FORMATS["openai"].line(custom_id(KEY, 1), SETTINGS, TURNS)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert line.isascii()
    made = json.loads(line)
    assert list(made) == ["custom_id", "method", "url", "body"]
    assert (made["method"], made["url"]) == ("POST", "/v1/chat/completions")
    messages = [{"role": turn.role, "content": turn.content} for turn in TURNS]
    expected = {"model": "m", "messages": messages, "max_completion_tokens": 64, "temperature": 0.0}
    assert made["body"] == expected


def test_an_anthropic_line_has_the_documented_shape() -> None:
    settings = SETTINGS | {"api_version": "2023-06-01"}
    made = json.loads(FORMATS["anthropic"].line(custom_id(KEY, 2), settings, TURNS))
    assert list(made) == ["custom_id", "params"]
    assert made["params"] == {
        "model": "m",
        "max_tokens": 64,
        "messages": [{"role": "user", "content": "A or B?"}, {"role": "user", "content": "Only \u2028 \ud800 JSON."}],
        "system": "Be brief.",
        "temperature": 0.0,
    }


def test_what_the_model_refuses_is_left_out_and_recorded() -> None:
    made = json.loads(FORMATS["openai"].line("x", SETTINGS, TURNS, ["temperature"]))
    assert "temperature" not in made["body"]
    body = {"choices": [{"message": {"content": "hi"}}]}
    reply = FORMATS["openai"].reply({"response": {"status_code": 200, "body": body}}, ["temperature"])
    assert (reply.text, reply.dropped_parameters) == ("hi", ("temperature",))


@pytest.mark.parametrize("kind", sorted(FORMATS))
def test_the_temperature_of_the_provider_is_asked_for_by_leaving_it_out(kind: str) -> None:
    line = FORMATS[kind].line("x", SETTINGS | {"temperature": "default"}, TURNS)
    assert b"temperature" not in line


@pytest.mark.parametrize("kind", sorted(FORMATS))
def test_a_setting_that_no_batch_carries_is_refused(kind: str) -> None:
    with pytest.raises(RespondentRefused, match="cannot carry the setting grammar"):
        FORMATS[kind].line("x", SETTINGS | {"grammar": "root"}, TURNS)


def test_reasoning_has_its_own_budget_on_top() -> None:
    asked = SETTINGS | {"reasoning_tokens": 2000}
    thinking = json.loads(FORMATS["anthropic"].line("x", asked, TURNS))["params"]
    assert thinking["max_tokens"] == 2064
    assert thinking["thinking"] == {"type": "enabled", "budget_tokens": 2000}
    body = json.loads(FORMATS["openai"].line("x", asked | {"reasoning": "low"}, TURNS))["body"]
    assert (body["max_completion_tokens"], body["reasoning_effort"]) == (2064, "low")


@pytest.mark.parametrize(
    ("result", "error"),
    [
        ({"response": None, "error": {"code": "batch_expired", "message": "too late"}}, "batch_expired: too late"),
        ({"response": {"status_code": 400, "body": {"error": {"message": "no"}}}, "error": None}, "HTTP 400: no"),
        ({"response": {"status_code": 500, "body": None}}, "HTTP 500"),
        ({"response": {"status_code": 200, "body": {"error": {"message": "no"}}}}, "an error under HTTP 200: no"),
        ({"response": {"status_code": 200, "body": {"choices": None}}}, "the reply holds no choices"),
        ({"response": {"status_code": 200, "body": None}}, "the reply is JSON but not an object"),
        ({}, "the batch gives no reason"),
        ({"response": [], "error": "down"}, "down"),
    ],
)
def test_an_openai_result_without_an_answer_was_not_reached(result: dict[str, Any], error: str) -> None:
    reply = FORMATS["openai"].reply(result)
    assert (reply.text, reply.transport_error) == (None, error)


@pytest.mark.parametrize(
    ("result", "error"),
    [
        ({"type": "expired"}, "expired"),
        ({"type": "canceled"}, "canceled"),
        (
            {"type": "errored", "error": {"type": "error", "error": {"type": "api_error", "message": "no"}}},
            "errored: no",
        ),
        ({"type": "succeeded", "message": {"content": None}}, "the reply holds no content"),
        (None, "the batch gives no reason"),
    ],
)
def test_an_anthropic_result_without_an_answer_was_not_reached(result: object, error: str) -> None:
    reply = FORMATS["anthropic"].reply({"result": result})
    assert (reply.text, reply.transport_error) == (None, error)


def test_an_anthropic_message_is_read_whole() -> None:
    message = {
        "model": "m-2",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "text", "text": '{"item_id":'},
            {"type": "text", "text": '"x"}'},
        ],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 7},
    }
    reply = FORMATS["anthropic"].reply({"result": {"type": "succeeded", "message": message}})
    assert (reply.text, reply.finish_reason, reply.served_model) == ('{"item_id":"x"}', "end_turn", "m-2")
    assert (reply.usage.input_tokens, reply.usage.cached_tokens, reply.usage.output_tokens) == (15, 5, 7)
    assert reply.reasoning_text == "hm"


@pytest.mark.parametrize("name", ["scripted:coin", "embedded", "party:Labour"])
def test_there_is_no_batch_for_what_is_asked_here(name: str) -> None:
    with pytest.raises(UsageProblem, match="no batch service"):
        format_of(name)
