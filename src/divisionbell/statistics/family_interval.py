"""The rule that chooses the interval of a mean over issue families."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ._checks import level_in_range, within
from .bootstrap import family_bootstrap_t
from .intervals import NEAR_THE_END, Interval, exact_equal, family_t, mean_and_se

WHY_BOOTSTRAP = "|S| > 0.75: studentised bootstrap of whole families instead of the t interval"
#: Fewer dossiers than this in a family leave its score too coarse for the bootstrap.
DOSSIERS_FOR_BOOTSTRAP = 3


@dataclass(frozen=True)
class FamilyEstimate:
    """The mean over families with its interval. `interval` None comes with the `reason`, in words."""

    mean: float
    se: float | None
    families: int
    interval: Interval | None
    reason: str | None = None


def family_interval(families: Sequence[ArrayLike], *, seed: int, level: float = 0.95) -> FamilyEstimate:
    """The rule: one array of dossier scores per family, each of shape (dossiers of the family,), values in [-1, 1].

    One family: no interval, with the reason. All families equal: `exact_equal`. |S| > 0.75 and at least three dossiers
    in every family: `family_bootstrap_t` with `seed`. Otherwise `family_t`, which notes that its coverage is below
    nominal when |S| > 0.75. ValueError on empty or non-finite input or scores outside [-1, 1].
    Source: docs/explanation/statistics.md, "Intervals".
    """
    level_in_range(level)
    dossiers = [within(family, "dossier scores of a family") for family in families]
    if not dossiers:
        raise ValueError("families: empty")
    scores = np.array([family.mean() for family in dossiers])
    count = scores.size
    mean, se = mean_and_se(scores)
    if se is None:
        return FamilyEstimate(mean, None, 1, None, "one family only: the spread between families is unknown")
    if se == 0:
        return FamilyEstimate(mean, se, count, exact_equal(mean, count, level))
    if abs(mean) > NEAR_THE_END and min(family.size for family in dossiers) >= DOSSIERS_FOR_BOOTSTRAP:
        bootstrap = family_bootstrap_t(scores, seed=seed, level=level)
        note = "; ".join(filter(None, [WHY_BOOTSTRAP, bootstrap.note]))
        return FamilyEstimate(mean, se, count, replace(bootstrap, note=note))
    return FamilyEstimate(mean, se, count, family_t(scores, level))
