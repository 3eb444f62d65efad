"""One estimate: a number with its name, unit and definition, and nothing where there is no number."""

from __future__ import annotations

import math
from typing import Any

from divisionbell.statistics.intervals import Interval

Estimate = dict[str, Any]

PRIMARY = "primary"
SECOND_SCALE = "second scale"
DIAGNOSTIC = "diagnostic"
EXPLORATORY = "exploratory"

#: Which of the two estimands the intervals over families are for.
ESTIMAND = "for issues like these (families as if drawn)"

METHODS = {
    "family_t": "Student t over families",
    "family_bootstrap_t": "studentised bootstrap of whole families",
    "exact_equal": "exact, all families equal",
    "max_t": "simultaneous over all pairs and both axes (max-T by flips of signs over families)",
    "imbens_manski": "Imbens-Manski over families",
    "imbens_manski_max_t": "Imbens-Manski over families, simultaneous over all pairs and both axes (max-T)",
}


def in_words(interval: Interval) -> str:
    """How an interval was made and what it is for, with the note that goes with it, on one line."""
    words = f"{METHODS[interval.method]}, {ESTIMAND}"
    return words if interval.note is None else f"{words}; {interval.note}"


def estimate(
    name: str,
    definition: str,
    *,
    unit: str = "coordinate",
    standing: str = DIAGNOSTIC,
    axis: str | None = None,
    scale: str | None = None,
    value: float | None = None,
    because: str | None = None,
    interval: Interval | None = None,
    bounds: tuple[float, float] | None = None,
    kind: str | None = None,
    n: int | None = None,
    n_of: str | None = None,
) -> Estimate:
    """An Estimate of the run schema; what is None is left out.

    `interval` gives low, high, level and, unless `kind` says it, interval_kind; `bounds` give low and high without a
    level. ValueError when a number is not finite, when there is neither a number nor a reason, or both a value and a
    reason against one.
    """
    low, high = (interval.low, interval.high) if interval is not None else bounds or (None, None)
    if any(number is not None and not math.isfinite(number) for number in (value, low, high)):
        raise ValueError(f"{name}: not finite")
    if (value is not None and because is not None) or (value is None and low is None and because is None):
        raise ValueError(f"{name}: either a number or the reason why there is none")
    made = {
        "name": name,
        "estimate_axis": axis,
        "estimate_scale": scale,
        "value": None if value is None else float(value) + 0.0,
        "unit": unit,
        "low": None if low is None else float(low) + 0.0,
        "high": None if high is None else float(high) + 0.0,
        "interval_level": None if interval is None else interval.level,
        "interval_kind": kind or (in_words(interval) if interval is not None else None),
        "n": None if n is None else int(n),
        "n_of": n_of,
        "undefined_because": because,
        "standing": standing,
        "definition": definition,
    }
    return {key: entry for key, entry in made.items() if entry is not None}
