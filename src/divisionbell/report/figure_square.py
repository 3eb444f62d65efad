"""The order square: for each model and axis, what was chosen in the one order against the other."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from divisionbell.report.evidence import AXES, ReportInput, RunEvidence
from divisionbell.report.figure_style import (
    GRID,
    MUTED,
    SERIES,
    SMALL,
    Drawing,
    canvas,
    drawing,
    write,
)
from divisionbell.report.order_square import KINDS, MOST_SQUARES, Square, shown_runs, square
from divisionbell.report.words import count, percent, shorten

SIDE = 63.0
BLOCK, HEIGHT = 372.0, 240.0
TINY = 9.5
TEXT_TINT, PLACE_TINT = SERIES[0], SERIES[1]


def draw_squares(given: ReportInput) -> Drawing:
    """A square of four cells for each run and axis, darker where the share is larger."""
    every = shown_runs(given)
    runs = every[:MOST_SQUARES]
    made = {(run.header.run_id, axis): square(run, axis) for run in runs for axis in AXES}

    def draw(width: float) -> Figure:
        columns = 2 if width > 500 else 1
        top = 30.0 if width > 500 else 48.0
        figure, axes = canvas(width, top + -(-len(runs) // columns) * HEIGHT)
        for index, (tint, text) in enumerate(
            ((TEXT_TINT, "same option both times: content"), (PLACE_TINT, "same letter both times: position"))
        ):
            x, y = (6.0 + index * 250, 6.0) if width > 500 else (6.0, 6.0 + index * 18)
            _cell(axes, x, y, 14, 12, tint, 0.7)
            write(axes, x + 20, y + 10, text, size=SMALL)
        for index, run in enumerate(runs):
            x, y = index % columns * (width - BLOCK), top + index // columns * HEIGHT
            write(axes, x + 6, y + 20, shorten(run.title, 48), bold=True)
            for number, axis in enumerate(AXES):
                _square(axes, x + 6 + number * 172, y + 30, axis, made[run.header.run_id, axis])
        return figure

    rest = len(every) - len(runs)
    more = f" The first {count(MOST_SQUARES)} are drawn; the others stand in the table." if rest else ""
    return drawing(
        "order-square",
        "The choice in one order against the other",
        " ".join(_told(run, axis, made[run.header.run_id, axis]) for run in runs for axis in AXES),
        "Concrete pairs. Down: what was chosen with the negative option at A; across: what was chosen with the "
        "positive option at A. Where both are the same option the choice followed the text (content); where both are "
        "the same letter it followed the place (position). Each cell gives the share, weighted as in the score, and "
        f"the number of askings behind it.{more}",
        draw,
    )


def _told(run: RunEvidence, axis: str, found: Square | None) -> str:
    who = f"{shorten(run.title, 60)}, {axis}"
    if found is None or found.shares is None:
        return f"{who}: no item has an answer in both orders."
    each = zip(KINDS, found.shares, found.counts, strict=True)
    return f"{who}: " + ", ".join(f"{kind.told} {percent(s)} ({count(n)})" for kind, s, n in each) + "."


def _square(axes: Axes, x: float, y: float, axis: str, found: Square | None) -> None:
    left, top = x + 36, y + 46
    write(axes, left, y + 12, f"{axis.capitalize()} axis", size=SMALL)
    write(axes, left + SIDE, y + 27, "positive option at A", size=TINY, color=MUTED, ha="center")
    write(axes, x + 12, top + SIDE, "negative option at A", size=TINY, color=MUTED, ha="center", rotation=90)
    for number, pole in enumerate(("negative", "positive")):
        middle = number * SIDE + SIDE / 2
        write(axes, left + middle, y + 41, f"{pole}, {'BA'[number]}", size=TINY, color=MUTED, ha="center")
        write(axes, x + 28, top + middle, f"{pole}, {'AB'[number]}", size=TINY, color=MUTED, ha="center", rotation=90)
    for number, kind in enumerate(KINDS):
        cell_x, cell_y = left + number % 2 * SIDE, top + number // 2 * SIDE
        share = found.shares[number] if found is not None and found.shares is not None else None
        tint = TEXT_TINT if kind.follows_text else PLACE_TINT
        _cell(axes, cell_x, cell_y, SIDE, SIDE, tint, share)
        middle = cell_x + SIDE / 2
        if share is None or found is None:
            write(axes, middle, cell_y + 35, "undefined", size=TINY, color=MUTED, ha="center")
            continue
        write(axes, middle, cell_y + 25, percent(share), ha="center", bold=True)
        write(axes, middle, cell_y + 40, count(found.counts[number]), size=SMALL, ha="center")
        write(axes, middle, cell_y + 54, kind.short, size=TINY, ha="center")
    total = 0 if found is None else found.n
    write(axes, left, top + 2 * SIDE + 15, f"{count(total)} askings in both orders", size=TINY, color=MUTED)


def _cell(axes: Axes, x: float, y: float, width: float, height: float, tint: str, share: float | None) -> None:
    """A cell with its frame; the tint is never so strong that ink on it could not be read, in light and in dark."""
    if share is not None:
        alpha = 0.05 + round(share * 20) / 20 * 0.4
        axes.add_patch(Rectangle((x, y), width, height, facecolor=tint, alpha=alpha, edgecolor="none"))
    axes.add_patch(Rectangle((x, y), width, height, facecolor="none", edgecolor=GRID, linewidth=1))
