"""The tables of results: scores, parsing, order, missing answers, framing, sensitivity and families."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from divisionbell.model.run_classes import Estimate
from divisionbell.report.evidence import AXES, ReportInput, RunEvidence
from divisionbell.report.figure_outcomes import OUTCOMES
from divisionbell.report.tables import (
    Cell,
    Table,
    bar,
    by_run_and_axis,
    limits,
    number_behind,
    respondent,
    text,
    value,
)
from divisionbell.report.words import counted, shown, signed

Runs = Sequence[RunEvidence]
ROWS = tuple((axis, axis.capitalize()) for axis in AXES)
CONTRASTS = {
    "original": "Original",
    "mirror": "Mirror",
    "d_text": "Original − mirror",
    "d_sq": "Status quo negative − positive",
    "d_frame": "Loss frame − gain frame",
    "rms_d_text": "Root mean square, original − mirror",
    "sign_change_share": "Pairs that change sign",
    "variance": "Framing variance",
    "equivalence": "Equivalence within the margin",
}
NOT_REWRITTEN = ".not_rewritten"
REPEATS = {"raw": "Same choice", "ac1": "AC1", "icc": "ICC(2,1)", "sem": "Standard error of measurement"}


def scores(given: ReportInput, runs: Runs, caption: str) -> Table:
    head = ("Respondent", "Axis", "Concrete pairs", "−1 to 1", "Families", "Implicit pairs", "−1 to 1", "Families")
    table = Table(caption, (*head, "Concrete − implicit"), frozenset({2, 4, 5, 7, 8}))
    for run, axis, row in by_run_and_axis(table, given, runs, ROWS):
        for scale in ("concrete", "implicit"):
            score, bounds = run.get(f"{scale}.{axis}"), run.get(f"{scale}.{axis}.bounds")
            cell, open_ = value(table, score), shown(bounds)
            if open_.span:
                cell = Cell(**{**cell.__dict__, "lines": (*cell.lines, f"bounds {open_.span}")})
            row += [cell, bar(score, bounds), number_behind(score)]
        row.append(value(table, run.get(f"difference.{axis}")))
    table.notes.append(
        "Below each score: its interval, then the bounds that missing answers leave open, where any are."
    )
    return table


def parsing(given: ReportInput, runs: Runs, caption: str) -> Table:
    head = ("Respondent", "Units asked", "Parsed before the reminder", "Parsed after it")
    used = [o for o in OUTCOMES if any(run.value(f"parse.outcome.{o[0]}") for run in runs)]
    titles = tuple(o[1].capitalize() for o in used)
    table = Table(caption, (*head, *titles, "How first replies were read"), frozenset(range(1, 4 + len(used))))
    for run in runs:
        row = [respondent(given, run)]
        for name in ("asked", "initial_rate", "final_rate"):
            row.append(value(table, run.get(f"parse.{name}"), n=name != "asked"))
        row += [value(table, run.get(f"parse.outcome.{code}")) for code, *_ in used]
        reasons = [f"{code} {shown(e).text}" for code, e in run.under("parse.reason.")]
        row.append(Cell(reasons[0] if reasons else "not given", tuple(reasons[1:]), muted=not reasons))
        table.groups.append([row])
    table.notes.append("A parse rate is valid / (valid + malformed). What was not obtained is counted apart.")
    table.notes.append(
        "A refusal in prose is counted as malformed (no_json); one that the provider marks as refused is counted as "
        "blocked."
    )
    return table


def order(given: ReportInput, runs: Runs, caption: str) -> Table:
    titles = ("Negative at A", "Positive at A", "A-lock", "B-lock", "Flip", "AC1", "A answered")
    names = ("order_negative_at_a", "order_positive_at_a", "a_lock", "b_lock", "flip", "ac1", "a_rate")
    table = Table(caption, ("Respondent", "Axis", *titles), frozenset(range(2, 9)))
    for run, axis, row in by_run_and_axis(table, given, runs, ROWS):
        row += [value(table, run.get(f"concrete.{axis}.{name}")) for name in names]
    table.notes += [
        "A-lock and B-lock: the letter was the same in both orders. Flip, their sum: the share of askings (an item "
        "at one repeat, in both orders) whose two choices differ, weighted as in the score of the whole form. AC1: "
        "Gwet's agreement of the two choices, 0 by chance and 1 in full. A answered: the share of all answers that "
        "were A, whatever stood there.",
    ]
    return table


def identity(given: ReportInput, runs: Runs, caption: str) -> Table:
    titles = ("Score S", "Consistent-only Sᶜ", "Coverage", "Flip", "Sᶜ × (1 − flip)")
    names = ("", ".consistent_only", ".consistent_coverage", ".flip", ".identity")
    table = Table(caption, ("Respondent", "Axis", *titles), frozenset(range(2, 7)))
    for run, axis, row in by_run_and_axis(table, given, runs, ROWS):
        row += [value(table, run.get(f"concrete.{axis}{name}"), interval=False) for name in names]
    table.notes.append(
        "With complete orders S = Sᶜ × (1 − flip) exactly. Sᶜ is read over the askings that got the same pole in both "
        "orders; coverage is their share."
    )
    return table


def missing(given: ReportInput, runs: Runs, caption: str) -> Table:
    titles = ("Bounds", "With missing answers, 95%", "Tipping point", "Items complete", "Pairs complete")
    extra = ("Families with a complete pair alone", "Missing, negative at A", "Missing, positive at A")
    table = Table(caption, ("Respondent", "Axis", *titles, *extra), frozenset(range(2, 10)))
    for run, axis, row in by_run_and_axis(table, given, runs, ROWS):
        at = f"concrete.{axis}"
        row += [limits(table, run.get(f"{at}.bounds")), limits(table, run.get(f"{at}.imbens_manski"))]
        row += [value(table, run.get(f"{at}.{name}")) for name in ("tipping_point", "items_complete", "pairs_complete")]
        observed = run.get(f"{at}.observed")
        row.append(value(table, observed, n=True) if observed else Cell("the score itself", muted=True, numeric=True))
        for name in ("negative_at_a", "positive_at_a"):
            found = run.get(f"missing.{axis}.{name}")
            row.append(value(table, found) if found else Cell("not given", muted=True, numeric=True))
    table.notes.append(
        "Bounds: the score if every missing answer had been negative, and if every one positive. Tipping point: the "
        "mean of the missing answers at which the score would be 0."
    )
    return table


def framing(given: ReportInput, runs: Runs, caption: str) -> Table:
    places = [*ROWS, ("all", "Both")]
    seen = {name for run in runs for axis, _ in places for name, _ in run.under(f"framing.{axis}.")}
    names = [name for name in CONTRASTS if name in seen] + sorted(seen - set(CONTRASTS))
    titles = tuple(CONTRASTS.get(name, name) for name in names)
    table = Table(caption, ("Respondent", "Axis", *titles), frozenset(range(2, 2 + len(names))))
    rows = [place for place in places if any(run.under(f"framing.{place[0]}.") for run in runs)]
    for run, axis, row in by_run_and_axis(table, given, runs, rows):
        for name in names:
            found = run.get(f"framing.{axis}.{name}")
            row.append(value(table, found, n=True) if found else Cell("not given", muted=True, numeric=True))
    return table


def sensitivity(given: ReportInput, runs: Runs, caption: str) -> Table:
    columns = {
        "": "Score",
        ".dossier_equal": "Equal dossiers",
        ".first_answers": "First answers alone",
        ".minority_30": "Minority of at least 30%",
        NOT_REWRITTEN: "Without rewritten pairs",
        ".smallest_detectable_difference": "Smallest detectable difference",
    }
    without = _never_without_rewritten(runs)
    if without:
        del columns[NOT_REWRITTEN]
    table = Table(caption, ("Respondent", "Axis", *columns.values()), frozenset(range(2, 2 + len(columns))))
    for run, axis, row in by_run_and_axis(table, given, runs, ROWS):
        for name in columns:
            found = run.get(f"concrete.{axis}{name}")
            none = "no pair was rewritten" if name == NOT_REWRITTEN else "not given"
            row.append(value(table, found) if found else Cell(none, muted=True, numeric=True))
    table.notes += [without] if runs and without else []
    return table


def _never_without_rewritten(runs: Runs) -> str:
    """Why no run has a score without the pairs that were rewritten on a coder's word; empty where one has."""
    found = [run.get(f"concrete.{axis}{NOT_REWRITTEN}") for run in runs for axis in AXES]
    given = [shown(estimate) for estimate in found if estimate is not None]
    if any(one.defined for one in given):
        return ""
    if not given:
        return "No pair was rewritten on a coder's word, so there is no score without such pairs."
    because = "; ".join(dict.fromkeys(one.because.rstrip(".") for one in given))
    return f"A score without the pairs that were rewritten on a coder's word is undefined in every row: {because}."


def blocks(given: ReportInput, runs: Runs, caption: str) -> Table | None:
    """The concrete score over the families of each block, where a run has any."""
    table = Table(caption, ("Respondent", "Block", "Concrete", "Implicit"), frozenset({2, 3}))
    for run in runs:
        group = []
        for name, found in run.under("concrete.social.block."):
            implicit = run.get(f"implicit.social.block.{name}")
            row = [text(name.replace("_", " ")), value(table, found, n=True)]
            row.append(value(table, implicit, n=True) if implicit else Cell("not asked", muted=True, numeric=True))
            group.append(row)
        if group:
            group[0].insert(0, respondent(given, run, rows=len(group)))
            table.groups.append(group)
    return table if table.groups else None


def retest(given: ReportInput, runs: Runs, caption: str) -> Table | None:
    """Agreement of repeats, where any run has repeats."""
    asked_again = [run for run in runs if run.under("agreement.repeat.")]
    if not asked_again:
        return None
    table = Table(caption, ("Respondent", "Axis", *REPEATS.values()), frozenset(range(2, 2 + len(REPEATS))))
    for run, axis, row in by_run_and_axis(table, given, asked_again, (("", "Both"), *ROWS)):
        place = f"agreement.repeat.{axis}." if axis else "agreement.repeat."
        for name in REPEATS:
            found = run.get(f"{place}{name}")
            row.append(value(table, found, n=True) if found else Cell("not given", muted=True, numeric=True))
    table.notes.append(
        "Same choice: share of pairs of repeats that chose the same pole. AC1: Gwet's agreement, 0 by chance and 1 in "
        "full. ICC(2,1): share of the spread of one asking that lies between items. Standard error of measurement: how "
        "far an item's score moves from asking to asking, in coordinates."
    )
    return table


def families(run: RunEvidence, axis: str) -> Table:
    """The family means of one run on one axis and the score without each."""
    head = ("Issue family", "Concrete mean", "Its dossiers, one by one", "Score without it", "Implicit mean")
    scale = run.concrete.get(axis)
    singles = {} if scale is None else scale.dossier_scores
    constrained = " (constrained decoding)" if run.header.constrained else ""
    caption = f"{run.title}{constrained}: families of the {axis} axis"
    table = Table(caption, head, frozenset({1, 3, 4}))
    for name, mean in run.under(f"concrete.{axis}.family."):
        row = [text(name.replace("-", " "), heading=True), value(table, mean, n=True)]
        scores = sorted(float(score) for score in singles.get(name, ()))
        row.append(Cell(", ".join(map(signed, scores)) or "not given", muted=not scores))
        row.append(value(table, run.get(f"concrete.{axis}.without.{name}")))
        implicit = run.get(f"implicit.{axis}.family.{name}")
        row.append(value(table, implicit) if implicit else Cell("not asked", muted=True, numeric=True))
        table.groups.append([row])
    return table


def every_number(runs: Runs) -> Table:
    """Every estimate of a few runs under its own name, with its definition told once."""
    marks = [f"{run.title}{' (constrained decoding)' if run.header.constrained else ''}" for run in runs]
    table = Table(f"{', '.join(marks)}: every estimate by name", ("Name and definition", *marks))
    table.numeric = frozenset(range(1, 1 + len(marks)))
    names = dict.fromkeys(estimate.name for run in runs for estimate in run.score.estimates)
    for name in names:
        found = [run.get(name) for run in runs]
        first = next(estimate for estimate in found if estimate is not None)
        row = [Cell(name, (f"{first.definition} ({first.standing})",), heading=True)]
        row += [_number(table, estimate) for estimate in found]
        table.groups.append([row])
    return table


def _number(table: Table, estimate: Estimate | None) -> Cell:
    if estimate is None:
        return Cell("not given", numeric=True, muted=True)
    span_only = estimate.value is None and estimate.low is not None
    made = limits(table, estimate) if span_only else value(table, estimate)
    behind = [] if estimate.n is None else [counted(estimate.n, estimate.n_of or "").strip()]
    return replace(made, lines=(*made.lines, *behind), name="")
