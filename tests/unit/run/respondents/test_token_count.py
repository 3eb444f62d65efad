"""Numbers of tokens that servers name: a count, or unknown."""

from __future__ import annotations

import pytest

from divisionbell.run.respondents.anthropic_message import read_message
from divisionbell.run.respondents.chat_completion import read_completion
from divisionbell.run.respondents.http_reply import Received
from divisionbell.run.respondents.respondent import Reply, Usage
from divisionbell.run.respondents.token_count import token_count

NONE = [10**400, 2**64 - 1, 2**63, 100_000_001, -1, True, 5.0, "5", None, [5]]


@pytest.mark.parametrize("value", [0, 1, 100_000_000])
def test_a_count_is_kept(value: int) -> None:
    assert token_count(value) == value


@pytest.mark.parametrize("value", NONE)
def test_what_is_no_count_is_unknown_and_never_0(value: object) -> None:
    assert token_count(value) is None
    choices = [{"message": {"content": "x"}}]
    usage = {"prompt_tokens": value, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": value}}
    read = read_completion(Received(200, {"choices": choices, "usage": usage}, ""))
    assert isinstance(read, Reply) and read.usage == Usage(None, 7, None, None)
    told = {"input_tokens": value, "output_tokens": 7, "cache_read_input_tokens": value}
    read = read_message(Received(200, {"content": [{"type": "text", "text": "x"}], "usage": told}, ""))
    assert isinstance(read, Reply) and read.usage == Usage(None, 7, None, None)


@pytest.mark.parametrize(
    ("cost", "known"), [(0.25, 0.25), (0, 0.0), (1e7, None), (10**400, None), (-1, None), (True, None)]
)
def test_a_cost_that_is_none_is_unknown(cost: object, known: float | None) -> None:
    body = {"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": 1, "cost": cost}}
    read = read_completion(Received(200, body, ""))
    assert isinstance(read, Reply) and read.usage.reported_cost == known
