"""How the units of a scale enter one specification of its curve."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from divisionbell.estimate import behind_scale as part
from divisionbell.estimate.entering import Entry, Scored
from divisionbell.estimate.scale import Bools
from divisionbell.estimate.sensitivity import blocks_by_family
from divisionbell.estimate.specification_curve import pair_weights, parts_of


def specified(scored: Scored, found: Mapping[str, str]) -> list[Entry]:
    """The score under the choices in a name: weights, replies, divisions and reading."""
    whole = scored.scale(found["scale"], found["axis"])
    chosen = parts_of(whole)[found["divisions"]]
    scale = whole.only(chosen)
    late = None
    if found["replies"] == "first":
        first = scored.first_scale(found["scale"], found["axis"]).answered[chosen]
        late, scale = scale.answered & ~first, scale.with_answers(first)
    blocks = blocks_by_family(scored.bank.settings)
    if found["reading"] == "consistent":
        entries = part.consistent(scale, pair_weights(scale, found["weights"], blocks))
        return entries if late is None else _told_late(entries, late)
    levels = [scale.family, scale.dossier]
    if found["weights"] == "dossier":
        levels = [scale.dossier]
    if found["weights"] == "block":
        levels.insert(0, np.array([blocks[family] for family in scale.family.tolist()], dtype=np.str_))
    return part.averaged(scale, part.complete_weights(scale, *levels), late)


def _told_late(entries: list[Entry], late: Bools) -> list[Entry]:
    """The same with the answers told that came only after the reminder."""
    flat = late.reshape(-1).tolist()
    return [replace(entry, role=part.LATE) if was else entry for entry, was in zip(entries, flat, strict=True)]
