"""The score of one axis under every combination of defensible choices: how much of it rests on any one of them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from divisionbell.estimate.completions import ends, why_not
from divisionbell.estimate.headline import family_estimate, with_interval
from divisionbell.estimate.named import DIAGNOSTIC, Estimate, estimate
from divisionbell.estimate.scale import Bools, Floats, Scale
from divisionbell.estimate.sensitivity import blocks_by_family, close_divisions, untouched_pairs
from divisionbell.model.classes import Bank, IntervalRule
from divisionbell.statistics.position import position

#: The choices, each beginning with that of the headline.
WEIGHTS = ("family", "dossier", "block")
REPLIES = ("all", "first")
DIVISIONS = ("every", "close", "not_rewritten", "close_not_rewritten")
READINGS = ("mean", "consistent")
IN_WORDS = {
    "family": "families weigh alike",
    "dossier": "dossiers weigh alike",
    "block": "blocks of families weigh alike",
    "all": "answers after the reminder count",
    "first": "first replies alone",
    "every": "every division",
    "close": "divisions with a smaller lobby of at least 30 %",
    "not_rewritten": "pairs that were not rewritten on a coder's word",
    "close_not_rewritten": "such divisions and such pairs alone",
    "mean": "the mean of both orders",
    "consistent": "items with the same pole in both orders alone",
}


def specification_curve(scale: Scale, at_first: Bools, settings: Bank, rule: IntervalRule) -> list[Estimate]:
    """Every specification of a scale, named `spec.<weights>-<replies>-<divisions>-<reading>`, and what they span.

    `at_first` has the shape of `scale.x` and says which answers came at first. A choice that changes nothing here (no
    answer came after the reminder, no pair was rewritten, a family has no block) is left out, so that no specification
    stands twice. Source: Simonsohn, Simmons and Nelson (2020), Nature Human Behaviour 4;
    docs/explanation/statistics.md, "Sensitivity".
    """
    name = f"{scale.name}.{scale.axis}"
    answered = {"all": scale.answered, "first": at_first}
    if bool((scale.answered == at_first).all()):
        del answered["first"]
    parts = parts_of(scale)
    blocks = blocks_by_family(settings)
    weights = [w for w in WEIGHTS if w != "block" or all(family in blocks for family in scale.families)]
    made = []
    for weight, replies, divisions, reading in product(weights, answered, parts, READINGS):
        part = scale.with_answers(answered[replies]).only(parts[divisions])
        value, because, more = _value(part, weight, reading, blocks, rule)
        choices = (weight, replies, divisions, reading)
        made.append(
            estimate(
                f"{name}.spec.{'-'.join(choices)}",
                f"The score where {'; '.join(IN_WORDS[choice] for choice in choices)}.",
                axis=scale.axis,
                scale=scale.name,
                standing=DIAGNOSTIC,
                value=value,
                because=because if value is None else None,
                **more,
            )
        )
    return [*made, *_span(scale, made)]


def parts_of(scale: Scale) -> dict[str, Bools]:
    """Name -> pairs of each choice of divisions, shape (P,), but for those that are no other choice here."""
    close, untouched = close_divisions(scale), untouched_pairs(scale)
    chosen = {
        "every": np.ones(len(scale.pairs), dtype=np.bool_),
        "close": close,
        "not_rewritten": untouched,
        "close_not_rewritten": np.asarray(close & untouched, dtype=np.bool_),
    }
    made: dict[str, Bools] = {}
    for name, part in chosen.items():
        if part.any() and not any(bool((part == other).all()) for other in made.values()):
            made[name] = part
    return made


def _value(
    part: Scale, weight: str, reading: str, blocks: Mapping[str, str], rule: IntervalRule
) -> tuple[float | None, str, dict[str, Any]]:
    """Value, why there is none, and interval and counts."""
    if reading == "consistent":
        return _consistent(part, weight, blocks)
    count: dict[str, Any] = {"n": len(part.family_scores), "n_of": "families"}
    if part.why_no_point is not None:
        return None, part.why_no_point, count
    if weight == "family":
        found = family_estimate(part.dossier_scores, rule)
        interval, kind = with_interval(found)
        return found.mean, "", count | {"interval": interval, "kind": kind}
    if weight == "dossier":
        scores = np.concatenate(list(part.dossier_scores.values()))
        return _given(part, weight, blocks, float(scores.mean()), {"n": scores.size, "n_of": "dossiers"})
    by_block: dict[str, list[float]] = {}
    for family, score in part.family_scores.items():
        by_block.setdefault(blocks[family], []).append(score)
    value = float(np.mean([np.mean(scores) for scores in by_block.values()]))
    return _given(part, weight, blocks, value, {"n": len(by_block), "n_of": "blocks"})


def _given(
    part: Scale, weight: str, blocks: Mapping[str, str], value: float, count: dict[str, Any]
) -> tuple[float | None, str, dict[str, Any]]:
    """The value with its counts, where some completion of the missing answers gives it under the same weights."""
    weights = pair_weights(part, weight, blocks)
    because = why_not(value, ends(part, weights / weights.sum()))
    return (value, "", count) if because is None else (None, because, count)


def _consistent(part: Scale, weight: str, blocks: Mapping[str, str]) -> tuple[float | None, str, dict[str, Any]]:
    both = part.answered.all(axis=2)
    weights = np.broadcast_to(pair_weights(part, weight, blocks).reshape(-1, 1, 1), both.shape)
    found = position(part.x[:, :, 0][both], part.x[:, :, 1][both], weights[both])
    count = {"n": found.n_consistent, "n_of": "askings consistent over both orders"}
    return found.consistent_score, "no item got the same pole in both orders", count


def pair_weights(part: Scale, weight: str, blocks: Mapping[str, str]) -> Floats:
    """Weight of every pair, shape (P,): equal within a dossier, and dossiers, families or blocks alike."""
    per_dossier = {name: 1 / int((part.dossier == name).sum()) for name in set(part.dossier.tolist())}
    equal = np.array([per_dossier[name] for name in part.dossier.tolist()])
    if weight == "dossier":
        return equal
    if weight == "family":
        return part.pair_weight
    per_block: dict[str, int] = {}
    for family in part.families:
        per_block[blocks[family]] = per_block.get(blocks[family], 0) + 1
    sizes: Floats = np.array([per_block[blocks[family]] for family in part.family.tolist()], dtype=np.float64)
    return np.asarray(part.pair_weight / sizes, dtype=np.float64)


def _span(scale: Scale, made: list[Estimate]) -> list[Estimate]:
    name = f"{scale.name}.{scale.axis}"
    values = [one["value"] for one in made if "value" in one]
    headline = made[0].get("value")
    common: dict[str, Any] = {"axis": scale.axis, "scale": scale.name, "standing": DIAGNOSTIC}
    count: dict[str, Any] = {"n": len(values), "n_of": f"of {len(made)} specifications with a value"}
    side = 0.0 if headline is None else float(np.sign(headline))
    same = sum(float(np.sign(value)) == side for value in values)
    because = "there is no headline" if headline is None else "the headline is 0" if side == 0 else None
    return [
        *(
            estimate(
                f"{name}.spec_{end}",
                f"The {end} score over the specifications that have one. The two ends are no interval: specifications "
                "are choices and no sample.",
                value=of(values) if values else None,
                because=None if values else "no specification has a value",
                **count,
                **common,
            )
            for end, of in (("lowest", min), ("highest", max))
        ),
        estimate(
            f"{name}.spec_same_sign",
            "Share of the specifications with a value whose score lies on the same side of 0 as the headline.",
            unit="share",
            value=same / len(values) if because is None and values else None,
            because=because,
            **count,
            **common,
        ),
    ]
