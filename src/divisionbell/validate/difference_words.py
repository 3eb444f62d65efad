"""A difference of a frozen record and another one in words."""

from __future__ import annotations

from typing import Any

import orjson

from divisionbell.bank.differences import ABSENT, Difference, first_difference
from divisionbell.bank.matching import Order

# One element of a list, by the slot that holds the list.
_ONE_OF = {
    "items": "item",
    "codings": "coding",
    "party_counts": "party count of",
    "participation": "participation of",
    "related_fields": "related field",
    "issue_families": "issue family",
    "registry": "invented name",
    "forms": "form",
    "estimates_planned": "estimate",
    "waivers": "waiver",
    "byte_digests": "byte digest",
    "copies": "copy",
    "weak_points": "weak point",
    "institutions": "institution",
    "record_digests": "digest of",
}
_AROUND = 20  # characters that are shown before the first one that differs


def told(change: Difference, frozen: str, whole: str = "the value") -> str:
    """What differs from what is frozen; `frozen` names that, `whole` the value where nothing smaller differs."""
    where = ".".join(change.steps) or whole
    if isinstance(change.frozen, Order):
        count = sum(old != new for old, new in zip(change.frozen.names, change.working.names, strict=True))
        return f"{where}: {count} elements stand in another order than in {frozen}: {_both(change)}"
    if change.element:
        name = f"{_one(change.steps)} {change.steps[-1]}"
        if change.working is not ABSENT:
            return f"{name} is not part of {frozen}"
        numbered = f": {quoted(change.frozen)}" if change.steps[-1].isdecimal() else ""
        return f"{name} of {frozen} is missing{numbered}"
    return f"{where} differs from {frozen}: {_both(change)}"


def _one(steps: tuple[str, ...]) -> str:
    """The words for one element of a list, after the steps to what holds the list."""
    slot = steps[-2] if len(steps) > 1 else "element"
    held_by = ".".join(steps[:-2])
    return (f"{held_by}: " if held_by else "") + _ONE_OF.get(slot, f"{slot}:")


def _both(change: Difference) -> str:
    old, new = change.frozen, change.working
    if isinstance(old, str) and isinstance(new, str):
        start = max(0, first_difference(old, new) - _AROUND)
        old, new = old[start:], new[start:]
    return f"expected {quoted(old)}, found {quoted(new)}"


def quoted(value: Any, most: int = 60) -> str:
    """A value in quotes, cut; a missing one is nothing, without quotes."""
    if value is ABSENT:
        return "nothing"
    if isinstance(value, Order):
        value = ", ".join(value.names)
    try:
        text = value if isinstance(value, str) else orjson.dumps(value).decode()
    except TypeError:  # nested deeper than it can be written
        text = "a value nested too deep to show"
    return f'"{text if len(text) <= most else text[: most - 3] + "..."}"'
