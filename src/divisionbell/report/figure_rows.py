"""Two figures made of rows: order-specific scores, and family means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from divisionbell.report.evidence import AXES, ENDS, ReportInput, RunEvidence
from divisionbell.report.figure_style import (
    GRID,
    MUTED,
    PANEL,
    SERIES,
    SMALL,
    Drawing,
    LineStyle,
    Stroke,
    canvas,
    drawing,
    line,
    mark,
    strokes,
    write,
)
from divisionbell.report.words import Shown, many, shorten, shown, signed


class _Scale:
    """A track from −1 to 1 between two places on the canvas."""

    def __init__(self, axes: Axes, left: float, right: float) -> None:
        self.axes, self.left, self.right = axes, left, right

    def x(self, value: float) -> float:
        return self.left + (value + 1) / 2 * (self.right - self.left)

    def rows(self, ys: list[float], top: float, bottom: float, wide: bool) -> list[tuple[float, float]]:
        """Where upright lines are drawn: all the way, or only beside the marks where names stand above them."""
        return [(top, bottom)] if wide else [(y - 8, y + 8) for y in ys]

    def upright(
        self, value: float, spans: list[tuple[float, float]], tint: str, thick: float, style: LineStyle = "-"
    ) -> None:
        x = self.x(value)
        strokes(self.axes, [((x, top), (x, bottom)) for top, bottom in spans], tint, thick, style)

    def grid(self, spans: list[tuple[float, float]], top: float, bottom: float, axis: str, wide: bool) -> None:
        """The grid with its numbers above and the names of the axis's ends below."""
        for value in (-1.0, -0.5, 0.0, 0.5, 1.0):
            self.upright(value, spans, MUTED if value == 0 else GRID, 1 if value == 0 else 0.8)
            text = signed(value, 1) if value % 1 else signed(value, 0)
            write(self.axes, self.x(value), top - 6, text, size=SMALL, color=MUTED, ha="center")
        size = SMALL if wide else 9.5
        for pole, x, ha in (("negative", self.left, "left"), ("positive", self.right, "right")):
            for row, text in enumerate(ENDS[axis, pole]):
                arrow = f"← {text}" if pole == "negative" and row == 0 else text
                arrow = f"{arrow} →" if pole == "positive" and row == 1 else arrow
                write(self.axes, x, bottom + 15 + row * 13, arrow, size=size, color=MUTED, ha=ha)


def _row_name(axes: Axes, name: str, y: float, wide: bool) -> None:
    """The name of a row: before its track, or above it where there is little room."""
    write(axes, 6 if wide else 16, y + 4 if wide else y - 10, shorten(name, 38 if wide else 46), size=SMALL)


def draw_order(given: ReportInput) -> Drawing:
    """Each run's score with the negative option at A and with the positive at A, tied by a line."""
    runs = [*given.models, *given.others]
    names = ("order_negative_at_a", "order_positive_at_a")
    told = []
    for run in runs:
        for axis in AXES:
            first, second = (shown(run.get(f"concrete.{axis}.{name}")).text for name in names)
            told.append(f"{shorten(run.title, 60)}, {axis}: {first} with the negative option at A, {second} at B")

    def draw(width: float) -> Figure:
        wide, row, block = width > 500, 34.0, len(runs) * 34.0 + 92
        figure, axes = canvas(width, 20 + block * len(AXES))
        mark(axes, 12, 12, SERIES[0], size=9)
        write(axes, 22, 16, "negative option at A", size=SMALL)
        mark(axes, 172, 12, SERIES[1], shape="D", size=5.5)
        write(axes, 182, 16, "positive option at A", size=SMALL)
        for number, axis in enumerate(AXES):
            top = 70 + number * block
            scale = _Scale(axes, 16.0 if not wide else 226.0, width - 16)
            write(axes, 6, top - 24 if not wide else top - 6, f"{axis.capitalize()} axis", bold=True)
            ys = [top + index * row + (row / 2 if wide else 24) for index in range(len(runs))]
            bottom = top + len(runs) * row
            scale.grid(scale.rows(ys, top, bottom, wide), top, bottom, axis, wide)
            for run, y in zip(runs, ys, strict=True):
                _row_name(axes, run.title, y, wide)
                values = [shown(run.get(f"concrete.{axis}.{name}")).value for name in names]
                known = [value for value in values if value is not None]
                if not known:
                    write(axes, scale.x(0), y + 4, "undefined", size=SMALL, color=MUTED, ha="center")
                if len(known) == 2:
                    line(axes, (scale.x(known[0]), scale.x(known[1])), (y, y), MUTED, 2)
                for value, tint, shape in zip(values, SERIES, ("o", "D"), strict=False):
                    if value is not None:
                        mark(axes, scale.x(value), y, tint, shape=shape, size=9 if shape == "o" else 5.5)
        return figure

    return drawing(
        "order",
        "Scores by the order of the options",
        ". ".join(told) + ".",
        "Concrete pairs. A respondent that follows the text has both marks at one place; one that follows the place on "
        "the page has them at opposite ends.",
        draw,
    )


def draw_families(run: RunEvidence, name: str) -> Drawing:
    """The family means of one run, sorted by value, with its score and interval behind them.

    No family has an interval: it holds too few dossiers. They are drawn one by one.
    """
    rows = {axis: _family_rows(run, axis) for axis in AXES}
    told = [_family_told(axis, row) for axis in AXES for row in rows[axis]]
    singles = [row.dossiers for axis in AXES for row in rows[axis] if row.dossiers]

    def draw(width: float) -> Figure:
        wide, step = width > 500, 24.0 if width > 500 else 34.0
        figure, axes = canvas(width, 44 + sum(len(rows[a]) * step + 92 for a in AXES))
        mark(axes, 12, 12, SERIES[0], size=7)
        write(axes, 22, 16, "concrete pairs", size=SMALL)
        mark(axes, 132, 12, SERIES[1], hollow=True, shape="D", size=6)
        write(axes, 142, 16, "implicit pairs", size=SMALL)
        if singles:
            x, y = (260.0, 12.0) if wide else (12.0, 30.0)
            strokes(axes, [_dot(x, y)], SERIES[0], 4, round_ends=True)
            write(axes, x + 10, y + 4, "one dossier, concrete", size=SMALL)
        top = 78.0
        for axis in AXES:
            scale = _Scale(axes, 226.0 if wide else 16.0, width - 16)
            bottom = top + len(rows[axis]) * step
            score = shown(run.get(f"concrete.{axis}"))
            if score.defined and score.low is not None and score.high is not None:
                left, right = scale.x(score.low), scale.x(score.high)
                axes.add_patch(Rectangle((left, top), right - left, bottom - top, facecolor=PANEL, edgecolor="none"))
            ys = [top + index * step + (step / 2 if wide else 24) for index in range(len(rows[axis]))]
            spans = scale.rows(ys, top, bottom, wide)
            scale.grid(spans, top, bottom, axis, wide)
            if score.value is not None:
                scale.upright(score.value, spans, SERIES[0], 1.5, "--")
            write(axes, 6, top - 6 if wide else top - 24, f"{axis.capitalize()} axis", bold=True)
            strokes(axes, [((scale.left, y), (scale.right, y)) for y in ys], GRID, 0.5)
            dots: list[Stroke] = []
            for row, y in zip(rows[axis], ys, strict=True):
                mean = row.mean
                _row_name(axes, row.family.replace("-", " "), y, wide)
                if mean.low is not None and mean.high is not None:
                    line(axes, (scale.x(mean.low), scale.x(mean.high)), (y, y), SERIES[0], 2, ":")
                if row.implicit is not None:
                    mark(axes, scale.x(row.implicit), y, SERIES[1], hollow=True, shape="D", size=6)
                dots += [_dot(scale.x(value), y + lift) for value, lift in _side_by_side(row.dossiers)]
                if mean.value is not None:
                    mark(axes, scale.x(mean.value), y, SERIES[0], size=7)
                else:
                    write(axes, scale.x(0) + 6, y + 4, "undefined", size=SMALL, color=MUTED)
            strokes(axes, dots, SERIES[0], 4, round_ends=True)
            top = bottom + 92
        return figure

    return drawing(
        name,
        f"Family means of {shorten(run.title, 60)}",
        ". ".join(told) + ("." if told else "No family has a mean."),
        "Each family counts once in the score. The broken line is the score on concrete pairs and the shaded band its "
        f"interval. The families are sorted by value; what they spread is the uncertainty.{_on_single(singles)}"
        + (" A dotted line is what missing answers leave open of a family." if _with_bounds(rows.values()) else ""),
        draw,
    )


@dataclass(frozen=True)
class _Family:
    """A family with its mean on each scale and the scores of its dossiers on the concrete one."""

    family: str
    mean: Shown
    implicit: float | None
    dossiers: tuple[float, ...]


def _family_rows(run: RunEvidence, axis: str) -> list[_Family]:
    scale = run.concrete.get(axis)
    singles = {} if scale is None else scale.dossier_scores
    found = [
        _Family(
            name,
            shown(e),
            shown(run.get(f"implicit.{axis}.family.{name}")).value,
            tuple(sorted(float(score) for score in singles.get(name, ()))),
        )
        for name, e in run.under(f"concrete.{axis}.family.")
    ]
    return sorted(found, key=lambda row: (row.mean.value is None, row.mean.value or 0.0, row.family))


def _family_told(axis: str, row: _Family) -> str:
    said = f" (dossiers {', '.join(signed(value) for value in row.dossiers)})" if row.dossiers else ""
    return f"{axis} {row.family.replace('-', ' ')} {row.mean.text}{said}"


def _dot(x: float, y: float) -> Stroke:
    """A stroke so short that its round ends are a dot."""
    return ((x - 0.05, y), (x + 0.05, y))


def _side_by_side(values: tuple[float, ...]) -> Iterator[tuple[float, float]]:
    """Each value with how far it is moved up or down so that equal ones are all seen."""
    by_value: dict[float, int] = Counter(round(value, 2) for value in values)
    for value, times in by_value.items():
        for number in range(times):
            yield value, (number - (times - 1) / 2) * 4.5


def _on_single(singles: list[tuple[float, ...]]) -> str:
    """Why no family has an interval, and what is drawn instead."""
    if not singles:
        return ""
    least, most = min(map(len, singles)), max(map(len, singles))
    held = many(most, "dossier") if least == most else f"{least} to {many(most, 'dossier')}"
    were = "was" if most == 1 else "were"
    return (
        f" A single family has no interval: it holds {held}, which {were} chosen and not drawn at random, and the plan "
        "makes none below the family. The small dots are its dossiers, one by one."
    )


def _with_bounds(rows: Iterable[list[_Family]]) -> bool:
    return any(row.mean.low is not None for each in rows for row in each)
