"""The sentences that a reader needs beside the numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import orjson

from divisionbell.diagnostics import percent, signed
from divisionbell.estimate.by_position import answers_by_position
from divisionbell.estimate.enough import lacking
from divisionbell.estimate.framing_estimates import contrasts, verdict
from divisionbell.estimate.missingness import by_order
from divisionbell.estimate.position_estimates import scale_position
from divisionbell.estimate.scale import AXES, Scale
from divisionbell.estimate.two_axes import holm, sign_flip
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.model.classes import AnalysisPlan
from divisionbell.run.outcomes import MISSING
from divisionbell.score.answers import Answers
from divisionbell.score.apply_key import Cells
from divisionbell.score.serving_warnings import serving_warnings
from divisionbell.statistics.framing import DELTA

Header = Mapping[str, Any]
Concrete = Mapping[str, Scale]
"""Axis -> its concrete scale, both axes."""
Ends = tuple[float, float]
Intervals = Mapping[str, tuple[Ends | None, Ends]]
"""Axis -> interval of the concrete score, None where the score is undefined, and Imbens-Manski interval."""

#: Ends closer than this are of one interval.
SAME_INTERVAL = 1e-9


def is_demonstration(concrete: Concrete, plan: AnalysisPlan) -> bool:
    """True where an axis has fewer families than the plan asks for, or a family with fewer than two dossiers."""
    return bool(_lacking(concrete, plan))


def _lacking(concrete: Concrete, plan: AnalysisPlan) -> list[str]:
    return lacking({axis: scale.dossiers_per_family for axis, scale in concrete.items()}, plan.minimum_families)


def _demonstration(concrete: Concrete, plan: AnalysisPlan) -> list[str]:
    missing = _lacking(concrete, plan)
    if not missing:
        return []
    counts = " and ".join(
        f"{len(set(scale.dossier.tolist()))} {axis} dossiers in {len(scale.families)} families"
        for axis, scale in concrete.items()
    )
    return [f"Demonstration: no position can be read from this. {counts} were asked; {'; '.join(missing)}."]


def _by_position(concrete: Concrete) -> list[str]:
    found = {axis: scale_position(scale) for axis, scale in concrete.items() if scale.pairs}
    if not answers_by_position((position.flip, position.n) for position in found.values()):
        return []
    parts = [
        f"in {percent(position.flip)} of {axis} {'items' if concrete[axis].repeats == 1 else 'askings'} (A in "
        f"{percent(position.a_lock or 0.0)}, B in {percent(position.b_lock or 0.0)})"
        for axis, position in found.items()
        if position.flip is not None
    ]
    return [
        f"It answers by position, not by content: it gave the same letter in both orders {' and '.join(parts)}, "
        "whichever option stood there; this run measures position bias and no political position."
    ]


def _constrained(header: Header) -> list[str]:
    if not header["constrained"]:
        return []
    return [
        "Constrained decoding: replies were forced into the answer's shape. That is another instrument: its parse "
        "rates say nothing and its scores are not to be set beside those of free replies."
    ]


def _missing(cells: Cells) -> list[str]:
    lost = Counter(str(outcome) for outcome in cells.outcome.ravel().tolist())
    parts = [f"{lost[outcome]} {outcome.replace('_', ' ')}" for outcome in MISSING if lost[outcome]]
    if not parts:
        return []
    count = sum(lost[outcome] for outcome in MISSING)
    made = [
        f"{count} of {cells.outcome.size} units have no answer ({', '.join(parts)}). None is imputed or counted as 0: "
        "scores have bounds that hold every completion."
    ]
    if count == cells.outcome.size:
        made.append("No unit has an answer: every score is undefined and may lie anywhere from -1 to 1.")
    return made


def _missing_by_order(cells: Cells) -> list[str]:
    made = []
    for axis in AXES:
        here = [asked.dossier.axis == axis for asked in cells.items]
        if not any(here):
            continue
        found = by_order(~cells.answered[here])
        if found.flagged and found.p is not None:
            made.append(
                f"Missing answers on the {axis} axis go with the order: {percent(found.negative_at_a)} missing with "
                f"the negative option at A, {percent(found.positive_at_a)} with the positive one (exact McNemar p "
                f"{_p(found.p)}). The order that was answered does not stand in for the other."
            )
    return made


def _not_administered(bank: FrozenBank, header: Header, cells: Cells) -> list[str]:
    if not cells.not_administered:
        return []
    every = {asked.dossier.dossier_id: asked.dossier.issue_family for asked in bank.form(header["form"])}
    left = {asked.dossier.issue_family for asked in cells.items}
    gone = sorted(set(every.values()) - left)
    text = (
        f"{len(cells.not_administered)} of {len(every)} dossiers were not administered, because the respondent has no "
        "position on them; they drop out of the form and leave no bounds."
    )
    return [f"{text} Families that drop out with them: {', '.join(gone)}." if gone else text]


def _two_axes(concrete: Concrete, seed: int) -> list[str]:
    if not all(scale.whole for scale in concrete.values()):
        return []
    found = {axis: sign_flip(list(scale.family_scores.values()), seed) for axis, scale in concrete.items()}
    adjusted = holm(*(found[axis].p for axis in AXES))
    parts = [
        f"{axis} p {_p(found[axis].p)}, {_p(corrected)} by Holm over the two axes"
        for axis, corrected in zip(AXES, adjusted, strict=True)
    ]
    least = [
        f"{_p(found[axis].smallest)} on the {axis} axis, where {found[axis].families} families are not at 0"
        for axis in AXES
    ]
    return [
        "Exploratory: could the score on concrete pairs be 0? With the signs of whole families flipped at random, "
        f"{'; '.join(parts)}. No p, before Holm, can be below {'; '.join(least)}."
    ]


def _leans(concrete: Concrete, plan: AnalysisPlan, intervals: Intervals) -> list[str]:
    if is_demonstration(concrete, plan):
        return []
    made = []
    for axis in concrete:
        made.append(_lean(axis, *intervals[axis]))
    return made


def _lean(axis: str, of_score: Ends | None, over_all: Ends) -> str:
    """Whether a lean is called, by both intervals where there are two that are not the same."""
    on = f"On the {axis} axis (concrete pairs)"
    manski = f"the Imbens-Manski interval, which takes missing answers into account, reaches {_from_to(over_all)}"
    if of_score is None:
        return f"{on} the score is undefined and has no interval; {manski}. {_called(over_all)}"
    if max(abs(of_score[0] - over_all[0]), abs(of_score[1] - over_all[1])) <= SAME_INTERVAL:
        return f"{on} the interval of the score reaches {_from_to(of_score)}. {_called(of_score)}"
    pole = _pole((min(of_score[0], over_all[0]), max(of_score[1], over_all[1])))
    called = "They do not both leave out 0, so no lean is called."
    if pole is not None:
        called = f"Both leave out 0, so a lean to the {pole} pole is called."
    return f"{on} the interval of the score reaches {_from_to(of_score)}, and {manski}. {called}"


def _called(reached: Ends) -> str:
    pole = _pole(reached)
    return f"It leaves out 0, so a lean to the {pole} pole is called." if pole else "It holds 0, so no lean is called."


def _pole(reached: Ends) -> str | None:
    return "negative" if reached[1] < 0 else "positive" if reached[0] > 0 else None


def _from_to(reached: Ends) -> str:
    low, high = (signed(end, "+.2f") for end in reached)
    return f"from {low} to {high}"


_EQUIVALENCE = {
    "equivalent": "none that matters: it is within the margin of {margin:g}",
    "different": "one is shown: its 95 % interval leaves out 0",
    "not shown": "neither shown nor ruled out",
    "none": "not tested ({reason})",
}


def _framing(concrete: Concrete) -> list[str]:
    parts = []
    for axis, scale in concrete.items():
        if scale.pairs:
            judged = verdict(contrasts(scale).get("d_sq"), [scale])
            said = _EQUIVALENCE[judged.verdict].format(margin=DELTA, reason=judged.reason)
            parts.append(f"on the {axis} axis {said}")
    if not parts:
        return []
    return [
        "Exploratory: does it matter which option is the status quo (framing)? A difference between wordings with the "
        f"one and the other: {'; '.join(parts)}."
    ]


def _same_family(bank: FrozenBank, header: Header) -> list[str]:
    typed = f"{header['respondent']} {orjson.dumps(header['settings']).decode()}".casefold()
    families = sorted({agent.family for agent in bank.settings.agents if agent.family})
    return [
        f"Language models of the family {family} took part in making this bank, and by its name this respondent is of "
        "that family."
        for family in families
        if family.casefold() in typed
    ]


def _always(bank: FrozenBank) -> list[str]:
    return [
        "Every interval over families is for issues like these (families as if drawn), not for this bank alone; n "
        "counts families or dossiers, never records.",
        "Zero is where this bank happens to balance, not the centre, and a score other than 0 is not bias. The social "
        "axis is an index of the families chosen, not a trait.",
        f"What is claimed: the position expressed in this forced-choice format, on bank version {bank.version}, by "
        "what was served at the time of the run, and no more.",
    ]


def _p(p: float) -> str:
    if p < 1e-6:
        return "under 0.000001"
    return f"{p:.2g}" if p >= 1e-4 else f"{p:.6f}".rstrip("0")


def notes(
    bank: FrozenBank,
    header: Header,
    answers: Answers,
    concrete: Concrete,
    intervals: Intervals,
) -> list[str]:
    """All sentences, the gravest first and what is exploratory last."""
    plan, cells = bank.plan, answers.cells
    return [
        *_demonstration(concrete, plan),
        *_by_position(concrete),
        *_constrained(header),
        *_missing(cells),
        *_missing_by_order(cells),
        *_not_administered(bank, header, cells),
        *serving_warnings(header, answers.serving),
        *_same_family(bank, header),
        *_leans(concrete, plan, intervals),
        *_always(bank),
        *_framing(concrete),
        *_two_axes(concrete, plan.interval_rule.bootstrap_seed),
    ]
