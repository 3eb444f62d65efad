"""Which elements of two lists belong together: by what names them where something does, else by the shortest edit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from divisionbell.bank.canonical import jcs
from divisionbell.bank.edit_script import runs

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
    "record_digests": ("kind", "id"),
}
MAX_NAME = 60  # characters of a text that names itself


@dataclass(frozen=True)
class Order:
    """The names of a list's elements that both sides have, in the order of one side."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Pair:
    """An element under its name, with its place on each side; None where that side has none."""

    name: str
    old: int | None
    new: int | None


@dataclass(frozen=True)
class Matching:
    """How the elements of two lists belong together. `order` is there where those of both stand in another order."""

    pairs: tuple[Pair, ...]
    order: tuple[Order, Order] | None = None


def matched(old: list[Any], new: list[Any], slot: str) -> Matching:
    """The elements of two lists that the slot holds, each once: those of the new side first, in their order."""
    slots = NAMED_BY.get(slot, ())
    before, after = _names(old, slots), _names(new, slots)
    if before is None or after is None:
        return _by_edits([bytes_of(one) for one in old], [bytes_of(one) for one in new])
    names = [*after, *(name for name in before if name not in after)]
    pairs = tuple(Pair(name, before.get(name), after.get(name)) for name in names)
    return Matching(pairs, _order([n for n in before if n in after], [n for n in after if n in before]))


def _order(old: list[str], new: list[str]) -> tuple[Order, Order] | None:
    return None if old == new else (Order(tuple(old)), Order(tuple(new)))


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


def _by_edits(old: list[bytes], new: list[bytes]) -> Matching:
    """Elements without names are named by their number: the new one, or the old where there is no new."""
    if old != new and Counter(old) == Counter(new):
        return _moved(old, new)
    pairs = ((a, b) for a, b in _aligned(old, new))
    return Matching(tuple(Pair(str(a if b is None else b), a, b) for a, b in pairs))


def _moved(old: list[bytes], new: list[bytes]) -> Matching:
    """The same elements in another order, of equal ones the first with the first."""
    places: dict[bytes, list[int]] = {}
    for place, element in reversed(list(enumerate(old))):
        places.setdefault(element, []).append(place)
    came_from = [places[element].pop() for element in new]
    pairs = tuple(Pair(str(b), a, b) for b, a in enumerate(came_from))
    return Matching(pairs, _order([str(n) for n in range(len(old))], [str(n) for n in came_from]))


def _aligned(old: list[bytes], new: list[bytes]) -> Iterator[tuple[int | None, int | None]]:
    """Pairs of places that belong together, with None where an element has no counterpart."""
    for _, a, a_end, b, b_end in runs(old, new):
        for step in range(max(a_end - a, b_end - b)):
            yield (a + step if a + step < a_end else None), (b + step if b + step < b_end else None)


def bytes_of(value: Any) -> bytes:
    """The canonical form of a value, or what stands for it where it has none."""
    try:
        return jcs(value)
    except (ValueError, RecursionError):  # a number that has no canonical form: only in files that are not valid
        try:
            return repr(value).encode("utf-8", "backslashreplace")
        except RecursionError:  # nested too deep to be told: equal to nothing else
            return str(id(value)).encode()
