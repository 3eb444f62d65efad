"""Agreement of ratings: two ratings in two categories, and any number of coders in nominal categories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ._checks import coordinates, same_length


def raw_agreement(first: ArrayLike, second: ArrayLike) -> float | None:
    """Share of units, in [0, 1], on which two ratings of shape (n,) are the same; ratings are -1 or +1.

    None when there is no unit. ValueError on unequal lengths or another rating. Source: Gwet (2008), eq. for p_a.
    """
    a, b = coordinates(first, "first"), coordinates(second, "second")
    same_length(first=a, second=b)
    return None if a.size == 0 else float(np.mean(a == b))


def gwet_ac1(first: ArrayLike, second: ArrayLike) -> float | None:
    """Gwet's AC1 = (p_a - p_e)/(1 - p_e) of two ratings of shape (n,), -1 or +1; at most 1, 0 is chance.

    p_e = 2 pi (1 - pi), where pi is the share of +1 over both ratings. Both categories count even where one never
    occurs, so p_e is at most 1/2 and AC1 is defined wherever there is a unit; None when there is none. ValueError on
    unequal lengths or another rating. Source: Gwet (2008), Brit. J. Math. Stat. Psychol. 61, 29-48.
    """
    agreed = raw_agreement(first, second)
    if agreed is None:
        return None
    share = float(np.mean(np.concatenate([np.asarray(first), np.asarray(second)]) > 0))
    chance = 2 * share * (1 - share)
    return (agreed - chance) / (1 - chance)


def krippendorff_alpha(ratings: Sequence[Sequence[Hashable | None]]) -> float | None:
    """Krippendorff's alpha for nominal categories; `ratings[unit]` holds one rating a coder, None where one is missing.

    1 - D_o/D_e with the coincidences of each unit weighted by 1/(m_u - 1), m_u the ratings of the unit; units with
    fewer than two ratings count for nothing. None where no unit has two ratings or only one category occurs (alpha is
    then 0/0). Source: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, nominal metric.
    """
    totals: Counter[Hashable] = Counter()
    disagreed = 0.0
    for unit in ratings:
        given = Counter(rating for rating in unit if rating is not None)
        count = given.total()
        if count < 2:
            continue
        totals.update(given)
        disagreed += sum(n * (count - n) for n in given.values()) / (count - 1)
    n = totals.total()
    expected = sum(count * (n - count) for count in totals.values())
    return None if expected == 0 else 1 - (n - 1) * disagreed / expected
