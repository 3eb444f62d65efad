"""Intervals over issue families: the families are the only clusters, and no interval has width 0.

All scores are coordinates in [-1, 1]. The rules and their simulated coverage are in docs/explanation/statistics.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import integrate, optimize, stats

from ._checks import TOLERANCE, enough_families, finite, level_in_range, within

#: Beyond this |S| the family t covers less than its nominal level (docs/explanation/statistics.md, "Intervals").
NEAR_THE_END = 0.75
BELOW_NOMINAL = "|S| > 0.75: the coverage of the t interval is below nominal here"


@dataclass(frozen=True)
class Interval:
    """An interval in coordinate units. `method` says how it was made, `note` what a reader must know beside it.

    ValueError when an end is not finite or the width is not positive.
    """

    low: float
    high: float
    level: float
    method: str
    note: str | None = None

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(f"not an interval: [{self.low}, {self.high}]")

    @property
    def excludes_zero(self) -> bool:
        """True when 0 lies outside the interval."""
        return self.low > 0 or self.high < 0


def mean_and_se(scores: ArrayLike) -> tuple[float, float | None]:
    """Mean of family scores, shape (G,), and its standard error sqrt(sum (s - S)^2 / (G (G - 1))).

    The standard error is None at G = 1, and exactly 0 when all families are equal. ValueError on empty or non-finite
    input. Source: docs/explanation/statistics.md, "Intervals" (cluster means as the units).
    """
    array = finite(scores, "scores")
    mean = float(array.mean())
    if array.size == 1:
        return mean, None
    if np.ptp(array) <= TOLERANCE:
        return mean, 0.0
    return mean, float(array.std(ddof=1)) / math.sqrt(array.size)


def family_t(scores: ArrayLike, level: float = 0.95) -> Interval:
    """S +- t_{G-1} SE from family scores, shape (G,), clipped to [-1, 1].

    ValueError on empty or non-finite input, scores outside [-1, 1], G = 1, or all families equal (then `exact_equal`).
    Source: Student's t on family means; docs/explanation/statistics.md, "Intervals".
    """
    level_in_range(level)
    array = within(scores, "scores")
    enough_families(array.size)
    mean, se = mean_and_se(array)
    if not se:
        raise ValueError("all families are equal: the t interval would have width 0, use exact_equal")
    half = float(stats.t.ppf((1 + level) / 2, array.size - 1)) * se
    note = BELOW_NOMINAL if abs(mean) > NEAR_THE_END else None
    return Interval(max(mean - half, -1.0), min(mean + half, 1.0), level, "family_t", note)


def exact_equal(value: float, families: int, level: float = 0.95) -> Interval:
    """The interval when all `families` families score exactly `value`: [v - q(1 + v), v + q(1 - v)].

    q = 1 - (alpha/2)^(1/G) is the largest share of families at a pole that would still leave G drawn families all at v
    with probability alpha/2; at v = -1 or +1 only one end can move, and alpha stands for alpha/2. Each pole
    then misses at 5 %; both together at 5.0 % from eight families on, 5.4 % at six, 6.9 % at five. ValueError when
    `value` is outside [-1, 1] or families < 2. Source: Clopper and Pearson (1934) with G of G successes;
    docs/explanation/statistics.md, "Intervals".
    """
    level_in_range(level)
    enough_families(families)
    v = float(np.clip(within([value], "value")[0], -1.0, 1.0))
    at_pole = 1 - abs(v) <= TOLERANCE
    tail = (1 - level) if at_pole else (1 - level) / 2
    v = math.copysign(1.0, v) if at_pole else v
    q = 1 - tail ** (1 / families)
    note = f"all {families} families are equal at {v:g}: exact interval, other families may differ"
    return Interval(max(v - q * (1 + v), -1.0), min(v + q * (1 - v), 1.0), level, "exact_equal", note)


def contrast_interval(contrasts: ArrayLike, level: float = 0.95) -> Interval:
    """Interval for the mean of differences of two scores per family, shape (G,), each in [-2, 2].

    Half a difference lies in [-1, 1], so this is twice the family t (or the exact interval) of the halves. ValueError
    on empty or non-finite input, values outside [-2, 2] or G = 1. Source: docs/explanation/statistics.md, "Intervals".
    """
    halves = within(contrasts, "contrasts", limit=2.0) / 2
    mean, se = mean_and_se(halves)
    half = family_t(halves, level) if se != 0 else exact_equal(mean, halves.size, level)
    note = half.note
    if half.method == "exact_equal":
        note = f"all {halves.size} families are equal at {2 * mean:g}: exact interval, other families may differ"
    elif note is not None:
        note = "mean difference beyond 1.5 in size: the coverage of the t interval is below nominal here"
    return replace(half, low=2 * half.low, high=2 * half.high, note=note)


def joint_axis_multiplier(families_first: int, families_second: int, level: float = 0.95) -> float:
    """The multiplier c of both standard errors for an ellipse that holds both axis means at once.

    c solves P(T1^2 + T2^2 <= c^2) = level for independent Student T1, T2 with G1 - 1 and G2 - 1 degrees of freedom: the
    axes share no family, and each has a standard error of its own, so sqrt(2 F) is only an approximation (2.82 for
    2.80 at G = 12). No unit. ValueError when an axis has fewer than two families.
    Source: docs/explanation/statistics.md, "Intervals".
    """
    level_in_range(level)
    enough_families(min(families_first, families_second))
    df1, df2 = families_first - 1, families_second - 1

    def inside(c: float) -> float:
        def strip(angle: float) -> float:
            x, y = c * math.sin(angle), c * math.cos(angle)
            return float(stats.t.pdf(x, df1) * (2 * stats.t.cdf(y, df2) - 1) * y)

        return 2 * float(integrate.quad(strip, 0, math.pi / 2)[0])

    corner = math.sqrt(2) * float(stats.t.ppf(1 - (1 - level) / 4, min(df1, df2)))
    return float(optimize.brentq(lambda c: inside(c) - level, 0.1, corner))


def smallest_detectable_difference(se: float, families: int, level: float = 0.95, power: float = 0.80) -> float | None:
    """(t_.975 + t_.80) SE with G - 1 degrees of freedom, in coordinate units; None at SE = 0, where it is undefined.

    ValueError when SE is negative or not finite, or families < 2. Source: the usual minimum detectable effect, Bloom
    (1995), Evaluation Review 19(5); docs/explanation/statistics.md, "Intervals".
    """
    level_in_range(level)
    enough_families(families)
    if float(finite([se], "se")[0]) < 0:
        raise ValueError(f"se: negative ({se})")
    if se == 0:
        return None
    return float(stats.t.ppf((1 + level) / 2, families - 1) + stats.t.ppf(power, families - 1)) * se


def kish_n(weights: ArrayLike) -> float:
    """Effective number of units (sum w)^2 / sum w^2 for weights of shape (n,); no unit, scale-free.

    ValueError on empty, non-finite or non-positive weights. Source: Kish (1965), Survey Sampling, section 11.7.
    """
    array = finite(weights, "weights")
    if (array <= 0).any():
        raise ValueError("weights: every weight must be positive")
    return float(array.sum() ** 2 / (array**2).sum())
