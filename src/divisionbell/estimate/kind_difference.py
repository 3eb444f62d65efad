"""The difference of the two scales on one axis, family by family."""

from __future__ import annotations

import numpy as np

from divisionbell.estimate.completions import ends, why_not
from divisionbell.estimate.named import EXPLORATORY, Estimate, estimate
from divisionbell.estimate.scale import Scale
from divisionbell.statistics.intervals import contrast_interval


def kind_difference(concrete: Scale, implicit: Scale, level: float) -> Estimate:
    """C: mean over families of concrete minus implicit, in [-2, 2]; both scales are of one axis.

    Undefined where a family has no complete pair on either scale: the difference of two means over different families
    would not be a difference of kinds. Undefined too where no completion of the missing answers gives it.
    """
    shared = sorted(concrete.family_scores.keys() & implicit.family_scores.keys())
    every = sorted({*concrete.families, *implicit.families})
    contrasts = np.array([concrete.family_scores[name] - implicit.family_scores[name] for name in shared])
    interval = kind = None
    because: str | None = None
    if not concrete.pairs or not implicit.pairs:
        because = "the form does not ask both scales"
    elif len(shared) < len(every):
        because = f"{len(every) - len(shared)} of {len(every)} families lack a complete pair on one of the scales"
    else:
        (low, high), (lowest, highest) = (ends(scale, scale.pair_weight) for scale in (concrete, implicit))
        because = why_not(float(contrasts.mean()), (low - highest, high - lowest))
    if because is None and len(shared) < 2:
        kind = "no interval: one family only: the spread between families is unknown"
    elif because is None:
        interval = contrast_interval(contrasts, level)
    return estimate(
        f"difference.{concrete.axis}",
        "Concrete minus implicit score of each family, averaged over families with equal weight, -2 to 2; "
        "undefined where no completion of the missing answers gives it.",
        axis=concrete.axis,
        standing=EXPLORATORY,
        value=None if because else float(contrasts.mean()),
        because=because,
        interval=interval,
        kind=kind,
        n=len(shared),
        n_of="families",
    )
