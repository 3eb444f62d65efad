"""Whether a first-option habit follows the letter or the place: told apart on items asked with the labels exchanged.

Planned: no run asks items so yet, since bank template and run schema have one order of labels.
"""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from ._checks import Floats, finite


@dataclass(frozen=True)
class LabelAndPlace:
    """Effects per item, shape (n,), each in [-1, 1]: `label` towards the letter A, `place` towards the first option."""

    label: Floats
    place: Floats


def label_and_place(usual: ArrayLike, exchanged: ArrayLike) -> LabelAndPlace:
    """The habit of the letter and the habit of the place, item by item.

    Both arrays have shape (n, 2), one column for each order of the poles, and hold +1 where the option that stands
    first was chosen and -1 where the second was: `usual` with A first, `exchanged` with B first. What an item says
    cancels between the orders. The mean of the usual labels is place + label, of the exchanged ones place - label, so
    place = (U + E)/2 and label = (U - E)/2; with usual labels alone the two cannot be told apart. ValueError on empty
    or non-finite input, another shape, or other values.
    Source: main effects of a two-by-two layout; docs/explanation/statistics.md, "Position".
    """
    first, second = finite(usual, "usual", 2), finite(exchanged, "exchanged", 2)
    if first.shape != second.shape or first.shape[1] != 2:
        raise ValueError(f"shape (items, 2 orders) expected twice, {first.shape} and {second.shape} given")
    if not ((abs(first) == 1).all() and (abs(second) == 1).all()):
        raise ValueError("choices: +1 for the first option and -1 for the second expected")
    u, e = first.mean(axis=1), second.mean(axis=1)
    return LabelAndPlace((u - e) / 2, (u + e) / 2)
