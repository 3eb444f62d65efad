"""Whether two respondents are told apart, and the interval over all families that must allow it."""

from __future__ import annotations

from typing import Any

from divisionbell.estimate.named import PRIMARY, Estimate, estimate
from divisionbell.statistics.comparison import Difference
from divisionbell.statistics.simultaneous_bounds import Bounded


def interval_over_all_families(name: str, axis: str, found: Bounded) -> Estimate:
    """The simultaneous Imbens-Manski interval of one difference."""
    common: dict[str, Any] = {"axis": axis, "scale": "concrete", "n": found.families, "n_of": "families"}
    return estimate(
        f"{name}.imbens_manski",
        "Interval for the difference itself over all families, when only its bounds are known: their ends with their "
        "sampling error over families. It holds together with those of all pairs and both axes; two respondents are "
        "told apart only where it leaves out 0. With nothing missing in any run it is the interval of the difference.",
        interval=found.interval,
        because=found.reason,
        standing=PRIMARY,
        **common,
    )


def sign_told(difference: Estimate, found: Difference, over_all: Bounded, minimum: int) -> int:
    """1 or -1 where a difference is told apart from 0, else 0: its own interval and that over all families, which holds
    the bounds, lie on that side, and as many families as a position needs have a score of both."""
    if "value" not in difference or found.interval is None or over_all.interval is None or found.families < minimum:
        return 0
    low = min(found.interval.low, over_all.interval.low)
    high = max(found.interval.high, over_all.interval.high)
    return 1 if low > 0 else -1 if high < 0 else 0


def verdict(name: str, axis: str, sign: int, families: int, minimum: int) -> Estimate:
    """The sign as an estimate."""
    return estimate(
        f"{name}.told_apart",
        "1 where the first respondent is told apart as the more positive, -1 as the more negative, else 0. The "
        "simultaneous interval over what both answered and the simultaneous Imbens-Manski interval over all families, "
        f"which holds the bounds, must both lie on that side of 0, {minimum} families must have a score of both, and "
        "neither may answer by position.",
        unit="sign",
        value=float(sign),
        n=families,
        n_of="families",
        axis=axis,
        scale="concrete",
    )
