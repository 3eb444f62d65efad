"""The certificate of planted models: simulated respondents whose true score is known, taken through parser and score.

Families are drawn anew for each model, so that the true score is that of the population they come from.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from divisionbell.estimate.planted_grid import FAMILIES, HABITS, NEAR_THE_END, REPEATS, SCORES, SPREADS, grid
from divisionbell.estimate.planted_model import biased_score, true_d_sq
from divisionbell.estimate.planted_rows import Row, always, coverage, mean
from divisionbell.estimate.planted_suites import (
    PATTERNS,
    PULL,
    Made,
    Scored,
    WithLosses,
    answers_of_plant,
    biased,
    lose,
    named,
    pulled,
    scored_axes,
    with_losses,
)
from divisionbell.estimate.scale import AXES

#: One model in so many is scored again with answers lost; one in so many goes by `administer` as well.
LOSES_EVERY, WHOLE_EVERY = 10, 50
THETA, BIASES = -0.4, (0.0, 1.0, 2.0, 3.0)
IDENTITY = 1e-9
Progress = Callable[[int, int], None]
See = Callable[[Made], None]


@dataclass
class Found:
    """What the models came to."""

    scored: list[Scored] = field(default_factory=list)
    lost: list[WithLosses] = field(default_factory=list)
    same_way: list[bool] = field(default_factory=list)
    biased: dict[float, list[tuple[float, float | None]]] = field(default_factory=dict)
    pulled: list[tuple[float, bool, bool, float]] = field(default_factory=list)


def planted_certificate(
    models: int, seed: int, progress: Progress = lambda done, total: None, see: See = lambda made: None
) -> list[Row]:
    """Rows of what `models` models of the grid, and a few beside it, came to. ValueError where models < 1.

    `see` is shown every model as it was scored: what is drawn from scores is above this room and judges for itself.
    """
    if models < 1:
        raise ValueError(f"models: at least 1 expected, {models} given")
    few = max(10, models // 50)
    total = models + few * (len(BIASES) + 1)
    found = Found()
    for plant in grid(models, seed):
        asked, positive = answers_of_plant(plant, seed)
        document, truth = asked.score(positive), (plant.score, -plant.score)
        see(Made("grid", truth, asked, document))
        axes = scored_axes(plant, named(document))
        found.scored += axes
        if plant.number % WHOLE_EVERY == 0:
            found.same_way.append(asked.score_whole(positive) == document)
        if plant.number % LOSES_EVERY == 0:
            pattern = PATTERNS[plant.number // LOSES_EVERY % len(PATTERNS)]
            gone = lose(pattern, positive, asked, np.random.default_rng([seed, 4, plant.number]))
            left = asked.score(positive, gone)
            see(Made(f"missing {pattern}", truth, asked, left))
            again = named(left)
            found.lost += [with_losses(each, axis, pattern, again) for axis, each in zip(AXES, axes, strict=True)]
        progress(plant.number + 1, total)
    for number, bias in enumerate(bias for bias in BIASES for _ in range(few)):
        one = biased(number, THETA, bias, seed)
        see(one)
        made = named(one.document)
        keys = [f"concrete.{axis}" for axis in AXES]
        told = [(made[key]["value"], made[f"{key}.consistent_only"].get("value")) for key in keys]
        found.biased.setdefault(bias, []).extend(told)
        progress(models + number + 1, total)
    for number in range(few):
        one = pulled(number, seed)
        see(one)
        made = named(one.document)
        judged, contrast = made["framing.all.equivalence"], made["framing.all.d_sq"]
        scores = [made[f"concrete.{axis}"]["value"] for axis in AXES]
        refused = not judged["interval_kind"].startswith("verdict equivalent")
        different = judged["interval_kind"].startswith("verdict different")
        found.pulled.append((contrast["value"], refused, different, sum(scores) / len(scores)))
        progress(models + few * len(BIASES) + number + 1, total)
    return [*_coverage(found.scored), *_losses(found.lost), *_position(found), *_pulled(found), *_way(found)]


def _coverage(scored: Sequence[Scored]) -> list[Row]:
    within = [one for one in scored if abs(one.truth) <= NEAR_THE_END]

    def row(what: str, chosen: Iterable[Scored], *, judged: bool = True, part: str = "coverage") -> Row:
        return coverage(part, what, [one.inside for one in chosen], judged=judged)

    sizes = sorted({abs(score) for score in SCORES if abs(score) <= NEAR_THE_END})
    rows = [row("all with |S| at most 0.75", within)]
    rows += [row(f"{g} families", (o for o in within if o.plant.families == g)) for g in FAMILIES]
    rows += [row(f"{k} repeat{'s' * (k > 1)}", (o for o in within if o.plant.repeats == k)) for k in REPEATS]
    rows += [row(f"{name} spread", (o for o in within if o.plant.spread == name)) for name in SPREADS]
    rows += [row(f"habit: {name}", (o for o in within if o.plant.habit == name)) for name in HABITS]
    rows += [row(f"|S| = {size:g}", (o for o in within if abs(o.truth) == size)) for size in sizes]
    rows += [
        row(
            f"|S| = {size:g}, {name} spread",
            (o for o in within if abs(o.truth) == size and o.plant.spread == name),
            judged=False,
        )
        for size in sizes
        for name in SPREADS
    ]
    beyond = [one for one in scored if abs(one.truth) > NEAR_THE_END]
    for method in ("family_bootstrap_t", "family_t", "exact_equal"):
        rows.append(row(f"|S| = 0.9, {method}", (o for o in beyond if o.method == method), judged=False, part="beyond"))
    return rows


def _losses(lost: Sequence[WithLosses]) -> list[Row]:
    rows = []
    for pattern in PATTERNS:
        here = [one for one in lost if one.pattern == pattern]
        off = [one.off for one in here if one.off is not None]
        rows.append(always("missing", f"{pattern}: bounds hold the score without the loss", [one.held for one in here]))
        rows.append(
            coverage(
                "missing",
                f"{pattern}: Imbens-Manski interval holds the true score",
                [one.covered for one in here],
                wide=True,
            )
        )
        rows.append(
            mean(
                "missing", f"{pattern}: score of what is left less that of all", off, 0.0, judged=pattern == "at random"
            )
        )
        if pattern == "by order":
            rows.append(always("missing", f"{pattern}: the order is pointed out", [one.flagged for one in here]))
    return rows


def _position(found: Found) -> list[Row]:
    rows = [
        always("position", "S = S_c (1 - flip)", [one.identity_error <= IDENTITY for one in found.scored]),
    ]
    for bias, told in found.biased.items():
        consistent = [value for _, value in told if value is not None]
        scores = [score for score, _ in told]
        rows.append(mean("position", f"bias {bias:g}: consistent-only score", consistent, math.tanh(THETA)))
        rows.append(mean("position", f"bias {bias:g}: score", scores, biased_score(THETA, bias)))
    return rows


def _pulled(found: Found) -> list[Row]:
    return [
        always("status quo", "D_sq is negative", [d_sq < 0 for d_sq, *_ in found.pulled]),
        always("status quo", "equivalence is refused", [refused for _, refused, *_ in found.pulled]),
        always("status quo", "the verdict is different", [different for _, _, different, _ in found.pulled]),
        mean("status quo", "D_sq", [d_sq for d_sq, *_ in found.pulled], true_d_sq(PULL)),
        mean("status quo", "score", [score for *_, score in found.pulled], 0.0),
    ]


def _way(found: Found) -> list[Row]:
    return [always("way", "the same document where `administer` asks", found.same_way)]
