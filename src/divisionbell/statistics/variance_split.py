"""Where the variance of scores comes from: families, dossiers of a family, and the noise of repeats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ._checks import finite


@dataclass(frozen=True)
class VarianceSplit:
    """Variances, in squared coordinates, none negative.

    `family`: between families. `dossier`: between dossiers of a family. `noise`: of one repeat of a dossier's score
    about its own mean; None where there is one repeat, and `dossier` then holds it. `dossier` is None where no family
    has two dossiers, and `family` then holds it.
    """

    family: float
    dossier: float | None
    noise: float | None

    def of_family_score(self, dossiers: float, repeats: float) -> float:
        """Variance of one family's score with so many dossiers and repeats: F + (D + E/K)/m.

        Infinite `repeats` leave no noise. ValueError where `dossiers` or `repeats` is below 1, or repeats are planned
        without a known noise.
        """
        if dossiers < 1 or repeats < 1:
            raise ValueError(f"dossiers and repeats: at least 1 expected, {dossiers} and {repeats} given")
        if self.noise is None and repeats != 1:
            raise ValueError("repeats: the noise is not known, so only what was made can be planned")
        return float(self.family + ((self.dossier or 0.0) + (self.noise or 0.0) / repeats) / dossiers)


def response_noise(x: ArrayLike) -> float | None:
    """Variance of one repeat's score of a unit that averages C cells: mean over units of 1/C^2 sum_c s_c^2.

    `x` holds coordinates of shape (n units, C cells, K repeats); s_c^2 is the variance between the repeats of a cell
    with K - 1 below. None at K = 1, where there is nothing to see it by. ValueError on empty or non-finite input or
    another number of dimensions. Source: the error mean square of a one-way layout, Searle, Casella and McCulloch
    (1992), Variance Components, chapter 3; docs/explanation/statistics.md, "Variance split".
    """
    values = finite(x, "x", 3)
    if values.shape[2] == 1:
        return None
    return float(values.var(axis=2, ddof=1).sum(axis=1).mean()) / float(values.shape[1] ** 2)


def variance_split(families: Sequence[ArrayLike], noise: float | None, repeats: int) -> VarianceSplit:
    """The split by unweighted means, which is how the score weighs families and dossiers.

    `families` holds the dossier scores of each family (or differences of two respondents' scores), each of shape
    (dossiers of the family,), over `repeats` repeats; `noise` is that of `response_noise`. With B the variance of
    family means, W the pooled variance of dossiers within families and h = mean(1/m_f):
    D = max(0, W - E/K), F = max(0, B - h W). ValueError on fewer than two families, empty or non-finite ones, repeats
    below 1 or a negative noise. Source: the unweighted-means analysis of a nested layout, Burdick and Graybill (1992),
    Confidence Intervals on Variance Components; docs/explanation/statistics.md, "Variance split".
    """
    scores = [finite(family, "scores of a family") for family in families]
    if len(scores) < 2:
        raise ValueError(f"families: at least 2 are needed for a variance between them, {len(scores)} given")
    if repeats < 1 or (noise is not None and noise < 0):
        raise ValueError("repeats: at least 1 expected, and a noise that is not negative")
    between = float(np.var([family.mean() for family in scores], ddof=1))
    free = sum(family.size - 1 for family in scores)
    if not free:
        return VarianceSplit(max(0.0, between - (noise or 0.0) / repeats), None, noise)
    within = sum(float(((family - family.mean()) ** 2).sum()) for family in scores) / free
    share = float(np.mean([1 / family.size for family in scores]))
    return VarianceSplit(max(0.0, between - share * within), max(0.0, within - (noise or 0.0) / repeats), noise)


def of_difference(first: VarianceSplit, second: VarianceSplit, correlation: float) -> VarianceSplit:
    """The split of a difference of two respondents who answer the same items: a + b - 2 r sqrt(a b) for families and
    for dossiers, with one correlation r for both, and the sum for the noise, which they do not share.

    ValueError where r is outside [-1, 1]. Source: the variance of a difference.
    """
    if not -1 <= correlation <= 1:
        raise ValueError(f"correlation: outside [-1, 1] ({correlation})")

    def less(a: float, b: float) -> float:
        return max(0.0, a + b - 2 * correlation * math.sqrt(a * b))

    dossier = None if first.dossier is None or second.dossier is None else less(first.dossier, second.dossier)
    noise = None if first.noise is None or second.noise is None else first.noise + second.noise
    return VarianceSplit(less(first.family, second.family), dossier, noise)
