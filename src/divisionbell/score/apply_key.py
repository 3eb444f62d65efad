"""From stored answer letters to coordinates, by the scoring key of the frozen bank that was asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from divisionbell.diagnostics import UsageProblem
from divisionbell.freeze.frozen_bank import Asked, FrozenBank
from divisionbell.run.outcomes import NOT_ADMINISTERED, OUTCOMES, VALID
from divisionbell.score.missing import (
    not_administered_dossiers,
    refuse_incomplete,
    refuse_shard,
)

ORDERS = {"negative_at_a": 0, "positive_at_a": 1}


class Cell(NamedTuple):
    """One unit, scored: `coordinate` is -1 or +1 on the dossier's axis, None where the answer is missing."""

    axis: str
    family: str
    dossier: str
    kind: str
    version: str
    item: str
    order: int
    repeat: int
    coordinate: int | None
    letter: str | None
    outcome: str


@dataclass(frozen=True)
class Cells:
    """Every administered unit of a run, in an order that depends on the bank alone.

    `items` has length I; the arrays have shape (I, 2 orders, K repeats). Order index 0 is order 1, the negative pole at
    A; index 1 is order 2, the positive pole at A. `x` holds coordinates, -1 or +1, and 0 where `letter` is "" (a
    missing answer, whose `outcome` says why). `not_administered` are the dossiers left out because there was nothing to
    ask.
    """

    items: tuple[Asked, ...]
    x: NDArray[np.float64]
    letter: NDArray[np.str_]
    outcome: NDArray[np.str_]
    not_administered: tuple[str, ...]

    @property
    def repeats(self) -> int:
        return int(self.x.shape[2])

    @cached_property
    def answered(self) -> NDArray[np.bool_]:
        """True where there is an answer."""
        return np.isin(self.outcome, VALID)

    @cached_property
    def answered_at_first(self) -> NDArray[np.bool_]:
        """True where the first reply was the answer, without the reminder."""
        return np.asarray(self.outcome == VALID[0], dtype=np.bool_)

    def __iter__(self) -> Iterator[Cell]:
        """The cells one by one: by item, then order, then repeat."""
        for (i, o, k), outcome in np.ndenumerate(self.outcome):
            asked, letter = self.items[i], str(self.letter[i, o, k])
            yield Cell(
                axis=str(asked.dossier.axis),
                family=asked.dossier.issue_family,
                dossier=asked.dossier.dossier_id,
                kind=kind_of(asked),
                version=version_of(asked),
                item=asked.item.item_id,
                order=o + 1,
                repeat=k + 1,
                coordinate=int(self.x[i, o, k]) if letter else None,
                letter=letter or None,
                outcome=str(outcome),
            )


def kind_of(asked: Asked) -> str:
    """The scale that an item is on: concrete or implicit."""
    return str(asked.item.kind).removesuffix("_action")


def version_of(asked: Asked) -> str:
    """original or mirror."""
    return "mirror" if asked.is_mirror else "original"


def apply_key(bank: FrozenBank, header: Mapping[str, Any], units: Sequence[Mapping[str, Any]]) -> Cells:
    """Coordinates of a complete run.

    `header` is a RunHeader, `units` are Units, one per unit, in any order. Only the stored answer letter, the order
    that was asked and the scoring key are read. UsageProblem when the run was made against other frozen files or with
    units that its header does not describe; when a unit stands twice, is of an unknown item or of another form; when
    its stored order contradicts the order asked; and when the run is incomplete.
    """
    if header["bank_sha256"] != bank.sha256:
        raise UsageProblem(
            f"the run was made against frozen records {header['bank_sha256']}, this bank's are {bank.sha256}",
            f"score it with version {header['bank_version']} of the bank, as it was frozen",
        )
    refuse_shard(header)
    items, repeats = bank.form(header["form"]), int(header["repeats"])
    known = {asked.item.item_id: number for number, asked in enumerate(items)}
    elsewhere = {item.item_id for dossier in bank.dossiers for item in dossier.items} - known.keys()
    shape = (len(items), 2, repeats)
    letter = np.full(shape, "", dtype="<U1")
    outcome = np.full(shape, "", dtype=f"<U{max(map(len, OUTCOMES))}")
    keys: set[str] = set()
    for unit in units:
        if unit["unit_key"] in keys:
            raise UsageProblem(f"unit {unit['unit_key']} stands twice")
        keys.add(unit["unit_key"])
        place = _place(unit, known, elsewhere, str(header["form"]), items, repeats)
        if outcome[place]:
            raise UsageProblem(f"{_named(unit)} stands twice, under two keys")
        outcome[place] = _outcome(unit)
        if unit["outcome"] in VALID:
            letter[place] = _letter(unit)
    if int(header["unit_count"]) != outcome.size:
        raise UsageProblem(f"the run says it has {header['unit_count']} units, its form has {outcome.size}")
    refuse_incomplete(header, units)
    return cells_of(items, letter, outcome, not_administered_dossiers(units))


def cells_of(
    items: Sequence[Asked], letter: NDArray[np.str_], outcome: NDArray[np.str_], dropped: tuple[str, ...]
) -> Cells:
    """Coordinates by the key. `letter` and `outcome` have shape (items, 2 orders, repeats); `dropped` are the dossiers
    that were not administered. UsageProblem for a key that is not the exact opposites -1 and +1."""
    kept = ~(outcome == NOT_ADMINISTERED).any(axis=(1, 2))
    at_a = np.array([_coordinates_at_a(asked) for asked in items]).reshape(-1, 2, 1)
    x = np.where(letter == "A", at_a, np.where(letter == "B", -at_a, 0.0))
    chosen = tuple(asked for asked, keep in zip(items, kept, strict=True) if keep)
    return Cells(chosen, x[kept], letter[kept], outcome[kept], dropped)


def _place(
    unit: Mapping[str, Any],
    known: Mapping[str, int],
    elsewhere: set[str],
    form: str,
    items: Sequence[Asked],
    repeats: int,
) -> tuple[int, int, int]:
    """Index of a unit in the arrays; UsageProblem where it has no place there."""
    number = known.get(unit["asked_item"])
    if number is None:
        if unit["asked_item"] in elsewhere:
            raise UsageProblem(f"{_named(unit)} is of another form: {form} does not ask that item")
        raise UsageProblem(f"{_named(unit)}: the bank has no such item")
    asked = items[number]
    if unit["asked_dossier"] != asked.dossier.dossier_id:
        raise UsageProblem(
            f"{_named(unit)}: the item stands in {asked.dossier.dossier_id}, not {unit['asked_dossier']}"
        )
    if unit["asked_order"] not in ORDERS:
        raise UsageProblem(f"{_named(unit)}: there is no such order")
    if unit["stored_order"] is not (unit["asked_order"] == f"{asked.pole_at_a}_at_a"):
        raise UsageProblem(f"{_named(unit)}: stored_order contradicts the order asked")
    if not 1 <= unit["repeat"] <= repeats:
        raise UsageProblem(f"{_named(unit)}: the run has {repeats} repeat(s)")
    return number, ORDERS[unit["asked_order"]], int(unit["repeat"]) - 1


def _named(unit: Mapping[str, Any]) -> str:
    return f"unit {unit['asked_item']}, {unit['asked_order']}, repeat {unit['repeat']}"


def _outcome(unit: Mapping[str, Any]) -> str:
    if unit["outcome"] not in OUTCOMES:
        raise UsageProblem(f"{_named(unit)}: there is no outcome {unit['outcome']}")
    if (unit["outcome"] in VALID) != ("answer" in unit):
        raise UsageProblem(f"{_named(unit)}: outcome {unit['outcome']} and answer contradict each other")
    return str(unit["outcome"])


def _letter(unit: Mapping[str, Any]) -> str:
    if unit["answer"] not in ("A", "B"):
        raise UsageProblem(f"{_named(unit)}: the answer is neither A nor B")
    return str(unit["answer"])


def _coordinates_at_a(asked: Asked) -> tuple[float, float]:
    """What the letter A is worth in order 1 and in order 2, by the key; B is worth the opposite.

    UsageProblem for a key that is not the exact opposites -1 and +1.
    """
    stored, other = asked.coordinate("key_a"), asked.coordinate("key_b")
    if {stored, other} != {-1.0, 1.0}:
        raise UsageProblem(
            f"item {asked.item.item_id}: only keys of -1 and +1 can be scored, not {stored:g} and {other:g}"
        )
    return (stored, other) if asked.pole_at_a == "negative" else (other, stored)
