"""Whether what a package of somebody else gives back can stand in a journal: what cannot is never written."""

from __future__ import annotations

import math
import re

from divisionbell.run.respondents.respondent import Reply, Usage
from divisionbell.run.respondents.token_count import MOST_TOKENS, token_count

TEXTS = ("text", "finish_reason", "refusal_field", "transport_error", "served_model", "fingerprint", "reasoning_text")
COUNTS = ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens")
MOST_RETRIES = 1_000_000
_TIME = re.compile(
    r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?Z"
)


def unsound(reply: object) -> str | None:
    """Why a reply is none, in a few words; None where every member is what `Reply` says it is."""
    if type(reply) is not Reply:
        return f"answer gave back {type(reply).__name__}, not a Reply"
    for name in TEXTS:
        value = getattr(reply, name)
        if value is not None and type(value) is not str:  # a subclass could read as another text than is written
            return f"{name} of the reply is {type(value).__name__}, not text"
    if type(reply.usage) is not Usage:
        return f"usage of the reply is {type(reply.usage).__name__}, not Usage"
    for name in COUNTS:
        value = getattr(reply.usage, name)
        if value is not None and token_count(value) is None:
            return f"{name} of the reply is no number of tokens from 0 to {MOST_TOKENS}"
    cost = reply.usage.reported_cost
    if cost is not None and not _is_number(cost, 0.0, math.inf):
        return "reported_cost of the reply is no number"
    latency = reply.latency_seconds
    if latency is not None and not _is_number(latency, 0.0, math.inf):
        return "latency_seconds of the reply is no number of seconds"
    retries = reply.transport_retries
    if type(retries) is not int or not 0 <= retries <= MOST_RETRIES:
        return "transport_retries of the reply is no number of retries"
    if reply.asked_at is not None and not (type(reply.asked_at) is str and _TIME.fullmatch(reply.asked_at)):
        return "asked_at of the reply is no time in UTC, for example 2026-01-31T12:00:00Z"
    dropped = reply.dropped_parameters
    if type(dropped) is not tuple or not all(type(name) is str and name.isidentifier() for name in dropped):
        return "dropped_parameters of the reply is no tuple of names"
    if type(reply.answer_token_logprobs) is not tuple or not all(map(_is_logprob, reply.answer_token_logprobs)):
        return "answer_token_logprobs of the reply is no tuple of pairs: a token and the logarithm of its probability"
    return None


def _is_number(value: object, low: float, high: float) -> bool:
    """Within the bounds, and finite: NaN is within none, and infinity is not below itself."""
    return type(value) in (int, float) and low <= value <= high and value not in (-math.inf, math.inf)  # type: ignore[operator]


def _is_logprob(pair: object) -> bool:
    return type(pair) is tuple and len(pair) == 2 and type(pair[0]) is str and _is_number(pair[1], -math.inf, 0.0)
