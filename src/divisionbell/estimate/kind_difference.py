"""The difference of the two scales on one axis, family by family."""

from __future__ import annotations

import numpy as np

from divisionbell.estimate.named import EXPLORATORY, Estimate, estimate
from divisionbell.estimate.scale import Scale
from divisionbell.statistics.intervals import contrast_interval


def kind_difference(concrete: Scale, implicit: Scale, level: float) -> Estimate:
    """C: mean over families of concrete minus implicit, in [-2, 2]; both scales are of one axis.

    Undefined where a family has no complete pair on either scale: the difference of two means over different families
    would not be a difference of kinds.
    """
    shared = sorted(concrete.family_scores.keys() & implicit.family_scores.keys())
    every = sorted({*concrete.families, *implicit.families})
    contrasts = np.array([concrete.family_scores[name] - implicit.family_scores[name] for name in shared])
    because = interval = kind = None
    if not concrete.pairs or not implicit.pairs:
        because = "the form does not ask both scales"
    elif len(shared) < len(every):
        because = f"{len(every) - len(shared)} of {len(every)} families lack a complete pair on one of the scales"
    elif len(shared) < 2:
        kind = "no interval: one family only: the spread between families is unknown"
    else:
        interval = contrast_interval(contrasts, level)
    return estimate(
        f"difference.{concrete.axis}",
        "Concrete minus implicit score of each family, averaged over families with equal weight, -2 to 2.",
        axis=concrete.axis,
        standing=EXPLORATORY,
        value=None if because else float(contrasts.mean()),
        because=because,
        interval=interval,
        kind=kind,
        n=len(shared),
        n_of="families",
    )
