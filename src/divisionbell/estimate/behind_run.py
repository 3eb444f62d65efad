"""How the units of a whole run enter the figures on parsing, missing answers and repeats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from divisionbell.estimate.entering import COUNTED, NO_ANSWER, Entry, Scored, of_items
from divisionbell.estimate.parsing_rates import malformed_at_first
from divisionbell.run.outcomes import NOT_ADMINISTERED, VALID
from divisionbell.score.answers import first_reading
from divisionbell.score.apply_key import ORDERS

ALONE = "left out: no other repeat has an answer"
MISSING = "missing"
NOT_WHOLE = "left out: the item has no answer elsewhere"

Judged = Callable[[str, str | None], bool]


def _units(scored: Scored, counts: Judged, over: Judged | None = None) -> list[Entry]:
    """Every unit of the run; those that count enter as 1. Without `over` the figure is their number, else their share
    among those over which it is taken. A unit told apart has the weight 0, and its role is what it came to."""
    told = [(unit, str(unit["outcome"]), first_reading(unit["attempts"])) for unit in scored.units]
    taken = [(over or counts)(outcome, reading) for _, outcome, reading in told]
    weight = 1 / max(sum(taken), 1) if over else 1.0
    made = []
    for (unit, outcome, reading), within in zip(told, taken, strict=True):
        asked, order = scored.asked[unit["asked_item"]], ORDERS[unit["asked_order"]]
        counted = counts(outcome, reading)
        role = f"{COUNTED if within else 'not counted'}: {outcome}, first reply {_first(unit, reading)}"
        made.append(Entry(asked, order, int(unit["repeat"]), weight * within, float(counted), role))
    return made


def _first(unit: Mapping[str, Any], reading: str | None) -> str:
    return "not asked for" if reading is None else f"read as {reading}"


def units_asked(scored: Scored, found: Mapping[str, str]) -> list[Entry]:
    """Every unit that the respondent was asked."""
    return _units(scored, lambda outcome, _: outcome != NOT_ADMINISTERED)


def with_outcome(scored: Scored, found: Mapping[str, str]) -> list[Entry]:
    """Units of one outcome."""
    return _units(scored, lambda outcome, _: outcome == found["outcome"])


def with_reading(scored: Scored, found: Mapping[str, str]) -> list[Entry]:
    """Units whose first reply was read as one reason."""
    return _units(scored, lambda _, reading: reading == found["code"])


def initial_rate(scored: Scored, found: Mapping[str, str]) -> list[Entry]:
    """Valid first replies among those valid or malformed."""

    def valid(outcome: str, reading: str | None) -> bool:
        return outcome == VALID[0]

    return _units(
        scored, valid, lambda outcome, reading: valid(outcome, reading) or malformed_at_first(outcome, reading)
    )


def final_rate(scored: Scored, found: Mapping[str, str]) -> list[Entry]:
    """Units valid in the end among those valid or malformed."""
    return _units(scored, lambda o, _: o in VALID, lambda o, _: o in (*VALID, "malformed"))


def _on(scored: Scored, axis: str | None) -> np.ndarray[Any, np.dtype[np.bool_]]:
    return np.array([axis in (None, asked.dossier.axis) for asked in scored.cells.items], dtype=np.bool_)


def lost(sign_by_order: tuple[int, int] | None) -> Callable[[Scored, Mapping[str, str]], list[Entry]]:
    """Missing answers of one axis, or of both where the name has none: with +1 or -1 shares by order, 0 for an order
    that does not enter; None where the figure gives no unit a weight."""

    def made(scored: Scored, found: Mapping[str, str]) -> list[Entry]:
        here = _on(scored, found.get("axis"))
        items = [asked for asked, keep in zip(scored.cells.items, here, strict=True) if keep]
        gone = ~scored.cells.answered[here]
        signs = np.array(sign_by_order or (1, 1), dtype=np.float64).reshape(1, 2, 1)
        weight = np.broadcast_to(signs / max(gone[:, 0].size, 1), gone.shape)
        told = np.where(gone, MISSING, "answered").astype(np.object_)
        return of_items(items, weight, gone.astype(np.float64), told, np.broadcast_to(signs != 0, gone.shape))

    return made


def repeats(scored: Scored, found: Mapping[str, str]) -> list[Entry]:
    """Repeats of a unit, of one axis or of both; each is set beside every other one that has an answer."""
    here = _on(scored, found.get("axis"))
    items = [asked for asked, keep in zip(scored.cells.items, here, strict=True) if keep]
    held, x = scored.cells.answered[here], scored.cells.x[here]
    together = held.sum(axis=2, keepdims=True) > 1
    told = np.where(held, np.where(together, "set beside the other repeats", ALONE), NO_ANSWER).astype(np.object_)
    return of_items(items, np.zeros(x.shape), x, told)


def whole_items(scored: Scored, found: Mapping[str, str]) -> list[Entry]:
    """Repeats of items, of one axis or of both; those of items with an answer in both orders at every repeat enter."""
    here = _on(scored, found.get("axis"))
    items = [asked for asked, keep in zip(scored.cells.items, here, strict=True) if keep]
    held, x = scored.cells.answered[here], scored.cells.x[here]
    whole = held.all(axis=(1, 2), keepdims=True)
    told = np.where(held, np.where(whole, "half of the item's score at its repeat", NOT_WHOLE), NO_ANSWER)
    return of_items(items, np.zeros(x.shape), x, told.astype(np.object_))
