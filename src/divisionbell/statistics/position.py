"""What the order of the options does: locks, flips, and the reading that is free of them.

Order 1 shows the negative pole at A, order 2 the positive pole at A. An answer pair is LL or RR when both orders get
the same pole, AA or BB when both get the same letter. Undefined quantities are None, never 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._checks import Floats, coordinates, finite, same_length


@dataclass(frozen=True)
class Position:
    """Everything about position for cells answered in both orders; shares are weighted, counts are not.

    Coordinates: `score` (S), `order_1`, `order_2` (means by the pole at A), `consistent_score` (S_c). Shares in [0, 1]:
    `a_lock` (AA), `b_lock` (BB), `flip` (their sum), `coverage` (1 - flip), `a_rate` (letter A among all answers).
    `theta` and `theta_se` are half log-odds. With no cell every field but the counts is None; with no consistent cell
    `consistent_score`, `theta` and `theta_se` are None.
    """

    n: int
    n_ll: int
    n_rr: int
    n_aa: int
    n_bb: int
    a_lock: float | None
    b_lock: float | None
    flip: float | None
    coverage: float | None
    score: float | None
    consistent_score: float | None
    order_1: float | None
    order_2: float | None
    a_rate: float | None
    theta: float | None
    theta_se: float | None

    @property
    def n_consistent(self) -> int:
        """Cells whose two orders got the same pole."""
        return self.n_ll + self.n_rr


def position(x1: ArrayLike, x2: ArrayLike, weights: ArrayLike) -> Position:
    """Locks, flip rate and position-corrected score from the answers in both orders.

    `x1` and `x2` are coordinates -1 or +1 of shape (n,), order 1 and order 2 of the same cell; `weights` of shape (n,)
    are positive and need not sum to 1. S_c = (w_RR - w_LL)/(w_RR + w_LL), so that S = S_c (1 - flip) exactly. Empty
    arrays give None. ValueError on unequal lengths, other coordinates, or weights that are not positive and finite.
    Source: docs/explanation/statistics.md, "Position".
    """
    first, second = coordinates(x1, "x1"), coordinates(x2, "x2")
    w = np.asarray(weights, dtype=np.float64)
    same_length(x1=first, x2=second, weights=w)
    if first.size == 0:
        return Position(0, 0, 0, 0, 0, *[None] * 11)
    w = finite(w, "weights")
    if (w <= 0).any():
        raise ValueError("weights: every weight must be positive")
    w = w / w.sum()
    ll, rr = (first < 0) & (second < 0), (first > 0) & (second > 0)
    aa, bb = (first < 0) & (second > 0), (first > 0) & (second < 0)
    w_ll, w_rr, w_aa, w_bb = (_share(w, kind) for kind in (ll, rr, aa, bb))
    n_ll, n_rr, n_aa, n_bb = (int(kind.sum()) for kind in (ll, rr, aa, bb))
    theta = theta_hat(n_ll, n_rr)
    return Position(
        n=first.size,
        n_ll=n_ll,
        n_rr=n_rr,
        n_aa=n_aa,
        n_bb=n_bb,
        a_lock=w_aa,
        b_lock=w_bb,
        flip=_share(w, aa | bb),
        coverage=_share(w, ll | rr),
        score=w_rr - w_ll,
        consistent_score=(w_rr - w_ll) / (w_rr + w_ll) if n_ll + n_rr else None,
        order_1=_share(w, first > 0) - _share(w, first < 0),
        order_2=_share(w, second > 0) - _share(w, second < 0),
        a_rate=(_share(w, first < 0) + _share(w, second > 0)) / 2,
        theta=None if theta is None else theta[0],
        theta_se=None if theta is None else theta[1],
    )


def _share(weights: Floats, kind: NDArray[np.bool_]) -> float:
    """The weight of one kind among weights that sum to 1: exactly 0 of none and 1 of all, however the sum rounds."""
    return 1.0 if kind.all() else float(weights[kind].sum())


def theta_hat(n_ll: int, n_rr: int) -> tuple[float, float] | None:
    """The conditional estimate theta = 1/2 ln((n_RR + 1/2)/(n_LL + 1/2)) and its standard error, in logits.

    With logit P(positive) = theta + b in one order and theta - b in the other, RR and LL have odds exp(2 theta)
    whatever the bias b of each cell, as long as theta is the same for all. The standard error is
    1/2 sqrt(1/(n_RR + 1/2) + 1/(n_LL + 1/2)). None when no pair is consistent. ValueError on negative counts.
    Source: conditional likelihood of matched pairs, Cox (1958), Biometrika 45; the halves and the variance, Gart and
    Zweifel (1967), Biometrika 54.
    """
    if min(n_ll, n_rr) < 0:
        raise ValueError("counts: none may be negative")
    if n_ll + n_rr == 0:
        return None
    ll, rr = n_ll + 0.5, n_rr + 0.5
    return math.log(rr / ll) / 2, math.sqrt(1 / rr + 1 / ll) / 2
