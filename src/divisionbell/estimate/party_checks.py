"""What the party audit cannot say by itself: the split by period, and how well a cut through the parties' order fits.

Government and opposition change sides at one date, so "keyed with the government" and "before that date" are one
thing in these data: it is shown as a split by period and nothing is concluded from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from divisionbell.estimate.parties import votes
from divisionbell.estimate.scale import AXES
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.model.classes import AnalysisPlan, DivisionSourceRecord
from divisionbell.sources.party_space import OTHER, PRIMARY, SURVEY_LABEL, Values

#: The last day of one government and the first of the next, with the party that each was formed of.
CHANGE = date(2024, 7, 5)
PERIODS = (("before 5 July 2024", "Conservative"), ("from 5 July 2024", "Labour"))


def period_of(source: DivisionSourceRecord) -> tuple[str, str]:
    """The period of a division and the party that formed the government then."""
    return PERIODS[date.fromisoformat(str(source.held_at)[:10]) >= CHANGE]


def _government_coordinate(source: DivisionSourceRecord, plan: AnalysisPlan) -> int | None:
    """The coordinate of the lobby that the governing party chose; None where it did not vote one way."""
    cast = votes(source).get(period_of(source)[1])
    if cast is None or not cast.ayes + cast.noes:
        return None
    share = cast.ayes / (cast.ayes + cast.noes)
    if max(share, 1 - share) < plan.party_min_agreement:
        return None
    return int(source.aye_coordinate) * (1 if share > 0.5 else -1)


def by_period(bank: FrozenBank) -> list[dict[str, Any]]:
    """One row per axis and period over the admitted divisions.

    Keys: `axis`, `period`, `government`; `divisions`; `aye_negative` and `aye_positive`, by the pole of an Aye;
    `government_negative`, `government_positive` and `government_divided`, by the pole of the lobby that the governing
    party chose, divided where fewer of it than the plan's `party_min_agreement` voted one way.
    """
    rows = []
    for axis in AXES:
        for period, government in PERIODS:
            sources = [d.source for d in bank.dossiers if d.axis == axis and period_of(d.source)[0] == period]
            chosen = [_government_coordinate(source, bank.plan) for source in sources]
            rows.append(
                {
                    "axis": axis,
                    "period": period,
                    "government": government,
                    "divisions": len(sources),
                    "aye_negative": sum(source.aye_coordinate < 0 for source in sources),
                    "aye_positive": sum(source.aye_coordinate > 0 for source in sources),
                    "government_negative": sum(one == -1 for one in chosen),
                    "government_positive": sum(one == 1 for one in chosen),
                    "government_divided": sum(one is None for one in chosen),
                }
            )
    return rows


def misplaced_votes(source: DivisionSourceRecord, field: str, values: Values) -> int:
    """Votes on the wrong side of the best cut through the parties' order on a survey field; tellers left out.

    Parties above the cut should be in the lobby of the positive pole and those below in the other; parties with one
    value are on one side. The minimum over all cuts is taken, among them the two that put every party on one side.
    """
    points: dict[float, list[int]] = {}
    for row in source.party_counts:
        value = values.get(SURVEY_LABEL.get(row.party, ""), {}).get(field)
        if value is None:
            continue
        positive, negative = (
            (row.aye_voters, row.no_voters) if source.aye_coordinate > 0 else (row.no_voters, row.aye_voters)
        )
        held = points.setdefault(value, [0, 0])
        held[0] += positive
        held[1] += negative
    below = 0
    above = sum(negative for _, negative in points.values())
    fewest = above
    for value in sorted(points):
        positive, negative = points[value]
        below, above = below + positive, above - negative
        fewest = min(fewest, below + above)
    return fewest


def classification_errors(bank: FrozenBank, values: Values) -> list[dict[str, Any]]:
    """One row per axis: over its admitted divisions, whether a cut on the axis's own field or on the other errs less.

    Keys: `axis`, `own_field`, `other_field`; `divisions`; `own_fewer`, `other_fewer`, `equal` counts; `own_votes` and
    `other_votes`, the misplaced votes in all; `told_apart`, [dossier id, own, other] where the two differ.
    """
    rows = []
    for axis in AXES:
        found = [
            (
                str(dossier.dossier_id),
                misplaced_votes(dossier.source, PRIMARY[axis], values),
                misplaced_votes(dossier.source, OTHER[axis], values),
            )
            for dossier in bank.dossiers
            if dossier.axis == axis
        ]
        rows.append(
            {
                "axis": axis,
                "own_field": PRIMARY[axis],
                "other_field": OTHER[axis],
                "divisions": len(found),
                "own_fewer": sum(own < other for _, own, other in found),
                "other_fewer": sum(other < own for _, own, other in found),
                "equal": sum(own == other for _, own, other in found),
                "own_votes": sum(own for _, own, _ in found),
                "other_votes": sum(other for _, _, other in found),
                "told_apart": [list(one) for one in found if one[1] != one[2]],
            }
        )
    return rows


def described(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """The rows of `by_period` in sentences."""
    return [
        f"{row['axis'].capitalize()}, {row['period']} ({row['government']} government): {row['divisions']} divisions, "
        f"the Aye at the negative pole in {row['aye_negative']} and at the positive in {row['aye_positive']}; the "
        f"government's lobby at the negative pole in {row['government_negative']} and at the positive in "
        f"{row['government_positive']}"
        + (f"; its party divided in {row['government_divided']}." if row["government_divided"] else ".")
        for row in rows
    ]
