"""The smallest places where a working value is not the frozen one, with list elements matched by what names them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from divisionbell.bank.document import Path_
from divisionbell.bank.matching import MAX_NAME, NAMED_BY, Matching, Order, Pair, bytes_of, matched


class _Absent:
    def __repr__(self) -> str:
        return "nothing"


ABSENT = _Absent()


@dataclass(frozen=True)
class Difference:
    """One place where a working value is not the frozen one, and the steps to it as they are shown.

    A missing side is ABSENT; of a missing element the path ends with its frozen number. Where the elements of a list
    stand in another order, both sides are an Order, and the path leads to the first that stands elsewhere.
    """

    path: Path_
    frozen: Any
    working: Any
    steps: tuple[str, ...] = ()

    @property
    def element(self) -> bool:
        """Whether a whole element of a list is there on one side alone."""
        return bool(self.path) and isinstance(self.path[-1], int) and (self.frozen is ABSENT or self.working is ABSENT)


def differences(frozen: Any, working: Any, path: Path_ = (), steps: tuple[str, ...] = ()) -> Iterator[Difference]:
    """Every difference of two JSON values, none twice. 1 and 1.0 are the same number, true and 1 are not."""
    if isinstance(frozen, dict) and isinstance(working, dict):
        for key in [*working, *(k for k in frozen if k not in working)]:
            old, new = frozen.get(key, ABSENT), working.get(key, ABSENT)
            yield from differences(old, new, (*path, key), (*steps, str(key)))
    elif isinstance(frozen, list) and isinstance(working, list):
        if frozen != working or bytes_of(frozen) != bytes_of(working):
            yield from _of_lists(frozen, working, path, steps)
    elif not same(frozen, working):
        yield Difference(path, frozen, working, steps)


def _of_lists(frozen: list[Any], working: list[Any], path: Path_, steps: tuple[str, ...]) -> Iterator[Difference]:
    slot = steps[-1] if steps else ""
    matching = matched(frozen, working, slot)
    if matching.order is not None:
        yield _reordered(matching, path, steps)
    for pair in _renamed(matching.pairs, frozen, working, NAMED_BY.get(slot, ())):
        old = ABSENT if pair.old is None else frozen[pair.old]
        new = ABSENT if pair.new is None else working[pair.new]
        here = pair.old if pair.new is None else pair.new
        assert here is not None
        yield from differences(old, new, (*path, here), (*steps, pair.name))


def _reordered(matching: Matching, path: Path_, steps: tuple[str, ...]) -> Difference:
    """What stands between the first and the last element that stand elsewhere; that first one is the place."""
    assert matching.order is not None
    old, new = (order.names for order in matching.order)
    moved = [number for number, names in enumerate(zip(old, new, strict=True)) if names[0] != names[1]]
    cut = slice(moved[0], moved[-1] + 1)
    kept = [pair.new for pair in matching.pairs if pair.old is not None and pair.new is not None]
    here = sorted(number for number in kept if number is not None)[moved[0]]
    return Difference((*path, here), Order(old[cut]), Order(new[cut]), steps)


def _renamed(pairs: tuple[Pair, ...], frozen: list[Any], working: list[Any], slots: tuple[str, ...]) -> Iterator[Pair]:
    """The pairs, with those that went and those that came put together where only the name is another."""
    went = [pair.old for pair in pairs if pair.new is None]
    came = [pair.new for pair in pairs if pair.old is None]
    alike = {
        new: old
        for old, new in zip_longest(went, came)
        if old is not None and new is not None and _alike(frozen[old], working[new], slots)
    }
    taken = set(alike.values())
    for pair in pairs:
        if pair.old is None and pair.new in alike:
            yield Pair(str(pair.new), alike[pair.new], pair.new)
        elif pair.new is not None or pair.old not in taken:
            yield pair


def _alike(old: Any, new: Any, slots: tuple[str, ...]) -> bool:
    """Whether two elements are one under another name: two names, or mappings that share most of what they hold."""
    if isinstance(old, dict) and isinstance(new, dict):
        held = [key for key in {**old, **new} if key not in slots]
        equal = sum(key in old and key in new and old[key] == new[key] for key in held)
        return bool(slots) and 2 * equal >= len(held)
    return isinstance(old, str) and isinstance(new, str) and len(old) <= MAX_NAME and len(new) <= MAX_NAME


def same(old: Any, new: Any) -> bool:
    """Whether two values are equal, none of which is a list or mapping on both sides."""
    if isinstance(old, bool) or isinstance(new, bool) or old is ABSENT or new is ABSENT:
        return old is new
    if isinstance(old, int | float) and isinstance(new, int | float):
        return old == new
    return type(old) is type(new) and bool(old == new)


def first_difference(frozen: str, working: str) -> int:
    """The index of the first character at which two texts differ."""
    for index, (old, new) in enumerate(zip(frozen, working, strict=False)):
        if old != new:
            return index
    return min(len(frozen), len(working))
