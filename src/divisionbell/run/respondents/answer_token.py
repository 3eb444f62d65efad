"""The token that holds the answer's letter, and what could have stood in its place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from divisionbell.bank.parse import parse_reply

_BEFORE_LETTER = re.compile(r'"answer"[ \t\n\r]*:[ \t\n\r]*"(?=[AB]")')
LOWEST = 1e9  # beyond it stands no logarithm of a probability, nor NaN, nor an integer that is no float
Logprobs = tuple[tuple[str, float], ...]


def answer_token_logprobs(
    item_id: str, text: str | None, tokens: object, reasoning_tags: tuple[str, str] | None
) -> Logprobs:
    """The likeliest tokens, with natural-log probabilities, where the letter of a valid reply stands.

    `tokens` is `logprobs.content` of a chat completion. Empty where the reply is not valid, or the tokens are not there
    or do not spell the reply. A token can hold more than the letter; it is kept as the server gives it.
    """
    if not isinstance(tokens, list) or parse_reply(item_id, text, reasoning_tags=reasoning_tags).verdict != "valid":
        return ()
    spelt = [token.get("token") if isinstance(token, Mapping) else None for token in tokens]
    if not all(isinstance(piece, str) for piece in spelt):
        return ()
    # A valid object stands at the end of the reply, after any reasoning: its letter is the last one.
    found = list(_BEFORE_LETTER.finditer("".join(map(str, spelt))))
    if not found:
        return ()
    letter_at, end = found[-1].end(), 0
    for token, piece in zip(tokens, spelt, strict=True):
        end += len(str(piece))
        if end > letter_at:
            return _likeliest(token)
    return ()


def _likeliest(token: Mapping[str, Any]) -> Logprobs:
    others = token.get("top_logprobs")
    listed = [one for one in others if isinstance(one, Mapping)] if isinstance(others, list) else []
    if all(one.get("token") != token["token"] for one in listed):
        listed.insert(0, token)  # a drawn token need not be among the likeliest
    made = []
    for one in listed:
        name, value = one.get("token"), one.get("logprob")
        if isinstance(name, str) and isinstance(value, int | float) and -LOWEST <= value <= LOWEST:
            made.append((name, min(0.0, float(value))))  # rounding can lift the logarithm of 1 above 0
    return tuple(made)
