"""Differences of which only bounds are known: Imbens-Manski intervals of all pairs and axes that hold together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from ._checks import TOLERANCE, Floats, level_in_range
from .bounds import imbens_manski
from .comparison import DRAWS, Differences, critical_value, largest_t
from .intervals import Interval, mean_and_se

ONE_FAMILY = "one family only: the spread between families is unknown"
NO_LIMIT = "the simultaneous interval has no limit"
#: A critical value so large that the t distribution cannot tell it from infinity.
CERTAIN = 1 - 1e-9


@dataclass(frozen=True)
class DifferenceBounds:
    """The lowest and the highest difference of two family scores that completions bring, for every pair on one axis.

    Both have shape (P pairs, G families), values in [-2, 2]; every family that was asked is there, also one without a
    single answer. ValueError where the shapes differ, a value is not finite or out of range, or an end above the other.
    """

    lower: Floats
    upper: Floats

    def __post_init__(self) -> None:
        if self.lower.ndim != 2 or self.lower.shape != self.upper.shape:
            raise ValueError("bounds: two arrays of one shape (pairs, families) expected")
        ends = np.concatenate([self.lower, self.upper])
        if not np.isfinite(ends).all() or (np.abs(ends) > 2 + TOLERANCE).any():
            raise ValueError("bounds: finite values within [-2, 2] expected")
        if (self.lower > self.upper + TOLERANCE).any():
            raise ValueError("bounds: lower <= upper expected")

    @property
    def ends(self) -> Differences:
        """Every lower end, and every upper one that is another, as rows of one family of tests."""
        other = (np.abs(self.upper - self.lower) > TOLERANCE).any(axis=1)
        rows = np.concatenate([self.lower, self.upper[other]])
        return Differences(rows, np.ones(rows.shape, dtype=np.bool_))


@dataclass(frozen=True)
class Bounded:
    """The interval of one difference; None with the `reason`."""

    families: int
    interval: Interval | None
    reason: str | None = None


def simultaneous_imbens_manski(
    axes: Sequence[DifferenceBounds], *, seed: int, draws: int = DRAWS, level: float = 0.95
) -> list[list[Bounded]]:
    """The interval of every difference of every axis, corrected together; one list of length P for each axis.

    L and U are the means over all G families of the lowest and highest differences, SE_L and SE_U their standard errors
    over families, k the `level` quantile of the largest |T*| of all ends of all pairs and axes, by flips of signs as in
    `max_t`. The interval is [L - c SE_L, U + c SE_U], clipped to [-2, 2], where c solves

        F(c + (U - L) / max SE) - F(-c) = 2 F(k) - 1,    F = t with G - 1 degrees of freedom.

    Where nothing is missing c = k, and it is the interval of `max_t`; where the bounds lie far apart only one end can
    be missed, and c is the one-sided value. An end without spread moves by the rule of `exact_equal` at a level
    corrected by Bonferroni, where that is the higher one. No interval with G = 1, or where k has no limit.
    ValueError on a level out of range, or fewer than 1,000 draws.
    Source: Imbens and Manski (2004), Econometrica 72(6), eq. 7, at the level of the pair that a studentised maximum
    leaves it (Romano and Wolf 2005, Econometrica 73(4)); docs/explanation/statistics.md, "Tests".
    """
    level_in_range(level)
    if draws < 1000:
        raise ValueError(f"draws: at least 1000 expected, {draws} given")
    limit = critical_value(largest_t([axis.ends for axis in axes], seed=seed, draws=draws), level)
    corrected = 1 - (1 - level) / max(sum(len(axis.lower) for axis in axes), 1)
    return [
        [_bounded(low, high, limit, level, corrected) for low, high in zip(axis.lower, axis.upper, strict=True)]
        for axis in axes
    ]


def _bounded(lower: Floats, upper: Floats, limit: float, level: float, corrected: float) -> Bounded:
    """Halves of differences lie in [-1, 1], as scores do."""
    low, se_low = mean_and_se(lower / 2)
    high, se_high = mean_and_se(upper / 2)
    families = lower.size
    if se_low is None or se_high is None:
        return Bounded(families, None, ONE_FAMILY)
    alone = corrected
    if max(se_low, se_high) > 0:
        of_pair = float(2 * special.stdtr(families - 1, limit) - 1)
        alone = of_pair if min(se_low, se_high) > 0 else max(of_pair, corrected)
    if not 0.5 < alone < CERTAIN:
        return Bounded(families, None, NO_LIMIT)
    half = imbens_manski(low, max(low, high), se_low, se_high, families - 1, alone)
    note = half.note
    if half.method == "exact_equal":
        note = f"all {families} families are equal at {2 * low:g}: exact interval, other families may differ"
    made = replace(half, low=2 * half.low, high=2 * half.high, level=level, method="imbens_manski_max_t", note=note)
    return Bounded(families, made)
