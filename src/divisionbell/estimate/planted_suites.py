"""Planted models one by one: what is drawn, what its score document says, and what is kept of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divisionbell.estimate.missingness import FLAGGED
from divisionbell.estimate.named import METHODS
from divisionbell.estimate.planted_grid import HABITS, SPREADS, Plant
from divisionbell.estimate.planted_model import Habits, biased_score, by_bias, by_habit, draw_items
from divisionbell.estimate.planted_run import LOST, Bools, Instrument
from divisionbell.estimate.scale import AXES

Named = Mapping[str, Mapping[str, Any]]
Losses = NDArray[np.int8]

#: Refusal pattern -> share of lost answers by (family among the first four, negative pole at A, positive answer).
PATTERNS = ("at random", "by family", "by order", "by answer")
PULL = Habits(status_quo=0.3)


@lru_cache(maxsize=16)
def instrument(families: int, repeats: int) -> Instrument:
    """Made once for each number of families and repeats."""
    return Instrument(families, repeats)


@dataclass(frozen=True)
class Scored:
    """One axis of one model of the grid: its true score, its interval and how that was made, and the identity."""

    plant: Plant
    truth: float
    score: float
    low: float
    high: float
    method: str
    identity_error: float

    @property
    def inside(self) -> bool:
        return self.low <= self.truth <= self.high


@dataclass(frozen=True)
class Made:
    """One planted model as it was scored: what it is of, and the true score of each axis."""

    suite: str
    truth: tuple[float, float]
    asked: Instrument
    document: Mapping[str, Any]


def named(document: Mapping[str, Any]) -> Named:
    """The estimates of a document by name."""
    return {estimate["name"]: estimate for estimate in document["estimates"]}


def answers_of_plant(plant: Plant, seed: int) -> tuple[Instrument, Bools]:
    """The answers of one model of the grid, families, dossiers and items drawn for it alone."""
    asked, rng = instrument(plant.families, plant.repeats), np.random.default_rng([seed, 1, plant.number])
    leans = (plant.lean, -plant.lean)
    items = np.concatenate([draw_items(rng, lean, SPREADS[plant.spread], asked.shape).ravel() for lean in leans])
    return asked, asked.draw(rng, by_habit(items, asked.status_quo, HABITS[plant.habit]))


def scored_axes(plant: Plant, found: Named) -> list[Scored]:
    """Both axes of a model of which nothing is missing."""
    made = []
    for axis, truth in zip(AXES, (plant.score, -plant.score), strict=True):
        one, identity = found[f"concrete.{axis}"], found[f"concrete.{axis}.identity"]["value"]
        method = next(name for name, words in METHODS.items() if one["interval_kind"].startswith(words))
        error = abs(identity - one["value"])
        made.append(Scored(plant, truth, one["value"], one["low"], one["high"], method, error))
    return made


def lose(pattern: str, positive: Bools, asked: Instrument, rng: np.random.Generator) -> Losses:
    """Which answers are lost, and what stands for each (a number of LOST, 0 for none); shape as `positive`.

    At random: 15 %. By family: 60 % in four families, 5 % elsewhere. By order: 70 % while the negative option stands at
    A. By answer: half of the positive answers and none of the negative, which no score of what is left can mend.
    """
    share = np.full(positive.shape, 0.15)
    if pattern == "by family":
        share = np.broadcast_to(np.where(asked.family < 4, 0.6, 0.05)[:, None], positive.shape)
    elif pattern == "by order":
        share = np.broadcast_to(np.array([0.7, 0.0]), positive.shape)
    elif pattern == "by answer":
        share = np.where(positive, 0.5, 0.0)
    gone = rng.random(positive.shape) < share
    return np.asarray(np.where(gone, rng.integers(1, len(LOST) + 1, positive.shape), 0), dtype=np.int8)


@dataclass(frozen=True)
class WithLosses:
    """One axis of a model with answers lost.

    `held`: the bounds hold the score without the loss. `covered`: the Imbens-Manski interval holds the true score.
    `off`: the score of what is left less the score without the loss, None where there is none. `flagged`: a difference
    between the orders is pointed out.
    """

    pattern: str
    held: bool
    covered: bool
    off: float | None
    flagged: bool


def with_losses(one: Scored, axis: str, pattern: str, found: Named) -> WithLosses:
    """What a document with lost answers says, beside the score without the loss."""
    bounds, around = found[f"concrete.{axis}.bounds"], found[f"concrete.{axis}.imbens_manski"]
    value = found[f"concrete.{axis}"].get("value")
    low, high = bounds.get("low", value), bounds.get("high", value)
    p = found.get(f"missing.{axis}.by_order_p", {}).get("value")
    return WithLosses(
        pattern,
        held=low - 1e-9 <= one.score <= high + 1e-9,
        covered=around["low"] <= one.truth <= around["high"],
        off=None if value is None else value - one.score,
        flagged=p is not None and p < FLAGGED,
    )


def answers_biased(number: int, theta: float, bias: float, seed: int) -> tuple[Instrument, Bools]:
    """The answers of a model with one lean on all items and a bias towards A; its families do not differ."""
    asked, rng = instrument(14, 3), np.random.default_rng([seed, 2, number])
    return asked, asked.draw(rng, by_bias(asked.items, theta, bias))


def biased(number: int, theta: float, bias: float, seed: int) -> Made:
    """The same scored."""
    asked, positive = answers_biased(number, theta, bias, seed)
    truth = biased_score(theta, bias)
    return Made(f"bias {bias:g}", (truth, truth), asked, asked.score(positive))


def answers_pulled(number: int, seed: int) -> tuple[Instrument, Bools]:
    """The answers of a model without a lean that gives the status quo in 30 % of its answers."""
    asked, rng = instrument(14, 3), np.random.default_rng([seed, 3, number])
    items = np.concatenate([draw_items(rng, 0.0, SPREADS["narrow"], asked.shape).ravel() for _ in AXES])
    return asked, asked.draw(rng, by_habit(items, asked.status_quo, PULL))


def pulled(number: int, seed: int) -> Made:
    """The same scored."""
    asked, positive = answers_pulled(number, seed)
    return Made("status quo", (0.0, 0.0), asked, asked.score(positive))
