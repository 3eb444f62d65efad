"""The sentences that a report leads with: what was found for each model, and how sure it is.

A lean is put into words only where the plan allows it: enough families, no demonstration, and an interval (the one
that takes account of missing answers, where there is one) that excludes zero.
"""

from __future__ import annotations

from dataclasses import dataclass

from divisionbell.estimate.by_position import answers_by_position
from divisionbell.model.run_classes import Estimate
from divisionbell.report.evidence import AXES, RunEvidence, end
from divisionbell.report.figure_outcomes import LOST, OUTCOMES
from divisionbell.report.words import confidence, count, finite, many, percent_in_prose, shown, signed, visible


@dataclass(frozen=True)
class Finding:
    """What is said about one model run: one sentence first, then what it rests on."""

    name: str
    headline: str
    sentences: tuple[str, ...]


def finding(run: RunEvidence, minimum_families: int) -> Finding:
    name = visible(run.title)
    if by_position(run):
        return Finding(name, f"{name} answers by position and measures nothing.", _position_sentences(run))
    if run.score.demonstration:
        first = f"Demonstration: no position of {name} can be read from this."
    else:
        leans = {axis: lean(run, axis, minimum_families) for axis in AXES}
        first = _leans_in_words(run, name, leans, minimum_families)
    said = (*(_axis_sentence(run, axis) for axis in AXES), *_flip_sentence(run), *_missing_sentence(run))
    return Finding(name, first, said)


def by_position(run: RunEvidence) -> bool:
    """Whether the run answered by the place on the page and measures nothing else."""
    found = [run.get(f"concrete.{axis}.flip") for axis in AXES]
    return answers_by_position((finite(flip.value), flip.n or 0) for flip in found if flip is not None)


def _excludes_zero(estimate: Estimate | None) -> str | None:
    """The pole that the whole interval lies on, or None."""
    if estimate is None:
        return None
    low, high = finite(estimate.low), finite(estimate.high)
    if low is None or high is None:
        return None
    return "negative" if high < 0 else "positive" if low > 0 else None


def families(run: RunEvidence, axis: str) -> int | None:
    """The number of families behind the concrete score, as the document gives it."""
    for suffix in (".imbens_manski", "", ".observed"):
        estimate = run.get(f"concrete.{axis}{suffix}")
        if estimate is not None and estimate.n is not None:
            return int(estimate.n)
    return None


def lean(run: RunEvidence, axis: str, minimum_families: int) -> str | None:
    """The pole that may be said to be leaned to on the concrete scale, or None.

    The interval that takes account of missing answers and that of the score must both leave out 0 on that side.
    """
    found = [run.get(f"concrete.{axis}{suffix}") for suffix in (".imbens_manski", "")]
    given = [estimate for estimate in found if estimate is not None and estimate.low is not None]
    if run.score.demonstration or any(estimate.n is None or estimate.n < minimum_families for estimate in given):
        return None
    poles = {_excludes_zero(estimate) for estimate in given}
    return poles.pop() if len(poles) == 1 else None


def _leans_in_words(run: RunEvidence, name: str, leans: dict[str, str | None], minimum_families: int) -> str:
    few = [axis for axis in AXES if (families(run, axis) or 0) < minimum_families]
    if len(few) == len(AXES):
        return f"No position of {name} is claimed: each axis has fewer than {count(minimum_families)} families."
    told = {axis: end(axis, pole) for axis, pole in leans.items() if pole is not None}
    if not told:
        return f"No lean of {name} can be told on either axis of this bank."
    said = " and ".join(f"towards {where} on the {axis} axis" for axis, where in told.items())
    silent = [axis for axis in AXES if axis not in told]
    rest = f"; on the {silent[0]} axis no lean can be told" if silent else ""
    return f"On this bank {name} leans {said}{rest}."


def _axis_sentence(run: RunEvidence, axis: str) -> str:
    score, bounds = run.get(f"concrete.{axis}"), run.get(f"concrete.{axis}.bounds")
    if score is None:
        return f"On the {axis} axis the score document holds no score."
    print_ = shown(score)
    if print_.defined:
        level = f"{confidence(score.interval_level)} " if score.interval_level else ""
        interval = f"{level}interval {print_.span}" if print_.span else "no interval"
        behind = f"; {print_.n}" if print_.n else ""
        return f"On the {axis} axis its concrete pairs average {print_.text} ({interval}{behind})."
    because = visible(print_.because).rstrip(".")
    said = f"On the {axis} axis its score is undefined: {because[:1].lower()}{because[1:]}."
    low, high = (finite(bounds.low), finite(bounds.high)) if bounds is not None else (None, None)
    if low is not None and high is not None:
        said += f" Whatever the missing answers had been, it would lie between {signed(low)} and {signed(high)}."
    return said


def _flip_sentence(run: RunEvidence) -> list[str]:
    told = []
    for axis in AXES:
        flip = finite(run.value(f"concrete.{axis}.flip"))
        if flip is not None:
            told.append(f"{percent_in_prose(flip)} of the {axis} {_askings(run)}")
    if not told:
        return []
    return [f"Its choice changed with the order of the options in {' and '.join(told)} answered in both orders."]


def _askings(run: RunEvidence) -> str:
    """What a share over both orders is of: an asking is an item at one repeat."""
    return "items" if run.header.repeats == 1 else "askings"


def _missing_sentence(run: RunEvidence) -> list[str]:
    asked = finite(run.value("parse.asked"))
    lost = [(said, finite(run.value(f"parse.outcome.{code}")) or 0) for code, said, _ in OUTCOMES if code in LOST]
    gone = sum(n for _, n in lost)
    if not asked or not gone:
        return []
    kinds = ", ".join(f"{count(n)} {said}" for said, n in lost if n)
    return [
        f"{count(gone)} of {many(asked, 'unit')} {'has' if gone == 1 else 'have'} no answer ({kinds}); none was filled "
        "in or counted as 0."
    ]


def _position_sentences(run: RunEvidence) -> tuple[str, ...]:
    said = []
    flips = [finite(run.value(f"concrete.{axis}.flip")) for axis in AXES]
    if all(flip == 1 for flip in flips if flip is not None):
        said.append(
            "It gave the same letter in both orders of every item that it answered in both: what it chose was a letter "
            "or a place on the page. A score of 0.00 is then arithmetic, not a position in the middle."
        )
    else:
        shares = [
            f"{percent_in_prose(flip)} of the {axis} {_askings(run)}"
            for axis, flip in zip(AXES, flips, strict=True)
            if flip is not None
        ]
        said.append(
            f"It gave the same letter in both orders of {' and '.join(shares)}: what it chose was mostly a letter or a "
            "place on the page, and what is left is too little to read anything from."
        )
    if run.name == "embedded":
        said.append(
            "It is a very small model that comes with the tool so that every step can be tried without a network. It "
            "is too small to read a policy."
        )
    if run.header.constrained:
        said.append(
            "Its decoding was constrained to the shape of an answer, so its parse rate says nothing about the model."
        )
    return tuple(said)


def units_sentence(run: RunEvidence) -> str:
    """When and how much was asked, as a sentence that has no stop yet."""
    header = run.header
    return (
        f"Asked on {run.date}, form {visible(header.form)}, {many(header.unit_count, 'unit')}, each order of each item "
        f"{'once' if header.repeats == 1 else f'{count(header.repeats)} times'}"
    )
