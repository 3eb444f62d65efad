"""Where runs and parties stand on the map, and how that is said in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from divisionbell.report.evidence import ReportInput, RunEvidence
from divisionbell.report.figure_style import MUTED, colour
from divisionbell.report.findings import by_position
from divisionbell.report.words import finite, shorten, shown, signed

ADMITTED = "admitted"


@dataclass(frozen=True)
class Place:
    """Where a run stands on one axis: its score, its interval and its bounds, each where there is one."""

    value: float | None
    interval: tuple[float, float] | None
    bounds: tuple[float, float] | None


def place(run: RunEvidence, axis: str) -> Place:
    score, bounds = shown(run.get(f"concrete.{axis}")), shown(run.get(f"concrete.{axis}.bounds"))
    interval = (score.low, score.high) if score.low is not None and score.high is not None else None
    limits = (bounds.low, bounds.high) if bounds.low is not None and bounds.high is not None else None
    return Place(score.value, interval if score.defined else None, limits)


@dataclass(frozen=True)
class Marked:
    """A run on the map with its number and look."""

    number: int
    run: RunEvidence
    color: str
    economic: Place
    social: Place

    @property
    def is_null(self) -> bool:
        """Whether its place says nothing of a position: it is scripted, or answers by the place on the page."""
        return self.run.is_scripted or self.by_position

    @cached_property
    def by_position(self) -> bool:
        return by_position(self.run)

    @property
    def shape(self) -> str:
        """The mark: a cross standing on its arms for one that answers by position, else a disc; a square for bounds."""
        return "s" if not self.point else "X" if self.by_position else "o"

    @property
    def remark(self) -> str:
        """What the legend says beside the name."""
        if not self.point:
            return ", bounds only" if self.box else ", undefined"
        return ", by position" if self.by_position else ""

    @property
    def point(self) -> tuple[float, float] | None:
        if self.economic.value is None or self.social.value is None:
            return None
        return (self.economic.value, self.social.value)

    @property
    def box(self) -> tuple[tuple[float, float], tuple[float, float]] | None:
        """The refusal bounds on both axes, where answers are missing on at least one."""
        sides = []
        for side in (self.economic, self.social):
            known = side.bounds or ((side.value, side.value) if side.value is not None else None)
            if known is None:
                return None
            sides.append(known)
        if all(high - low < 1e-9 for low, high in sides):
            return None
        return (sides[0], sides[1])

    @property
    def told(self) -> str:
        parts = []
        for axis, side in (("economic", self.economic), ("social", self.social)):
            if side.value is None:
                said = "undefined"
                if side.bounds:
                    said += f", bounds {signed(side.bounds[0])} to {signed(side.bounds[1])}"
            else:
                said = signed(side.value)
                if side.interval:
                    said += f", interval {signed(side.interval[0])} to {signed(side.interval[1])}"
            parts.append(f"{axis} {said}")
        null = ", answers by position and has no place" if self.by_position else ""
        return f"{shorten(self.run.title, 60)}{null}: {'; '.join(parts)}"


def marked(given: ReportInput) -> list[Marked]:
    """Models first, then scripted responders; party runs are never points on the map."""
    runs = [*given.models, *(run for run in given.others if run.is_scripted)]
    return [
        Marked(number, run, colour(number - 1) if run.is_model else MUTED, place(run, "economic"), place(run, "social"))
        for number, run in enumerate(runs, start=1)
    ]


def party_ticks(parties: Sequence[dict[str, Any]], axis: str) -> list[tuple[float, str]]:
    """Position and name of each party that names an end of the axis: those with a position on at least half of the
    admitted divisions. The rest stand in the table of the key audit."""
    ticks = [
        (value, str(row.get("party", "")))
        for row in parties
        if row.get("axis") == axis
        and row.get("set") == ADMITTED
        and (value := finite(row.get("value", row.get("score")))) is not None
        and row.get("n", row.get("positions", 0)) >= row.get("missing", 0)
    ]
    return sorted(ticks)


def short_party(name: str) -> str:
    """A party's name for a narrow margin: initials from three words on, Lib Dem for two long ones."""
    words = [word for word in name.split() if word[:1].isalpha()]
    if len(words) >= 3:
        return shorten("".join(word[0] for word in words if word[0].isupper()) or name, 12)
    said = " ".join(word for word in words if word != "Party") or name
    if len(said) > 12 and len(words) == 2:
        said = f"{words[0][:3]} {words[1][:3]}"
    return shorten(said, 12)
