"""How a model is asked, against a real OpenAI-compatible server on loopback."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from local_server import ITEM, TEXT, LocalServer, Says, an_ask, replies

from divisionbell.bank.parse import parse_reply
from divisionbell.run.respondents.answer_shape import GRAMMAR, JSON_SCHEMA, json_schema
from divisionbell.run.respondents.answer_token import answer_token_logprobs
from divisionbell.run.respondents.openai import OpenAI
from divisionbell.run.respondents.respondent import Reply, Usage
from divisionbell.run.respondents.sampling import Sampling

KEY = "sk-very-secret-0123456789"
PIECES = ['{"', "item", '_id":"', ITEM, '","answer":"', "A", '"}']


def completion(text: str | None = TEXT, finish: str = "stop", **over: Any) -> dict[str, Any]:
    said = {"role": "assistant", "content": text, **over.pop("message", {})}
    choice = {"index": 0, "message": said, "finish_reason": finish, **over.pop("choice", {})}
    return {"model": "served-model", "choices": [choice], **over}


def logprobs(*pieces: str, tops: dict[str, float] | None = None) -> dict[str, Any]:
    """Tokens as a server lists them; `tops` stand at the token that is A or ends in it."""
    listed = [{"token": token, "logprob": value, "bytes": None} for token, value in (tops or {}).items()]
    made = [
        {"token": piece, "logprob": -0.25, "top_logprobs": listed if "A" in piece else [{"token": "?", "logprob": -9}]}
        for piece in pieces
    ]
    return {"logprobs": {"content": made}}


def answered(*answers: Says, **options: Any) -> tuple[Reply, LocalServer]:
    server = LocalServer(*answers)
    (reply,), _ = replies(server, OpenAI, "/v1", KEY, **options)
    return reply, server


def test_what_is_not_asked_for_is_neither_sent_nor_set() -> None:
    _, server = answered(Says(completion()))
    assert set(server.requests[0]) == {"model", "messages", "max_tokens", "temperature"}
    assert dict(OpenAI("m").settings) == {
        "model": "m",
        "base_url": "https://api.openai.com/v1",
        "temperature": 0.0,
        "max_tokens": 64,
        "reasoning_tags": None,
    }
    assert not OpenAI("m").constrained


def test_what_is_asked_for_is_sent_and_set() -> None:
    options: dict[str, Any] = {"temperature": 0.7, "max_tokens": 30, "reasoning": "low", "reasoning_tokens": 500}
    _, server = answered(Says(completion()), **options, logprobs=True)
    sent = {name: value for name, value in server.requests[0].items() if name not in ("model", "messages")}
    assert sent == {
        "max_tokens": 530,
        "temperature": 0.7,
        "reasoning_effort": "low",
        "logprobs": True,
        "top_logprobs": 20,
    }
    assert {**OpenAI("m", **options, logprobs=True).settings}.items() >= {**options, "logprobs": 20}.items()
    _, server = answered(Says(completion()), temperature="default")
    assert "temperature" not in server.requests[0]
    assert OpenAI("m", temperature="default").settings["temperature"] == "default"


@pytest.mark.parametrize("channel", ["reasoning_content", "reasoning"])
def test_reasoning_in_a_channel_of_its_own_is_kept_and_never_read(channel: str) -> None:
    thought = '{"item_id":"q9f3r6tb","answer":"B"}'
    usage = {"prompt_tokens": 9, "completion_tokens": 90, "completion_tokens_details": {"reasoning_tokens": 70}}
    reply, _ = answered(Says(completion(message={channel: thought}, usage=usage)))
    assert (reply.text, reply.reasoning_text) == (TEXT, thought)
    assert reply.usage == Usage(9, 90, None, 70)
    reply, _ = answered(Says(completion(None, message={channel: thought})))
    assert reply.text is None and parse_reply(ITEM, reply.text, reply.finish_reason).reason == "empty"
    reply, _ = answered(Says(completion(message={channel: ["odd"]}, usage={"completion_tokens_details": 7})))
    assert reply.reasoning_text is None and reply.usage == Usage()


def test_json_schema_decoding_admits_exactly_the_object_asked_for() -> None:
    reply, server = answered(Says(completion()), decoding="json-schema")
    described = server.requests[0]["response_format"]
    assert described["type"] == "json_schema" and described["json_schema"]["strict"] is True
    check = jsonschema.Draft202012Validator(described["json_schema"]["schema"])
    for letter in "AB":
        assert check.is_valid({"item_id": ITEM, "answer": letter})
    for wrong in (
        {"item_id": "q2345abc", "answer": "A"},
        {"item_id": ITEM, "answer": "C"},
        {"item_id": ITEM},
        {"item_id": ITEM, "answer": "A", "why": "so"},
        [],
    ):
        assert not check.is_valid(wrong)
    respondent = OpenAI("m", decoding="json-schema")
    assert respondent.constrained and respondent.settings["decoding"] == "json-schema"
    assert respondent.settings["json_schema"] == JSON_SCHEMA and json_schema("ITEM_ID") == JSON_SCHEMA
    assert reply.text == TEXT


def test_grammar_decoding_sends_the_grammar_of_the_embedded_model() -> None:
    _, server = answered(Says(completion()), decoding="grammar")
    assert server.requests[0]["grammar"] == GRAMMAR.replace("ITEM_ID", ITEM)
    respondent = OpenAI("m", decoding="grammar")
    assert respondent.constrained
    assert (respondent.settings["decoding"], respondent.settings["grammar"]) == ("grammar", GRAMMAR)


def test_probabilities_of_the_answers_letter_are_recorded() -> None:
    tops = {"A": -0.25, "B": -1.5, "C": -11.0, "a": float("-0.0")}
    reply, _ = answered(Says(completion(choice=logprobs(*PIECES, tops=tops))), logprobs=True)
    assert dict(reply.answer_token_logprobs) == tops
    joined = ['{"item_id":"', ITEM, '","answer":"A"}']
    reply, _ = answered(Says(completion(choice=logprobs(*joined, tops={'","answer":"A"}': -0.5}))), logprobs=True)
    assert reply.answer_token_logprobs == (('","answer":"A"}', -0.5),)
    turned = ['{"answer":"', "A", '","item_id":"', ITEM, '"}']
    reply, _ = answered(Says(completion("".join(turned), choice=logprobs(*turned, tops=tops))), logprobs=True)
    assert dict(reply.answer_token_logprobs) == tops


def test_a_drawn_token_that_is_not_among_the_likeliest_is_recorded_too() -> None:
    reply, _ = answered(Says(completion(choice=logprobs(*PIECES, tops={"B": -0.1}))), logprobs=True)
    assert reply.answer_token_logprobs == (("A", -0.25), ("B", -0.1))


def test_the_letter_is_looked_for_behind_declared_reasoning() -> None:
    thought = ["<think>", '{"item_id":"', ITEM, '","answer":"', "B", '"}', "</think>"]
    text = "".join(thought + PIECES)
    body = completion(text, choice=logprobs(*thought, *PIECES, tops={"A": -0.5}))
    reply, _ = answered(Says(body), logprobs=True, reasoning_tags=("<think>", "</think>"))
    assert reply.answer_token_logprobs == (("A", -0.5),)


@pytest.mark.parametrize(
    "choice",
    [
        {},
        {"logprobs": None},
        {"logprobs": {"content": None}},
        {"logprobs": {"content": []}},
        {"logprobs": {"content": ["A"]}},
        {"logprobs": {"content": [{"token": 7}]}},
        {"logprobs": {"content": [{"token": TEXT, "top_logprobs": [{"token": 1}, {"token": "A", "logprob": "x"}]}]}},
        {"logprobs": {"tokens": ["A"]}},
    ],
)
def test_where_no_probabilities_are_given_none_are_recorded(choice: dict[str, Any]) -> None:
    reply, _ = answered(Says(completion(choice=choice)), logprobs=True)
    assert reply.text == TEXT and reply.answer_token_logprobs == ()


def test_a_malformed_reply_has_no_answers_letter() -> None:
    tokens = logprobs(*PIECES)["logprobs"]["content"]
    assert answer_token_logprobs(ITEM, "".join(PIECES) + " indeed", tokens, None) == ()
    assert answer_token_logprobs(ITEM, None, tokens, None) == ()
    assert answer_token_logprobs(ITEM, TEXT, tokens, None)
    beyond = [{"token": TEXT, "logprob": 1e-7, "top_logprobs": [{"token": "A", "logprob": float("nan")}]}]
    assert answer_token_logprobs(ITEM, TEXT, beyond, None) == ((TEXT, 0.0),)


def test_refused_parameters_are_dropped_once_and_recorded_with_every_attempt() -> None:
    server = LocalServer(
        Says({"error": {"message": "'max_tokens' is not supported. Use 'max_completion_tokens' instead."}}, 400),
        Says({"error": {"message": "Unsupported value.", "param": "temperature"}}, 400),
        Says({"error": {"message": "You are not allowed to request logprobs from this model."}}, 422),
        Says(completion()),
    )
    made, respondent = replies(server, OpenAI, "/v1", KEY, [an_ask(), an_ask()], logprobs=True)
    assert [reply.dropped_parameters for reply in made] == [("logprobs", "temperature")] * 2
    assert len(server.requests) == 5
    assert all(
        set(request) == {"model", "messages", "max_completion_tokens"}
        for request in (server.requests[3], server.requests[4])
    )
    assert respondent.settings["temperature"] == 0.0


def test_a_refused_reasoning_or_format_is_an_error_and_is_not_dropped() -> None:
    for param in ("reasoning_effort", "response_format"):
        refusal = Says({"error": {"message": f"{param} is not supported", "param": param}}, 400)
        reply, server = answered(refusal, reasoning="low", decoding="json-schema")
        assert param in (reply.transport_error or "") and len(server.requests) == 1


def test_only_what_was_said_is_given_on() -> None:
    assert Sampling().given() == {}
    said = Sampling(temperature="default", logprobs=True)
    assert said.given() == {"temperature": "default", "logprobs": True} == said.only({"temperature", "logprobs"}, "x")


def test_a_key_that_a_server_echoes_in_a_good_reply_is_not_kept() -> None:
    echoed = completion(
        f"your key is {KEY}",
        f"stop {KEY}",
        message={"reasoning": f"the key {KEY}", "refusal": KEY},
        model=f"m {KEY}",
        system_fingerprint=KEY,
    )
    reply, server = answered(Says(echoed, X_Echo=KEY))
    assert KEY not in repr(reply)
    assert (reply.text, reply.reasoning_text, reply.served_model) == ("your key is [key]", "the key [key]", "m [key]")
    assert KEY in json.dumps(dict(server.headers[0]))
