"""How far repeats of one question agree: choices over all pairs of repeats of a cell, scores over all repeats."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ._checks import TOLERANCE, finite


@dataclass(frozen=True)
class RepeatAgreement:
    """Over `pairs` pairs of repeats: `raw` the share with one choice, `ac1` Gwet's AC1; None where there is no pair."""

    pairs: int
    raw: float | None
    ac1: float | None


def repeat_agreement(positive: ArrayLike, answered: ArrayLike) -> RepeatAgreement:
    """Agreement over all pairs of repeats within a cell, from counts alone: what a table of all pairs would give.

    `answered` is the number of repeats of each cell that have an answer, `positive` how many of them are +1; both of
    shape (cells,). A cell with m answers, p of them positive, has m(m - 1)/2 pairs, of which p(p - 1)/2 + (m - p)(m - p
    - 1)/2 agree; an answer stands in m - 1 pairs. AC1 = (p_a - p_e)/(1 - p_e) with p_e = 2 pi (1 - pi), pi the share of
    +1 over both answers of all pairs. ValueError on unequal lengths, or counts that are no counts.
    Source: Gwet (2008), Brit. J. Math. Stat. Psychol. 61, 29-48.
    """
    p, m = np.asarray(positive, dtype=np.float64), np.asarray(answered, dtype=np.float64)
    if p.shape != m.shape or p.ndim != 1:
        raise ValueError("positive and answered: one dimension and one length expected")
    if (p < 0).any() or (p > m).any() or (m % 1 != 0).any() or (p % 1 != 0).any():
        raise ValueError("positive and answered: counts expected, none greater than the answers of its cell")
    pairs = float((m * (m - 1)).sum()) / 2
    if not pairs:
        return RepeatAgreement(0, None, None)
    raw = float((p * (p - 1) + (m - p) * (m - p - 1)).sum()) / 2 / pairs
    share = float((p * (m - 1)).sum()) / (2 * pairs)
    chance = 2 * share * (1 - share)
    return RepeatAgreement(round(pairs), raw, (raw - chance) / (1 - chance))


@dataclass(frozen=True)
class Reliability:
    """ICC(2,1) and the standard error of measurement of a score at one repeat, in the unit of the scores.

    `icc` is None where all scores are the same, so that there is nothing to tell apart; `sem` is then 0.
    """

    icc: float | None
    sem: float


def icc_2_1(scores: ArrayLike) -> Reliability:
    """Two-way random effects, absolute agreement, one measurement, from scores of shape (n items, K repeats).

    With the mean squares of rows, columns and error, ICC(2,1) = (MS_R - MS_E) / (MS_R + (K - 1) MS_E + K (MS_C - MS_E)
    / n), and SEM = sqrt(max(0, (MS_C - MS_E) / n) + MS_E): the spread of one item's scores over repeats. ValueError on
    non-finite input, fewer than two items or two repeats.
    Source: Shrout and Fleiss (1979), Psychological Bulletin 86(2), case 2; Weir (2005), J. Strength Cond. Res. 19(1).
    """
    x = finite(scores, "scores", dimensions=2)
    n, k = x.shape
    if n < 2 or k < 2:
        raise ValueError(f"scores: at least two items and two repeats expected, {n} and {k} given")
    grand = x.mean()
    rows, columns = x.mean(axis=1) - grand, x.mean(axis=0) - grand
    error = x - grand - rows[:, None] - columns
    ms_r, ms_c = k * float((rows**2).sum()) / (n - 1), n * float((columns**2).sum()) / (k - 1)
    ms_e = float((error**2).sum()) / ((n - 1) * (k - 1))
    whole = ms_r + (k - 1) * ms_e + k * (ms_c - ms_e) / n
    sem = math.sqrt(max(0.0, (ms_c - ms_e) / n) + ms_e)
    return Reliability((ms_r - ms_e) / whole if whole > TOLERANCE else None, sem)
