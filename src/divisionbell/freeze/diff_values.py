"""Where two JSON values differ, with list elements matched by what names them instead of by where they stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from divisionbell.bank.canonical import jcs
from divisionbell.bank.document import Path_
from divisionbell.bank.manifest import ABSENT
from divisionbell.freeze.edit_script import runs

# The slots that name an element of a list, by the slot that holds the list.
NAMED_BY: dict[str, tuple[str, ...]] = {
    "items": ("item_id",),
    "codings": ("coding_id",),
    "party_counts": ("party",),
    "participation": ("party",),
    "related_fields": ("field",),
    "issue_families": ("family_id",),
    "registry": ("invented_name",),
    "forms": ("form_id",),
    "estimates_planned": ("estimate_name",),
    "waivers": ("waived_item", "rule", "waived_text"),
    "byte_digests": ("sha256",),
    "copies": ("publisher", "path"),
}
MAX_NAME = 60  # characters of a text that names itself


@dataclass(frozen=True)
class Order:
    """The names of a list's elements that both sides have, in the order of one side."""

    names: tuple[str, ...]


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
        if old != new or _bytes_of(old) != _bytes_of(new):
            yield from _list_changes(old, new, steps, old_path, new_path)
    elif not _same(old, new):
        yield ValueChange(steps, old_path, new_path, old, new)


def _named_list(steps: tuple[str, ...], old: Any, new: Any) -> bool:
    """Whether one side lacks a list of named elements that the other has, with something in it."""
    sides = [side for side in (old, new) if side is not ABSENT]
    return bool(steps and steps[-1] in NAMED_BY and len(sides) == 1 and isinstance(sides[0], list) and sides[0])


def _same(old: Any, new: Any) -> bool:
    if isinstance(old, bool) or isinstance(new, bool) or old is ABSENT or new is ABSENT:
        return old is new
    if isinstance(old, int | float) and isinstance(new, int | float):
        return old == new
    return type(old) is type(new) and bool(old == new)


def _list_changes(
    old: list[Any], new: list[Any], steps: tuple[str, ...], old_path: Path_, new_path: Path_
) -> Iterator[ValueChange]:
    slots = NAMED_BY.get(steps[-1], ()) if steps else ()
    before, after = _names(old, slots), _names(new, slots)
    pairs: Iterator[tuple[str, int | None, int | None]]
    if before is None or after is None:
        pairs = ((f"{a if b is None else b}", a, b) for a, b in _aligned(old, new))
    else:
        pairs = ((name, before.get(name), after.get(name)) for name in [*after, *(n for n in before if n not in after)])
        kept = [[name for name in side if name in before and name in after] for side in (before, after)]
        if kept[0] != kept[1]:
            yield ValueChange(steps, old_path, new_path, *(Order(tuple(names)) for names in kept))
    for name, a, b in pairs:
        one = old[a] if a is not None else ABSENT
        other = new[b] if b is not None else ABSENT
        here = (*old_path, a) if a is not None else old_path
        there = (*new_path, b) if b is not None else new_path
        yield from value_changes(one, other, (*steps, name), here, there)


def _names(elements: list[Any], slots: tuple[str, ...]) -> dict[str, int] | None:
    """Each element's name with its place, or None where not every element has one of its own.

    Short texts name themselves: a list of them is a list of names.
    """
    names: dict[str, int] = {}
    for place, element in enumerate(elements):
        if isinstance(element, str) and 0 < len(element) <= MAX_NAME:
            name = element
        elif isinstance(element, dict) and slots and all(isinstance(element.get(slot), str) for slot in slots):
            name = " ".join(element[slot] for slot in slots)
        else:
            return None
        if name in names:
            return None
        names[name] = place
    return names


def _aligned(old: list[Any], new: list[Any]) -> Iterator[tuple[int | None, int | None]]:
    """Pairs of places that belong together, with None where an element has no counterpart."""
    for _, a, a_end, b, b_end in runs([_bytes_of(one) for one in old], [_bytes_of(one) for one in new]):
        for step in range(max(a_end - a, b_end - b)):
            yield (a + step if a + step < a_end else None), (b + step if b + step < b_end else None)


def _bytes_of(value: Any) -> bytes:
    try:
        return jcs(value)
    except ValueError:  # a number that has no canonical form: only in files that are not valid
        return repr(value).encode("utf-8", "backslashreplace")
