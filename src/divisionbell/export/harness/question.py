"""What every harness is given to ask: each item of a form in both orders, with its turns as they are frozen."""

from __future__ import annotations

from dataclasses import dataclass

from divisionbell.freeze.frozen_bank import Asked, FrozenBank
from divisionbell.run.prompt import ORDERS, Order, first_turns
from divisionbell.score.apply_key import kind_of, version_of


@dataclass(frozen=True)
class Question:
    """One item in one order, by the name that it has in another harness, with its two turns."""

    name: str
    asked: Asked
    order: Order
    system: str
    prompt: str

    @property
    def coordinate_at_a(self) -> float:
        """What the letter A is worth on the dossier's axis in this order; B is worth the opposite."""
        keys = (self.asked.coordinate("key_a"), self.asked.coordinate("key_b"))
        return min(keys) if self.order == "negative_at_a" else max(keys)

    def row(self) -> dict[str, str | float]:
        """The question as plain values, with what a score needs to know of it."""
        return {
            "question": self.name,
            "item_id": self.asked.item.item_id,
            "order": self.order,
            "system": self.system,
            "prompt": self.prompt,
            "dossier": self.asked.dossier.dossier_id,
            "family": self.asked.dossier.issue_family,
            "axis": str(self.asked.dossier.axis),
            "kind": kind_of(self.asked),
            "pair": self.asked.item.mirror_of or self.asked.item.item_id,
            "version": version_of(self.asked),
            "coordinate_at_a": self.coordinate_at_a,
        }


def question_name(item_id: str, order: str) -> str:
    """The name of an item in one order: it says nothing of the item but its id."""
    return f"{item_id}.{order}"


def questions(bank: FrozenBank, form: str) -> list[Question]:
    """Every question of a form, in the order of the bank. Raises UsageProblem for an unknown form."""
    made = []
    for asked in bank.form(form):
        for order in ORDERS:
            system, prompt = first_turns(bank, asked, order)
            name = question_name(asked.item.item_id, order)
            made.append(Question(name, asked, order, system.content, prompt.content))
    return made
