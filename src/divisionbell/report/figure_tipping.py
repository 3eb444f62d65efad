"""The tipping point: where the score would lie for each mean that the missing answers could have had."""

from __future__ import annotations

from matplotlib.figure import Figure

from divisionbell.report.evidence import AXES, ReportInput, RunEvidence
from divisionbell.report.figure_style import MUTED, SMALL, Drawing, canvas, colour, drawing, line, mark, write
from divisionbell.report.figure_track import Panel, places
from divisionbell.report.words import shorten, shown, signed

ALONG = tuple((value, signed(value, 1) if value % 1 else signed(value, 0)) for value in (-1.0, -0.5, 0.0, 0.5, 1.0))


def with_gaps(given: ReportInput) -> list[tuple[int, RunEvidence]]:
    """The models whose missing answers leave bounds on some axis, with their number among the models."""
    return [
        (number, run)
        for number, run in enumerate(given.models)
        if any(shown(run.get(f"concrete.{axis}.bounds")).low is not None for axis in AXES)
    ]


def draw_tipping(given: ReportInput) -> Drawing:
    """One line a model and axis: S = A + B δ, from its lower bound at δ = −1 to its upper one at δ = 1."""
    runs = with_gaps(given)
    told = [_told(run, axis) for _, run in runs for axis in AXES]

    def draw(width: float) -> Figure:
        side = 230.0
        boxes, height = places(width, side)
        figure, axes = canvas(width, height + len(runs) * 18 + 22)
        for axis, (left, top, across) in zip(AXES, boxes, strict=True):
            panel = Panel(axes, left, top, across, side)
            write(axes, left, top - 14, f"{axis.capitalize()} axis: score", bold=True)
            panel.grid(ALONG)
            write(axes, left, top + side + 32, "mean of the missing answers", size=SMALL, color=MUTED)
            for number, run in runs:
                _line(panel, run, axis, colour(number))
        for index, (number, run) in enumerate(runs):
            y = height + index * 18 + 6
            line(axes, (8, 26), (y, y), colour(number), 2)
            write(axes, 34, y + 4, shorten(run.title, 90 if width > 500 else 46), size=SMALL)
        return figure

    return drawing(
        "tipping-point",
        "Where the score would lie if the missing answers were known",
        ". ".join(told) + ".",
        "The mean of all missing answers runs from −1, every one negative, to +1, every one positive. A steep line is "
        "a score that rests on what is not known. The hollow mark is the tipping point, at which the score would be 0; "
        "where there is none, no completion of the missing answers brings the score to 0.",
        draw,
    )


def _told(run: RunEvidence, axis: str) -> str:
    bounds, tip = shown(run.get(f"concrete.{axis}.bounds")), shown(run.get(f"concrete.{axis}.tipping_point"))
    name = f"{shorten(run.title, 60)}, {axis}"
    if bounds.low is None or bounds.high is None:
        return f"{name}: nothing is missing"
    at = f"tipping point {tip.text}" if tip.defined else "no tipping point"
    return f"{name}: from {signed(bounds.low)} to {signed(bounds.high)}, {at}"


def _line(panel: Panel, run: RunEvidence, axis: str, tint: str) -> None:
    bounds, tip = shown(run.get(f"concrete.{axis}.bounds")), shown(run.get(f"concrete.{axis}.tipping_point"))
    if bounds.low is None or bounds.high is None:
        return
    line(panel.axes, (panel.x(-1), panel.x(1)), (panel.y(bounds.low), panel.y(bounds.high)), tint, 2)
    if tip.value is not None:
        mark(panel.axes, panel.x(tip.value), panel.y(0), tint, hollow=True, size=8)
