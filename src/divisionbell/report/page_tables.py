"""Every table of a page, by the name of its file."""

from __future__ import annotations

from divisionbell.model.run_classes import ComparisonDocument
from divisionbell.report import audit_tables, comparison_tables, result_tables
from divisionbell.report.evidence import AXES, ReportInput, RunEvidence
from divisionbell.report.order_square import order_square
from divisionbell.report.tables import Table

RUNS_IN_ONE_TABLE = 5  # of every number


def every(given: ReportInput) -> dict[str, Table]:
    """All of them, those with a number in the order of the page."""
    made = {name: table for name, table in of_results(given).items() if table is not None and table.groups}
    for number, document in enumerate(given.comparisons, start=1):
        for name, table in zip(("differences", "ranks"), of_comparison(given, document), strict=True):
            made[f"{name}-{number}"] = table
    numbers = {run.header.run_id: number for number, run in enumerate(given.models, start=1)}
    for run, axis, table in of_families(given):
        made[f"families-{numbers[run.header.run_id]}-{axis}"] = table
    for number, table in enumerate(of_numbers(given), start=1):
        made[f"numbers-{number}"] = table
    return made


def of_families(given: ReportInput) -> list[tuple[RunEvidence, str, Table]]:
    return [(run, axis, result_tables.families(run, axis)) for run in given.models for axis in AXES]


def of_numbers(given: ReportInput) -> list[Table]:
    """Every estimate, a few runs to a table."""
    starts = range(0, len(given.runs), RUNS_IN_ONE_TABLE)
    return [result_tables.every_number(given.runs[at : at + RUNS_IN_ONE_TABLE]) for at in starts]


def of_comparison(given: ReportInput, document: ComparisonDocument) -> tuple[Table, Table]:
    return comparison_tables.differences(given, document), comparison_tables.ranks(given, document)


def of_results(given: ReportInput) -> dict[str, Table | None]:
    """The tables that stand once on a page, by name; None where there is nothing for one."""
    models, others = given.models, given.others
    beside = "Scripted responders and parties, which are not models"
    return {
        "scores": result_tables.scores(given, models, "Models: scores on concrete pairs, and on implicit pairs beside"),
        "parsing": result_tables.parsing(given, models, "Models: parse rates, outcomes and reasons"),
        "order-square": order_square(given),
        "order": result_tables.order(given, models, "Models: concrete pairs by the order of the options"),
        "identity": result_tables.identity(given, models, "Models: the score without inconsistent choices"),
        "missing": result_tables.missing(given, models, "Models: what missing answers leave open on concrete pairs"),
        "framing": result_tables.framing(given, models, "Models: framing contrasts on concrete pairs, exploratory"),
        "sensitivity": result_tables.sensitivity(given, models, "Models: the score read in other ways"),
        "blocks": result_tables.blocks(given, models, "Models: blocks of the social axis, exploratory"),
        "retest": result_tables.retest(given, models, "Models: agreement of repeats"),
        "other_scores": result_tables.scores(given, others, f"{beside}: scores"),
        "other_order": result_tables.order(given, others, f"{beside}: by the order of the options"),
        "other_parsing": result_tables.parsing(given, others, f"{beside}: parse rates and outcomes"),
        "certificate": audit_tables.certificate(given.certificate),
        "wording": audit_tables.wording(given.wording),
        "parties": audit_tables.parties(given),
    }
