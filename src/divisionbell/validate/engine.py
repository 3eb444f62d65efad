"""Run every rule over a bank and collect what was found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from divisionbell.bank.load import Bank
from divisionbell.bank.read import Document
from divisionbell.diagnostics import Diagnostic
from divisionbell.validate.rule import Context
from divisionbell.validate.rules import RULES
from divisionbell.validate.shape import validator


@dataclass(frozen=True)
class Report:
    """What was checked and what was found, sorted by place."""

    bank: Bank
    diagnostics: tuple[Diagnostic, ...]
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def clean(self) -> bool:
        return not self.diagnostics and self.counts["items"] > 0


@dataclass(frozen=True)
class ValidBank:
    """A bank in which every rule holds. Only `validate` makes one."""

    bank: Bank


def check(bank: Bank, ches: Path | None = None) -> Report:
    """Every rule over the whole bank, all faults in one pass."""
    sound: list[tuple[str, Document]] = [
        (r, d) for r, d in bank.documents() if not d.problems and validator(r).is_valid(d.value)
    ]
    context = Context(bank, sound, ches)
    found: set[Diagnostic] = set()
    for rule in RULES:
        found.update(rule.run(context))
    kinds = Counter(item.value["kind"] for item in context.items)
    counts = {
        "dossiers": len(bank.dossiers),
        "excluded": len(bank.excluded),
        "items": len(context.items),
        "mirrors": sum(item.is_mirror for item in context.items),
        "mirrors exact": context.counts.get("mirrors exact", 0),
        "hashes": context.counts.get("hashes", 0),
        "reviews": 2 * len(bank.dossiers),
        "reviews approved": sum(
            review["status"] == "approved"
            for document in context.dossiers
            for review in document.value["reviews"].values()
        ),
        "recomputed": context.counts.get("recomputed", 0),
        **{f"items {kind}": count for kind, count in sorted(kinds.items())},
    }
    return Report(bank, tuple(sorted(found, key=Diagnostic.sort_key)), counts)


def validate(bank: Bank, ches: Path | None = None) -> ValidBank | Report:
    """A valid bank, or the report of what does not hold."""
    report = check(bank, ches)
    return ValidBank(bank) if report.clean else report


def closing_line(report: Report) -> str:
    """One line that counts what was checked."""
    c = report.counts
    findings = len(report.diagnostics)
    exact = c["mirrors"] if c["mirrors exact"] == c["mirrors"] else f"{c['mirrors exact']}/{c['mirrors']}"
    parts = [
        f"{c['dossiers']} dossiers",
        f"{c['items']} items",
        f"{exact} mirrors exact",
        f"{c['hashes']}/{c['items']} hashes",
        f"{c['reviews approved']}/{c['reviews']} reviews",
        f"{findings} finding{'' if findings == 1 else 's'}",
    ]
    return " · ".join(parts)
