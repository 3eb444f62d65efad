"""What a report says first of planted models, held to what was planted and to the intervals that it rests on."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from divisionbell.estimate.planted_grid import NEAR_THE_END
from divisionbell.estimate.planted_rows import Row, always, at_least
from divisionbell.estimate.planted_suites import Made, Named, named
from divisionbell.report.evidence import AXES, ENDS, RunEvidence
from divisionbell.report.findings import finding

PART = "report"
GRID, OTHERS = "of the grid", "with answers lost or pulled to the status quo"
#: An interval of 95 % leaves out 0 on the wrong side in at most so many models.
WRONG_SIDE = 0.025
POSITION = "answers by position and measures nothing."
_TOWARDS = re.compile(r"towards (.+?) on the (economic|social) axis")
_SIGNS = {(axis, " ".join(words)): -1 if pole == "negative" else 1 for (axis, pole), words in ENDS.items()}
#: Suites whose models answer by position, and suites where a lean is not what is planted.
BY_POSITION, WITHOUT_LEAN = ("bias 3",), ("bias 0", "bias 1", "bias 2", "bias 3")


@dataclass(frozen=True)
class Told:
    """What a sentence says of each axis: -1 or 1 where a lean is told, 0 where none; None where it is of position, and
    nothing where it is of none of these."""

    signs: Mapping[str, int] | None


def read(sentence: str) -> Told:
    """The same from the sentence itself."""
    if sentence.endswith(POSITION):
        return Told(None)
    leans = {axis: _SIGNS[axis, where] for where, axis in _TOWARDS.findall(sentence) if (axis, where) in _SIGNS}
    if not leans and not sentence.startswith("No lean "):
        return Told({})
    return Told({axis: leans.get(axis, 0) for axis in AXES})


def follows(told: Told, found: Named) -> bool:
    """Whether a sentence says what the estimates say: a lean exactly where every interval leaves out 0 on one side."""
    if told.signs is None:
        items = sum(found[f"concrete.{axis}.flip"]["n"] for axis in AXES)
        same = sum(found[f"concrete.{axis}.flip"]["value"] * found[f"concrete.{axis}.flip"]["n"] for axis in AXES)
        return bool(same >= 0.8 * items > 0)
    return all(told.signs.get(axis) == _sign(found, axis) for axis in AXES)


def _sign(found: Named, axis: str) -> int:
    given = [found.get(f"concrete.{axis}{end}", {}) for end in ("", ".imbens_manski")]
    ends = [(one["low"], one["high"]) for one in given if "low" in one]
    return 1 if ends and min(ends)[0] > 0 else -1 if ends and max(high for _, high in ends) < 0 else 0


class Sentences:
    """Collects what is said first of every model that it is shown."""

    def __init__(self) -> None:
        self._follows: list[bool] = []
        self._position: dict[bool, list[bool]] = defaultdict(list)
        self._none: dict[str, list[bool]] = defaultdict(list)
        self._told_or_held: list[bool] = []
        self._right_side: list[bool] = []

    def see(self, made: Made) -> None:
        """One model as it was scored."""
        run = RunEvidence.of(made.asked.header, (), made.document)
        told = read(finding(run, made.asked.bank.plan.minimum_families).headline)
        found = named(made.document)
        self._follows.append(follows(told, found))
        by_position = made.suite in BY_POSITION
        if made.suite not in ("bias 2",):  # its flip rate lies at the line
            self._position[by_position].append((told.signs is None) == by_position)
        if not told.signs or made.suite in WITHOUT_LEAN:
            return
        for axis, truth in zip(AXES, made.truth, strict=True):
            sign = told.signs[axis]
            if truth == 0:
                self._none[GRID if made.suite == "grid" else OTHERS].append(sign == 0)
            elif abs(truth) <= NEAR_THE_END:
                self._right_side.append(sign * truth >= 0)
                self._told_or_held.append(sign * truth > 0 or _holds(found, axis, truth))

    def rows(self) -> list[Row]:
        """What they came to."""
        rows = [
            always(PART, "a lean is told exactly where the intervals leave out 0", self._follows),
            always(PART, "answers by letter: it is said to measure nothing", self._position[True]),
            always(PART, "answers by content: it is not said to answer by position", self._position[False]),
        ]
        for group in (GRID, OTHERS):
            rows.append(at_least(PART, f"no lean planted, {group}: none is told", self._none[group], 0.93))
        rows.append(at_least(PART, "a lean planted: told, or the interval holds it", self._told_or_held, 0.93))
        side = "a lean planted: none is told to the other side"
        return [*rows, at_least(PART, side, self._right_side, 1 - WRONG_SIDE)]


def _holds(found: Mapping[str, Mapping[str, Any]], axis: str, truth: float) -> bool:
    one = found[f"concrete.{axis}.imbens_manski"]
    if "low" not in one:
        one = found[f"concrete.{axis}"]
    return bool(one["low"] <= truth <= one["high"])
