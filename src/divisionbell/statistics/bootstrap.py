"""The studentised bootstrap over whole families, and what to do where it has no limit to give."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ._checks import TOLERANCE, Floats, enough_families, level_in_range, within
from .intervals import Interval, mean_and_se

MINIMUM_DRAWS = 10_000


def family_bootstrap_t(scores: ArrayLike, *, seed: int, draws: int = MINIMUM_DRAWS, level: float = 0.95) -> Interval:
    """Studentised bootstrap interval for the mean of family scores, shape (G,), in [-1, 1]; whole families only.

    Each draw takes G families with replacement and forms t* = (S* - S) / SE*; the ends are S - t*_{1-alpha/2} SE and
    S - t*_{alpha/2} SE, clipped to [-1, 1]. A draw whose families are all equal has SE* = 0 and an infinite t*, counted
    as such: dropping it would make the interval too short. When a quantile itself is infinite the bootstrap has no
    limit on that side; the limit of `bounded_mean_limits` is used there and the note says so.

    ValueError on empty or non-finite input, scores outside [-1, 1], G = 1, all families equal, or fewer than 10,000
    draws. Source: Efron and Tibshirani (1993), section 12.5; Cameron, Gelbach and Miller (2008) for whole clusters.
    """
    level_in_range(level)
    array = within(scores, "scores")
    count = array.size
    enough_families(count)
    if draws < MINIMUM_DRAWS:
        raise ValueError(f"draws: at least {MINIMUM_DRAWS} expected, {draws} given")
    mean, se = mean_and_se(array)
    if not se:
        raise ValueError("all families are equal: nothing to resample, use exact_equal")
    rng = np.random.default_rng(seed)
    drawn = array[rng.integers(0, count, (draws, count))]
    difference = drawn.mean(axis=1) - mean
    drawn_se = drawn.std(axis=1, ddof=1) / math.sqrt(count)
    flat = np.ptp(drawn, axis=1) <= TOLERANCE
    t_star = np.divide(difference, drawn_se, out=np.zeros(draws), where=~flat)
    t_star[flat & (difference > TOLERANCE)] = np.inf
    t_star[flat & (difference < -TOLERANCE)] = -np.inf
    tail = (1 - level) / 2
    t_low, t_high = np.quantile(t_star, [tail, 1 - tail], method="inverted_cdf")
    low, high = mean - t_high * se, mean - t_low * se
    note = None
    if not (np.isfinite(t_low) and np.isfinite(t_high)):
        bounded_low, bounded_high = bounded_mean_limits(array, rng, draws, level)
        low, high = (x if np.isfinite(x) else y for x, y in ((low, bounded_low), (high, bounded_high)))
        told = f"{flat.sum():,} of {draws:,} draws have no spread"
        note = f"{told}: one limit is that for the mean of a bounded score (wide)"
    return Interval(max(float(low), -1.0), min(float(high), 1.0), level, "family_bootstrap_t", note)


def bounded_mean_limits(scores: Floats, rng: np.random.Generator, draws: int, level: float) -> tuple[float, float]:
    """Lower and upper limit for the mean of a variable in [-1, 1] from family scores, shape (G,).

    The lower limit is the alpha/2 quantile of sum D_i s_i - D_0 with D uniform on the simplex of G + 1 parts, the upper
    one its mirror image; with all scores equal this is the formula of `exact_equal`.
    Source: Learned-Miller and Thomas (2019), arXiv:1905.06208 (after Gaffke, 2005); coverage conjectured, never seen to
    fail.
    """
    parts = rng.standard_exponential((draws, scores.size + 1))
    parts /= parts.sum(axis=1, keepdims=True)
    inner = parts[:, 1:] @ scores
    tail = (1 - level) / 2
    return float(np.quantile(inner - parts[:, 0], tail)), float(np.quantile(inner + parts[:, 0], 1 - tail))
