"""The figure of the families of one run: each with its mean, and its dossiers one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from divisionbell.report.evidence import AXES, RunEvidence
from divisionbell.report.figure_style import (
    GRID,
    MUTED,
    PANEL,
    SERIES,
    SMALL,
    Drawing,
    Stroke,
    canvas,
    drawing,
    line,
    mark,
    strokes,
    write,
)
from divisionbell.report.figure_track import RowScale, row_name
from divisionbell.report.words import Shown, many, shorten, shown, signed


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
            scale = RowScale(axes, 226.0 if wide else 16.0, width - 16)
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
                row_name(axes, row.family.replace("-", " "), y, wide)
                if mean.low is not None and mean.high is not None:
                    line(axes, (scale.x(mean.low), scale.x(mean.high)), (y, y), SERIES[0], 2, ":")
                if row.implicit is not None:
                    mark(axes, scale.x(row.implicit), y, SERIES[1], hollow=True, shape="D", size=6)
                dots += [_dot(scale.x(value), y + lift) for value, lift in _side_by_side(row.dossiers)]
                if mean.value is not None:
                    mark(axes, scale.x(mean.value), y, SERIES[0], size=7)
                else:
                    below = 12.5 if row.dossiers or mean.low is not None else 4  # clear of the line and the dots
                    write(axes, scale.x(0) + 6, y + below, "undefined", size=SMALL, color=MUTED)
            strokes(axes, dots, SERIES[0], 4, round_ends=True)
            top = bottom + 92
        return figure

    return drawing(
        name,
        f"Family means of {shorten(run.title, 60)}",
        ". ".join(told) + ("." if told else "No family has a mean."),
        "Each family counts once in the score. The broken line is the score on concrete pairs and the shaded band its "
        f"interval. The families are sorted by value; what they spread is the uncertainty.{_on_single(singles)}"
        + (
            " A dotted line is what missing answers leave open of a family. A family has no mean where no complete "
            "pair is left, or where no completion of the missing answers gives the mean of those that are."
            if _with_bounds(rows.values())
            else ""
        ),
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
