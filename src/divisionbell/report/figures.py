"""Every figure of a report, in the order of the page. They draw what the score documents say and compute nothing."""

from __future__ import annotations

from collections.abc import Iterator

from divisionbell.report.evidence import ReportInput
from divisionbell.report.figure_forest import draw_forest
from divisionbell.report.figure_map import draw_map
from divisionbell.report.figure_outcomes import draw_outcomes
from divisionbell.report.figure_rows import draw_families, draw_order
from divisionbell.report.figure_style import Drawing

MOST_DRAWN = 5  # models whose families are drawn; the others are tables


def numbered(name: str, number: int) -> str:
    """The name of the figure of one model or comparison: the first one bears none."""
    return name if number == 1 else f"{name}-{number}"


def draw_all(given: ReportInput) -> dict[str, Drawing]:
    """Every figure that the runs have something for, by name."""
    return {drawing.name: drawing for drawing in _every(given)}


def _every(given: ReportInput) -> Iterator[Drawing]:
    yield draw_map(given)
    for number, document in enumerate(given.comparisons, start=1):
        yield draw_forest(given, document, numbered("differences", number))
    yield draw_outcomes(given)
    yield draw_order(given)
    for number, run in enumerate(given.models[:MOST_DRAWN], start=1):
        yield draw_families(run, numbered("families", number))
