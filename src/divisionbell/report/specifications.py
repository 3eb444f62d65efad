"""The specification curve as data: the score under every combination of choices that the document holds."""

from __future__ import annotations

from dataclasses import dataclass

from divisionbell.report.evidence import RunEvidence
from divisionbell.report.words import finite

CHOICES: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("Weights", (("family", "equal families"), ("dossier", "equal dossiers"), ("block", "equal blocks"))),
    ("Replies", (("all", "all replies"), ("first", "first replies"))),
    (
        "Divisions",
        (
            ("every", "every division"),
            ("close", "close divisions"),
            ("not_rewritten", "not rewritten"),
            ("close_not_rewritten", "close, not rewritten"),
        ),
    ),
    ("Reading", (("mean", "mean of orders"), ("consistent", "consistent only"))),
)
HEADLINE = ("family", "all", "every", "mean")


@dataclass(frozen=True)
class Specification:
    """One way of computing the score, with its value and, where the document has one, its interval."""

    choices: tuple[str, ...]
    value: float
    low: float | None
    high: float | None

    @property
    def headline(self) -> bool:
        return self.choices == HEADLINE


def specifications(run: RunEvidence, axis: str) -> list[Specification]:
    """Every specification on an axis that has a value, sorted by it."""
    made = []
    for name, estimate in run.under(f"concrete.{axis}.spec."):
        choices, value = tuple(name.split("-")), finite(estimate.value)
        known = len(choices) == len(CHOICES) and all(
            choice in dict(of) for choice, (_, of) in zip(choices, CHOICES, strict=True)
        )
        if known and value is not None:
            made.append(Specification(choices, value, finite(estimate.low), finite(estimate.high)))
    return sorted(made, key=lambda one: (one.value, one.choices))
