"""The key audit by parties: their real votes, read by the same keys. It shows that no key is reversed, and no more.

Party scores near -1 and +1 follow from the rule that selected the divisions. They are not evidence that an item
measures the axis named, and nothing is to be read as a distance between a party and a respondent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from divisionbell.estimate.scale import AXES
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.model.classes import AnalysisPlan, DivisionSourceRecord, Dossier, ExcludedDossier
from divisionbell.sources.party_space import MIN_DIFFERENCE
from divisionbell.statistics.bounds import cell_weights, linear_bounds

#: Members listed under these names are no party.
NO_PARTY = frozenset({"Independent", "Speaker", "Deputy Speaker"})
#: One party under two names in the copies.
SAME_PARTY = {"Labour (Co-op)": "Labour"}

ADMITTED = "admitted"
ALL_JUDGED = "all judged"


@dataclass(frozen=True)
class Votes:
    """One party in one division: Ayes and Noes with tellers, and its members where every row of it gives them."""

    ayes: int
    noes: int
    members: int | None


def votes(source: DivisionSourceRecord) -> dict[str, Votes]:
    """Party -> its votes in a division, two names of one party taken together."""
    made: dict[str, Votes] = {}
    for row in source.party_counts:
        if row.party in NO_PARTY:
            continue
        party = SAME_PARTY.get(row.party, row.party)
        before = made.get(party, Votes(0, 0, 0))
        known = row.members is not None and before.members is not None
        made[party] = Votes(
            before.ayes + row.aye_voters + row.aye_tellers,
            before.noes + row.no_voters + row.no_tellers,
            (before.members or 0) + (row.members or 0) if known else None,
        )
    return made


def party_coordinate(cast: Votes | None, aye_coordinate: int, plan: AnalysisPlan) -> float | None:
    """A party's position on a division, in [-1, 1]: p_aye c + p_no (-c), with c the coordinate of an Aye.

    None, a missing position, where the party cast no vote, its number of members is unknown, too few of them voted, or
    too few voted one way (plan: `party_min_participation`, `party_min_agreement`).
    """
    if cast is None or not cast.members:
        return None
    voted = cast.ayes + cast.noes
    if not voted or min(1.0, voted / cast.members) < plan.party_min_participation:
        return None
    share = cast.ayes / voted
    if max(share, 1 - share) < plan.party_min_agreement:
        return None
    return aye_coordinate * (2 * share - 1)


#: Exclusions that leave the reading of the motion standing; for the others no direction was judged.
DIRECTION_JUDGED = frozenset({"procedures_disagree", "party_space_too_weak", "same_question"})


def _divisions(bank: FrozenBank, axis: str, group: str) -> Iterator[tuple[str, Dossier | ExcludedDossier]]:
    """(cluster, dossier) of the divisions of one axis: families for the admitted, each division by itself for all."""
    for dossier in bank.dossiers:
        if dossier.axis == axis:
            yield str(dossier.issue_family if group == ADMITTED else dossier.dossier_id), dossier
    if group == ALL_JUDGED:
        for excluded in bank.excluded:
            judged = excluded.exclusion.exclusion_reason in DIRECTION_JUDGED
            if excluded.axis == axis and judged and excluded.source.aye_coordinate:
                yield str(excluded.dossier_id), excluded


def party_audit(bank: FrozenBank) -> list[dict[str, Any]]:
    """One row per party, axis and set of divisions ("admitted", or "all judged" with excluded ones too).

    The admitted are averaged by family; all judged, of which the excluded have no family, by division, and hold those
    excluded whose motion was read for a direction (`DIRECTION_JUDGED`).

    Keys: `party`, `axis`, `set`; `divisions` in the set, `positions` the party has on them and `missing` ones;
    `families` that hold a position, `families_of`; `score`, the mean over those families of the mean over their
    divisions, in [-1, 1], left out where there is no position; `low` and `high`, the score over all divisions if every
    missing position were negative, and if every one were positive, both left out where none is missing. Excluded
    divisions whose motion gives no direction are in no set. A party that no copy lists in a division has a missing
    position there.
    """
    made = []
    for axis in AXES:
        for group in (ADMITTED, ALL_JUDGED):
            divisions = list(_divisions(bank, axis, group))
            cast = [votes(dossier.source) for _, dossier in divisions]
            for party in sorted({name for one in cast for name in one}):
                found = [
                    party_coordinate(one.get(party), dossier.source.aye_coordinate, bank.plan)
                    for one, (_, dossier) in zip(cast, divisions, strict=True)
                ]
                row = {"party": party, "axis": axis, "set": group}
                made.append(row | _score([family for family, _ in divisions], found))
    return made


def _score(family: list[str], found: list[float | None]) -> dict[str, Any]:
    held = [position is not None for position in found]
    weights = cell_weights(family, range(len(found)))
    known = np.array([position or 0.0 for position in found])
    a, b = float(weights @ known), float(weights @ ~np.array(held))
    by_family: dict[str, list[float]] = {}
    for name, position in zip(family, found, strict=True):
        if position is not None:
            by_family.setdefault(name, []).append(position)
    row: dict[str, Any] = {
        "divisions": len(found),
        "positions": sum(held),
        "missing": len(found) - sum(held),
        "families": len(by_family),
        "families_of": len(set(family)),
    }
    if not all(held):
        row["low"], row["high"] = (end + 0.0 for end in linear_bounds(a, b))
    if by_family:
        row["score"] = float(np.mean([np.mean(positions) for positions in by_family.values()])) + 0.0
    return row


def axis_swap_survival(bank: FrozenBank) -> dict[str, Any]:
    """How many admitted party-space reviews would still be approved with the other axis's field in place of their own.

    Keys: `reviews` (admitted dossiers), `survived`, and `share` = survived / reviews, left out without any review. One
    survives where the other field's difference has the sign that the motion gives and is at least 0.5 in size, as
    the reviews store it; coverage does not depend on the field. A share near 1 means that party space cannot tell which
    axis a division is about.
    """
    survived = 0
    for dossier in bank.dossiers:
        other = dossier.reviews.party_space_crosscheck_v1.party_space.other_axis_difference
        if other is not None and other * dossier.source.aye_coordinate > 0 and abs(other) >= MIN_DIFFERENCE:
            survived += 1
    count = len(bank.dossiers)
    made: dict[str, Any] = {"reviews": count, "survived": survived}
    return made | {"share": survived / count} if count else made
