"""The sample with several comparable models: one asked twice, one that leaves gaps, specifications and differences."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from itertools import combinations, product
from typing import Any

from report_sample import LEANING, REFUSING, bank, estimate, leaning, parties, refusing, run

from divisionbell.model.run_classes import ComparisonDocument, Estimate
from divisionbell.report.evidence import ReportInput, RunEvidence

MILD = {**LEANING, "concrete.economic": (-0.1, -0.4, 0.2), "concrete.social": (0.12, -0.2, 0.44)}
LATER = {**LEANING, "concrete.economic": (-0.3, -0.6, 0.0), "concrete.social": (-0.5, -0.8, -0.2)}


def specifications(middle: float) -> list[Estimate]:
    """Some specifications of both axes; one of them has no value."""
    made = []
    for axis in ("economic", "social"):
        of = product(("family", "dossier"), ("all", "first"), ("every", "close"), ("mean", "consistent"))
        for number, choices in enumerate(of):
            ends: dict[str, Any] = {"low": middle - 0.3, "high": middle + 0.3} if choices[3] == "mean" else {}
            made.append(estimate(f"concrete.{axis}.spec.{'-'.join(choices)}", middle + number * 0.01, **ends))
        name = f"concrete.{axis}.spec.block-all-every-mean"
        made.append(estimate(name, None, undefined_because="a family has no block"))
    return made


def again(of: RunEvidence, run_id: str, started_at: str) -> RunEvidence:
    """The same run under another id and date."""
    header = of.header.model_copy(update={"run_id": run_id, "started_at": started_at})
    journal = hashlib.sha256(run_id.encode()).hexdigest()
    score = of.score.model_copy(update={"scored_run": run_id, "scored_journal_sha256": journal})
    return replace(of, header=header, score=score)


def more(of: RunEvidence, estimates: list[Estimate]) -> RunEvidence:
    return replace(of, score=of.score.model_copy(update={"estimates": [*of.score.estimates, *estimates]}))


def comparison(runs: list[RunEvidence], **differ: Any) -> ComparisonDocument:
    """A comparison with a difference of every kind: told apart, not told apart, undefined."""
    level = {"interval_level": 0.95, "interval_kind": "simultaneous", "n": 12, "n_of": "families"}
    made = []
    for axis in ("economic", "social"):
        for number, (i, j) in enumerate(combinations(range(1, len(runs) + 1), 2)):
            name = f"difference.{axis}.{i}-{j}"
            value = None if number == 2 else -0.5 + number * 0.3
            if value is None:
                made.append(estimate(name, None, undefined_because="no family has a score of both", n=0))
            else:
                made.append(estimate(name, value, low=value - 0.25, high=value + 0.25, **level))
            made += [
                estimate(f"{name}.bounds", None, low=-0.9, high=-0.1, n=7, n_of="units missing of both"),
                estimate(f"{name}.imbens_manski", None, low=-1.1, high=-0.05 if number == 0 else 0.2, **level),
                estimate(f"{name}.max_t_p", 0.0004 if number == 0 else 0.31, "p"),
                estimate(f"{name}.told_apart", -1 if number == 0 else 0, "sign", n=12, n_of="families"),
                estimate(f"{name}.sign_flip_p", 0.0002 if number == 0 else 0.2, "p"),
                estimate(f"{name}.smallest_p", 0.00012, "p", n=14, n_of="families that differ"),
            ]
        made += [
            estimate(f"rank.{axis}.{number}", None, "rank", low=1 if number > 1 else 2, high=len(runs))
            for number in range(1, len(runs) + 1)
        ]
    first = runs[0]
    return ComparisonDocument.model_validate(
        {
            "compared": [
                {
                    "scored_run": one.header.run_id,
                    "respondent": one.name,
                    "repeats": one.header.repeats,
                    "settings": one.header.settings,
                    "started_at": one.header.started_at,
                    "scored_journal_sha256": one.score.scored_journal_sha256,
                }
                for one in runs
            ],
            "bank_version": first.header.bank_version,
            "bank_sha256": first.header.bank_sha256,
            "form": first.header.form,
            "constrained": False,
            "plan_used": "0.1.0",
            "demonstration": False,
            "notes": ["6 differences are one family of tests."],
            "estimates": [one.model_dump(exclude_none=True) for one in made],
            **differ,
        }
    )


def several() -> ReportInput:
    """Three runs of two models that are compared, one of them with gaps, and one that is apart."""
    used = bank()
    framing = [
        estimate(f"framing.{axis}.{name}", value, n=12, n_of="families")
        for axis in ("economic", "social")
        for name, value in (("original", -0.4), ("mirror", -0.2))
    ]
    first = more(run(used, "openai:lakeside", LEANING, leaning), [*framing, *specifications(-0.42)])
    later = again(run(used, "openai:lakeside", LATER, leaning), "run-later", "2026-02-03T00:00:00Z")
    gaps = run(used, "openai:reticent", REFUSING, refusing)
    constrained = run(used, "embedded", MILD, leaning)
    told = "Runs of another form, or constrained beside free decoding, stand apart: embedded."
    return ReportInput(
        used,
        (first, later, gaps, constrained),
        parties(),
        comparisons=(comparison([first, later, gaps]),),
        not_compared=(told,),
    )
