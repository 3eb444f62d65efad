"""Many differences at once: one max-T family over pairs of respondents and axes, by flips of signs over families."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ._checks import TOLERANCE, Floats, level_in_range
from .intervals import Interval, contrast_interval, mean_and_se

DRAWS = 10_000
CHUNK = 500  # draws at once, so that memory stays bounded whatever the number of pairs


@dataclass(frozen=True)
class Differences:
    """Differences of two family scores on one axis, for every pair of respondents.

    `values` has shape (P pairs, G families), each within [-2, 2]; `present`, of the same shape, says where both
    respondents have a score. ValueError where the shapes differ, or a value that is present is not finite or out of
    range.
    """

    values: Floats
    present: NDArray[np.bool_]

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or self.values.shape != self.present.shape:
            raise ValueError("differences: two arrays of one shape (pairs, families) expected")
        held = self.values[self.present]
        if not np.isfinite(held).all() or (np.abs(held) > 2 + TOLERANCE).any():
            raise ValueError("differences: finite values within [-2, 2] expected")


@dataclass(frozen=True)
class Difference:
    """One difference: its mean, the interval that holds together with all others, and its p within the family.

    `p` is None with a `reason` where the differences have no spread, or fewer than two families have both scores.
    """

    mean: float | None
    families: int
    interval: Interval | None
    p: float | None
    reason: str | None = None


def max_t(
    axes: Sequence[Differences], *, seed: int, draws: int = DRAWS, level: float = 0.95, fewest: int = 2
) -> list[list[Difference]]:
    """Every difference of every axis, corrected together; one list of length P for each axis.

    T = mean / SE over the families of a pair. Each draw flips the signs of the centred differences, family by family
    and the same for all pairs of an axis, studentises anew and keeps the largest |T*|. p = (1 + #{max |T*| >= |T|}) /
    (1 + draws); the interval is mean +- c SE, with c the `level` quantile of max |T*|, clipped to [-2, 2]. A pair whose
    differences are all equal has no T: it stays out of the family and has the exact interval at a level corrected by
    Bonferroni. A pair with fewer than `fewest` families stays out as well, and has a mean alone: it could never be told
    apart, and half of all flips of two families are without spread, which would leave no pair an interval. ValueError
    on a level out of range, fewer than 1,000 draws, or `fewest` below 2.
    Source: Westfall and Young (1993), section 2.6; Romano and Wolf (2005), Econometrica 73(4), for studentised maxima;
    docs/explanation/statistics.md, "Tests".
    """
    level_in_range(level)
    if draws < 1000:
        raise ValueError(f"draws: at least 1000 expected, {draws} given")
    if fewest < 2:
        raise ValueError(f"fewest: at least 2 families expected, {fewest} given")
    moments = [_moments_of(axis, fewest) for axis in axes]
    largest = largest_t(axes, seed=seed, draws=draws, fewest=fewest)
    limit = critical_value(largest, level)
    every = sum(found.se is not None for axis in moments for found in axis)
    return [
        [
            _difference(axis.values[p][axis.present[p]], found, largest, limit, level, every, fewest)
            for p, found in enumerate(row)
        ]
        for axis, row in zip(axes, moments, strict=True)
    ]


def largest_t(axes: Sequence[Differences], *, seed: int, draws: int = DRAWS, fewest: int = 2) -> Floats:
    """The largest |T*| of each draw over all pairs and axes of `fewest` families, shape (draws,); empty where no pair
    has a T."""
    moments = [_moments_of(axis, fewest) for axis in axes]
    tested = any(found.t is not None for row in moments for found in row)
    return _largest(axes, moments, seed, draws) if tested else np.empty(0)


def critical_value(largest: Floats, level: float) -> float:
    """The `level` quantile of the largest |T*|, itself one of them; infinite where there is none."""
    return float(np.quantile(largest, level, method="higher")) if largest.size else math.inf


@dataclass(frozen=True)
class _Moments:
    mean: float | None
    se: float | None
    t: float | None


def _moments(values: Floats, fewest: int) -> _Moments:
    if values.size < fewest:
        return _Moments(float(values.mean()) if values.size else None, None, None)
    mean, se = mean_and_se(values)
    return _Moments(mean, se, mean / se if se else None)


def _moments_of(axis: Differences, fewest: int) -> list[_Moments]:
    return [_moments(values[held], fewest) for values, held in zip(axis.values, axis.present, strict=True)]


def _largest(axes: Sequence[Differences], moments: list[list[_Moments]], seed: int, draws: int) -> Floats:
    """The largest |T*| of each draw, shape (draws,)."""
    rng = np.random.default_rng(seed)
    parts = []
    for axis, row in zip(axes, moments, strict=True):
        kept = np.array([found.t is not None for found in row], dtype=bool)
        n = axis.present[kept].sum(axis=1).astype(np.float64)
        means = np.array([found.mean for found, keep in zip(row, kept, strict=True) if keep], dtype=np.float64)
        centred = np.where(axis.present[kept], axis.values[kept] - means[:, None], 0.0)
        parts.append((axis.values.shape[1], n, centred, (centred**2).sum(axis=1)))
    made = np.zeros(draws)
    for start in range(0, draws, CHUNK):
        here = slice(start, min(start + CHUNK, draws))
        for families, n, centred, squares in parts:
            signs = rng.choice([-1.0, 1.0], (here.stop - start, families))
            if n.size:
                mean = signs @ centred.T / n
                variance = np.maximum(squares - n * mean**2, 0.0) / (n - 1)
                with np.errstate(divide="ignore"):  # all flipped differences alike: beyond every limit, and counted so
                    t = np.abs(mean) / np.sqrt(variance / n)
                made[here] = np.maximum(made[here], t.max(axis=1))
    return made


def _difference(
    values: Floats, found: _Moments, largest: Floats, limit: float, level: float, every: int, fewest: int
) -> Difference:
    families = values.size
    if found.mean is None:
        return Difference(None, 0, None, None, "no family has a score of both")
    if families == 1:
        return Difference(found.mean, families, None, None, "one family only: the spread between families is unknown")
    if found.se is None:
        return Difference(
            found.mean, families, None, None, f"{families} families have a score of both, {fewest} are needed"
        )
    if found.t is None:
        exact = contrast_interval(values, 1 - (1 - level) / every)
        return Difference(
            found.mean, families, exact, None, "the difference is the same in every family: no spread to test by"
        )
    p = float((1 + (largest >= abs(found.t) - TOLERANCE).sum()) / (1 + largest.size))
    low, high = (float(np.clip(found.mean + side * limit * found.se, -2, 2)) for side in (-1, 1))
    if not low < high:
        return Difference(found.mean, families, None, p, "the simultaneous interval has no limit")
    return Difference(found.mean, families, Interval(low, high, level, "max_t"), p)


def rank_intervals(above: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and last rank that each of M respondents can have, 1 being the highest score.

    `above` has shape (M, M) and says where the row's score is above the column's beyond doubt. A respondent ranks
    behind those that are above it, and before those it is above. ValueError where two are above each other.
    Source: Mogstad, Romano, Shaikh and Wilhelm (2024), Review of Economic Studies 91(1): ranks from simultaneous
    differences.
    """
    if above.ndim != 2 or above.shape[0] != above.shape[1] or (above & above.T).any():
        raise ValueError("above: a square array expected in which no two are above each other")
    count = len(above)
    return [(1 + int(above[:, m].sum()), count - int(above[m].sum())) for m in range(count)]
