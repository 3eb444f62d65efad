"""The grid of planted models: what is varied, and which model has what."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from divisionbell.estimate.planted_model import Habits, Spread

FAMILIES = (12, 14, 19)
REPEATS = (1, 3)
#: Score of the economic axis; the social axis has the opposite. Beyond 0.75 models are reported by themselves.
SCORES = (0.0, 0.3, -0.3, 0.6, -0.6, 0.75, -0.75, 0.9, -0.9)
SPREADS = {"narrow": Spread(0.1, 0.1, 0.1), "wide": Spread(0.25, 0.2, 0.1)}
HABITS = {"none": Habits(), "letter": Habits(letter_a=0.15), "status quo": Habits(status_quo=0.15)}
NEAR_THE_END = 0.75


@dataclass(frozen=True)
class Plant:
    """One planted model: `score` is true of its economic axis, and -`score` of its social one."""

    number: int
    families: int
    repeats: int
    score: float
    spread: str
    habit: str

    @property
    def lean(self) -> float:
        """The lean whose true score, with the habits, is `score`."""
        return self.score / HABITS[self.habit].by_content


def grid(models: int, seed: int) -> list[Plant]:
    """So many models, the cells of the grid in random order and again, with each habit in turn.

    Beyond 0.75 there is no habit: a model that follows the item in 85 % of its answers cannot score 0.9.
    """
    cells = list(product(FAMILIES, REPEATS, SCORES, SPREADS))
    order = np.random.default_rng([seed, 0]).permutation(len(cells))
    names = list(HABITS)
    made = []
    for number in range(models):
        families, repeats, score, spread = cells[order[number % len(cells)]]
        habit = names[(number + number // len(cells)) % len(names)] if abs(score) <= NEAR_THE_END else "none"
        made.append(Plant(number, families, repeats, score, spread, habit))
    return made
