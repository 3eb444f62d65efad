"""What completions of the missing answers can bring a weighted sum of answers to, and whether a mean is one of them."""

from __future__ import annotations

import numpy as np

from divisionbell.diagnostics import signed
from divisionbell.estimate.scale import Floats, Scale
from divisionbell.statistics._checks import TOLERANCE

Ends = tuple[float, float]

NO_COMPLETION = "no completion of the missing answers gives the mean over complete pairs"
BOUNDS = "bounds, every completion lies inside"


def ends(scale: Scale, pair_weight: Floats, versions: tuple[float, float] = (0.5, 0.5)) -> Ends:
    """The lowest and the highest sum over pairs of weight x (original x versions[0] + mirror x versions[1]).

    `pair_weight` has shape (P,) and may be below 0; a version is the mean of its orders, each the mean of its repeats.
    """
    share = np.array(versions).reshape(1, 2, 1, 1) / max(scale.x[:1, 0].size, 1)
    weight = np.broadcast_to(pair_weight.reshape(-1, 1, 1, 1) * share, scale.x.shape)
    known = float((weight * scale.x)[scale.answered].sum())
    missing = float(np.abs(weight)[~scale.answered].sum())
    return known - missing, known + missing


def given(point: float, reach: Ends) -> bool:
    """Whether some completion brings the point."""
    return reach[0] - TOLERANCE <= point <= reach[1] + TOLERANCE


def why_not(point: float, reach: Ends) -> str | None:
    """None where some completion brings the point, else that none does, with what they bring."""
    if given(point, reach):
        return None
    low, high = (signed(end, "+.2f") for end in reach)
    return f"{NO_COMPLETION}; they give from {low} to {high}"
