"""The figure of what became of each run's questions."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from divisionbell.report.evidence import ReportInput
from divisionbell.report.figure_style import GRID, LIGHT, MUTED, PAPER, SERIES, SMALL, Drawing, canvas, drawing, write
from divisionbell.report.words import count, finite, shorten

OUTCOMES = (
    ("valid_at_first", "valid at first", SERIES[0]),
    ("valid_after_retry", "valid after the reminder", LIGHT),
    ("malformed", "malformed", SERIES[1]),
    ("blocked", "blocked", SERIES[5]),
    ("cut_off", "cut off", SERIES[4]),
    ("transport_failed", "not reached", MUTED),
    ("not_administered", "not administered", GRID),
)
LOST = ("malformed", "blocked", "cut_off", "transport_failed")  # asked, and no answer


def draw_outcomes(given: ReportInput) -> Drawing:
    """What became of every unit asked, one bar a run."""
    runs = [*given.models, *given.others]
    counts = {id(run): [finite(run.value(f"parse.outcome.{code}")) or 0.0 for code, *_ in OUTCOMES] for run in runs}
    told = []
    for run in runs:
        said = [f"{count(n)} {o[1]}" for n, o in zip(counts[id(run)], OUTCOMES, strict=True) if n]
        told.append(f"{shorten(run.title, 60)}: {', '.join(said) or 'no outcome is given'}")
    used = [o for number, o in enumerate(OUTCOMES) if any(row[number] for row in counts.values())]

    def draw(width: float) -> Figure:
        wide = width > 500
        columns = 4 if wide else 2
        top, step = 20 + -(-len(used) // columns) * 20, 40.0
        figure, axes = canvas(width, top + len(runs) * step + 6)
        for index, (_, text, tint) in enumerate(used):
            x, y = 6 + index % columns * (width / columns), 4.0 + index // columns * 20
            _bar(axes, x, y, 14, 12, tint)
            write(axes, x + 20, y + 10, text, size=SMALL)
        for index, run in enumerate(runs):
            y, total = top + index * step, sum(counts[id(run)])
            write(axes, 6, y + 10, shorten(run.title, 60 if wide else 36), size=SMALL)
            if not total:
                write(axes, width - 6, y + 10, "no outcome is given", size=SMALL, color=MUTED, ha="right")
                continue
            write(axes, width - 6, y + 10, f"{count(total)} units", size=SMALL, color=MUTED, ha="right")
            start = 6.0
            for n, (_, _, tint) in zip(counts[id(run)], OUTCOMES, strict=True):
                size = n / total * (width - 12)
                if n:
                    _bar(axes, start, y + 15, size, 14, tint)
                start += size
        return figure

    return drawing(
        "outcomes",
        "What became of the questions",
        ". ".join(told) + ".",
        "Every unit, one item asked once in one order, by its outcome after the one reminder.",
        draw,
    )


def _bar(axes: Axes, x: float, y: float, width: float, height: float, tint: str) -> None:
    axes.add_patch(Rectangle((x, y), width, height, linewidth=0.8, facecolor=tint, edgecolor=PAPER))
