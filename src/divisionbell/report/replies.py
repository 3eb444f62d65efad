"""Every item with the raw replies of each model in both orders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from divisionbell.bank.parse import REASONS
from divisionbell.freeze.frozen_bank import Asked
from divisionbell.model.run_classes import Attempt, Unit
from divisionbell.report.evidence import ReportInput, RunEvidence
from divisionbell.report.figure_outcomes import OUTCOMES
from divisionbell.report.words import LEAST_SHOWN, SHORTER, SHOWN_CHARACTERS, Cut, brief, cut, many, visible_markup
from divisionbell.run.journal import JOURNAL

ORDERS = (("negative_at_a", "Negative option at A"), ("positive_at_a", "Positive option at A"))
LINES_NAMED = 5
# What the page may grow to, in characters: with all replies exact it takes CELL for each side of an item of a model.
PAGE_ROOM, LEAST_ROOM, CELL, AROUND = 2_000_000, 200_000, 360, 300
OUTCOME_NAMES = {code: said for code, said, _ in OUTCOMES}


@dataclass(frozen=True)
class Said:
    """One reply as it came, and how it was read."""

    attempt: int
    text: Cut | None
    reading: str
    more: str
    read_at_once: bool


@dataclass(frozen=True)
class Alike:
    """All askings of an item in one order that came to the same words, read the same way."""

    repeats: tuple[int, ...]
    outcome: str
    choice: str
    said: tuple[Said, ...]

    @property
    def plain(self) -> bool:
        """Whether it is one short reply, exact at once, with nothing else to say of it."""
        one = self.said[0] if len(self.said) == 1 else None
        return one is not None and one.text is not None and one.read_at_once and not one.text.remark


@dataclass(frozen=True)
class Side:
    title: str
    asked: tuple[Alike, ...]


@dataclass(frozen=True)
class OfRun:
    """The replies of one model to one item, both orders side by side."""

    name: str
    constrained: bool
    verdict: str
    sides: tuple[Side, ...]
    outcomes: frozenset[str]
    differs: bool


@dataclass(frozen=True)
class ItemShown:
    asked: Asked
    runs: tuple[OfRun, ...]

    @property
    def verdict(self) -> str:
        """What the models chose, in few words."""
        if len(self.runs) == 1:
            return self.runs[0].verdict
        counts = Counter("with missing answers" if of.verdict.endswith("missing") else of.verdict for of in self.runs)
        return ", ".join(f"{times} {words}" for words, times in counts.items())

    @property
    def outcomes(self) -> str:
        """The outcomes that some model had, as the filter reads them."""
        return " ".join(sorted({outcome for of in self.runs for outcome in of.outcomes}))

    @property
    def differs(self) -> bool:
        """Whether in some model a choice differs by order."""
        return any(of.differs for of in self.runs)


@dataclass(frozen=True)
class DossierShown:
    """One dossier with its items; `address` only where it is an address that a page may link to."""

    title: str
    address: str | None
    asked: Asked
    items: tuple[ItemShown, ...]


def shown_characters(given: ReportInput) -> int:
    """How much of a reply is shown: less than SHOWN_CHARACTERS where many are long and the page would be too large."""
    told = {
        (run.header.run_id, unit.asked_item, unit.asked_order, attempt.attempt_number, attempt.reply_text)
        for run in given.models
        for unit in run.units
        for attempt in unit.attempts
        if attempt.reply_text is not None and attempt.reading != "ok"
    }
    cells = sum(2 * len(run.by_item) for run in given.models)
    room = max(LEAST_ROOM, PAGE_ROOM - CELL * cells)
    for most in (SHOWN_CHARACTERS, *SHORTER):
        if sum(AROUND + len(visible_markup(text[:most])) for *_, text in told) <= room:
            return most
    return LEAST_SHOWN


def dossiers(given: ReportInput) -> Iterator[DossierShown]:
    """Every dossier that a model was asked about, with the items that were asked."""
    most = shown_characters(given)
    asked = {item for run in given.models for item in run.by_item}
    for dossier in given.bank.dossiers:
        items = [Asked(dossier, item) for item in dossier.items if item.item_id in asked]
        if items:
            shown = tuple(ItemShown(one, tuple(_of_run(run, one, most) for run in given.models)) for one in items)
            address = dossier.source.official_address
            linked = address if address.startswith(("https://", "http://")) else None
            yield DossierShown(dossier.source.official_title, linked, items[0], shown)


def chosen(unit: Unit) -> str | None:
    """The pole that a unit's answer stands for, by the order that was asked."""
    if unit.answer is None:
        return None
    at_a = unit.asked_order == "negative_at_a"
    return "negative" if (unit.answer == "A") == at_a else "positive"


def _of_run(run: RunEvidence, asked: Asked, most: int) -> OfRun:
    units = run.by_item.get(asked.item.item_id, [])
    sides = tuple(
        Side(title, _alike(run, [unit for unit in units if unit.asked_order == order], most)) for order, title in ORDERS
    )
    return OfRun(
        name=run.title,
        constrained=run.header.constrained,
        verdict=_verdict(units),
        sides=sides,
        outcomes=frozenset(str(unit.outcome) for unit in units),
        differs=_differs(units),
    )


def _differs(units: list[Unit]) -> bool:
    """Whether in some repeat the two orders were answered with different poles."""
    poles: dict[int, set[str]] = {}
    for unit in units:
        if (pole := chosen(unit)) is not None:
            poles.setdefault(unit.repeat, set()).add(pole)
    return any(len(found) > 1 for found in poles.values())


def _verdict(units: list[Unit]) -> str:
    poles = {chosen(unit) for unit in units}
    if not units:
        return "not asked"
    if None in poles:
        gone = sum(chosen(unit) is None for unit in units)
        return f"{many(gone, 'answer')} of {len(units)} missing"
    return str(poles.pop()) if len(poles) == 1 else "both poles"


def _alike(run: RunEvidence, units: list[Unit], most: int) -> tuple[Alike, ...]:
    groups: dict[tuple[object, ...], list[Unit]] = {}
    for unit in units:
        told = tuple(
            (a.reply_text, a.reading, a.finish_reason, a.refusal_field, a.transport_error) for a in unit.attempts
        )
        groups.setdefault((str(unit.outcome), unit.answer, told), []).append(unit)
    return tuple(_group(run, found, most) for found in groups.values())


def _group(run: RunEvidence, units: list[Unit], most: int) -> Alike:
    unit = units[0]
    pole = chosen(unit)
    choice = f"{unit.answer}, the {pole} option" if pole else "no answer"
    where = _where(run, units)
    said = tuple(_said(attempt, where, most) for attempt in unit.attempts)
    repeats = tuple(one.repeat for one in units)
    return Alike(repeats, OUTCOME_NAMES.get(str(unit.outcome), str(unit.outcome)), choice, said)


def _where(run: RunEvidence, units: list[Unit]) -> str:
    """The place of these units in the run's journal, in words."""
    lines = sorted(run.lines[unit.unit_key] for unit in units if unit.unit_key in run.lines)
    if not lines:
        return f"{JOURNAL} of run {run.header.run_id}"
    named = ", ".join(map(str, lines[:LINES_NAMED])) + (" …" if len(lines) > LINES_NAMED else "")
    return f"{JOURNAL} of run {run.header.run_id}, line{'s' if len(lines) > 1 else ''} {named}"


def _said(attempt: Attempt, where: str, most: int) -> Said:
    more = []
    if attempt.finish_reason:
        more.append(f"finish reason {attempt.finish_reason}")
    if attempt.refusal_field:
        more.append(f"refusal field: {brief(attempt.refusal_field)}")
    if attempt.transport_error:
        more.append(f"not reached: {brief(attempt.transport_error)}")
    meaning = REASONS.get(attempt.reading, "a reason of another parser")
    text = None if attempt.reply_text is None else cut(attempt.reply_text, where, most)
    at_once = attempt.reading == "ok" and more in ([], ["finish reason stop"])
    return Said(attempt.attempt_number, text, f"{attempt.reading}: {meaning}", "; ".join(more), at_once)
