"""What a whole run came to: its cells, and the little beside them that a score document tells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.score.apply_key import Cells, apply_key

#: What a server tells of itself with a reply.
SERVING = ("served_model", "fingerprint", "dropped_parameters")


@dataclass(frozen=True)
class Answers:
    """A complete run, reduced to what is scored.

    `first_readings` counts units by outcome and by the parser's reason code for the first reply, which is None where
    nothing was asked. `serving` holds every model name and fingerprint that the server told and every parameter that it
    refused, sorted.
    """

    cells: Cells
    first_readings: Mapping[tuple[str, str | None], int]
    serving: Mapping[str, tuple[str, ...]]


def answers_of(bank: FrozenBank, header: Mapping[str, Any], units: Sequence[Mapping[str, Any]]) -> Answers:
    """The answers of a complete run. Raises UsageProblem as `apply_key` does."""
    return Answers(
        apply_key(bank, header, units),
        Counter((str(unit["outcome"]), first_reading(unit["attempts"])) for unit in units),
        serving(attempt for unit in units for attempt in unit["attempts"]),
    )


def first_reading(attempts: Iterable[Mapping[str, Any]]) -> str | None:
    """The parser's reason code for the first reply of a unit; None where nothing was asked.

    A first reply that had to be asked for again, because the respondent was not reached, is the last attempt with
    number 1.
    """
    readings = [attempt["reading"] for attempt in attempts if attempt["attempt_number"] == 1]
    return str(readings[-1]) if readings else None


def serving(attempts: Iterable[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    """Every value of what a server told of itself, sorted."""
    return served_together(set(map(served_by, attempts)))


def served_by(attempt: Mapping[str, Any]) -> tuple[str | None, str | None, tuple[str, ...] | None]:
    """What the server told of itself with one reply, as SERVING names it."""
    dropped = attempt.get("dropped_parameters")
    return attempt.get("served_model"), attempt.get("fingerprint"), None if dropped is None else tuple(dropped)


def served_together(
    told: Iterable[tuple[str | None, str | None, tuple[str, ...] | None]],
) -> dict[str, tuple[str, ...]]:
    """Every value of each kind, sorted."""
    seen: dict[str, set[str]] = {slot: set() for slot in SERVING}
    for values in told:
        for slot, value in zip(SERVING, values, strict=True):
            if value is not None:
                seen[slot].update((value,) if isinstance(value, str) else value)
    return {slot: tuple(sorted(map(_encodable, values))) for slot, values in seen.items()}


def _encodable(text: str) -> str:
    """A name as it can be written: a lone surrogate in it has no UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")
