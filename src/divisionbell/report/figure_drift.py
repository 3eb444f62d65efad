"""Drift: the score of one respondent by the date on which it was asked, where it was asked more than once."""

from __future__ import annotations

from datetime import datetime

from matplotlib.figure import Figure

from divisionbell.report.evidence import AXES, ReportInput, RunEvidence
from divisionbell.report.figure_style import SMALL, Drawing, canvas, colour, drawing, line, mark, write
from divisionbell.report.figure_track import Panel, places
from divisionbell.report.words import shorten, shown


def repeated(given: ReportInput) -> list[list[RunEvidence]]:
    """The runs of each model that was asked more than once in one form and way of decoding, the earliest first."""
    groups: dict[tuple[str, str, bool], list[RunEvidence]] = {}
    for run in given.models:
        groups.setdefault((run.name, run.header.form, run.header.constrained), []).append(run)
    return [sorted(runs, key=_seconds) for runs in groups.values() if len(runs) > 1]


def _seconds(run: RunEvidence) -> float:
    """When the run began; 0 where that is no date."""
    try:
        return datetime.fromisoformat(str(run.header.started_at)).timestamp()
    except ValueError:
        return 0.0


def _when(run: RunEvidence, close: bool) -> str:
    return str(run.header.started_at)[5:16].replace("T", " ") if close else run.date


def draw_drift(given: ReportInput) -> Drawing:
    groups = repeated(given)
    every = _by_time(groups)
    first, last = _seconds(every[0]), _seconds(every[-1])
    close = every[0].date == every[-1].date
    ends = [(first, _when(every[0], close)), (last, _when(every[-1], close))] if last > first else []
    told = [_told(run, axis, close) for runs in groups for axis in AXES for run in runs]

    def draw(width: float) -> Figure:
        side = 230.0
        boxes, height = places(width, side)
        figure, axes = canvas(width, height + len(groups) * 18 + 6)
        pad = (last - first) * 0.12 or 1.0
        for axis, (left, top, across) in zip(AXES, boxes, strict=True):
            panel = Panel(axes, left, top, across, side, first - pad, last + pad)
            write(axes, left, top - 14, f"{axis.capitalize()} axis: score", bold=True)
            panel.grid(ends or [(first, _when(every[0], close))])
            for number, runs in enumerate(groups):
                _line(panel, runs, axis, colour(number), number * 5.0)
        for number, runs in enumerate(groups):
            y = height + number * 18
            line(axes, (8, 26), (y, y), colour(number), 2)
            write(axes, 34, y + 4, shorten(runs[0].name, 90 if width > 500 else 46), size=SMALL)
        return figure

    return drawing(
        "drift",
        "The same respondent by date",
        ". ".join(told) + ".",
        "Score on concrete pairs of each run with its interval, by the time at which it began (UTC). The items are the "
        "same, so intervals that overlap say little: whether a change is more than chance stands with the differences "
        "between models.",
        draw,
    )


def _by_time(groups: list[list[RunEvidence]]) -> list[RunEvidence]:
    return sorted((run for runs in groups for run in runs), key=_seconds)


def _told(run: RunEvidence, axis: str, close: bool) -> str:
    score = shown(run.get(f"concrete.{axis}"))
    interval = f", interval {score.span}" if score.span else ""
    return f"{shorten(run.name, 60)}, {_when(run, close)}, {axis}: {score.text}{interval}"


def _line(panel: Panel, runs: list[RunEvidence], axis: str, tint: str, aside: float) -> None:
    """The runs of one respondent, joined; `aside` keeps two respondents asked at one time apart."""
    before: tuple[float, float] | None = None
    for run in runs:
        score = shown(run.get(f"concrete.{axis}"))
        if score.value is None:
            continue
        x, y = panel.x(_seconds(run)) + aside, panel.y(score.value)
        if before is not None:
            line(panel.axes, (before[0], x), (before[1], y), tint, 1, ":")
        if score.low is not None and score.high is not None:
            line(panel.axes, (x, x), (panel.y(score.low), panel.y(score.high)), tint, 2)
        mark(panel.axes, x, y, tint, size=7)
        before = (x, y)
