"""Every figure of a report, in the order of the page. They draw what the score documents say and compute nothing."""

from __future__ import annotations

from collections.abc import Iterator

from divisionbell.report.evidence import ReportInput
from divisionbell.report.figure_drift import draw_drift, repeated
from divisionbell.report.figure_families import draw_families
from divisionbell.report.figure_forest import draw_forest
from divisionbell.report.figure_framing import draw_framing, has_framing
from divisionbell.report.figure_map import draw_map
from divisionbell.report.figure_outcomes import draw_outcomes
from divisionbell.report.figure_rows import draw_order
from divisionbell.report.figure_specifications import draw_specifications, has_specifications
from divisionbell.report.figure_square import draw_squares
from divisionbell.report.figure_style import Drawing
from divisionbell.report.figure_tipping import draw_tipping, with_gaps
from divisionbell.report.order_square import shown_runs

MOST_DRAWN = 5  # models whose families and specifications are drawn; the others are tables


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
    if repeated(given):
        yield draw_drift(given)
    yield draw_outcomes(given)
    if shown_runs(given):
        yield draw_squares(given)
    yield draw_order(given)
    for number, run in enumerate(given.models[:MOST_DRAWN], start=1):
        yield draw_families(run, numbered("families", number))
    if with_gaps(given):
        yield draw_tipping(given)
    if any(has_framing(run) for run in given.models):
        yield draw_framing(given)
    for number, run in enumerate(given.models[:MOST_DRAWN], start=1):
        if has_specifications(run):
            yield draw_specifications(run, numbered("specifications", number))
