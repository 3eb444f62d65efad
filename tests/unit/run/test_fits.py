"""What a run header can hold: told before a run is begun, and of a header that came from elsewhere."""

from __future__ import annotations

from typing import Any

import pytest
from test_journal import HEADER

from divisionbell.diagnostics import UsageProblem
from divisionbell.run.fits import misfit, refuse_unwritable

BESIDE = {"run_id", "run_schema_version", "unit_count", "not_administered_count", "started_at", "software"}
CONFIGURATION = {name: value for name, value in HEADER.items() if name not in BESIDE}


def test_a_configuration_that_can_be_kept_is_let_through() -> None:
    refuse_unwritable(CONFIGURATION | {"reasoning_tags": ["<think>", "</think>"], "settings": {"a": None, "b": [1.5]}})


@pytest.mark.parametrize(
    ("over", "told"),
    [
        ({"respondent": "openai: m "}, "'openai: m ' is no text of one line without white space around it"),
        ({"respondent": "openai:m\nx"}, "is no text of one line"),
        ({"reasoning_tags": [" <think>", "</think>"]}, "' <think>' is no text of one line"),
        ({"respondent": "openai:\udcff"}, "no canonical form"),
        ({"settings": {"max_tokens": 2**53}}, "9007199254740992 exceeds safe integer domain"),
    ],
)
def test_what_no_header_could_hold_is_refused(over: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageProblem) as refused:
        refuse_unwritable(CONFIGURATION | over)
    assert told in refused.value.message


@pytest.mark.parametrize(
    "over",
    [
        {"settings": "x"},
        {"settings": [1]},
        {"repeats": 1001},
        {"repeats": 1.0},
        {"unit_count": 2.0},
        {"reasoning_tags": ["a"]},
        {"reasoning_tags": ["a", "b", "c"]},
        {"shard_index": 1},
        {"shard_count": 2},
        {"shard_index": 3, "shard_count": 2},
        {"shard_index": 1, "shard_count": 100_001},
    ],
)
def test_a_header_that_no_run_of_ours_has_is_none(over: dict[str, Any]) -> None:
    assert misfit("RunHeader", HEADER) is None
    wrong = misfit("RunHeader", HEADER | over)
    assert wrong is not None and next(iter(over)) in wrong
