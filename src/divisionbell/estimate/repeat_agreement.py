"""Test-retest: how far the repeats of a unit agree, only where there are repeats."""

from __future__ import annotations

import numpy as np

from divisionbell.estimate.named import Estimate, estimate
from divisionbell.estimate.scale import AXES, Bools, Floats
from divisionbell.score.apply_key import Cells
from divisionbell.statistics.repeats import icc_2_1
from divisionbell.statistics.repeats import repeat_agreement as agreement

NO_PAIR = "no two repeats of a unit have an answer"
TOO_FEW = "fewer than two items have an answer in both orders at every repeat"
ALL_ALIKE = "all items have one score: there is nothing to tell apart"


def repeat_agreement(cells: Cells) -> list[Estimate]:
    """Raw agreement and AC1 over all pairs of repeats of an item in one order, ICC(2,1) and SEM of item scores, in all
    and by axis; empty at K = 1."""
    if cells.repeats < 2:
        return []
    axis_of = np.array([str(asked.dossier.axis) for asked in cells.items])
    made: list[Estimate] = []
    for axis in (None, *AXES):
        here = np.ones(axis_of.size, dtype=np.bool_) if axis is None else axis_of == axis
        if here.any():
            made += _choices(axis, cells.x[here], cells.answered[here])
            made += _scores(axis, cells.x[here], cells.answered[here])
    return made


def _choices(axis: str | None, x: Floats, held: Bools) -> list[Estimate]:
    found = agreement(((x > 0) & held).sum(axis=-1).ravel(), held.sum(axis=-1).ravel())
    rows = (
        ("raw", found.raw, "share", "Share of pairs of repeats, of one item in one order, with one choice"),
        ("ac1", found.ac1, "agreement", "Gwet's AC1 over pairs of repeats of one item in one order: 0 is chance"),
    )
    return [
        _made(axis, what, text, unit, value, NO_PAIR, found.pairs, "pairs of repeats")
        for what, value, unit, text in rows
    ]


def _scores(axis: str | None, x: Floats, held: Bools) -> list[Estimate]:
    """Over items answered in both orders at every repeat; an item's score at a repeat is the mean of its two orders."""
    whole = np.asarray(held.all(axis=(1, 2)))
    count = int(whole.sum())
    found = icc_2_1(x[whole].mean(axis=1)) if count >= 2 else None
    icc = None if found is None else found.icc
    return [
        _made(
            axis,
            "icc",
            "ICC(2,1) of item scores over repeats: two-way random effects, absolute agreement, one repeat",
            "agreement",
            icc,
            TOO_FEW if found is None else ALL_ALIKE,
            count,
            "items",
        ),
        _made(
            axis,
            "sem",
            "Standard error of measurement of an item's score at one repeat, in coordinates",
            "coordinate",
            None if found is None else found.sem,
            TOO_FEW,
            count,
            "items",
        ),
    ]


def _made(
    axis: str | None, what: str, text: str, unit: str, value: float | None, because: str, n: int, n_of: str
) -> Estimate:
    return estimate(
        f"agreement.repeat.{what}" if axis is None else f"agreement.repeat.{axis}.{what}",
        f"{text}{'' if axis is None else f', on the {axis} axis'}.",
        unit=unit,
        axis=axis,
        value=value,
        because=because if value is None else None,
        n=n,
        n_of=n_of,
    )
