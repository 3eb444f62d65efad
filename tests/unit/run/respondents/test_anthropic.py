"""The Anthropic respondent against a real server on loopback that speaks the Messages API, well and badly."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from local_server import ITEM, QUICK, TEXT, LocalServer, Says, an_ask, replies

from divisionbell.bank.parse import parse_reply
from divisionbell.run.respondents.anthropic import API_VERSION, Anthropic
from divisionbell.run.respondents.respondent import Message, Reply, RespondentRefused, RespondentStopped, Usage

KEY = "sk-ant-very-secret-0123456789"


def message(text: str | None = TEXT, stop: str = "end_turn", **over: Any) -> dict[str, Any]:
    blocks = [] if text is None else [{"type": "text", "text": text}]
    usage = {"input_tokens": 250, "output_tokens": 20}
    made = {"id": "msg_1", "type": "message", "role": "assistant", "model": "served", "content": blocks}
    return {**made, "stop_reason": stop, "stop_sequence": None, "usage": usage, **over}


def problem(kind: str, words: str = "no") -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": words}, "request_id": "req_1"}


def answered(*answers: Says, **options: Any) -> tuple[Reply, LocalServer]:
    server = LocalServer(*answers)
    (reply,), respondent = replies(server, Anthropic, options.pop("path", ""), KEY, **options)
    assert KEY not in repr(respondent) + json.dumps(dict(respondent.settings)) + repr(reply)
    return reply, server


def read(reply: Reply) -> str:
    return parse_reply(ITEM, reply.text, reply.finish_reason, None, reply.refusal_field, reply.transport_error).reason


def test_a_good_reply_is_recorded_whole() -> None:
    reply, server = answered(Says(message()), max_tokens=32)
    assert (reply.text, reply.finish_reason, reply.served_model) == (TEXT, "end_turn", "served")
    assert reply.usage == Usage(250, 20) and reply.dropped_parameters == () and reply.transport_retries == 0
    turns = [{"role": "user", "content": "A or B?"}]
    assert server.requests == [
        {"model": "m-1", "messages": turns, "system": "Choose.", "max_tokens": 32, "temperature": 0.0}
    ]
    assert server.headers[0]["x-api-key"] == KEY and server.headers[0]["anthropic-version"] == API_VERSION
    assert "Authorization" not in server.headers[0]
    assert read(reply) == "ok"


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/"])
def test_the_address_may_be_given_with_or_without_its_version(path: str) -> None:
    _, server = answered(Says(message()), path=path)
    assert server.paths == ["/v1/messages"]


def test_tokens_of_the_cache_are_counted_beside_and_put_together() -> None:
    usage = {"input_tokens": 10, "cache_read_input_tokens": 200, "cache_creation_input_tokens": 40, "output_tokens": 7}
    assert answered(Says(message(usage=usage)))[0].usage == Usage(250, 7, 200)
    assert answered(Says(message(usage={"input_tokens": 10, "cache_read_input_tokens": None})))[0].usage == Usage(10)
    assert answered(Says(message(usage=None)))[0].usage == Usage()
    assert answered(Says(message(usage={"input_tokens": True, "output_tokens": "7"})))[0].usage == Usage()


@pytest.mark.parametrize(
    ("stop", "reading"),
    [
        ("end_turn", "ok"),
        ("stop_sequence", "ok"),
        ("refusal", "blocked"),
        ("max_tokens", "cut_off"),
        ("model_context_window_exceeded", "cut_off"),
    ],
)
def test_stop_reasons_come_to_what_the_parser_calls_them(stop: str, reading: str) -> None:
    assert read(answered(Says(message(stop=stop)))[0]) == reading
    assert read(answered(Says(message(None, stop=stop)))[0]) == ("empty" if reading == "ok" else reading)


def test_a_paused_turn_is_no_reply() -> None:
    reply, server = answered(Says(message('{"item_id"', "pause_turn")))
    assert "paused" in (reply.transport_error or "") and len(server.requests) == 3
    assert answered(Says(message(stop="pause_turn")), Says(message()))[0].text == TEXT


def test_thinking_is_kept_beside_and_never_read() -> None:
    blocks = [
        {"type": "thinking", "thinking": '{"item_id":"q9f3r6tb","answer":"B"}', "signature": "x"},
        {"type": "redacted_thinking", "data": "zzz"},
        {"type": "thinking", "thinking": "So A.", "signature": "y"},
        {"type": "text", "text": TEXT[:10]},
        {"type": "text", "text": TEXT[10:]},
        {"type": "of_a_later_day"},
    ]
    usage = {"input_tokens": 9, "output_tokens": 90, "output_tokens_details": {"thinking_tokens": 70}}
    reply, server = answered(Says(message(content=blocks, usage=usage)), reasoning_tokens=2048, max_tokens=100)
    assert reply.text == TEXT and read(reply) == "ok"
    assert reply.reasoning_text == '{"item_id":"q9f3r6tb","answer":"B"}\nSo A.'
    assert reply.usage == Usage(9, 90, None, 70)
    assert server.requests[0]["thinking"] == {"type": "enabled", "budget_tokens": 2048}
    assert server.requests[0]["max_tokens"] == 2148
    only_thoughts, _ = answered(Says(message(content=blocks[:1])))
    assert only_thoughts.text is None and read(only_thoughts) == "empty"


def test_reasoning_by_effort_and_without() -> None:
    _, server = answered(Says(message()), reasoning="low", reasoning_tokens=500)
    assert server.requests[0]["thinking"] == {"type": "adaptive"}
    assert server.requests[0]["output_config"] == {"effort": "low"} and server.requests[0]["max_tokens"] == 564
    _, server = answered(Says(message()), reasoning="none")
    assert server.requests[0]["thinking"] == {"type": "disabled"} and server.requests[0]["max_tokens"] == 64
    with pytest.raises(RespondentRefused, match="too small"):
        Anthropic("m", reasoning_tokens=1000)


def test_a_refused_temperature_is_dropped_once_and_recorded() -> None:
    words = "`temperature` may only be set to 1 when thinking is enabled."
    server = LocalServer(Says(problem("invalid_request_error", words), 400), Says(message()))
    made, respondent = replies(server, Anthropic, "", KEY, [an_ask(), an_ask()], reasoning_tokens=1024)
    assert ["temperature" in request for request in server.requests] == [True, False, False]
    assert [reply.dropped_parameters for reply in made] == [("temperature",)] * 2
    assert respondent.settings["temperature"] == 0.0
    server = LocalServer(Says(problem("invalid_request_error", words), 400))
    (reply,), respondent = replies(server, Anthropic, "", KEY)
    assert reply.transport_error and len(server.requests) == 2 and reply.dropped_parameters == ()
    _, server = answered(Says(message()), temperature="default")
    assert "temperature" not in server.requests[0]


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (401, problem("authentication_error", f"invalid x-api-key {KEY}")),
        (403, problem("permission_error")),
        (404, problem("not_found_error", "model: m-1")),
        (400, problem("invalid_request_error", "Your credit balance is too low to access the Anthropic API.")),
    ],
)
def test_what_no_further_call_can_change_stops_the_run(status: int, body: dict[str, Any]) -> None:
    server = LocalServer(Says(body, status))
    with pytest.raises(RespondentStopped) as caught:
        replies(server, Anthropic, "", KEY)
    told = str(caught.value)
    assert told.startswith("anthropic:m-1 at http://127.0.0.1:") and f"HTTP {status}" in told
    assert KEY not in repr(caught.value) and len(server.requests) == 1


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_an_overloaded_server_is_asked_again(status: int) -> None:
    busy = Says(problem("overloaded_error", "Overloaded"), status)
    reply, _ = answered(busy, busy, Says(message()))
    assert reply.text == TEXT and reply.transport_retries == 2
    impatient = replace(QUICK, retry_seconds=0.05)
    assert answered(busy, limits=impatient)[0].transport_error == f"HTTP {status}: Overloaded"


def test_retry_after_beyond_the_cap_stops_and_can_be_resumed() -> None:
    with pytest.raises(RespondentStopped, match="are sat out"):
        answered(Says(problem("rate_limit_error"), 429, retry_after="3600"))


@pytest.mark.parametrize(
    "body",
    [
        problem("overloaded_error"),
        {"error": "no"},
        {},
        [],
        "text",
        b"{",
        message(content=None),
        message(content="text"),
        message(content=["text"]),
        message(content=[{"type": "text", "text": None}]),
    ],
)
def test_200_without_a_message_is_a_transport_failure_with_retries(body: object) -> None:
    reply, server = answered(Says(body))
    assert reply.transport_error and reply.text is None and len(server.requests) == 3
    assert answered(Says(body), Says(message()))[0].text == TEXT


def test_an_empty_turn_is_left_out_of_the_conversation() -> None:
    server = LocalServer(Says(message()))
    reminded = an_ask(Message("assistant", " \n"), Message("user", "Return only the object."))
    talked = an_ask(Message("assistant", "A"), Message("user", "Return only the object."))
    replies(server, Anthropic, "", KEY, [reminded, talked])
    assert [[turn["role"] for turn in request["messages"]] for request in server.requests] == [
        ["user", "user"],
        ["user", "assistant", "user"],
    ]


def test_settings_name_what_was_asked_for_and_nothing_else() -> None:
    plain = dict(Anthropic("m").settings)
    assert plain == {
        "model": "m",
        "base_url": "https://api.anthropic.com/v1",
        "api_version": API_VERSION,
        "temperature": 0.0,
        "max_tokens": 64,
        "reasoning_tags": None,
    }
    more = dict(Anthropic("m", temperature="default", reasoning="high", reasoning_tokens=9).settings)
    assert more == {**plain, "temperature": "default", "reasoning": "high", "reasoning_tokens": 9}


def test_unusable_names_and_keys_are_refused_without_being_shown() -> None:
    for key in (KEY + "\nx: y", KEY + " x", KEY + "é"):
        with pytest.raises(RespondentRefused) as caught:
            Anthropic("m", api_key=key)
        assert KEY not in str(caught.value)
    with pytest.raises(RespondentRefused):
        Anthropic(" ")
    with pytest.raises(RespondentStopped, match="needs a key"):
        asyncio.run(Anthropic("m").answer(an_ask()))
