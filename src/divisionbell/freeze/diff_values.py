"""Where two JSON values differ, with list elements matched by what names them instead of by where they stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from divisionbell.bank.differences import ABSENT, same
from divisionbell.bank.document import Path_
from divisionbell.bank.matching import NAMED_BY, bytes_of, matched


@dataclass(frozen=True)
class ValueChange:
    """One difference: the steps to it as they are shown, the paths to it on both sides, and both values.

    A missing side is ABSENT. Where a list's elements changed their order, both values are an Order.
    """

    steps: tuple[str, ...]
    old_path: Path_
    new_path: Path_
    old: Any
    new: Any


def value_changes(
    old: Any, new: Any, steps: tuple[str, ...] = (), old_path: Path_ = (), new_path: Path_ = ()
) -> Iterator[ValueChange]:
    """Every difference of two JSON values, none of them twice. 1 and 1.0 are the same number, true and 1 are not."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*new, *(key for key in old if key not in new)]:
            before, after = old.get(key, ABSENT), new.get(key, ABSENT)
            yield from value_changes(before, after, (*steps, str(key)), (*old_path, key), (*new_path, key))
    elif _named_list(steps, old, new):  # a list that came or went: its elements are told one by one
        before, after = ([] if side is ABSENT else side for side in (old, new))
        yield from _list_changes(before, after, steps, old_path, new_path)
    elif isinstance(old, list) and isinstance(new, list):
        if old != new or bytes_of(old) != bytes_of(new):
            yield from _list_changes(old, new, steps, old_path, new_path)
    elif not same(old, new):
        yield ValueChange(steps, old_path, new_path, old, new)


def _named_list(steps: tuple[str, ...], old: Any, new: Any) -> bool:
    """Whether one side lacks a list of named elements that the other has, with something in it."""
    sides = [side for side in (old, new) if side is not ABSENT]
    return bool(steps and steps[-1] in NAMED_BY and len(sides) == 1 and isinstance(sides[0], list) and sides[0])


def _list_changes(
    old: list[Any], new: list[Any], steps: tuple[str, ...], old_path: Path_, new_path: Path_
) -> Iterator[ValueChange]:
    matching = matched(old, new, steps[-1] if steps else "")
    if matching.order is not None:
        yield ValueChange(steps, old_path, new_path, *matching.order)
    for pair in matching.pairs:
        one = old[pair.old] if pair.old is not None else ABSENT
        other = new[pair.new] if pair.new is not None else ABSENT
        here = (*old_path, pair.old) if pair.old is not None else old_path
        there = (*new_path, pair.new) if pair.new is not None else new_path
        yield from value_changes(one, other, (*steps, pair.name), here, there)
