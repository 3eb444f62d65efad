"""The command that goes on with a run says again what its header holds, and nothing that a shell would read otherwise."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from divisionbell.run.find_runs import Run
from divisionbell.run.respondents.anthropic import Anthropic
from divisionbell.run.way_on import held_by_batch, left, way_on

HEADER: dict[str, Any] = {"respondent": "openai:m", "settings": {}, "form": "short", "repeats": 1, "unit_count": 3}
UNIT = {"outcome": "valid_at_first", "attempts": []}
FAILED = {"outcome": "transport_failed", "attempts": []}


def way(units: tuple[dict[str, Any], ...] = (), folder: str = "r", **more: Any) -> str:
    return way_on(Run(Path(folder), HEADER | more, units))


def test_what_is_missing_and_what_was_not_reached_are_told_apart() -> None:
    assert str(left(Run(Path("r"), HEADER, (UNIT, FAILED)))) == (
        "1 of 3 units are there; 1 was not reached, 1 is missing"
    )
    assert str(left(Run(Path("r"), HEADER, ()))) == "0 of 3 units are there; 3 are missing"
    assert str(left(Run(Path("r"), HEADER, (UNIT, UNIT, UNIT)))) == "3 of 3 units are there"
    assert way((UNIT,)).endswith("--out r --resume")
    assert way((UNIT, FAILED)).endswith("--out r --resume --failed")
    assert held_by_batch(Path("r")) == frozenset()


def test_what_a_shell_would_read_otherwise_is_quoted() -> None:
    told = way(folder="two; words", respondent="openai:$(m)", form="a b")
    assert shlex.split(told) == [
        "divisionbell", "run", "openai:$(m)", "--form", "a b", "--out", "two; words", "--resume",
    ]  # fmt: skip


def test_the_address_of_anthropic_is_taken_again() -> None:
    asked = Anthropic("m", "http://127.0.0.1:9", None)
    told = shlex.split(way(respondent=asked.name, settings=dict(asked.settings)))
    address = told[told.index("--base-url") + 1]
    assert Anthropic("m", address, None).settings == asked.settings
    assert not {"--temperature", "--max-tokens", "--reasoning-tags"} & set(told)


@pytest.mark.parametrize("respondent", ["llm:m", "mine:m"])
def test_options_that_the_header_does_not_spell_are_asked_for(respondent: str) -> None:
    assert way(respondent=respondent) == (
        f"divisionbell run {respondent} --form short --out r --resume, with the options that it was begun with"
    )


def test_a_run_of_a_log_is_gone_on_with_where_it_was_asked() -> None:
    assert way(respondent="inspect:openai/m") == "inspect eval-retry LOG, and make a run of the log that it writes"


def test_a_shard_that_was_renamed_is_named_back_first(tmp_path: Path) -> None:
    shard = {"shard_index": 1, "shard_count": 2}
    right = way(folder=str(tmp_path / "shard-1-of-2"), **shard)
    assert right == f"divisionbell run openai:m --form short --shard 1/2 --out {tmp_path} --resume"
    assert way(folder=str(tmp_path / "mine"), **shard) == f"name the folder shard-1-of-2 again, then {right}"
