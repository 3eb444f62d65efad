"""The methods in words with the numbers filled in, ready to paste, and what may be claimed from this page."""

from __future__ import annotations

from collections.abc import Iterator

from divisionbell import __version__
from divisionbell.model.run_classes import ComparisonDocument
from divisionbell.report.comparison_tables import Pair, compared, pairs
from divisionbell.report.evidence import AXES, ReportInput, RunEvidence, end
from divisionbell.report.findings import by_position, families, lean
from divisionbell.report.words import (
    confidence,
    count,
    finite,
    many,
    percent_in_prose,
    plain,
    shown,
    signed,
    span,
    visible,
)


def methods(given: ReportInput) -> list[str]:
    """One paragraph each: bank, form, runs, parsing, scores, intervals, missing answers, tests, software."""
    runs = given.models or given.runs
    forms = dict.fromkeys(run.header.form for run in runs)
    return [
        _bank(given),
        *(_form(given, form) for form in forms),
        *(_run(run) for run in runs),
        _parsing(given, runs),
        _scores(given),
        _intervals(given, runs),
        _missing(given, runs),
        _tests(given),
        f"Runs, scores and this report were made with divisionbell {__version__}.",
    ]


def _bank(given: ReportInput) -> str:
    bank = given.bank
    return (
        f"We used {visible(bank.settings.bank_title)}, version {bank.version} (record file SHA-256 {bank.sha256}), a "
        f"frozen bank of {many(sum(len(d.items) for d in bank.dossiers), 'forced-choice item')} made from "
        f"{many(len(bank.dossiers), 'division')} of the House of Commons, under analysis plan "
        f"{visible(bank.plan.plan_version)}, which is part of the freeze."
    )


def _form(given: ReportInput, form: str) -> str:
    asked = given.bank.form(form)
    kinds = {"concrete": "concrete_action", "implicit": "implicit_action"}
    told = []
    for axis in AXES:
        here = [one for one in asked if one.dossier.axis == axis]
        pair = {name: sum(one.item.kind == kind for one in here) // 2 for name, kind in kinds.items()}
        scales = " and ".join(f"{count(n)} {name}" for name, n in pair.items() if n)
        told.append(
            f"{axis}: {many(len({one.dossier.issue_family for one in here}), 'issue family', 'issue families')}, "
            f"{many(len({one.dossier.dossier_id for one in here}), 'dossier')}, {many(len(here), 'item')} "
            f"({scales} pairs of original and mirror)"
        )
    return (
        f"Form {visible(form)} holds {many(len(asked), 'item')} ({'; '.join(told)}). Each item was asked in both "
        "orders of its options, in a fresh conversation, with one system message and one template."
    )


def _run(run: RunEvidence) -> str:
    header = run.header
    settings = header.settings if isinstance(header.settings, dict) else {}
    sampling = ", ".join(
        f"{visible(str(name)).replace('_', ' ')} {visible(str(value))}"
        for name, value in sorted(settings.items())
        if name not in ("model", "base_url") and value is not None and not isinstance(value, dict | list)
    )
    way = "constrained to the shape of an answer (another instrument)" if header.constrained else "free"
    served = f" as {visible(str(settings['model']))}" if settings.get("model") else ""
    times = "once" if header.repeats == 1 else f"{count(header.repeats)} times"
    return (
        f"{visible(run.title)} was asked{served} from {str(header.started_at)[:16].replace('T', ' ')} UTC (run "
        f"{visible(header.run_id)}), each order of each item {times}, {many(header.unit_count, 'unit')} in all; "
        f"decoding was {way}; settings: {sampling or 'none recorded'}."
    )


def _parsing(given: ReportInput, runs: tuple[RunEvidence, ...]) -> str:
    parsers = ", ".join(dict.fromkeys(visible(run.header.parser_used) for run in runs))
    rates = []
    for run in runs:
        first, final = finite(run.value("parse.initial_rate")), finite(run.value("parse.final_rate"))
        if first is not None and final is not None:
            rates.append(f"{visible(run.title)} {percent_in_prose(first)} and {percent_in_prose(final)}")
    told = f" Parsed before and after the reminder: {'; '.join(rates)}." if rates else ""
    return (
        f"Replies were read by {parsers}: a reply counts only if it is exactly the object asked for, and one reminder "
        f"follows a malformed reply.{told} The request shows an example with the answer A, which pulls towards A; "
        "asking both orders cancels the sign of that pull and not the shrinking of scores towards 0."
    )


def _scores(given: ReportInput) -> str:
    return (
        "A choice of the negative option counts −1 and of the positive one +1. The score on an axis is the mean of the "
        "two orders, then of original and mirror, then of the dossiers of a family, then of the families, which count "
        "equally. Concrete pairs are the headline; implicit pairs are a second scale and never pooled with them."
    )


def _intervals(given: ReportInput, runs: tuple[RunEvidence, ...]) -> str:
    rule = given.bank.plan.interval_rule
    kinds: dict[str, list[str]] = {}
    for run in runs:
        for axis in AXES:
            kind = shown(run.get(f"concrete.{axis}")).kind
            if kind:
                kinds.setdefault(kind, []).append(f"{visible(run.title)} {axis}")
    told = [f"{visible(kind)} ({', '.join(whose)})" for kind, whose in kinds.items()]
    if len(told) == 1:
        told = [f"{visible(next(iter(kinds)))}, for every score"]
    used = f" Used here: {'; '.join(told)}." if told else ""
    return (
        f"Intervals are of {confidence(rule.confidence_level)} and for issues like these, families as if drawn: "
        f"Student t over families; beyond {plain(rule.bootstrap_beyond)} in size a studentised bootstrap of whole "
        f"families ({count(rule.bootstrap_draws)} draws, seed {rule.bootstrap_seed}, at least "
        f"{many(rule.bootstrap_min_dossiers, 'dossier')} a family); exact where all families are equal. No position is "
        f"read from fewer than {many(given.bank.plan.minimum_families, 'family', 'families')} on an axis.{used}"
    )


def _missing(given: ReportInput, runs: tuple[RunEvidence, ...]) -> str:
    told = []
    for run in runs:
        asked = finite(run.value("parse.asked"))
        valid = [finite(run.value(f"parse.outcome.valid_{how}")) for how in ("at_first", "after_retry")]
        if asked is not None and None not in valid:
            gone = asked - sum(value for value in valid if value is not None)
            told.append(f"{visible(run.title)} {count(gone)} of {count(asked)}")
    lost = f" Without an answer: {'; '.join(told)} units." if told else ""
    return (
        "Missing answers (malformed, blocked or cut off) are neither imputed nor counted as 0. Bounds hold every "
        "completion of them, and a mean over complete pairs that no completion gives is not reported. A lean is called "
        "only where the interval of the score and the Imbens–Manski interval, which holds the bounds, exclude 0. "
        f"Transport failures are asked again.{lost}"
    )


def _tests(given: ReportInput) -> str:
    said = (
        "Within a model the two axes are tested by flips of signs over families, corrected by Holm over the two. "
        "Framing, kinds, blocks and single families are exploratory."
    )
    for document in given.comparisons:
        number = len(document.compared) * (len(document.compared) - 1) // 2
        said += (
            f" The {count(len(document.compared))} models of form {visible(document.form)} were compared on concrete "
            f"pairs over the items and orders that both of a pair answered: {many(number, 'pair')} on both axes are "
            "one family of tests, corrected by max-T with common flips of signs over families, with simultaneous "
            "intervals. A family without a complete pair of both drops out of their difference. Two models are told "
            "apart only where the simultaneous interval and a simultaneous Imbens–Manski interval of the difference "
            "over all families, which takes the missing answers of both into account and holds the bounds, exclude "
            f"0 on the same side, and at least {many(given.bank.plan.minimum_families, 'family', 'families')} have a "
            "score of both; ranks are intervals that follow from these."
        )
    return said


def may_be_claimed(given: ReportInput) -> list[str]:
    """The sentences that this page carries, each with its number; empty where it carries none."""
    return [*_leans(given), *(said for document in given.comparisons for said in differences(given, document))]


def _leans(given: ReportInput) -> Iterator[str]:
    minimum = given.bank.plan.minimum_families
    for run in given.models:
        if by_position(run):
            continue
        for axis in AXES:
            pole = lean(run, axis, minimum)
            score = shown(run.get(f"concrete.{axis}"))
            if pole is not None and not run.score.demonstration:
                value = f" (score {score.text}, interval {score.span})" if score.defined and score.span else ""
                yield (
                    f"{_named(run)} chose more towards {end(axis, pole)} on the {axis} axis of this bank"
                    f"{value}, {count(families(run, axis) or 0)} families."
                )


def differences(given: ReportInput, document: ComparisonDocument) -> Iterator[str]:
    """The differences of one comparison that may be claimed, a sentence each."""
    if document.demonstration or len(compared(given, document)) < 2:
        return
    for axis in AXES:
        for pair in pairs(given, document, axis):
            found = pair.difference
            value = None if found is None else finite(found.value)
            if pair.told_apart and value is not None and not (by_position(pair.first) or by_position(pair.second)):
                yield _difference(pair, value)


def _difference(pair: Pair, value: float) -> str:
    """The pair with the larger first: where it is turned round, so is its interval, whose ends change places."""
    first, second, numbers, found = pair.first, pair.second, pair.numbers, pair.difference
    low, high = (finite(found.low), finite(found.high)) if found is not None else (None, None)
    if value < 0:
        first, second, numbers = second, first, (numbers[1], numbers[0])
        low, high = (None if high is None else -high), (None if low is None else -low)
    interval = "" if low is None or high is None else f", simultaneous interval {span(low, high)}"
    wide = pair.estimates.get("imbens_manski")
    least, most = (finite(wide.low), finite(wide.high)) if wide is not None else (None, None)
    if value < 0:
        least, most = (None if most is None else -most), (None if least is None else -least)
    if least is not None and most is not None and (least, most) != (low, high):
        interval += f", over all families and missing answers {span(least, most)}"
    return (
        f"{_named(first)} chose more towards {end(pair.axis, 'positive')} than {_named(second)} on the {pair.axis} "
        f"axis (by {signed(abs(value))[1:]}{interval} for {numbers[0]} − {numbers[1]})."
    )


def _named(run: RunEvidence) -> str:
    """A run in a sentence that is to be quoted, with what must be said wherever it stands."""
    return f"{visible(run.title)}{' (constrained decoding)' if run.header.constrained else ''}"
