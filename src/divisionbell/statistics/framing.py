"""Framing: what the wording of original and mirror does to the answers.

The unit is a pair of original and mirror with complete item scores, coordinates in [-1, 1]. Contrasts lie in [-2, 2].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._checks import TOLERANCE, Floats, finite, same_length, within
from .intervals import Interval, contrast_interval

#: The equivalence margin on D_sq, and the repeats it needs (docs/explanation/statistics.md, "Framing").
DELTA = 0.25
REPEATS_FOR_EQUIVALENCE = 3

Verdict = Literal["equivalent", "different", "not shown", "none"]


@dataclass(frozen=True)
class Contrast:
    """A contrast per family, only for families with a usable pair: labels, means and pairs used, each of shape (G,)."""

    families: NDArray[np.generic]
    values: Floats
    pairs: NDArray[np.int64]


def _by_family(differences: Floats, usable: NDArray[np.bool_], family: ArrayLike) -> Contrast:
    labels = np.asarray(family)
    same_length(scores=differences, family=labels)
    names, index = np.unique(labels[usable], return_inverse=True)
    pairs = np.bincount(index.ravel(), minlength=names.size).astype(np.int64)
    sums = np.bincount(index.ravel(), weights=differences[usable], minlength=names.size)
    return Contrast(names, sums / pairs, pairs)


def _pairs(s_original: ArrayLike, s_mirror: ArrayLike) -> tuple[Floats, Floats]:
    original, mirror = within(s_original, "s_original"), within(s_mirror, "s_mirror")
    same_length(s_original=original, s_mirror=mirror)
    return original, mirror


def d_text(s_original: ArrayLike, s_mirror: ArrayLike, family: ArrayLike) -> Contrast:
    """D_text per family: mean of s_original - s_mirror over its pairs, in [-2, 2].

    Scores and family labels have shape (pairs,). ValueError on empty or non-finite input, unequal lengths, or scores
    outside [-1, 1]. Source: docs/explanation/statistics.md, "Framing".
    """
    original, mirror = _pairs(s_original, s_mirror)
    return _by_family(original - mirror, np.ones(original.size, dtype=np.bool_), family)


def d_sq(
    s_original: ArrayLike, s_mirror: ArrayLike, pole_original: ArrayLike, pole_mirror: ArrayLike, family: ArrayLike
) -> Contrast:
    """D_sq per family: s(status quo negative) - s(status quo positive), in [-2, 2]; negative is a pull to it.

    Both pole arrays hold the status-quo pole of each version, -1, 0 (none) or +1, shape (pairs,), as the scores and the
    family labels. The difference is taken within each pair; pairs whose two poles are not opposite are left out.
    ValueError as `d_text`, or on another pole. Source: docs/explanation/statistics.md, "Framing".
    """
    return _by_record(s_original, s_mirror, pole_original, pole_mirror, family)


def d_frame(
    s_original: ArrayLike, s_mirror: ArrayLike, frame_original: ArrayLike, frame_mirror: ArrayLike, family: ArrayLike
) -> Contrast:
    """D_frame per family: s(loss frame) - s(gain frame), in [-2, 2].

    Both frame arrays hold -1 for loss, 0 for neutral and +1 for gain, shape (pairs,); the rest is as `d_sq`: pairs
    whose two frames are not opposite are left out. Source: docs/explanation/statistics.md, "Framing".
    """
    return _by_record(s_original, s_mirror, frame_original, frame_mirror, family)


def _by_record(
    s_original: ArrayLike, s_mirror: ArrayLike, original: ArrayLike, mirror: ArrayLike, family: ArrayLike
) -> Contrast:
    s_o, s_m = _pairs(s_original, s_mirror)
    record, reverse = within(original, "record of the original"), within(mirror, "record of the mirror")
    same_length(s_original=s_o, original=record, mirror=reverse)
    if not np.isin(np.concatenate([record, reverse]), (-1.0, 0.0, 1.0)).all():
        raise ValueError("records: -1, 0 (none) or +1 expected")
    return _by_family(-record * (s_o - s_m), record * reverse == -1, family)


def rms(values: ArrayLike) -> float:
    """Root mean square of contrasts, shape (n,), in the unit of the contrasts; ValueError on empty or non-finite input.

    It is large without any framing (0.89 in simulation at one repeat), see `framing_variance`.
    """
    return float(np.sqrt(np.mean(finite(values, "values") ** 2)))


@dataclass(frozen=True)
class SignChanges:
    """Pairs whose two versions lean to opposite poles. `share` = changed/signed, None when no pair has two signs."""

    share: float | None
    changed: int
    signed: int
    pairs: int


def sign_changes(s_original: ArrayLike, s_mirror: ArrayLike) -> SignChanges:
    """How many pairs change sign between original and mirror, among those where neither score is 0.

    Scores have shape (pairs,). ValueError as `d_text`. Source: docs/explanation/statistics.md, "Framing".
    """
    original, mirror = _pairs(s_original, s_mirror)
    signed = (np.abs(original) > TOLERANCE) & (np.abs(mirror) > TOLERANCE)
    changed = int((signed & (original * mirror < 0)).sum())
    count = int(signed.sum())
    return SignChanges(changed / count if count else None, changed, count, original.size)


def framing_variance(x_original: ArrayLike, x_mirror: ArrayLike) -> float | None:
    """Variance of D_text over pairs without the noise of repeats: max(0, mean D^2 - v_original - v_mirror).

    Both arrays hold coordinates of shape (pairs, 2 orders, K repeats). v is the mean over pairs of the estimated
    variance of an item score, 1/4 of the sum over orders of the variance between repeats divided by K. Unit: squared
    coordinates. None at K = 1, where noise and framing cannot be told apart. ValueError on empty or non-finite input,
    another shape, or coordinates outside [-1, 1]. Source: moment estimator of a variance component, Searle, Casella and
    McCulloch (1992), chapter 3; docs/explanation/statistics.md, "Framing".
    """
    original, mirror = finite(x_original, "x_original", 3), finite(x_mirror, "x_mirror", 3)
    if original.shape != mirror.shape or original.shape[1] != 2:
        raise ValueError(f"shape (pairs, 2, repeats) expected twice, {original.shape} and {mirror.shape} given")
    if max(np.abs(original).max(), np.abs(mirror).max()) > 1:
        raise ValueError("coordinates: outside [-1, 1]")
    repeats = original.shape[2]
    if repeats == 1:
        return None
    difference = original.mean(axis=(1, 2)) - mirror.mean(axis=(1, 2))
    noise = [float(x.var(axis=2, ddof=1).sum(axis=1).mean()) / (4 * repeats) for x in (original, mirror)]
    return max(0.0, float(np.mean(difference**2) - sum(noise)))


@dataclass(frozen=True)
class Equivalence:
    """The verdict on a mean contrast, with the 90 % interval that decides it and the 95 % interval beside it.

    'none' comes with the `reason` and without intervals.
    """

    verdict: Verdict
    mean: float | None
    interval_90: Interval | None
    interval_95: Interval | None
    reason: str | None = None


def equivalence(contrasts: ArrayLike, repeats: int) -> Equivalence:
    """Two one-sided tests at 5 % of |mean contrast| < 0.25, families as clusters.

    `contrasts` are D_sq per family, shape (G,), in [-2, 2]; `repeats` is K. 'equivalent': the 90 % interval lies inside
    (-0.25, 0.25). Otherwise 'different': the 95 % interval excludes 0. Otherwise 'not shown'. 'none' when K < 3 or
    there are fewer than two families: nothing is tested. ValueError on non-finite values or values outside [-2, 2].
    Source: Schuirmann (1987), J. Pharmacokin. Biopharm. 15; docs/explanation/statistics.md, "Framing".
    """
    if repeats < REPEATS_FOR_EQUIVALENCE:
        reason = f"{REPEATS_FOR_EQUIVALENCE} repeats are needed, {repeats} made"
        return Equivalence("none", None, None, None, reason)
    if np.size(contrasts) < 2:
        return Equivalence("none", None, None, None, "fewer than two families with a usable pair")
    values = within(contrasts, "contrasts", limit=2.0)
    at_90, at_95 = contrast_interval(values, 0.90), contrast_interval(values, 0.95)
    verdict: Verdict = "not shown"
    if at_90.low > -DELTA and at_90.high < DELTA:
        verdict = "equivalent"
    elif at_95.excludes_zero:
        verdict = "different"
    return Equivalence(verdict, float(values.mean()), at_90, at_95)
