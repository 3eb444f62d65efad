"""A track between two values on the canvas, rows of them, and a panel of two: what several figures are laid out on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from divisionbell.report.evidence import ENDS
from divisionbell.report.figure_style import GRID, MUTED, SMALL, LineStyle, line, strokes, write
from divisionbell.report.words import shorten, signed

QUARTERS = (-1.0, -0.5, 0.0, 0.5, 1.0)


@dataclass(frozen=True)
class Track:
    """Values from −`limit` to `limit` between two places; what lies outside is drawn at the end."""

    axes: Axes
    left: float
    right: float
    limit: float = 1.0

    def x(self, value: float) -> float:
        kept = max(-self.limit, min(self.limit, value))
        return self.left + (kept / self.limit + 1) / 2 * (self.right - self.left)

    def grid(self, top: float, bottom: float) -> None:
        """Upright lines with their values above."""
        for part in QUARTERS:
            x = self.left + (part + 1) / 2 * (self.right - self.left)
            line(self.axes, (x, x), (top, bottom), MUTED if part == 0 else GRID, 1 if part == 0 else 0.8)
            value = part * self.limit
            text = signed(value, 0) if value == int(value) else signed(value, 1 if value * 10 == int(value * 10) else 2)
            write(self.axes, x, top - 6, text, size=SMALL, color=MUTED, ha="center")

    def span(self, low: float, high: float, y: float, tint: str, width: float = 2, style: LineStyle = "-") -> None:
        line(self.axes, (self.x(low), self.x(high)), (y, y), tint, width, style)


@dataclass(frozen=True)
class Panel:
    """A box with the coordinates −1 to 1 upwards and a scale of its own along."""

    axes: Axes
    left: float
    top: float
    width: float
    height: float
    first: float = -1.0
    last: float = 1.0

    def x(self, value: float) -> float:
        return self.left + (value - self.first) / (self.last - self.first) * self.width

    def y(self, value: float) -> float:
        return self.top + (1 - max(-1.0, min(1.0, value))) / 2 * self.height

    def grid(self, along: Sequence[tuple[float, str]]) -> None:
        bottom, right = self.top + self.height, self.left + self.width
        for value in QUARTERS:
            tint = MUTED if value == 0 else GRID
            line(self.axes, (self.left, right), (self.y(value), self.y(value)), tint, 1 if value == 0 else 0.8)
            text = signed(value, 1) if value % 1 else signed(value, 0)
            write(self.axes, self.left - 6, self.y(value) + 4, text, size=SMALL, color=MUTED, ha="right")
        for value, text in along:
            line(self.axes, (self.x(value), self.x(value)), (self.top, bottom), GRID, 0.8)
            write(self.axes, self.x(value), bottom + 15, text, size=SMALL, color=MUTED, ha="center")


def places(width: float, height: float) -> tuple[list[tuple[float, float, float]], float]:
    """Left, top and width of two panels, beside each other or below, and the height that they take with their names."""
    if width > 500:
        each = (width - 2 * 48 - 2 * 24) / 2
        return [(48.0, 40.0, each), (48.0 + each + 72, 40.0, each)], height + 90
    return [(48.0, 40.0, width - 62), (48.0, 40.0 + height + 80, width - 62)], 2 * (height + 80) + 10


class RowScale:
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


def row_name(axes: Axes, name: str, y: float, wide: bool) -> None:
    """The name of a row: before its track, or above it where there is little room."""
    write(axes, 6 if wide else 16, y + 4 if wide else y - 10, shorten(name, 38 if wide else 46), size=SMALL)
