"""The paired forest: every difference between two models with its simultaneous interval and its bounds."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from divisionbell.model.run_classes import ComparisonDocument
from divisionbell.report.comparison_tables import Pair, compared, pairs
from divisionbell.report.evidence import AXES, ReportInput
from divisionbell.report.figure_style import (
    GRID,
    INK,
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
from divisionbell.report.words import shorten, shown, signed

MOST_PAIRS = 45  # drawn; the table holds every pair


def draw_forest(given: ReportInput, document: ComparisonDocument, name: str) -> Drawing:
    """One row a pair and axis. A difference runs from −2 to 2; the track shows as much of that as is needed."""
    every = {axis: list(pairs(given, document, axis)) for axis in AXES}
    rows = {axis: found[:MOST_PAIRS] for axis, found in every.items()}
    limit = _limit([pair for found in rows.values() for pair in found])
    told = [_told(pair) for found in rows.values() for pair in found]
    runs = compared(given, document)

    def draw(width: float) -> Figure:
        wide = width > 500
        step, left = (26.0, 92.0) if wide else (34.0, 16.0)
        right = width - (170 if wide else 16)
        key = len(runs) * 17 + 10.0
        figure, axes = canvas(width, key + 20 + sum(len(rows[axis]) * step + 76 for axis in AXES))
        for number, run in enumerate(runs, start=1):
            write(axes, 6, number * 17 - 2, f"{number}  {shorten(run.title, 80 if wide else 46)}", size=SMALL)
        top = key + 44
        for axis in AXES:
            write(axes, 6, top - (30 if not wide else 26), f"{axis.capitalize()} axis", bold=True)
            _grid(axes, left, right, top, top + len(rows[axis]) * step, limit)
            for index, pair in enumerate(rows[axis]):
                y = top + index * step + (step / 2 if wide else 22)
                label = f"{pair.numbers[0]} − {pair.numbers[1]}"
                write(axes, 6 if wide else left, y + 4 if wide else y - 9, label, size=SMALL)
                _row(axes, pair, y, left, right, limit)
                said = shown(pair.difference)
                text = f"{said.text} ({said.span})" if said.span else said.text
                write(axes, width - 6, y + 4 if wide else y - 9, text, size=SMALL, color=MUTED, ha="right")
            bottom = top + len(rows[axis]) * step
            write(axes, left, bottom + 14, "← the first is more negative", size=SMALL, color=MUTED)
            end_ = "more positive →" if not wide else "the first is more positive →"
            write(axes, right, bottom + 14, end_, size=SMALL, color=MUTED, ha="right")
            top = bottom + 76
        return figure

    more = len(every[AXES[0]]) - MOST_PAIRS
    rest = f" The first {MOST_PAIRS} pairs are drawn; the table holds {more} more on each axis." if more > 0 else ""
    return drawing(
        name,
        "Differences between models",
        ". ".join(told) + ("." if told else "No pair has a difference."),
        "First less second on concrete pairs. The line is the interval that holds together with those of all pairs and "
        "both axes; a filled mark is a difference that is told apart from 0, for which the interval over all families "
        f"in the table must leave out 0 too. The dotted line is what missing answers leave open.{rest}",
        draw,
    )


def _told(pair: Pair) -> str:
    said, p = shown(pair.difference), shown(pair.estimates.get("max_t_p"))
    names = f"{shorten(pair.first.title, 50)} less {shorten(pair.second.title, 50)}, {pair.axis}"
    interval = f", interval {said.span}" if said.span else ""
    corrected = f", corrected p {p.text}" if p.defined else ""
    return f"{names}: {said.text}{interval}{corrected}"


def _limit(rows: list[Pair]) -> float:
    ends = [0.5]
    for pair in rows:
        for found in (shown(pair.difference), shown(pair.estimates.get("bounds"))):
            ends += [abs(end) for end in (found.value, found.low, found.high) if end is not None]
    return min(2.0, -(-max(ends) // 0.5) * 0.5)


def _grid(axes: Axes, left: float, right: float, top: float, bottom: float, limit: float) -> None:
    for part in (-1.0, -0.5, 0.0, 0.5, 1.0):
        x = left + (part + 1) / 2 * (right - left)
        line(axes, (x, x), (top, bottom), MUTED if part == 0 else GRID, 1 if part == 0 else 0.8)
        write(axes, x, top - 6, signed(part * limit), size=SMALL, color=MUTED, ha="center")


def _row(axes: Axes, pair: Pair, y: float, left: float, right: float, limit: float) -> None:
    def x(value: float) -> float:
        return left + (max(-limit, min(limit, value)) / limit + 1) / 2 * (right - left)

    said, bounds = shown(pair.difference), shown(pair.estimates.get("bounds"))
    if bounds.low is not None and bounds.high is not None:
        line(axes, (x(bounds.low), x(bounds.high)), (y + 5, y + 5), SERIES[1], 1.5, ":")
    if said.low is not None and said.high is not None:
        line(axes, (x(said.low), x(said.high)), (y, y), SERIES[0], 2)
    if said.value is None:
        write(axes, x(0) + 6, y + 4, "undefined", size=SMALL, color=INK)
    else:
        mark(axes, x(said.value), y, SERIES[0], hollow=not pair.told_apart, shape="s", size=6)
