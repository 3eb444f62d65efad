"""The map: two axes, one cross a run, and the parties in its margins, which say which end is which."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from divisionbell.report.evidence import ENDS, ReportInput
from divisionbell.report.figure_map_labels import labels
from divisionbell.report.figure_places import Marked, marked, party_ticks, short_party
from divisionbell.report.figure_style import (
    GRID,
    INK,
    MUTED,
    PANEL,
    SMALL,
    Drawing,
    canvas,
    drawing,
    line,
    mark,
    write,
)
from divisionbell.report.words import shorten, signed

LANE = 14.0


@dataclass(frozen=True)
class _Frame:
    left: float
    top: float
    side: float

    def x(self, value: float) -> float:
        return self.left + (value + 1) / 2 * self.side

    def y(self, value: float) -> float:
        return self.top + (1 - value) / 2 * self.side


def draw_map(given: ReportInput) -> Drawing:
    runs = marked(given)
    across, up = party_ticks(given.parties, "economic"), party_ticks(given.parties, "social")
    told = ". ".join(entry.told for entry in runs) or "No run has a place on the map"
    for axis, ticks in (("economic", across), ("social", up)):
        if ticks:
            told += f". Parties by their votes, {axis}: " + ", ".join(f"{n} {signed(v)}" for v, n in ticks)

    def draw(width: float) -> Figure:
        return _draw(width, runs, across, up)

    return drawing(
        "map",
        "Concrete pairs on both axes",
        told + ".",
        _caption(runs, bool(across or up)),
        draw,
    )


def _caption(runs: list[Marked], parties: bool) -> str:
    said = [
        "Each cross is a 95% interval on each axis, read one axis at a time: a cross and no joint region, in which "
        "both would lie together."
    ]
    if any(entry.box for entry in runs):
        said.append("A dashed box holds every place that the missing answers leave open.")
    if any(entry.run.is_scripted for entry in runs):
        said.append("Hollow marks are scripted responders.")
    if any(entry.by_position and entry.run.is_model for entry in runs):
        said.append(
            "A hollow × is a model that answers by the place on the page: it falls near the middle by arithmetic, has "
            "no interval here, and says nothing of a position."
        )
    if parties:
        said.append(
            "Parties stand in the margins only, by their votes (those with a position on at least half of the "
            "divisions): they say which end is which, and no distance to them means anything. Here each division "
            "counts by the shares of a party's votes; as a run the party answers it wholly to the side of its "
            "majority, so its two scores differ a little."
        )
    return " ".join(said)


def _draw(width: float, runs: list[Marked], across: list[tuple[float, str]], up: list[tuple[float, str]]) -> Figure:
    wide = width > 500
    left, right = (58.0, 205.0) if wide else (47.0, 92.0)
    named = [(v, shorten(n, 34) if wide else short_party(n)) for v, n in across]
    top = 34 + len(named) * LANE
    frame = _Frame(left, top, width - left - right)
    columns = 2 if wide else 1
    legend_top = frame.top + frame.side + 74
    height = legend_top + -(-len(runs) // columns) * 18 + 10
    figure, axes = canvas(width, height)
    _ground(axes, frame, wide)
    if across or up:
        write(axes, frame.left, 14, "Parties, by their votes", size=SMALL, color=MUTED)
    _top_parties(axes, frame, named)
    _side_parties(axes, frame, [(v, shorten(n, 32) if wide else short_party(n)) for v, n in up])
    for entry in runs:
        _run(axes, frame, entry)
    _numbers(axes, frame, runs)
    for index, entry in enumerate(runs):
        x, y = 10 + (index % columns) * width / columns, legend_top + index // columns * 18 + 6
        if entry.point or entry.box:
            hollow = entry.is_null or not entry.point
            mark(axes, x, y, entry.color, hollow=hollow, shape=entry.shape, size=8 if entry.shape == "X" else 6)
        said = entry.remark
        text = f"{entry.number}  {shorten(entry.run.title, 40 - len(said))}{said}"
        write(axes, x + 10, y + 4, text, size=SMALL)
    return figure


def _ground(axes: Axes, frame: _Frame, wide: bool) -> None:
    axes.add_patch(Rectangle((frame.left, frame.top), frame.side, frame.side, facecolor=PANEL, edgecolor="none"))
    bottom, right = frame.top + frame.side, frame.left + frame.side
    for value in (-1.0, -0.5, 0.0, 0.5, 1.0):
        strong = value == 0
        tint, thick = (MUTED, 1.0) if strong else (GRID, 0.8)
        line(axes, (frame.x(value),) * 2, (frame.top, bottom), tint, thick)
        line(axes, (frame.left, right), (frame.y(value),) * 2, tint, thick)
        text = signed(value, 1) if value % 1 else signed(value, 0)
        write(axes, frame.x(value), bottom + 15, text, size=SMALL, color=MUTED, ha="center")
        if wide or not value % 1:
            write(axes, frame.left - 5, frame.y(value) + 4, text, size=SMALL, color=MUTED, ha="right")
    size = SMALL if wide else 9.5
    for pole, x, ha in (("negative", frame.left, "left"), ("positive", right, "right")):
        arrow = ("← {}", "{}") if pole == "negative" else ("{}", "{} →")
        for row, (text, form) in enumerate(zip(ENDS["economic", pole], arrow, strict=True)):
            write(axes, x, bottom + 33 + row * 13, form.format(text), size=size, color=INK, ha=ha)
    offset = 46 if wide else 34
    for pole, y, ha in (("negative", bottom, "left"), ("positive", frame.top, "right")):
        arrow = ("← {}", "{}") if pole == "negative" else ("{}", "{} →")
        for row, (text, form) in enumerate(zip(ENDS["social", pole], arrow, strict=True)):
            x = frame.left - offset + row * 12
            write(axes, x, y, form.format(text), size=size, color=INK, ha=ha, rotation=90)


def _top_parties(axes: Axes, frame: _Frame, ticks: list[tuple[float, str]]) -> None:
    """Flags above the plot, one a lane; the outermost party flies highest, so that no pole crosses a name."""
    for index, (value, name) in enumerate(sorted(ticks, key=lambda tick: abs(tick[0]))):
        x, y = frame.x(value), frame.top - 8 - index * LANE
        line(axes, (x, x), (frame.top, y - 6), MUTED, 1)
        write(axes, x + (3 if value < 0 else -3), y, name, size=SMALL, color=INK, ha="left" if value < 0 else "right")


def _side_parties(axes: Axes, frame: _Frame, ticks: list[tuple[float, str]]) -> None:
    """Names to the right of the plot, from the top down, pushed apart and tied to their places."""
    right, bottom = frame.left + frame.side, frame.top + frame.side
    ordered = sorted(ticks, reverse=True)
    places: list[float] = []
    for value, _ in ordered:
        wanted = frame.y(value)
        places.append(max(wanted, places[-1] + LANE) if places else max(wanted, frame.top + 4))
    overflow = bottom - 2
    for index in range(len(places) - 1, -1, -1):
        places[index] = min(places[index], overflow)
        overflow = places[index] - LANE
    for (value, name), y in zip(ordered, places, strict=True):
        line(axes, (right, right + 6), (frame.y(value),) * 2, MUTED, 1)
        line(axes, (right + 6, right + 13), (frame.y(value), y), MUTED, 0.8)
        write(axes, right + 16, y + 4, name, size=SMALL, color=INK)


def _run(axes: Axes, frame: _Frame, entry: Marked) -> None:
    if entry.box is not None:
        (x1, x2), (y1, y2) = entry.box
        corner, sizes = (frame.x(x1), frame.y(y2)), (frame.x(x2) - frame.x(x1), frame.y(y1) - frame.y(y2))
        axes.add_patch(Rectangle(corner, *sizes, facecolor=entry.color, alpha=0.07, edgecolor="none"))
        frame_ = Rectangle(
            corner, *sizes, facecolor="none", edgecolor=entry.color, linewidth=1.2, linestyle=(0, (4, 3))
        )
        axes.add_patch(frame_)
    if entry.point is None:
        return
    x, y = frame.x(entry.point[0]), frame.y(entry.point[1])
    if not entry.is_null:
        for side, along in ((entry.economic.interval, True), (entry.social.interval, False)):
            if side is not None:
                ends = (frame.x(side[0]), frame.x(side[1])) if along else (frame.y(side[0]), frame.y(side[1]))
                line(axes, ends if along else (x, x), (y, y) if along else ends, entry.color, 2)
                for at in ends:
                    cap = ((at, at), (y - 4, y + 4)) if along else ((x - 4, x + 4), (at, at))
                    line(axes, *cap, entry.color, 2)
    size = 11 if entry.shape == "X" else 7 if entry.is_null else 8
    mark(axes, x, y, entry.color, hollow=entry.is_null, shape=entry.shape, size=size)


def _numbers(axes: Axes, frame: _Frame, runs: list[Marked]) -> None:
    """The number of each run beside its mark; marks that touch share one text, tied to each of them."""
    marks = [(entry.number, (frame.x(entry.point[0]), frame.y(entry.point[1]))) for entry in runs if entry.point]
    for label in labels(marks, (frame.left, frame.left + frame.side, frame.top, frame.top + frame.side)):
        left, right, top, bottom = label.box
        for x, y in label.marks:
            near = (min(max(x, left - 1), right + 1), min(max(y, top), bottom))
            if len(label.marks) > 1 or abs(near[0] - x) + abs(near[1] - y) > 16:
                line(axes, (near[0], x), (near[1], y), INK, 0.7)
        write(axes, label.x, label.y, label.text, size=SMALL, bold=True)
    for entry in runs:
        if entry.point is None and entry.box is not None:
            x, y = frame.x(entry.box[0][1]) - 5, frame.y(entry.box[1][0]) - 6
            write(axes, x, y, str(entry.number), size=SMALL, bold=True, ha="right")
