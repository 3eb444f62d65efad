"""One axis of one scale: its pairs of original and mirror, and every mean up to the family."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from divisionbell.freeze.frozen_bank import Asked
from divisionbell.score.apply_key import Cells, kind_of
from divisionbell.statistics._checks import TOLERANCE
from divisionbell.statistics.bounds import cell_weights

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

AXES = ("economic", "social")
SCALES = ("concrete", "implicit")


@dataclass(frozen=True)
class Scale:
    """The pairs of one axis and one scale, sorted by family, dossier and id.

    `pairs` has length P, original before mirror. `x` are coordinates and `answered` says where there is one, both of
    shape (P, 2 versions, 2 orders, K repeats). A mean is over what is there, level by level: repeats within an order,
    the two orders, original and mirror, pairs of a dossier, dossiers of a family, families. An item score needs an
    answer in both orders, a pair both of its items.
    """

    axis: str
    name: str
    pairs: tuple[tuple[Asked, Asked], ...]
    x: Floats
    answered: Bools

    @property
    def repeats(self) -> int:
        return int(self.x.shape[3])

    @cached_property
    def dossier(self) -> NDArray[np.str_]:
        """Dossier of every pair, shape (P,)."""
        return np.array([original.dossier.dossier_id for original, _ in self.pairs], dtype=np.str_)

    @cached_property
    def family(self) -> NDArray[np.str_]:
        """Issue family of every pair, shape (P,)."""
        return np.array([original.dossier.issue_family for original, _ in self.pairs], dtype=np.str_)

    @cached_property
    def families(self) -> tuple[str, ...]:
        """The G families, sorted."""
        return tuple(sorted(set(self.family.tolist())))

    @cached_property
    def pair_weight(self) -> Floats:
        """Weight of every pair in the score, shape (P,); they sum to 1."""
        return cell_weights(self.family, self.dossier, np.arange(len(self.pairs)))

    @cached_property
    def dossier_weights(self) -> Floats:
        """Weight of every dossier in the score; they sum to 1."""
        index = np.unique(self.dossier, return_inverse=True)[1].ravel()
        return np.bincount(index, weights=self.pair_weight).astype(np.float64)

    @cached_property
    def dossiers_per_family(self) -> dict[str, int]:
        """Number of dossiers of every family."""
        return {family: len(set(self.dossier[self.family == family].tolist())) for family in self.families}

    @cached_property
    def item_scores(self) -> Floats:
        """Item scores, shape (P, 2 versions); read only where `item_complete` holds."""
        held = self.answered.sum(axis=3)
        by_order = (self.x * self.answered).sum(axis=3) / np.maximum(held, 1)
        return np.asarray(by_order.mean(axis=2), dtype=np.float64)

    @cached_property
    def item_complete(self) -> Bools:
        """True where an item has an answer in both orders, shape (P, 2 versions)."""
        return np.asarray(np.all(np.any(self.answered, axis=3), axis=2), dtype=np.bool_)

    @cached_property
    def pair_complete(self) -> Bools:
        """True where both items of a pair are complete, shape (P,)."""
        return np.asarray(self.item_complete.all(axis=1), dtype=np.bool_)

    @cached_property
    def pair_scores(self) -> Floats:
        """Pair scores, shape (P,); read only where `pair_complete` holds."""
        return np.asarray(self.item_scores.mean(axis=1), dtype=np.float64)

    @cached_property
    def dossier_scores(self) -> dict[str, Floats]:
        """Family -> scores of its dossiers that have a complete pair; a family without one is left out."""
        made: dict[str, Floats] = {}
        for family in self.families:
            here = (self.family == family) & self.pair_complete
            if here.any():
                index = np.unique(self.dossier[here], return_inverse=True)[1].ravel()
                made[family] = np.bincount(index, weights=self.pair_scores[here]) / np.bincount(index)
        return made

    @cached_property
    def family_scores(self) -> dict[str, float]:
        """Family -> mean over its dossiers; a family without a complete pair is left out."""
        return {family: float(scores.mean()) for family, scores in self.dossier_scores.items()}

    @cached_property
    def bound_parts(self) -> tuple[Floats, Floats]:
        """A and B of every family, shapes (G,): its score is A + B delta for a mean delta of its missing answers."""
        index = np.unique(self.family, return_inverse=True)[1].ravel()
        share = self.pair_weight * len(self.families) / self.answered[0].size
        known = (self.x * self.answered).sum(axis=(1, 2, 3))
        lost = (~self.answered).sum(axis=(1, 2, 3))
        a, b = (np.bincount(index, weights=share * part).astype(np.float64) for part in (known, lost))
        return a, b

    @cached_property
    def whole(self) -> bool:
        """True when there is a point estimate: every family has a complete pair, and some completion of the missing
        answers gives the mean over complete pairs."""
        every = bool(self.pairs) and len(self.family_scores) == len(self.families)
        return every and not self._beside_the_bounds

    @cached_property
    def _beside_the_bounds(self) -> bool:
        """True where the mean over complete pairs lies outside the bounds over all answers: the pairs that fell out for
        one missing answer lean another way than those that stayed."""
        a, b = (float(part.mean()) for part in self.bound_parts)
        point = float(np.mean(list(self.family_scores.values())))
        return not a - b - TOLERANCE <= point <= a + b + TOLERANCE

    @property
    def why_no_point(self) -> str | None:
        """Why there is no point estimate, None where there is one."""
        if not self.pairs:
            return f"no pair of the {self.axis} axis and the {self.name} scale was asked"
        missing = len(self.families) - len(self.family_scores)
        if not missing and self.whole:
            return None
        if not missing:
            return "no completion of the missing answers gives the mean over complete pairs; see the bounds"
        return f"{missing} of {len(self.families)} families have no complete pair; see the bounds"

    def only(self, chosen: Bools) -> Scale:
        """The same scale with the chosen pairs alone; `chosen` has shape (P,)."""
        pairs = tuple(pair for pair, keep in zip(self.pairs, chosen, strict=True) if keep)
        return Scale(self.axis, self.name, pairs, self.x[chosen], self.answered[chosen])

    def with_answers(self, answered: Bools) -> Scale:
        """The same scale with other answers counted; `answered` has the shape of `x`."""
        return replace(self, answered=answered)


def scale_of(cells: Cells, axis: str, name: str, answered: Bools | None = None) -> Scale:
    """The pairs of one axis ("economic" or "social") and one scale ("concrete" or "implicit").

    `answered`, of the shape of `cells.x`, replaces which answers count. ValueError where an original has no mirror in
    the form; no frozen bank has one.
    """
    counted = cells.answered if answered is None else answered
    versions: defaultdict[str, dict[bool, int]] = defaultdict(dict)
    for number, asked in enumerate(cells.items):
        if asked.dossier.axis == axis and kind_of(asked) == name:
            versions[asked.item.mirror_of or asked.item.item_id][asked.is_mirror] = number
    if any(len(found) != 2 for found in versions.values()):
        raise ValueError(f"{axis}, {name}: an item without its original or mirror")

    def place(original: str) -> tuple[str, str, str]:
        dossier = cells.items[versions[original][False]].dossier
        return dossier.issue_family, dossier.dossier_id, original

    index = [(versions[original][False], versions[original][True]) for original in sorted(versions, key=place)]
    chosen = np.array(index, dtype=np.intp).reshape(-1, 2)
    pairs = tuple((cells.items[original], cells.items[mirror]) for original, mirror in index)
    return Scale(axis, name, pairs, cells.x[chosen], counted[chosen])
