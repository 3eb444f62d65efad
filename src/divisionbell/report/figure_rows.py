"""The figure of each run's scores by the order of the options."""

from __future__ import annotations

from matplotlib.figure import Figure

from divisionbell.report.evidence import AXES, ReportInput
from divisionbell.report.figure_style import (
    MUTED,
    SERIES,
    SMALL,
    Drawing,
    canvas,
    drawing,
    line,
    mark,
    write,
)
from divisionbell.report.figure_track import RowScale, row_name
from divisionbell.report.words import shorten, shown


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
            scale = RowScale(axes, 16.0 if not wide else 226.0, width - 16)
            write(axes, 6, top - 24 if not wide else top - 6, f"{axis.capitalize()} axis", bold=True)
            ys = [top + index * row + (row / 2 if wide else 24) for index in range(len(runs))]
            bottom = top + len(runs) * row
            scale.grid(scale.rows(ys, top, bottom, wide), top, bottom, axis, wide)
            for run, y in zip(runs, ys, strict=True):
                row_name(axes, run.title, y, wide)
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
