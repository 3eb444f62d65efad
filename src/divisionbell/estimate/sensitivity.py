"""The sensitivity set of one axis of one scale: families, blocks, weights, first answers, and parts of the bank."""

from __future__ import annotations

from typing import Any

import numpy as np

from divisionbell.estimate.completions import BOUNDS, NO_COMPLETION, ends, why_not
from divisionbell.estimate.headline import family_estimate, with_interval
from divisionbell.estimate.named import DIAGNOSTIC, EXPLORATORY, Estimate, estimate
from divisionbell.estimate.scale import Bools, Scale
from divisionbell.freeze.frozen_bank import Asked
from divisionbell.model.classes import Bank, IntervalRule
from divisionbell.statistics.bounds import cell_weights

MINORITY = 0.30


def families(scale: Scale) -> list[Estimate]:
    """The mean of every family, and the score without it."""
    made = []
    for number, family in enumerate(scale.families):
        value = scale.family_scores.get(family)
        a, b = (float(part[number]) for part in scale.bound_parts)
        reach = max(a - b, -1.0), min(a + b, 1.0)
        because = "the family has no complete pair" if value is None else None
        if value is not None and why_not(value, reach):
            value, because = None, NO_COMPLETION
        made.append(
            estimate(
                f"{scale.name}.{scale.axis}.family.{family}",
                f"Mean over the dossiers of the family {family} that have a complete pair; where answers are missing, "
                "with the bounds that they leave, and undefined where no completion of them gives it.",
                axis=scale.axis,
                scale=scale.name,
                standing=EXPLORATORY,
                value=value,
                because=because,
                bounds=reach if b > 0 else None,
                kind=BOUNDS if b > 0 else None,
                n=len(scale.dossier_scores.get(family, ())),
                n_of="dossiers",
            )
        )
        made.append(_without(scale, family))
    return made


def _without(scale: Scale, family: str) -> Estimate:
    rest = [score for name, score in scale.family_scores.items() if name != family]
    others = len(scale.families) - 1
    because = None
    if not others:
        because = "there is no other family"
    elif len(rest) < others:
        because = f"{others - len(rest)} of the other {others} families have no complete pair"
    else:
        left = scale.only(scale.family != family)
        because = why_not(float(np.mean(rest)), ends(left, left.pair_weight))
    return estimate(
        f"{scale.name}.{scale.axis}.without.{family}",
        f"The score over the families other than {family}; its distance from the score is that family's influence.",
        axis=scale.axis,
        scale=scale.name,
        value=None if because else float(np.mean(rest)),
        because=because,
        n=len(rest),
        n_of="families",
    )


def dossier_equal(scale: Scale) -> Estimate:
    """The score with equal weight for every dossier instead of every family."""
    scores = np.concatenate([*scale.dossier_scores.values(), np.empty(0)])
    because = scale.why_no_point
    if because is None:
        because = why_not(float(scores.mean()), ends(scale, cell_weights(scale.dossier, np.arange(len(scale.pairs)))))
    return estimate(
        f"{scale.name}.{scale.axis}.dossier_equal",
        "The score with equal weight for every dossier that has a complete pair, instead of for every family.",
        axis=scale.axis,
        scale=scale.name,
        value=float(scores.mean()) if because is None else None,
        because=because,
        n=scores.size,
        n_of="dossiers",
    )


def _subset(scale: Scale, suffix: str, definition: str, because: str | None, rule: IntervalRule) -> Estimate:
    name = f"{scale.name}.{scale.axis}.{suffix}"
    common: dict[str, Any] = {"axis": scale.axis, "scale": scale.name}
    count: dict[str, Any] = {"n": len(scale.family_scores), "n_of": "families"}
    if because is not None:
        return estimate(name, definition, standing=DIAGNOSTIC, because=because, **common, **count)
    found = family_estimate(scale.dossier_scores, rule)
    interval, kind = with_interval(found)
    return estimate(
        name, definition, standing=DIAGNOSTIC, value=found.mean, interval=interval, kind=kind, **common, **count
    )


def first_answers(scale: Scale, at_first: Bools, rule: IntervalRule) -> Estimate:
    """The score on answers given at first; `at_first` has the shape of `scale.x`."""
    first = scale.with_answers(at_first)
    return _subset(
        first,
        "first_answers",
        "The score with the first replies alone: an answer given only after the reminder counts as missing.",
        first.why_no_point,
        rule,
    )


def minority_share(asked: Asked) -> float:
    """Share of the smaller lobby among those counted in the division, tellers left out; 0 where nobody was counted."""
    source = asked.dossier.source
    counted = source.ayes + source.noes
    return min(source.ayes, source.noes) / counted if counted else 0.0


def close_divisions(scale: Scale) -> Bools:
    """Which pairs are of divisions whose smaller lobby is at least 30 %, shape (P,)."""
    return np.array([minority_share(original) >= MINORITY for original, _ in scale.pairs], dtype=np.bool_)


def minority_30(scale: Scale, rule: IntervalRule) -> Estimate:
    """The score on divisions whose smaller lobby is at least 30 %."""
    close = scale.only(close_divisions(scale))
    because = close.why_no_point if close.pairs else "no division asked has a minority share of at least 30 %"
    return _subset(
        close,
        "minority_30",
        f"The score over divisions whose smaller lobby is at least 30 % of those counted; {len(close.families)} of "
        f"{len(scale.families)} families have one.",
        because,
        rule,
    )


def blocks_by_family(settings: Bank) -> dict[str, str]:
    """Family -> its block; families without one are left out."""
    return {str(family.family_id): str(family.block) for family in settings.issue_families if family.block is not None}


def in_block(scale: Scale, settings: Bank, block: str) -> Bools:
    """Which pairs are of the families of a block, shape (P,)."""
    block_of = blocks_by_family(settings)
    return np.array([block_of.get(family) == block for family in scale.family.tolist()], dtype=np.bool_)


def blocks(scale: Scale, settings: Bank, rule: IntervalRule) -> list[Estimate]:
    """The score over the families of each block that the scale's families stand in; none on the economic axis."""
    block_of = blocks_by_family(settings)
    made = []
    for block in sorted({block_of[family] for family in scale.families if family in block_of}):
        part = scale.only(in_block(scale, settings, block))
        made.append(
            _subset(
                part,
                f"block.{block}",
                f"The score over the {len(part.families)} families of the block {block}. The axis is an index and no "
                "trait: its blocks need not agree.",
                part.why_no_point,
                rule,
            )
        )
    return made


def _on_a_readers_word(asked: Asked) -> bool:
    return any(change.rewritten_because != "surface_cue" for change in asked.item.rewritings or [])


def untouched_pairs(scale: Scale) -> Bools:
    """Which pairs have no item that was rewritten on a coder's word, shape (P,)."""
    return np.array([not any(map(_on_a_readers_word, pair)) for pair in scale.pairs], dtype=np.bool_)


def not_rewritten(scale: Scale, rule: IntervalRule) -> list[Estimate]:
    """The score without pairs that were rewritten on a coder's word; nothing where no pair was."""
    kept = untouched_pairs(scale)
    if kept.all():
        return []
    rest = scale.only(kept)
    return [
        _subset(
            rest,
            "not_rewritten",
            "The score over pairs of which neither item was rewritten on the word of a blind coder, so that no coder's "
            f"family shaped them; {len(rest.families)} of {len(scale.families)} families have one.",
            rest.why_no_point if rest.pairs else "every pair was rewritten on a coder's word",
            rule,
        )
    ]
