"""Test-retest: how far the repeats of a unit agree, only where there are repeats."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from divisionbell.estimate.named import Estimate, estimate
from divisionbell.estimate.scale import AXES
from divisionbell.score.apply_key import Cells
from divisionbell.statistics.agreement import gwet_ac1, raw_agreement


def repeat_agreement(cells: Cells) -> list[Estimate]:
    """Raw agreement and AC1 over all pairs of repeats of an item in one order, in all and by axis; empty at K = 1."""
    if cells.repeats < 2:
        return []
    axis_of = np.array([str(asked.dossier.axis) for asked in cells.items])
    made = []
    for axis in (None, *AXES):
        here = np.ones(axis_of.size, dtype=np.bool_) if axis is None else axis_of == axis
        if not here.any():
            continue
        x, held = cells.x[here], cells.answered[here]
        pairs = list(combinations(range(cells.repeats), 2))
        first = np.concatenate([x[..., j][held[..., j] & held[..., k]] for j, k in pairs])
        second = np.concatenate([x[..., k][held[..., j] & held[..., k]] for j, k in pairs])
        for what, value, text in (
            (
                "raw",
                raw_agreement(first, second),
                "Share of pairs of repeats, of one item in one order, with one choice",
            ),
            ("ac1", gwet_ac1(first, second), "Gwet's AC1 over pairs of repeats of one item in one order: 0 is chance"),
        ):
            made.append(
                estimate(
                    f"agreement.repeat.{what}" if axis is None else f"agreement.repeat.{axis}.{what}",
                    f"{text}{'' if axis is None else f', on the {axis} axis'}.",
                    unit="share" if what == "raw" else "agreement",
                    axis=axis,
                    value=value,
                    because="no two repeats of a unit have an answer" if value is None else None,
                    n=first.size,
                    n_of="pairs of repeats",
                )
            )
    return made
