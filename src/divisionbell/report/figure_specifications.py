"""The specification curve: the score under every set of choices, sorted, with the choices below as dots."""

from __future__ import annotations

from collections.abc import Iterable

from matplotlib.figure import Figure

from divisionbell.report.evidence import AXES, RunEvidence
from divisionbell.report.figure_style import (
    INK,
    MUTED,
    SERIES,
    SMALL,
    Drawing,
    Stroke,
    canvas,
    drawing,
    mark,
    strokes,
    write,
)
from divisionbell.report.figure_track import Panel
from divisionbell.report.specifications import CHOICES, Specification, specifications
from divisionbell.report.words import count, shorten, signed

CURVE, ROW, GAP = 170.0, 13.0, 6.0
Row = tuple[int, str, str]


def _rows(found: Iterable[Specification]) -> list[Row]:
    """The choices that some specification made: which of the four it belongs to, its name and its words."""
    made = {(part, choice) for one in found for part, choice in enumerate(one.choices)}
    return [
        (part, choice, words) for part, (_, of) in enumerate(CHOICES) for choice, words in of if (part, choice) in made
    ]


def has_specifications(run: RunEvidence) -> bool:
    return any(specifications(run, axis) for axis in AXES)


def draw_specifications(run: RunEvidence, name: str) -> Drawing:
    """Both axes of one model."""
    found = {axis: specifications(run, axis) for axis in AXES}
    used = [axis for axis in AXES if found[axis]]
    rows = _rows(one for axis in used for one in found[axis])
    below = len(rows) * ROW + len(CHOICES) * GAP

    def draw(width: float) -> Figure:
        wide = width > 500
        left = 150.0 if wide else 122.0
        block = CURVE + below + 70
        figure, axes = canvas(width, len(used) * block + 6)
        for number, axis in enumerate(used):
            top = 34 + number * block
            across = width - left - 14
            panel = Panel(axes, left, top, across, CURVE, -0.5, len(found[axis]) - 0.5)
            write(axes, 6, top - 14, f"{axis.capitalize()} axis", bold=True)
            panel.grid([])
            _curve(panel, found[axis])
            _dots(panel, found[axis], rows, top + CURVE + 14, 9.5 if not wide else SMALL)
        return figure

    return drawing(
        name,
        f"Specification curve of {shorten(run.title, 60)}",
        ". ".join(_told(axis, found[axis]) for axis in used) + ".",
        "Each column is one way of computing the score on concrete pairs from the same answers; they are sorted by "
        "value and the dots below say which choices were made. The large mark is the headline. A choice that "
        "changes nothing here is left out. The curve shows how much the score depends on choices; its spread is no "
        f"interval.{_on_uprights(one for axis in used for one in found[axis])}",
        draw,
    )


def _on_uprights(found: Iterable[Specification]) -> str:
    """What the upright lines are, where any is drawn."""
    if not any(one.low is not None and one.high is not None for one in found):
        return ""
    return " A grey upright line is the interval of that one score over families, where the score document holds it."


def _told(axis: str, found: list[Specification]) -> str:
    said = (
        f"{axis}: {count(len(found))} specifications from {signed(found[0].value)} to {signed(found[-1].value)}, "
        f"{count(sum(one.value < 0 for one in found))} of them negative"
    )
    headline = next((one for one in found if one.headline), None)
    return said if headline is None else f"{said}; headline {signed(headline.value)}"


def _curve(panel: Panel, found: list[Specification]) -> None:
    spans = [
        ((panel.x(at), panel.y(one.low)), (panel.x(at), panel.y(one.high)))
        for at, one in enumerate(found)
        if one.low is not None and one.high is not None
    ]
    strokes(panel.axes, spans, MUTED, 1.5)
    strokes(
        panel.axes,
        [_dot(panel.x(at), panel.y(one.value)) for at, one in enumerate(found)],
        SERIES[0],
        5,
        round_ends=True,
    )
    for at, one in enumerate(found):
        if one.headline:
            mark(panel.axes, panel.x(at), panel.y(one.value), SERIES[1], shape="D", size=7)


def _dots(panel: Panel, found: list[Specification], rows: list[Row], top: float, size: float) -> None:
    y = top
    for index, (part, choice, words) in enumerate(rows):
        if index and rows[index - 1][0] != part:
            y += GAP
        write(panel.axes, panel.left - 8, y + 4, words, size=size, color=INK, ha="right")
        here = [at for at, one in enumerate(found) if one.choices[part] == choice]
        heads = [at for at in here if found[at].headline]
        strokes(panel.axes, [_dot(panel.x(at), y) for at in here if at not in heads], MUTED, 4, round_ends=True)
        strokes(panel.axes, [_dot(panel.x(at), y) for at in heads], SERIES[1], 6, round_ends=True)
        y += ROW


def _dot(x: float, y: float) -> Stroke:
    return (x, y), (x + 0.02, y)
