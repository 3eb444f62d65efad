"""What is told of planted models: one row for each thing that must hold, and how a share or a mean is judged.

Simulations err. A share is judged by its exact 99 % interval: it fails where the whole interval lies outside what is
required. A mean is judged by its 99.9 % interval by Student's t. Of too few models neither says anything.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import binomtest, t

REQUIRED = (0.93, 0.97)
LEVEL = 0.99
MEAN_LEVEL = 0.999
#: Fewer tell no share: from so many on 79 % (that of Student's t near the ends) is found out not to be 93 %.
TELLING = 50
#: Fewer tell no mean: its interval would be wider than what it is held to.
TELLING_MEAN = 10


@dataclass(frozen=True)
class Row:
    """One row: what was counted or averaged, `n` of what, and whether it holds; `holds` None is shown only.

    `value` is a share or a mean; `low` and `high` are the ends of the interval that judged it. `few` says that there
    were too few models to judge by.
    """

    part: str
    what: str
    n: int
    value: float | None
    low: float | None
    high: float | None
    required: str
    holds: bool | None
    few: bool = False


def coverage(part: str, what: str, inside: Sequence[bool], *, judged: bool = True, wide: bool = False) -> Row:
    """How often an interval held the true score.

    Where it is `judged` its exact interval must meet 93 % to 97 %; `wide` lets it be above.
    """
    if wide and judged:
        return at_least(part, what, inside, REQUIRED[0])
    low, high = _exact(inside)
    required = "93% to 97%"
    share, few = sum(inside) / len(inside) if inside else None, judged and len(inside) < TELLING
    holds = high >= REQUIRED[0] and low <= REQUIRED[1] if judged and not few else None
    return Row(part, what, len(inside), share, low, high, required if judged else "shown", holds, few)


def at_least(part: str, what: str, held: Sequence[bool], least: float) -> Row:
    """How often something held that must hold in a share `least` of models; fails where its exact interval is below."""
    low, high = _exact(held)
    share, few = sum(held) / len(held) if held else None, len(held) < TELLING
    required = f"at least {100 * least:g}%"
    return Row(part, what, len(held), share, low, high, required, None if few else high >= least, few)


def _exact(inside: Sequence[bool]) -> tuple[float, float]:
    """Clopper and Pearson (1934), as computed by scipy.stats.binomtest; [0, 1] where there is nothing."""
    if not inside:
        return 0.0, 1.0
    ends = binomtest(sum(inside), len(inside)).proportion_ci(LEVEL, method="exact")
    return float(ends.low), float(ends.high)


def always(part: str, what: str, held: Sequence[bool]) -> Row:
    """What must hold in every model without exception; None where there was no model to see it in."""
    share = sum(held) / len(held) if held else None
    return Row(part, what, len(held), share, None, None, "100%", all(held) if held else None, not held)


def mean(part: str, what: str, values: Sequence[float], expected: float, *, judged: bool = True) -> Row:
    """A mean over models that must be `expected` but for the error of the simulation."""
    if len(values) < 2:
        return Row(part, what, len(values), None, None, None, f"{expected:+.3f}", None, judged)
    array = np.asarray(values)
    limit = float(t.ppf((1 + MEAN_LEVEL) / 2, array.size - 1))
    found, error = float(array.mean()), limit * float(array.std(ddof=1)) / math.sqrt(array.size)
    few = judged and array.size < TELLING_MEAN
    holds = abs(found - expected) <= error + 1e-9 if judged and not few else None
    required = f"{expected:+.3f}" if judged else "shown"
    return Row(part, what, array.size, found, found - error, found + error, required, holds, few)
