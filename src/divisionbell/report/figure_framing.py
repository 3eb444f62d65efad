"""Framing: original and mirror as the two ends of a dumbbell, and the pull of the status quo beside them."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from divisionbell.report.evidence import AXES, ReportInput, RunEvidence
from divisionbell.report.figure_style import (
    MUTED,
    PANEL,
    SERIES,
    SMALL,
    Drawing,
    canvas,
    drawing,
    line,
    mark,
    write,
)
from divisionbell.report.figure_track import Track
from divisionbell.report.words import Shown, shorten, shown


def has_framing(run: RunEvidence) -> bool:
    """Whether a run's document holds what this figure draws."""
    names = ("original", "mirror", "d_sq")
    return any(shown(run.get(f"framing.{axis}.{name}")).defined for axis in AXES for name in names)


def draw_framing(given: ReportInput) -> Drawing:
    """The models that have framing estimates, a row a model and axis."""
    runs = [run for run in given.models if has_framing(run)]
    margin = given.bank.plan.equivalence_margin
    told = [_told(run, axis) for run in runs for axis in AXES]

    def draw(width: float) -> Figure:
        wide = width > 500
        row = 34.0 if not wide else 28.0
        part = len(runs) * row + 66
        figure, axes = canvas(width, 26 + part * len(AXES) * (1 if wide else 2))
        mark(axes, 12, 12, SERIES[0], size=8)
        write(axes, 22, 16, "original", size=SMALL)
        mark(axes, 92, 12, SERIES[1], shape="D", size=5.5)
        write(axes, 102, 16, "mirror", size=SMALL)
        mark(axes, 164, 12, SERIES[2], shape="s", size=6)
        write(axes, 174, 16, "pull of the status quo" if not wide else "status quo negative − positive", size=SMALL)
        top = 70.0
        for axis in AXES:
            title = f"{axis.capitalize()} axis"
            if wide:
                tracks = (Track(axes, 176, 448), Track(axes, 488, width - 16, 2.0))
                write(axes, 6, top - 6, title, bold=True)
                _block(runs, axis, tracks[0], top, row, names=True, wide=True)
                _contrast(runs, axis, tracks[1], top, row, margin, names=False)
                top += part
            else:
                write(axes, 6, top - 26, title, bold=True)
                _block(runs, axis, Track(axes, 16, width - 16), top, row, names=True, wide=False)
                top += part
                write(axes, 6, top - 26, f"{title}, status quo negative − positive", bold=True, size=SMALL)
                _contrast(runs, axis, Track(axes, 16, width - 16, 2.0), top, row, margin, names=True)
                top += part
        return figure

    return drawing(
        "framing",
        "Original and mirror, and the pull of the status quo",
        ". ".join(told) + ".",
        "Concrete pairs, exploratory. The two marks of a dumbbell are one pair of wordings; each score is their mean. "
        "To the right, or below on a narrow page: the answers where the status quo is the negative option less those "
        "where it is the positive one, with the interval. Left of 0 is a pull to things as they are; the band is the "
        f"margin of {margin}.",
        draw,
    )


def _told(run: RunEvidence, axis: str) -> str:
    original, mirror, pull = (shown(run.get(f"framing.{axis}.{name}")) for name in ("original", "mirror", "d_sq"))
    interval = f", interval {pull.span}" if pull.span else ""
    return (
        f"{shorten(run.title, 60)}, {axis}: original {original.text}, mirror {mirror.text}, status quo negative less "
        f"positive {pull.text}{interval}"
    )


def _rows(runs: list[RunEvidence], top: float, row: float, names: bool, track: Track) -> list[float]:
    """The height of each row, its name written where it is asked for."""
    wide = row < 30
    ys = [top + index * row + (row / 2 if wide else 23) for index in range(len(runs))]
    if names:
        for run, y in zip(runs, ys, strict=True):
            x, height = (6.0, y + 4) if wide else (track.left, y - 9)
            write(track.axes, x, height, shorten(run.title, 27 if wide else 46), size=SMALL)
    return ys


def _block(
    runs: list[RunEvidence], axis: str, track: Track, top: float, row: float, *, names: bool, wide: bool
) -> None:
    track.grid(top, top + len(runs) * row)
    for run, y in zip(runs, _rows(runs, top, row, names, track), strict=True):
        ends = [shown(run.get(f"framing.{axis}.{name}")).value for name in ("original", "mirror")]
        known = [end for end in ends if end is not None]
        if len(known) == 2:
            line(track.axes, (track.x(known[0]), track.x(known[1])), (y, y), MUTED, 2)
        if not known:
            write(track.axes, track.x(0) + 6, y + 4, "undefined", size=SMALL, color=MUTED)
        for end, tint, shape in zip(ends, SERIES, ("o", "D"), strict=False):
            if end is not None:
                mark(track.axes, track.x(end), y, tint, shape=shape, size=8 if shape == "o" else 5.5)


def _contrast(
    runs: list[RunEvidence], axis: str, track: Track, top: float, row: float, margin: float, *, names: bool
) -> None:
    left, right, bottom = track.x(-margin), track.x(margin), top + len(runs) * row
    track.axes.add_patch(Rectangle((left, top), right - left, bottom - top, facecolor=PANEL, edgecolor="none"))
    track.grid(top, bottom)
    for run, y in zip(runs, _rows(runs, top, row, names, track), strict=True):
        _pull(track, shown(run.get(f"framing.{axis}.d_sq")), y)


def _pull(track: Track, pull: Shown, y: float) -> None:
    if pull.value is None:
        write(track.axes, track.x(0) + 6, y + 4, "undefined", size=SMALL, color=MUTED)
        return
    if pull.low is not None and pull.high is not None:
        track.span(pull.low, pull.high, y, SERIES[2])
    mark(track.axes, track.x(pull.value), y, SERIES[2], shape="s", size=6)
