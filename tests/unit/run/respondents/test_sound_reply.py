"""A reply that could not be read again from a journal is never written: what each member must be, and why not."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from divisionbell.run.respondents.respondent import Reply, Usage
from divisionbell.run.respondents.sound_reply import unsound

GOOD = Reply(
    text="\ud800",
    finish_reason="stop",
    usage=Usage(1, 0, None, 100_000_000),
    latency_seconds=0,
    transport_retries=3,
    answer_token_logprobs=(("A", -0.5), ("B", 0)),
    dropped_parameters=("temperature",),
    asked_at="2026-01-31T12:00:00.5Z",
)


class Sly(str):
    """Reads as another text than it is written."""


def test_what_the_protocol_allows_is_sound() -> None:
    assert unsound(GOOD) is None
    assert unsound(Reply(text=None, transport_error="")) is None


@pytest.mark.parametrize(
    ("member", "value", "told"),
    [
        *(
            (name, b"x", f"{name} of the reply is bytes, not text")
            for name in ("text", "finish_reason", "served_model")
        ),
        ("text", Sly("x"), "text of the reply is Sly, not text"),
        *(("usage", Usage(1, 1, None, None, cost), "reported_cost") for cost in (math.nan, math.inf, -1.0, "1")),
        ("usage", None, "usage of the reply is NoneType, not Usage"),
        *(("usage", Usage(count), "input_tokens of the reply") for count in ("5", -1, 1.0, True, 10**400, 100_000_001)),
        *(("latency_seconds", seconds, "latency_seconds") for seconds in (math.nan, math.inf, -1, "1", True)),
        *(("transport_retries", count, "transport_retries") for count in (None, -1, 1.5, True)),
        *(
            ("asked_at", when, "asked_at")
            for when in ("yesterday", "2026-13-01T00:00:00Z", "2026-01-01T00:00:00Z\n", 5)
        ),
        *(("dropped_parameters", names, "dropped_parameters") for names in ("temperature", ["x"], (1,), ("a b",))),
        *(
            ("answer_token_logprobs", pairs, "answer_token_logprobs")
            for pairs in (
                None,
                [("A", -1)],
                (("A", math.nan),),
                (("A", -math.inf),),
                (("A", 0.5),),
                ({"A": 1},),
                (("A",),),
            )
        ),
    ],
)
def test_each_member_is_held_to_the_protocol(member: str, value: Any, told: str) -> None:
    why = unsound(replace(GOOD, **{member: value}))
    assert why is not None and told in why


@pytest.mark.parametrize("other", [None, "A", {"text": "A"}])
def test_what_is_no_reply_is_named(other: object) -> None:
    assert unsound(other) == f"answer gave back {type(other).__name__}, not a Reply"
