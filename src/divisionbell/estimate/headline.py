"""The score of one axis on one scale, with its interval, and what missing answers leave open."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from divisionbell.estimate.completions import BOUNDS
from divisionbell.estimate.named import (
    EXPLORATORY,
    PRIMARY,
    SECOND_SCALE,
    Estimate,
    estimate,
    in_words,
)
from divisionbell.estimate.scale import Floats, Scale
from divisionbell.model.classes import IntervalRule
from divisionbell.statistics.bounds import imbens_manski, linear_bounds, tipping_point
from divisionbell.statistics.family_interval import FamilyEstimate, family_interval
from divisionbell.statistics.intervals import (
    Interval,
    joint_axis_multiplier,
    kish_n,
    mean_and_se,
    smallest_detectable_difference,
)

STANDING = {"concrete": PRIMARY, "implicit": SECOND_SCALE}


def family_estimate(scores: dict[str, Floats], rule: IntervalRule) -> FamilyEstimate:
    """Mean over families with the interval that the plan's rule chooses; `scores` are dossier scores by family."""
    return family_interval(list(scores.values()), seed=rule.bootstrap_seed, level=rule.confidence_level)


def with_interval(found: FamilyEstimate) -> tuple[Interval | None, str]:
    """The interval with its kind in words; where there is none, the words say why."""
    if found.interval is None:
        return None, f"no interval: {found.reason}"
    return found.interval, in_words(found.interval)


def headline(scale: Scale, rule: IntervalRule) -> Estimate:
    """S: the mean over families, defined only where every family has a complete pair."""
    name = f"{scale.name}.{scale.axis}"
    definition = (
        f"Mean coordinate on {scale.name} pairs of the {scale.axis} axis, -1 to 1: repeats, orders, original and "
        "mirror, dossiers within a family and families are averaged in turn with equal weight. Only over all families: "
        "where one has no complete pair the score is undefined and has bounds."
    )
    common: dict[str, Any] = {"axis": scale.axis, "scale": scale.name, "standing": STANDING[scale.name]}
    if scale.why_no_point is not None:
        return estimate(
            name, definition, because=scale.why_no_point, n=len(scale.family_scores), n_of="families", **common
        )
    found = family_estimate(scale.dossier_scores, rule)
    interval, kind = with_interval(found)
    return estimate(
        name, definition, value=found.mean, interval=interval, kind=kind, n=found.families, n_of="families", **common
    )


def observed(scale: Scale) -> list[Estimate]:
    """The mean over complete pairs, only where it is not the score; never in place of the headline."""
    if scale.whole:
        return []
    count, every = len(scale.family_scores), len(scale.families)
    why = "the families without one need not resemble them" if count < every else "no completion gives it"
    return [
        estimate(
            f"{scale.name}.{scale.axis}.observed",
            f"Mean over the {count} of {every} families that have a complete pair. It is not the score: {why}. It may "
            "lie outside the bounds, which are over all families and all answers.",
            axis=scale.axis,
            scale=scale.name,
            value=float(np.mean(list(scale.family_scores.values()))) if count else None,
            because=None if count else "no family has a complete pair",
            n=count,
            n_of=f"of {every} families",
        )
    ]


def missing_answer_estimates(scale: Scale, rule: IntervalRule) -> list[Estimate]:
    """Bounds, Imbens-Manski interval, tipping point and completeness of a scale with at least one pair."""
    name = f"{scale.name}.{scale.axis}"
    common: dict[str, Any] = {"axis": scale.axis, "scale": scale.name}
    by_family = scale.bound_parts
    a, b = float(by_family[0].mean()), float(by_family[1].mean())
    units = scale.answered.size
    lost = units - int(scale.answered.sum())
    tipping = tipping_point(a, b)
    reach = "no completion of the missing answers brings the score to 0" if lost else "nothing is missing"
    made = [
        estimate(
            f"{name}.bounds",
            "The score if every missing answer (malformed, blocked, cut off) were negative, and if every one were "
            "positive: A - B and A + B, with A the weighted sum of answers and B the weight of missing ones.",
            bounds=linear_bounds(a, b) if lost else None,
            because=None if lost else "nothing is missing: the bounds are the score itself",
            kind=BOUNDS if lost else None,
            n=lost,
            n_of=f"of {units} units missing",
            **common,
        ),
        _imbens_manski(scale, rule, *by_family),
        estimate(
            f"{name}.tipping_point",
            "The mean of the missing answers at which the score would be 0, -A/B; none where no completion reaches 0.",
            value=tipping,
            because=reach if tipping is None else None,
            n=lost,
            n_of=f"of {units} units missing",
            **common,
        ),
    ]
    for what, complete, text in (
        ("items", scale.item_complete, "items answered in both orders"),
        ("pairs", scale.pair_complete, "pairs whose original and mirror are both answered in both orders"),
    ):
        made.append(
            estimate(
                f"{name}.{what}_complete",
                f"Share of {text}.",
                unit="share",
                value=float(complete.mean()),
                n=complete.size,
                n_of=what,
                **common,
            )
        )
    return made


def _imbens_manski(scale: Scale, rule: IntervalRule, a: Floats, b: Floats) -> Estimate:
    name = f"{scale.name}.{scale.axis}.imbens_manski"
    common: dict[str, Any] = {"axis": scale.axis, "scale": scale.name}
    definition = (
        "Interval for the score itself when only its bounds are known; a lean is called only where it excludes 0. With "
        "nothing missing it is the interval over families."
    )
    lower, se_lower = mean_and_se(np.clip(a - b, -1, 1))
    upper, se_upper = mean_and_se(np.clip(a + b, -1, 1))
    count: dict[str, Any] = {"n": a.size, "n_of": "families"}
    if se_lower is None or se_upper is None:
        return estimate(
            name, definition, because="one family only: the spread between families is unknown", **common, **count
        )
    interval = imbens_manski(lower, max(lower, upper), se_lower, se_upper, a.size - 1, rule.confidence_level)
    return estimate(name, definition, interval=interval, **common, **count)


@lru_cache(maxsize=64)
def _multiplier(first: int, second: int, level: float) -> float:
    return joint_axis_multiplier(first, second, level)


def spread_estimates(scale: Scale, other_families: int, rule: IntervalRule) -> list[Estimate]:
    """Smallest detectable difference, Kish's n, and the multiplier for both axes at once.

    `other_families` is the number of families of the same scale on the other axis.
    """
    name = f"{scale.name}.{scale.axis}"
    common: dict[str, Any] = {"axis": scale.axis, "scale": scale.name}
    found = family_estimate(scale.dossier_scores, rule) if scale.whole else None
    smallest, because = None, scale.why_no_point
    if found is not None:
        if found.se:
            smallest = smallest_detectable_difference(found.se, found.families, rule.confidence_level)
        because = found.reason or "all families are equal: their spread is unknown, not 0"
    made = [
        estimate(
            f"{name}.smallest_detectable_difference",
            "The difference that a test at 5 % would find with a power of 80 %: (t_.975 + t_.80) standard errors over "
            "families.",
            value=smallest,
            because=because if smallest is None else None,
            n=len(scale.family_scores),
            n_of="families",
            **common,
        ),
        estimate(
            f"{name}.kish_n",
            "Kish's effective number of dossiers, (sum w)^2 / sum w^2 of the dossiers' weights in the score.",
            unit="dossiers",
            value=kish_n(scale.dossier_weights),
            n=scale.dossier_weights.size,
            n_of="dossiers",
            **common,
        ),
    ]
    if min(len(scale.families), other_families) >= 2:
        made.append(
            estimate(
                f"{name}.joint_multiplier",
                "Multiplier of both standard errors for an ellipse that holds both axis means at once, in place of t.",
                unit="multiplier",
                standing=EXPLORATORY,
                value=_multiplier(*sorted((len(scale.families), other_families)), rule.confidence_level),
                n=len(scale.families),
                n_of="families",
                **common,
            )
        )
    return made
