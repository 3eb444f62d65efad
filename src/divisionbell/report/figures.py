"""Every figure of a report, in the order of the page. They draw what the score documents say and compute nothing."""

from __future__ import annotations

from divisionbell.report.evidence import ReportInput
from divisionbell.report.figure_map import draw_map
from divisionbell.report.figure_outcomes import draw_outcomes
from divisionbell.report.figure_rows import draw_families, draw_order
from divisionbell.report.figure_style import Drawing


def draw_all(given: ReportInput) -> dict[str, Drawing]:
    """The map, the outcomes, the scores by order and, where a model was asked, its families; by name."""
    made = [draw_map(given), draw_outcomes(given), draw_order(given)]
    if given.models:
        made.append(draw_families(given, given.models[0]))
    return {drawing.name: drawing for drawing in made}
