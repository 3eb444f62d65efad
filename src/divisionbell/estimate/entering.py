"""One unit as it enters a figure, and what of a run the figures are made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divisionbell.estimate.scale import Bools, Floats, Scale, scale_of
from divisionbell.freeze.frozen_bank import Asked, FrozenBank
from divisionbell.score.apply_key import Cells, apply_key

Roles = NDArray[np.object_]

COUNTED = "counted"
NO_ANSWER = "no answer"


@dataclass(frozen=True)
class Entry:
    """One unit behind a figure. `order` is 0 (negative option at A) or 1; `repeat` counts from 1, and `run` among those
    that are compared.

    `weight` times `enters_as` is the unit's part of the figure; both are None where the figure gives no unit a weight.
    """

    asked: Asked
    order: int
    repeat: int
    weight: float | None
    enters_as: float | None
    role: str
    run: int = 1

    @property
    def unit(self) -> tuple[str, int, int]:
        """What names the unit within its run: item, order, repeat."""
        return self.asked.item.item_id, self.order, self.repeat


@dataclass(frozen=True)
class Scored:
    """A complete run as it is scored: its frozen bank, header and units, and what is made of them once."""

    bank: FrozenBank
    header: Mapping[str, Any]
    units: Sequence[Mapping[str, Any]]

    @cached_property
    def cells(self) -> Cells:
        """Coordinates of the run. Raises UsageProblem as `apply_key`."""
        return apply_key(self.bank, self.header, self.units)

    @cached_property
    def asked(self) -> dict[str, Asked]:
        """Item id -> item with its dossier, for every item of the form."""
        return {asked.item.item_id: asked for asked in self.bank.form(str(self.header["form"]))}

    @cached_property
    def _scales(self) -> dict[tuple[str, str], Scale]:
        return {}

    def scale(self, name: str, axis: str) -> Scale:
        """One axis of one scale."""
        if (name, axis) not in self._scales:
            self._scales[name, axis] = scale_of(self.cells, axis, name)
        return self._scales[name, axis]

    def first_scale(self, name: str, axis: str) -> Scale:
        """The same with the answers given at first alone."""
        return scale_of(self.cells, axis, name, self.cells.answered_at_first)


def of_scale(scale: Scale, weight: Floats, enters_as: Floats, role: Roles, listed: Bools | None = None) -> list[Entry]:
    """Entries from arrays of the shape of `scale.x`, or of shapes that stretch to it; `listed`, shape as those, chooses
    which units the figure can depend on."""
    items = tuple(asked for pair in scale.pairs for asked in pair)
    shape = (len(items), *scale.x.shape[2:])
    weights, entering = (np.broadcast_to(array, scale.x.shape).reshape(shape) for array in (weight, enters_as))
    chosen = np.broadcast_to(np.True_ if listed is None else listed, scale.x.shape).reshape(shape)
    return of_items(items, weights, entering, np.broadcast_to(role, scale.x.shape).reshape(shape), chosen)


def of_items(
    items: Sequence[Asked], weight: Floats, enters_as: Floats, role: Roles, listed: Bools | None = None
) -> list[Entry]:
    """The same from arrays of shape (items, 2 orders, K repeats)."""
    return [
        Entry(asked, o, k + 1, float(weight[i, o, k]) + 0.0, float(enters_as[i, o, k]) + 0.0, str(role[i, o, k]))
        for i, asked in enumerate(items)
        for o in range(role.shape[1])
        for k in range(role.shape[2])
        if listed is None or listed[i, o, k]
    ]
