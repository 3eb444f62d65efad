"""strict_json_v1: read one reply, strictly. The normative text and its vectors are part of the bank.

Nothing is searched for in prose; no code fence is opened, no case folded, no Unicode normalised.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

PARSER_ID = "strict_json_v1"
Verdict = Literal["valid", "malformed", "not_obtained"]
Letter = Literal["A", "B"]

CUT_OFF = frozenset({"length", "max_tokens", "model_length", "max_output_tokens"})
BLOCKED = frozenset(
    {"content_filter", "content-filter", "safety", "refusal", "recitation", "blocklist", "prohibited_content"}
)
JSON_SPACE = " \t\n\r"


@dataclass(frozen=True)
class Reading:
    """What a reply comes to: `answer` where the verdict is valid, and the reason code from the closed list."""

    verdict: Verdict
    answer: Letter | None
    reason: str


REASONS = {
    "ok": "exactly the object asked for",
    "transport": "the respondent was not reached",
    "blocked": "the provider refused or filtered the call",
    "cut_off": "the reply ended at a length limit",
    "empty": "there is no text",
    "no_json": "there is no JSON object",
    "not_object": "it is JSON, and not an object",
    "bad_json": "it begins like an object and is not JSON",
    "embedded": "there is something beside the object",
    "fence": "it stands in a code fence",
    "reasoning_undeclared": "it begins with a reasoning block that the adapter did not declare",
    "reasoning_unclosed": "a declared reasoning block is not closed",
    "duplicate_key": "a key stands twice",
    "wrong_keys": "the keys are not exactly item_id and answer",
    "wrong_id": "the item_id is not the one asked",
    "wrong_answer": "the answer is not A or B",
}


class _Twice(Exception):
    pass


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise _Twice
    return dict(pairs)


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant)


def parse_reply(
    item_id: str,
    text: str | None,
    finish_reason: str | None = None,
    reasoning_tags: tuple[str, str] | None = None,
    refusal_field: str | None = None,
    transport_error: str | None = None,
) -> Reading:
    """Read one reply to the item `item_id`. Never raises for what a reply holds."""
    if transport_error is not None:
        return Reading("not_obtained", None, "transport")
    finish = (finish_reason or "").lower()
    if refusal_field or finish in BLOCKED:
        return Reading("not_obtained", None, "blocked")
    if finish in CUT_OFF:
        return Reading("not_obtained", None, "cut_off")
    body = (text or "").strip(JSON_SPACE)
    if reasoning_tags is not None:
        cut = _without_reasoning(body, *reasoning_tags)
        if cut is None:
            return Reading("malformed", None, "reasoning_unclosed")
        body = cut
    return _read_object(item_id, body)


def _without_reasoning(body: str, opening: str, closing: str) -> str | None:
    """The text after the leading reasoning blocks; the first may lack its opening tag, which a template can prefill.
    None where a block is not closed."""
    end, start = body.find(closing), body.find(opening)
    if end >= 0 and not 0 <= start < end:
        body = body[end + len(closing) :].lstrip(JSON_SPACE)
    while body.startswith(opening):
        end = body.find(closing)
        if end < 0:
            return None
        body = body[end + len(closing) :].lstrip(JSON_SPACE)
    return body


def _read_object(item_id: str, body: str) -> Reading:
    def no(reason: str) -> Reading:
        return Reading("malformed", None, reason)

    if not body:
        return no("empty")
    try:
        value, end = _DECODER.raw_decode(body)
    except _Twice:
        return no("duplicate_key")
    except (ValueError, RecursionError):
        return no(_why_not_json(body))
    if end != len(body):
        return no("embedded")
    if not isinstance(value, dict):
        return no("not_object")
    if set(value) != {"item_id", "answer"}:
        return no("wrong_keys")
    if value["item_id"] != item_id:
        return no("wrong_id")
    answer = value["answer"]
    if answer == "A" or answer == "B":
        return Reading("valid", answer, "ok")
    return no("wrong_answer")


def _why_not_json(body: str) -> str:
    if body.startswith("```"):
        return "fence"
    if body.startswith(("<think", "<reason", "<thought")):
        return "reasoning_undeclared"
    if body.startswith("{"):
        return "bad_json"
    return "embedded" if "{" in body else "no_json"
