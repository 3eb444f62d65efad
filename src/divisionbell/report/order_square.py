"""What was chosen in the one order against the other: the same option both times, or the same letter.

The numbers come from the estimate's own reading of the answers; nothing is counted here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from divisionbell.estimate.position_estimates import NONE_IN_BOTH, scale_position
from divisionbell.report.evidence import AXES, ReportInput, RunEvidence
from divisionbell.report.tables import Cell, Table, by_run_and_axis
from divisionbell.report.words import UNDEFINED, count, percent

MOST_SQUARES = 12  # models; the others stand in the table


@dataclass(frozen=True)
class Kind:
    """One of the four: what was chosen with the negative option at A, then with the positive one, and what that is."""

    negative_at_a: str
    positive_at_a: str
    told: str
    short: str
    follows_text: bool

    @property
    def title(self) -> str:
        return self.told[:1].upper() + self.told[1:]


KINDS = (
    Kind("negative", "negative", "negative both times", "content", True),
    Kind("negative", "positive", "A both times", "A twice", False),
    Kind("positive", "negative", "B both times", "B twice", False),
    Kind("positive", "positive", "positive both times", "content", True),
)


@dataclass(frozen=True)
class Square:
    """The four shares of one run on one axis, weighted as in the score, and the number behind each, as KINDS has them.

    `shares` is None where no item was answered in both orders.
    """

    run: RunEvidence
    axis: str
    counts: tuple[int, ...]
    shares: tuple[float, ...] | None

    @property
    def n(self) -> int:
        return sum(self.counts)


def square(run: RunEvidence, axis: str) -> Square | None:
    """The square of a run on one axis of the concrete scale; None where the run has no answers with it.

    The same option both times has the share w_LL + w_RR (coverage), split by S_c = (w_RR - w_LL) / (w_RR + w_LL).
    """
    scale = run.concrete.get(axis)
    if scale is None or not scale.pairs:
        return None
    found = scale_position(scale)
    counts = (found.n_ll, found.n_aa, found.n_bb, found.n_rr)
    if found.coverage is None or found.a_lock is None or found.b_lock is None:
        return Square(run, axis, counts, None)
    lean = found.consistent_score or 0.0
    same = [found.coverage * (1 + sign * lean) / 2 for sign in (-1, 1)]
    return Square(run, axis, counts, (same[0], found.a_lock, found.b_lock, same[1]))


def shown_runs(given: ReportInput) -> tuple[RunEvidence, ...]:
    """The models, or where none was asked the others, as far as their answers are there."""
    return tuple(run for run in given.models or given.others if any(square(run, axis) for axis in AXES))


def order_square(given: ReportInput) -> Table | None:
    """The squares as a table; None where no run has one."""
    runs = shown_runs(given)
    if not runs:
        return None
    head = ("Respondent", "Axis", *(kind.title for kind in KINDS), "Askings in both orders")
    caption = "The choice in one order against the other, concrete pairs"
    table = Table(caption, head, frozenset(range(2, len(head))))
    for run, axis, row in by_run_and_axis(table, given, runs, tuple((axis, axis.capitalize()) for axis in AXES)):
        found = square(run, axis)
        if found is None or found.shares is None:
            row += [Cell(UNDEFINED, (NONE_IN_BOTH,), numeric=True, muted=True)] * len(KINDS)
        else:
            each = zip(found.shares, found.counts, strict=True)
            row += [Cell(percent(share), (count(n),), numeric=True) for share, n in each]
        row.append(Cell(count(0 if found is None else found.n), numeric=True))
    table.notes.append(
        "The same option both times is content, the same letter both times is position: A-lock and B-lock. Shares are "
        "weighted as in the score, families equally; the number below is of askings: an item at one repeat, in both "
        "orders."
    )
    return table


def order_square_rows(given: ReportInput) -> Iterator[dict[str, Any]]:
    """The same numbers, whole, a row for each of the four; of every run that has a square."""
    for run in given.runs:
        for axis in AXES:
            found = square(run, axis)
            if found is None:
                continue
            for number, kind in enumerate(KINDS):
                yield {
                    "scored_run": run.header.run_id,
                    "respondent": run.name,
                    "estimate_axis": axis,
                    "chosen_negative_at_a": kind.negative_at_a,
                    "chosen_positive_at_a": kind.positive_at_a,
                    "follows": "text" if kind.follows_text else "place",
                    "count": found.counts[number],
                    "share": None if found.shares is None else found.shares[number],
                }
