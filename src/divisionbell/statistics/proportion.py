"""A share of independent units with its interval."""

from __future__ import annotations

from scipy.stats import binomtest

from divisionbell.statistics.intervals import Interval


def wilson(successes: int, units: int, level: float = 0.95) -> Interval | None:
    """Wilson's score interval of successes / units, in [0, 1]; None without units. ValueError on impossible counts.

    Source: Wilson (1927), J. Am. Stat. Assoc. 22, 209-212, as computed by scipy.stats.binomtest.
    """
    if units == 0:
        return None
    ends = binomtest(successes, units).proportion_ci(level, method="wilson")
    return Interval(float(ends.low), float(ends.high), level, "Wilson")
