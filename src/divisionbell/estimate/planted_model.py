"""Planted models: respondents drawn from a stated population, whose true score is known in closed form.

A family has a probability of the positive pole drawn from a beta distribution with mean (1 + lean)/2; a dossier's is
drawn around its family's and an item's around its dossier's in the same way. Every mean is the one above it, so the
mean over the population of families is (1 + lean)/2 exactly, and nothing is clipped: a normal distribution cut off at
-1 and 1 would shift it. Families are drawn anew for each model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SMALLEST = 1e-9  # below this a shape of a beta distribution draws 0 or 1 and nothing between


@dataclass(frozen=True)
class Spread:
    """How far families, dossiers of a family, and items of a dossier differ: shares rho of the largest variance that a
    probability with their mean can have, var(p) = rho mean (1 - mean), each between 0 and 1."""

    family: float
    dossier: float
    item: float


@dataclass(frozen=True)
class Habits:
    """What answers follow beside the item, as shares of all answers drawn anew for each.

    `letter_a` of the answers are the letter A (the letter B where it is negative), `status_quo` of them the status quo.
    The rest follow the item.
    """

    letter_a: float = 0.0
    status_quo: float = 0.0

    @property
    def by_content(self) -> float:
        """The share of answers that follow the item."""
        return 1 - abs(self.letter_a) - self.status_quo


def true_score(lean: float, habits: Habits) -> float:
    """The score over the population of families: (1 - |letter| - status quo) lean.

    The letter adds the same to one order as it takes from the other, the status quo the same to original and mirror.
    """
    return habits.by_content * lean


def true_d_sq(habits: Habits) -> float:
    """s(status quo negative) - s(status quo positive) over the population: -2 status quo."""
    return -2 * habits.status_quo


def draw_items(rng: np.random.Generator, lean: float, spread: Spread, shape: tuple[int, int, int]) -> Floats:
    """Probabilities of the positive pole of every item, of `shape` (families, dossiers of each, items of each).

    ValueError where the lean is outside [-1, 1].
    """
    if not -1 <= lean <= 1:
        raise ValueError(f"lean: outside [-1, 1] ({lean})")
    families, dossiers, items = shape
    mean = np.full((families, 1, 1), (1 + lean) / 2)
    p_family = _around(rng, mean, spread.family)
    p_dossier = _around(rng, np.repeat(p_family, dossiers, axis=1), spread.dossier)
    return _around(rng, np.repeat(p_dossier, items, axis=2), spread.item)


def _around(rng: np.random.Generator, mean: Floats, rho: float) -> Floats:
    """Beta draws with these means and the variance rho mean (1 - mean); the means themselves where rho is 0."""
    if rho == 0:
        return mean
    size = 1 / rho - 1
    one, other = mean * size, (1 - mean) * size
    drawn = rng.beta(np.maximum(one, SMALLEST), np.maximum(other, SMALLEST))
    return np.asarray(np.where(one <= SMALLEST, 0.0, np.where(other <= SMALLEST, 1.0, drawn)), dtype=np.float64)


def by_habit(items: Floats, status_quo: Floats, habits: Habits) -> Floats:
    """Probabilities of the positive pole in both orders, shape (items, 2): negative, then positive pole at A.

    `items` are the items' own probabilities and `status_quo` their poles, -1 or +1, both of shape (items,).
    """
    by_item = habits.by_content * items + habits.status_quo * (status_quo > 0)
    at_a, at_b = max(habits.letter_a, 0.0), max(-habits.letter_a, 0.0)
    return np.stack([by_item + at_b, by_item + at_a], axis=1)


def by_bias(items: int, theta: float, bias: float) -> Floats:
    """The same of a model with log-odds theta on every item and `bias` towards the letter A: theta - b, theta + b.

    Its consistent-only score is tanh(theta) whatever the bias, since pairs RR and LL have odds exp(2 theta); its score
    is `biased_score`. Source: Cox (1958), Biometrika 45.
    """
    return np.tile([_logistic(theta - bias), _logistic(theta + bias)], (items, 1))


def biased_score(theta: float, bias: float) -> float:
    """The score of `by_bias`: logistic(theta + b) + logistic(theta - b) - 1, which fades to 0 as the bias grows."""
    return _logistic(theta + bias) + _logistic(theta - bias) - 1


def _logistic(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))
