"""One respondent's two axes tested together: sign-flip over families, corrected by Holm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from divisionbell.statistics.power import smallest_p

EXACT_UP_TO = 16
DRAWS = 20_000
TIE = 1e-9


@dataclass(frozen=True)
class SignFlip:
    """A two-sided p, and the smallest that so many families that differ from 0 can reach."""

    p: float
    smallest: float
    families: int


def smallest_reachable(families: int) -> float:
    """The smallest p that `sign_flip` can give over so many families that differ from 0: 2/2^G where every flip is
    counted, and never below 1/20,001 where they are drawn. ValueError where G < 1."""
    exact = smallest_p(families)
    return exact if families <= EXACT_UP_TO else max(exact, 1 / (DRAWS + 1))


def sign_flip(scores: ArrayLike, seed: int) -> SignFlip:
    """Two-sided sign-flip p that family scores, shape (G,), are symmetric about 0.

    All 2^G' flips of the G' families other than 0 up to 16 of them, else 20,000 drawn ones, the observed among them.
    With no family other than 0 the p is 1. ValueError on empty or non-finite input.
    Source: Fisher (1935), The Design of Experiments, section 21; docs/explanation/statistics.md, "Tests".
    """
    array = np.asarray(scores, dtype=np.float64)
    if array.ndim != 1 or not array.size or not np.isfinite(array).all():
        raise ValueError("scores: a finite array of one dimension expected")
    size = np.abs(array[np.abs(array) > TIE])
    if not size.size:
        return SignFlip(1.0, 1.0, 0)
    observed = abs(float(array.sum()))
    if size.size <= EXACT_UP_TO:
        bits = np.arange(2**size.size)[:, None] >> np.arange(size.size) & 1
        reached = np.abs((2.0 * bits - 1) @ size) >= observed - TIE
        return SignFlip(float(reached.mean()), smallest_reachable(size.size), int(size.size))
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], (DRAWS, size.size))
    reached = np.abs(signs @ size) >= observed - TIE
    return SignFlip(float((1 + reached.sum()) / (1 + DRAWS)), smallest_reachable(size.size), int(size.size))


def holm(first: float, second: float) -> tuple[float, float]:
    """Two p values adjusted by Holm (1979): the smaller doubled, the larger at least that; both at most 1."""
    smaller, larger = min(2 * min(first, second), 1.0), max(first, second)
    larger = max(smaller, larger)
    return (smaller, larger) if first <= second else (larger, smaller)
