"""Every estimate of one run, in one document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from divisionbell.diagnostics import UsageProblem
from divisionbell.estimate.framing_estimates import framing_estimates, framing_of_both_axes
from divisionbell.estimate.headline import headline, missing_answer_estimates, observed, spread_estimates
from divisionbell.estimate.kind_difference import kind_difference
from divisionbell.estimate.missingness import missingness
from divisionbell.estimate.named import Estimate
from divisionbell.estimate.notes import is_demonstration, notes
from divisionbell.estimate.parsing_rates import parsing_rates
from divisionbell.estimate.position_estimates import position_estimates
from divisionbell.estimate.repeat_agreement import repeat_agreement
from divisionbell.estimate.scale import AXES, SCALES, Scale, scale_of
from divisionbell.estimate.sensitivity import (
    blocks,
    dossier_equal,
    families,
    first_answers,
    minority_30,
    not_rewritten,
)
from divisionbell.estimate.specification_curve import specification_curve
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.model.classes import AnalysisPlan, Bank, IntervalRule
from divisionbell.score.answers import Answers, answers_of
from divisionbell.score.apply_key import Cells
from divisionbell.statistics import bootstrap, family_interval, framing, intervals

CARRIED_OVER = ("respondent", "constrained", "settings", "bank_version", "bank_sha256", "form", "repeats")


def refuse_other_plan(plan: AnalysisPlan) -> None:
    """UsageProblem when the frozen plan asks for other numbers than the statistics of this program carry out."""
    rule = plan.interval_rule
    carried_out = {
        "interval_rule.bootstrap_beyond": (rule.bootstrap_beyond, intervals.NEAR_THE_END),
        "interval_rule.bootstrap_draws": (rule.bootstrap_draws, bootstrap.MINIMUM_DRAWS),
        "interval_rule.bootstrap_min_dossiers": (rule.bootstrap_min_dossiers, family_interval.DOSSIERS_FOR_BOOTSTRAP),
        "equivalence_margin": (plan.equivalence_margin, framing.DELTA),
        "equivalence_min_repeats": (plan.equivalence_min_repeats, framing.REPEATS_FOR_EQUIVALENCE),
    }
    for name, (planned, here) in carried_out.items():
        if planned != here:
            raise UsageProblem(
                f"the frozen plan has {name} {planned}, this program carries out {here}",
                "score the run with the program version that the bank was frozen for",
            )


def score_run(
    bank: FrozenBank, header: Mapping[str, Any], units: Sequence[Mapping[str, Any]], journal_sha256: str
) -> dict[str, Any]:
    """The ScoreDocument of a complete run: a value that fits the run schema, without null and without NaN.

    `header` is the run's RunHeader and `units` are its Units, one per unit, in any order; `journal_sha256` is the
    digest of the journal they were read from. UsageProblem where the units cannot be scored against this bank (see
    `apply_key`) or the frozen plan is not the one carried out here.
    """
    return score_document(bank, header, answers_of(bank, header, units), journal_sha256)


def score_document(
    bank: FrozenBank, header: Mapping[str, Any], answers: Answers, journal_sha256: str
) -> dict[str, Any]:
    """The same from the answers of the run. UsageProblem where the frozen plan is not the one carried out here."""
    plan = bank.plan
    refuse_other_plan(plan)
    cells = answers.cells
    scales = {(name, axis): scale_of(cells, axis, name) for name in SCALES for axis in AXES}
    concrete = {axis: scales["concrete", axis] for axis in AXES}
    estimates = [
        *_scores(scales, cells, plan.interval_rule, bank.settings),
        *_framing(list(concrete.values()), plan.interval_rule.confidence_level),
        *parsing_rates(answers.first_readings),
        *missingness(cells, plan.interval_rule.bootstrap_seed),
        *repeat_agreement(cells),
    ]
    named = {estimate["name"]: estimate for estimate in estimates}
    if len(named) < len(estimates):
        raise ValueError("two estimates have one name")
    both = {
        axis: (_reached(named, f"concrete.{axis}"), wide)
        for axis in AXES
        if (wide := _reached(named, f"concrete.{axis}.imbens_manski")) is not None
    }
    return {
        "scored_run": header["run_id"],
        **{slot: header[slot] for slot in CARRIED_OVER},
        "scored_journal_sha256": journal_sha256,
        "plan_used": plan.plan_version,
        "demonstration": is_demonstration(concrete, plan),
        "notes": notes(bank, header, answers, concrete, both),
        "estimates": estimates,
    }


def _reached(named: Mapping[str, Estimate], name: str) -> tuple[float, float] | None:
    """The ends of an interval; None where there is none."""
    found = named.get(name, {})
    return (found["low"], found["high"]) if "low" in found else None


def _scores(
    scales: Mapping[tuple[str, str], Scale], cells: Cells, rule: IntervalRule, settings: Bank
) -> list[Estimate]:
    """The headlines first, then everything else about each scale, then the differences between scales."""
    made = [headline(scale, rule) for scale in scales.values()]
    for (name, axis), scale in scales.items():
        if not scale.pairs:
            continue
        other = scales[name, AXES[1 - AXES.index(axis)]]
        made += observed(scale)
        made += missing_answer_estimates(scale, rule)
        made += spread_estimates(scale, len(other.families), rule)
        made += position_estimates(scale)
        made += families(scale)
        made += blocks(scale, settings, rule)
        made += not_rewritten(scale, rule)
        at_first = scale_of(cells, axis, name, cells.answered_at_first).answered
        made += [dossier_equal(scale), first_answers(scale, at_first, rule)]
        if name == "concrete":
            made.append(minority_30(scale, rule))
            made += specification_curve(scale, at_first, settings, rule)
    level = rule.confidence_level
    return made + [kind_difference(scales["concrete", axis], scales["implicit", axis], level) for axis in AXES]


def _framing(concrete: list[Scale], level: float) -> list[Estimate]:
    asked = [scale for scale in concrete if scale.pairs]
    made = [estimate for scale in asked for estimate in framing_estimates(scale, level)]
    return made + (framing_of_both_axes(asked, level) if len(asked) > 1 else [])
