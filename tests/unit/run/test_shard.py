"""Shards: disjoint, complete, a fact of the unit key alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from divisionbell.diagnostics import UsageProblem
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.administer import header, plan
from divisionbell.run.planned_keys import planned_keys
from divisionbell.run.respondents.party import Party
from divisionbell.run.respondents.scripted import Scripted
from divisionbell.run.shard import Shard, new_shard, refuse_other_counts, shard_of

KEYS = st.text("0123456789abcdef", min_size=64, max_size=64)


@given(KEYS, st.integers(1, 2000))
def test_every_unit_is_in_exactly_one_shard(key: str, count: int) -> None:
    assert [index for index in range(1, count + 1) if Shard(index, count).holds(key)] == [shard_of(key, count)]
    assert shard_of(key, count) == int(key, 16) % count + 1


@given(KEYS, st.integers(1, 50), st.integers(1, 20))
def test_a_finer_cut_divides_the_shards_of_a_coarser_one(key: str, count: int, times: int) -> None:
    assert (shard_of(key, count * times) - 1) % count + 1 == shard_of(key, count)


def test_the_shards_of_a_plan_are_the_plan(frozen: FrozenBank) -> None:
    units = plan(frozen, Scripted("coin"), "full", 3)
    parts = [[unit.key for unit in units if Shard(index, 7).holds(unit.key)] for index in range(1, 8)]
    assert sorted(key for part in parts for key in part) == sorted(unit.key for unit in units)
    assert all(parts)


@pytest.mark.parametrize("name", ["scripted", "party"])
def test_keys_worked_out_from_a_header_are_those_of_the_plan(frozen: FrozenBank, name: str) -> None:
    respondent = Scripted("coin") if name == "scripted" else Party(frozen, "Labour")
    units = plan(frozen, respondent, "short", 2)
    head = header(frozen, respondent, "short", 2, "r", units)
    expected = {unit.key: (unit.asked.item.item_id, unit.order, unit.repeat) for unit in units}
    assert planned_keys(frozen, head) == expected
    assert list(planned_keys(frozen, head)) == list(expected)
    assert planned_keys(frozen, head | Shard(2, 3).header) == expected


@pytest.mark.parametrize(("index", "count"), [(0, 3), (4, 3), (1, 0), (1, 100_001)])
def test_a_shard_that_is_none_is_refused(index: int, count: int) -> None:
    with pytest.raises(UsageProblem):
        new_shard(index, count)


def test_one_folder_holds_the_shards_of_one_cut(tmp_path: Path) -> None:
    (tmp_path / "shard-1-of-8").mkdir()
    refuse_other_counts(tmp_path, Shard(2, 8))
    with pytest.raises(UsageProblem, match="holds shard-1-of-8, and this is shard 1 of 1"):
        refuse_other_counts(tmp_path, Shard(1, 1))
