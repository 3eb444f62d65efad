"""Checks shared by the modules of this room: what they refuse, and in which words."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

#: Two scores closer than this are equal. Scores are averages of few whole numbers, so real differences are far larger.
TOLERANCE = 1e-9


def finite(values: ArrayLike, name: str, dimensions: int = 1) -> Floats:
    """`values` as an array of floats. ValueError when empty, of another number of dimensions, or not finite."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != dimensions:
        raise ValueError(f"{name}: {dimensions} dimension(s) expected, {array.ndim} given")
    if array.size == 0:
        raise ValueError(f"{name}: empty")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: not finite (a missing answer has no place here; it has bounds)")
    return array


def within(values: ArrayLike, name: str, limit: float = 1.0) -> Floats:
    """As `finite`, and ValueError when a value lies outside [-limit, limit]."""
    array = finite(values, name)
    if (np.abs(array) > limit + TOLERANCE).any():
        raise ValueError(f"{name}: outside [-{limit:g}, {limit:g}]")
    return array


def coordinates(values: ArrayLike, name: str) -> Floats:
    """`values` as a one-dimensional array that may be empty. ValueError when a value is neither -1 nor +1."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"{name}: 1 dimension(s) expected, {array.ndim} given")
    if not (np.abs(array) == 1).all():
        raise ValueError(f"{name}: every coordinate must be -1 or +1")
    return array


def same_length(**arrays: NDArray[np.generic]) -> None:
    """ValueError when the arrays differ in length."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError("lengths differ: " + ", ".join(f"{name} {length}" for name, length in lengths.items()))


def level_in_range(level: float) -> None:
    """ValueError when `level` is not a confidence level between one half and one."""
    if not 0.5 < level < 1:
        raise ValueError(f"level: between 0.5 and 1 expected, {level} given")


def enough_families(families: int) -> None:
    """ValueError when there are fewer than two families: the variance between families is then unknown."""
    if families < 2:
        raise ValueError(f"families: at least 2 are needed for an interval, {families} given")
