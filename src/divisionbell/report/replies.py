"""Every item with the raw replies of each model in both orders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from divisionbell.freeze.frozen_bank import Asked
from divisionbell.model.run_classes import Attempt, Unit
from divisionbell.report.evidence import ReportInput, RunEvidence
from divisionbell.report.figure_outcomes import OUTCOMES
from divisionbell.report.words import Cut, cut, many
from divisionbell.run.parse import REASONS

ORDERS = (("negative_at_a", "Negative option at A"), ("positive_at_a", "Positive option at A"))
_OUTCOME = {code: said for code, said, _ in OUTCOMES}


@dataclass(frozen=True)
class Said:
    """One reply as it came, and how it was read."""

    attempt: int
    text: Cut | None
    reading: str
    more: str


@dataclass(frozen=True)
class Once:
    """One item asked once in one order."""

    repeat: int
    outcome: str
    choice: str
    said: tuple[Said, ...]


@dataclass(frozen=True)
class Side:
    title: str
    asked: tuple[Once, ...]


@dataclass(frozen=True)
class OfRun:
    """The replies of one model to one item, both orders side by side."""

    name: str
    constrained: bool
    verdict: str
    sides: tuple[Side, ...]


@dataclass(frozen=True)
class ItemShown:
    asked: Asked
    runs: tuple[OfRun, ...]


@dataclass(frozen=True)
class DossierShown:
    """One dossier with its items; `address` only where it is an address that a page may link to."""

    title: str
    address: str | None
    asked: Asked
    items: tuple[ItemShown, ...]


def dossiers(given: ReportInput) -> Iterator[DossierShown]:
    """Every dossier that a model was asked about, with the items that were asked."""
    asked = {item for run in given.models for item in run.by_item}
    for dossier in given.bank.dossiers:
        items = [Asked(dossier, item) for item in dossier.items if item.item_id in asked]
        if items:
            shown = tuple(ItemShown(one, tuple(_of_run(run, one) for run in given.models)) for one in items)
            address = dossier.source.official_address
            linked = address if address.startswith(("https://", "http://")) else None
            yield DossierShown(dossier.source.official_title, linked, items[0], shown)


def chosen(unit: Unit) -> str | None:
    """The pole that a unit's answer stands for, by the order that was asked."""
    if unit.answer is None:
        return None
    at_a = unit.asked_order == "negative_at_a"
    return "negative" if (unit.answer == "A") == at_a else "positive"


def _of_run(run: RunEvidence, asked: Asked) -> OfRun:
    units = run.by_item.get(asked.item.item_id, [])
    sides = tuple(
        Side(title, tuple(_once(unit) for unit in units if unit.asked_order == order)) for order, title in ORDERS
    )
    return OfRun(run.name, run.header.constrained, _verdict(units), sides)


def _verdict(units: list[Unit]) -> str:
    poles = {chosen(unit) for unit in units}
    if not units:
        return "not asked"
    if None in poles:
        gone = sum(chosen(unit) is None for unit in units)
        return f"{many(gone, 'answer')} of {len(units)} missing"
    return str(poles.pop()) if len(poles) == 1 else "both poles"


def _once(unit: Unit) -> Once:
    pole = chosen(unit)
    choice = f"{unit.answer}, the {pole} option" if pole else "no answer"
    said = tuple(_said(attempt) for attempt in unit.attempts)
    return Once(unit.repeat, _OUTCOME.get(str(unit.outcome), str(unit.outcome)), choice, said)


def _said(attempt: Attempt) -> Said:
    more = []
    if attempt.finish_reason:
        more.append(f"finish reason {attempt.finish_reason}")
    if attempt.refusal_field:
        more.append(f"refusal field: {attempt.refusal_field[:200]}")
    if attempt.transport_error:
        more.append(f"not reached: {attempt.transport_error[:200]}")
    meaning = REASONS.get(attempt.reading, "a reason of another parser")
    text = None if attempt.reply_text is None else cut(attempt.reply_text)
    return Said(attempt.attempt_number, text, f"{attempt.reading}: {meaning}", "; ".join(more))
