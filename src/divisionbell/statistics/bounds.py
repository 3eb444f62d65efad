"""Bounds for missing answers: nothing is imputed, every completion of the missing cells lies inside.

A cell is one unit asked (an item in one order, or one repeat of it). Coordinates are -1 or +1, scores lie in [-1, 1].
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special

from ._checks import TOLERANCE, Floats, finite, level_in_range, same_length, within
from .intervals import Interval, exact_equal


def cell_weights(*levels: ArrayLike) -> Floats:
    """Weight of every cell asked in S, shape (n,); the weights sum to 1.

    `levels` are label arrays of shape (n,), the coarsest first, for example family, dossier, item, order, repeat. A
    family shares 1 equally with the other families, a dossier shares its family's weight equally with the other
    dossiers, and so on down. All cells asked must be listed, the unanswered ones too. ValueError on empty input,
    unequal lengths, or two cells with the same labels. Source: docs/explanation/statistics.md, "Estimand and weights".
    """
    columns = [np.asarray(level) for level in levels]
    if not columns or columns[0].size == 0:
        raise ValueError("levels: empty")
    same_length(**{f"level {number}": column for number, column in enumerate(columns)})
    weights = np.ones(len(columns[0]))
    path = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        label = np.unique(column, return_inverse=True)[1].ravel()
        _, first, deeper = np.unique(path * (label.max() + 1) + label, return_index=True, return_inverse=True)
        weights /= np.bincount(path[first])[path]
        path = deeper.ravel().astype(np.int64)
    if path.max() + 1 < path.size:
        raise ValueError("levels: two cells have the same labels")
    return weights


def answered_and_missing(x: ArrayLike, weights: ArrayLike, answered: NDArray[np.bool_]) -> tuple[float, float]:
    """A = sum of w x over answered cells and B = sum of w over missing ones, so that S = A + B delta.

    `x` are coordinates of shape (n,), read only where `answered` (bool, shape (n,)) holds; `weights` of shape (n,) sum
    to 1; delta in [-1, 1] is the weighted mean of the missing answers. ValueError on empty input, unequal lengths, an
    answered x outside [-1, 1], or weights that are not positive or do not sum to 1.
    Source: Manski (2003), Partial Identification of Probability Distributions, chapter 1.
    """
    w = finite(weights, "weights")
    values = np.asarray(x, dtype=np.float64)
    held = np.asarray(answered)
    if held.dtype != np.bool_:
        raise ValueError("answered: true or false expected for every cell")
    same_length(x=values, weights=w, answered=held)
    if (w <= 0).any() or abs(w.sum() - 1) > TOLERANCE:
        raise ValueError("weights: positive weights that sum to 1 expected")
    known = within(values[held], "x") if held.any() else values[held]
    return float(w[held] @ known), float(w[~held].sum())


def linear_bounds(a: float, b: float) -> tuple[float, float]:
    """[A - B, A + B]: S when every missing cell is negative, and when every one is positive; clipped to [-1, 1].

    ValueError unless A and B are finite, B >= 0 and |A| + B <= 1. Source: Manski (2003), chapter 1.
    """
    _check_parts(a, b)
    return max(a - b, -1.0), min(a + b, 1.0)


def tipping_point(a: float, b: float) -> float | None:
    """delta* = -A/B, the mean of the missing answers at which S is 0, in [-1, 1].

    None when |A| > B (no completion reaches 0) and when nothing is missing. ValueError as `linear_bounds`.
    Source: docs/explanation/statistics.md, "Missing answers".
    """
    _check_parts(a, b)
    if b <= TOLERANCE or abs(a) > b + TOLERANCE:
        return None
    return float(np.clip(-a / b, -1.0, 1.0)) + 0.0


def _check_parts(a: float, b: float) -> None:
    finite([a, b], "A and B")
    if b < 0 or abs(a) + b > 1 + TOLERANCE:
        raise ValueError(f"A and B: B >= 0 and |A| + B <= 1 expected, A = {a} and B = {b} given")


def cell_bounds(positive: ArrayLike, negative: ArrayLike, missing: ArrayLike) -> tuple[Floats, Floats]:
    """Lower and upper mean of cells with repeats, shapes (n,): [(n+ - n- - nm)/K, (n+ - n- + nm)/K].

    The three arrays are counts of repeats, shape (n,); K is their sum. ValueError on empty input, unequal lengths, a
    negative or non-finite count, or K = 0. Source: docs/explanation/statistics.md, "Missing answers".
    """
    plus, minus, lost = finite(positive, "positive"), finite(negative, "negative"), finite(missing, "missing")
    same_length(positive=plus, negative=minus, missing=lost)
    repeats = plus + minus + lost
    if min(plus.min(), minus.min(), lost.min()) < 0 or (repeats == 0).any():
        raise ValueError("counts: none may be negative, and every cell needs at least one repeat")
    return (plus - minus - lost) / repeats, (plus - minus + lost) / repeats


def one_order_bounds(x: ArrayLike) -> tuple[Floats, Floats]:
    """Lower and upper item score, shapes (n,), when only one order was answered, with mean x: [(x - 1)/2, (x + 1)/2].

    ValueError on empty or non-finite input or x outside [-1, 1].
    Source: docs/explanation/statistics.md, "Missing answers".
    """
    known = within(x, "x")
    return (known - 1) / 2, (known + 1) / 2


def imbens_manski(
    lower: float, upper: float, se_lower: float, se_upper: float, df: int, level: float = 0.95
) -> Interval:
    """Interval for S itself when only bounds on it are known: [L - c SE_L, U + c SE_U], clipped to [-1, 1].

    c solves F(c + (U - L)/max SE) - F(-c) = level with F the Student distribution with `df` = G - 1. Where all families
    agree on an end (its SE is 0), that end moves by the rule of `exact_equal` instead: otherwise missing answers would
    give a shorter interval than complete ones. ValueError on non-finite input, bounds out of order or outside [-1, 1],
    a negative SE, or df < 1.
    Source: Imbens and Manski (2004), Econometrica 72(6), eq. 7, with t for the normal; see also Stoye (2009).
    """
    level_in_range(level)
    within([lower, upper], "bounds")
    if lower > upper or min(finite([se_lower, se_upper], "standard errors")) < 0 or df < 1:
        raise ValueError("lower <= upper, standard errors >= 0 and df >= 1 expected")
    gap, largest = upper - lower, max(se_lower, se_upper)
    if largest <= TOLERANCE and gap <= TOLERANCE:
        return exact_equal(lower, df + 1, level)
    c = 0.0
    if largest > TOLERANCE:
        ratio, most = gap / largest, special.stdtrit(df, (1 + level) / 2) + 1
        c = optimize.brentq(lambda m: special.stdtr(df, m + ratio) - special.stdtr(df, -m) - level, 0, most)
    q = 1 - ((1 - level) / 2) ** (1 / (df + 1))
    low = lower - (c * se_lower if se_lower > TOLERANCE else q * (1 + lower))
    high = upper + (c * se_upper if se_upper > TOLERANCE else q * (1 - upper))
    note = None
    if min(se_lower, se_upper) <= TOLERANCE:
        note = "all families agree on an end of the bounds: exact limit there, other families may differ"
    return Interval(max(float(low), -1.0), min(float(high), 1.0), level, "imbens_manski", note)
