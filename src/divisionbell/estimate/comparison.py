"""Differences between respondents on the concrete scale: one family of tests over all pairs and both axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from divisionbell.diagnostics import UsageProblem
from divisionbell.estimate.by_position import answers_by_position
from divisionbell.estimate.compared import MOST_RUNS, SAME_FOR_ALL, Compared, refuse_incomparable
from divisionbell.estimate.completions import BOUNDS, why_not
from divisionbell.estimate.named import PRIMARY, Estimate, estimate
from divisionbell.estimate.notes import is_demonstration
from divisionbell.estimate.position_estimates import scale_position
from divisionbell.estimate.scale import AXES, Bools, Floats, Scale, scale_of
from divisionbell.estimate.told_apart import interval_over_all_families, sign_told, verdict
from divisionbell.estimate.two_axes import DRAWS as FLIPS
from divisionbell.estimate.two_axes import EXACT_UP_TO, SignFlip, sign_flip
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.model.classes import AnalysisPlan
from divisionbell.statistics.comparison import DRAWS, Difference, Differences, max_t, rank_intervals
from divisionbell.statistics.simultaneous_bounds import DifferenceBounds, simultaneous_imbens_manski


@dataclass(frozen=True)
class _Pair:
    """Two respondents on one axis: family differences over the cells that both answered, and over all cells the lowest
    and the highest difference of every family, shapes (G,)."""

    differences: dict[str, float]
    lower: Floats
    upper: Floats
    lost: int

    @property
    def bounds(self) -> tuple[float, float]:
        return float(self.lower.mean()), float(self.upper.mean())

    @property
    def why_no_point(self) -> str | None:
        """Why the mean of the differences is no difference, None where it is one."""
        return why_not(float(np.mean(list(self.differences.values()))), self.bounds) if self.differences else None


def compare_runs(bank: FrozenBank, runs: Sequence[Compared]) -> dict[str, Any]:
    """The ComparisonDocument of two to 100 runs, numbered from 1 in the order given.

    UsageProblem where they are not of one bank, form and way of decoding, where one is a party, or one stands twice.
    """
    _refuse(runs)
    concrete = [{axis: scale_of(run.answers.cells, axis, "concrete") for axis in AXES} for run in runs]
    pairs = list(combinations(range(len(runs)), 2))
    seed = bank.plan.interval_rule.bootstrap_seed
    level, minimum = bank.plan.interval_rule.confidence_level, bank.plan.minimum_families
    found = {axis: [_pair(concrete[i][axis], concrete[j][axis]) for i, j in pairs] for axis in AXES}
    differences_of = [_array(found[axis], concrete[0][axis].families) for axis in AXES]
    tested = max_t(differences_of, seed=seed, level=level, fewest=max(2, minimum))
    over_all = simultaneous_imbens_manski([_ends(found[axis]) for axis in AXES], seed=seed, level=level)
    null = {number for number, scales in enumerate(concrete) if _measures_nothing(scales)}
    estimates: list[Estimate] = []
    for axis, differences, bounded in zip(AXES, tested, over_all, strict=True):
        signs = []
        for (i, j), pair, difference, wide in zip(pairs, found[axis], differences, bounded, strict=True):
            name = f"difference.{axis}.{i + 1}-{j + 1}"
            made = _estimates(name, axis, pair, difference, seed)
            signs.append(0 if null & {i, j} else sign_told(made[0], difference, wide, minimum))
            made.append(interval_over_all_families(name, axis, wide))
            estimates += [*made, verdict(name, axis, signs[-1], difference.families, minimum)]
        estimates += _ranks(axis, len(runs), pairs, signs)
    demonstration = any(is_demonstration(scales, bank.plan) for scales in concrete)
    return {
        "compared": [
            {
                "scored_run": run.header["run_id"],
                **{name: run.header[name] for name in ("respondent", "repeats", "settings", "started_at")},
                "scored_journal_sha256": run.journal_sha256,
            }
            for run in runs
        ],
        **{name: runs[0].header[name] for name in SAME_FOR_ALL},
        "plan_used": bank.plan.plan_version,
        "demonstration": demonstration,
        "notes": [*_notes(runs, pairs, bank.plan, demonstration), *_of_null(null)],
        "estimates": estimates,
    }


def _measures_nothing(scales: Mapping[str, Scale]) -> bool:
    """Whether a respondent answers by position, so that no difference from it is one in content."""
    found = [scale_position(scale) for scale in scales.values() if scale.pairs]
    return answers_by_position((position.flip, position.n) for position in found)


def _of_null(null: set[int]) -> list[str]:
    if not null:
        return []
    named = " and ".join(str(number + 1) for number in sorted(null))
    answer, them = ("answers", "it") if len(null) == 1 else ("answer", "them")
    return [
        f"By position, not by content, {answer}: {named}. No difference from {them} is told apart, and ranks stay open."
    ]


def _refuse(runs: Sequence[Compared]) -> None:
    if not 2 <= len(runs) <= MOST_RUNS:
        told = "one run alone" if len(runs) == 1 else f"{len(runs)} runs"
        raise UsageProblem(f"{told} cannot be compared", f"name from 2 to {MOST_RUNS} runs")
    refuse_incomparable(runs)


def both_answered(first: Scale, second: Scale) -> Bools:
    """Where both have an answer, shape (P, 2 versions, 2 orders, 1). Repeats are not paired: a cell is an item in one
    order."""
    both: Bools = np.asarray(first.answered.any(axis=3, keepdims=True), dtype=np.bool_)
    return np.asarray(both & second.answered.any(axis=3, keepdims=True), dtype=np.bool_)


def _pair(first: Scale, second: Scale) -> _Pair:
    """Family differences over the cells that both answered."""
    both = both_answered(first, second)
    one, other = (scale.with_answers(scale.answered & both) for scale in (first, second))
    scores, others = one.family_scores, other.family_scores
    differences = {family: scores[family] - others[family] for family in scores if family in others}
    (a1, b1), (a2, b2) = first.bound_parts, second.bound_parts
    lost = sum(int((~scale.answered).sum()) for scale in (first, second))
    return _Pair(differences, a1 - b1 - a2 - b2, a1 + b1 - a2 + b2, lost)


def _ends(pairs: list[_Pair]) -> DifferenceBounds:
    return DifferenceBounds(np.array([pair.lower for pair in pairs]), np.array([pair.upper for pair in pairs]))


def _array(pairs: list[_Pair], families: tuple[str, ...]) -> Differences:
    values = np.zeros((len(pairs), len(families)))
    present = np.zeros(values.shape, dtype=bool)
    for row, pair in enumerate(pairs):
        for column, family in enumerate(families):
            if family in pair.differences:
                values[row, column], present[row, column] = pair.differences[family], True
    return Differences(values, present)


def _estimates(name: str, axis: str, pair: _Pair, found: Difference, seed: int) -> list[Estimate]:
    common: dict[str, Any] = {"axis": axis, "scale": "concrete"}
    count: dict[str, Any] = {"n": found.families, "n_of": "families"}
    why_none = found.reason if found.mean is None else pair.why_no_point
    flip = sign_flip(list(pair.differences.values()), seed) if pair.differences else SignFlip(1.0, 1.0, 0)
    made = [
        estimate(
            name,
            f"Score of the first respondent less that of the second on the {axis} axis, over the items and orders that "
            "both answered: mean over families of the differences; a family without a complete pair of both drops out. "
            "The interval holds together with those of all pairs and both axes. Undefined where no completion of the "
            "missing answers gives it.",
            value=found.mean if why_none is None else None,
            because=why_none,
            interval=found.interval if why_none is None else None,
            standing=PRIMARY,
            **count,
            **common,
        ),
        estimate(
            f"{name}.bounds",
            "Every difference that completions of the missing answers of both can bring: lower bound of the first less "
            "upper bound of the second, and the other way round.",
            bounds=pair.bounds if pair.lost else None,
            because=None if pair.lost else "nothing is missing: the bounds are the difference itself",
            kind=BOUNDS if pair.lost else None,
            n=pair.lost,
            n_of="units missing of both",
            **common,
        ),
        estimate(
            f"{name}.max_t_p",
            "p of no difference, corrected for all pairs and both axes by the largest |T| under "
            f"{DRAWS:,} drawn flips of signs: never below 1/{DRAWS + 1:,}, nor below the p of the pair alone.",
            unit="p",
            # Flips of centred differences can go below what flips of the differences can reach: p alone is the floor.
            value=None if found.p is None or why_none else max(found.p, flip.p),
            because=why_none or ((found.reason or "no spread to test by") if found.p is None else None),
            **count,
            **common,
        ),
    ]
    reason = None if flip.families else "no family differs"
    no_p = reason or why_none
    differing: dict[str, Any] = {"n": flip.families, "n_of": "families that differ"}
    return [
        *made,
        estimate(
            f"{name}.sign_flip_p",
            "Two-sided p of no difference by flips of signs over the families that differ, of this pair and axis "
            "alone.",
            unit="p",
            value=flip.p if no_p is None else None,
            because=no_p,
            **differing,
            **common,
        ),
        estimate(
            f"{name}.smallest_p",
            "The smallest p that flips of so many differing families can reach, of this pair and axis alone: 2 / 2^G, "
            f"and from {EXACT_UP_TO + 1} families on, where {FLIPS:,} flips are drawn, 1/{FLIPS + 1:,}.",
            unit="p",
            value=flip.smallest if flip.families else None,
            because=reason,
            **differing,
            **common,
        ),
    ]


def _ranks(axis: str, runs: int, pairs: list[tuple[int, int]], signs: list[int]) -> list[Estimate]:
    above = np.zeros((runs, runs), dtype=bool)
    for (i, j), sign in zip(pairs, signs, strict=True):
        if sign:
            above[(i, j) if sign > 0 else (j, i)] = True
    return [
        estimate(
            f"rank.{axis}.{number}",
            f"Ranks that the respondent can have on the {axis} axis, 1 being the most positive, where only differences "
            "that are told apart count.",
            unit="rank",
            bounds=ends,
            kind="ranks that the differences told apart leave open",
            n=runs,
            n_of="respondents",
            axis=axis,
            scale="concrete",
        )
        for number, ends in enumerate(rank_intervals(above), start=1)
    ]


def _notes(
    runs: Sequence[Compared], pairs: list[tuple[int, int]], plan: AnalysisPlan, demonstration: bool
) -> list[str]:
    notes = []
    if demonstration:
        notes.append(
            "Demonstration: no position and no difference can be read from this. `divisionbell score` says for each "
            "run what is lacking."
        )
    tests = 2 * len(pairs)
    notes.append(
        f"{tests} differences are one family of tests ({len(pairs)} pair{'s' if len(pairs) > 1 else ''} × 2 axes): "
        f"intervals of {100 * plan.interval_rule.confidence_level:g}% hold together, and ranks follow from them alone. "
        "Both depend on which runs are compared at once: beside more runs an interval is wider."
    )
    notes.append(
        f"Two floors of p: over all pairs and axes 1/{DRAWS + 1:,}, since {DRAWS:,} flips are drawn; of a pair alone "
        "what flips of so many differing families can reach, which stands beside it."
    )
    if len({run.header["repeats"] for run in runs}) > 1:
        notes.append("The runs have different numbers of repeats: repeats are averaged within an order first.")
    if any(not run.answers.cells.answered.all() for run in runs):
        notes.append(
            "Answers are missing: a difference is over what both answered, need not be the difference of the two "
            "scores, and leaves out the families where one has no complete pair. Two respondents are told apart only "
            "where the simultaneous Imbens-Manski interval over all families, which holds the bounds, leaves out 0 too."
        )
    return [
        *notes,
        "A difference is between what two respondents chose in this forced-choice format on this bank, for issues like "
        "these (families as if drawn). It is no difference in bias, and none from a party.",
    ]
