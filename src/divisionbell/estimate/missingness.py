"""Whether missing answers go with the order, the kind, the family or the axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from divisionbell.estimate.named import EXPLORATORY, Estimate, estimate
from divisionbell.estimate.scale import AXES, Bools
from divisionbell.score.apply_key import Cells, kind_of

PERMUTATIONS = 1999
#: A difference between the orders with a smaller p is pointed out.
FLAGGED = 0.05


@dataclass(frozen=True)
class ByOrder:
    """Shares missing with the negative and with the positive option at A, and the exact McNemar p of their difference.

    `p` is None where no item is missing in one order alone.
    """

    negative_at_a: float
    positive_at_a: float
    p: float | None

    @property
    def flagged(self) -> bool:
        return self.p is not None and self.p < FLAGGED


def by_order(lost: Bools) -> ByOrder:
    """Missingness by the pole at A, from `lost` of shape (I, 2 orders, K), I >= 1, True where an answer is missing.

    The p takes every item repeat as its own trial. Source: McNemar (1947), Psychometrika 12, in its exact form.
    """
    first, second = lost[:, 0], lost[:, 1]
    one, two = int((first & ~second).sum()), int((second & ~first).sum())
    p = float(stats.binomtest(one, one + two).pvalue) if one + two else None
    return ByOrder(float(first.mean()), float(second.mean()), p)


def groups_p(share: NDArray[np.float64], group: NDArray[np.str_], seed: int) -> float | None:
    """Permutation p that items of different groups miss equally often; both arrays have shape (I,).

    The statistic is the weighted sum of squares of the group means; items are permuted, so a p is at least
    1/(PERMUTATIONS + 1). None where there is one group, or every item misses equally often.
    Source: Good (2005), Permutation, Parametric and Bootstrap Tests, chapter 3.
    """
    names, index = np.unique(group, return_inverse=True)
    if names.size < 2 or np.ptp(share) == 0:
        return None
    member = (index.ravel() == np.arange(names.size).reshape(-1, 1)).astype(np.float64)
    scaled = member / np.sqrt(member.sum(axis=1, keepdims=True))
    rng = np.random.default_rng(seed)
    drawn = rng.permuted(np.tile(share, (PERMUTATIONS, 1)), axis=1)
    reached = ((drawn @ scaled.T) ** 2).sum(axis=1) >= ((scaled @ share) ** 2).sum() - 1e-9
    return float((1 + reached.sum()) / (1 + PERMUTATIONS))


def missingness(cells: Cells, seed: int) -> list[Estimate]:
    """Share missing by the pole at A for every axis asked, and p by order, kind, family and axis where defined."""
    if not cells.items:
        return []
    lost = ~cells.answered
    axis_of = np.array([str(asked.dossier.axis) for asked in cells.items])
    share = lost.mean(axis=(1, 2))
    made: list[Estimate] = []
    for axis in AXES:
        here = axis_of == axis
        if not here.any():
            continue
        made += _orders(axis, by_order(lost[here]), int(lost[here].size))
        labels = [asked for asked, keep in zip(cells.items, here, strict=True) if keep]
        for what, group in (
            ("kind", [kind_of(asked) for asked in labels]),
            ("family", [asked.dossier.issue_family for asked in labels]),
        ):
            made += _p(
                f"missing.{axis}.by_{what}_p", what, axis, groups_p(share[here], np.array(group), seed), here.sum()
            )
    return [*made, *_p("missing.by_axis_p", "axis", None, groups_p(share, axis_of, seed), len(cells.items))]


def _orders(axis: str, found: ByOrder, units: int) -> list[Estimate]:
    texts = {"negative_at_a": found.negative_at_a, "positive_at_a": found.positive_at_a}
    made = [
        estimate(
            f"missing.{axis}.by_order",
            "Share of units without an answer while the negative option stood at A, less the share while the positive "
            "one did.",
            unit="difference of shares",
            axis=axis,
            value=found.negative_at_a - found.positive_at_a,
            n=units,
            n_of="units",
        )
    ]
    made += [
        estimate(
            f"missing.{axis}.{name}",
            f"Share of units without an answer while the {name.split('_')[0]} option stood at A.",
            unit="share",
            axis=axis,
            value=value,
            n=units // 2,
            n_of="units",
        )
        for name, value in texts.items()
    ]
    if found.p is not None:
        made.append(
            estimate(
                f"missing.{axis}.by_order_p",
                "Exact McNemar p that answers are missing equally often in both orders, item repeats as trials.",
                unit="p",
                standing=EXPLORATORY,
                axis=axis,
                value=found.p,
            )
        )
    return made


def _p(name: str, what: str, axis: str | None, p: float | None, items: int) -> list[Estimate]:
    if p is None:
        return []
    definition = f"Permutation p that answers are missing equally often whatever the {what}, items permuted."
    return [estimate(name, definition, unit="p", standing=EXPLORATORY, axis=axis, value=p, n=int(items), n_of="items")]
