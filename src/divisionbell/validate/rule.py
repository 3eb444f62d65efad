"""What a rule is, and what every rule is handed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from divisionbell.bank.load import Bank, alias
from divisionbell.bank.read import Document
from divisionbell.diagnostics import Diagnostic, Location, Related


@dataclass(frozen=True)
class ItemAt:
    """One item with the dossier and the place that it stands at. Only documents that fit the schema have these."""

    document: Document
    number: int
    value: dict[str, Any]

    @property
    def dossier(self) -> dict[str, Any]:
        value: dict[str, Any] = self.document.value
        return value

    @property
    def id(self) -> str:
        return str(self.value["item_id"])

    @property
    def is_mirror(self) -> bool:
        return "mirror_of" in self.value

    @property
    def shown(self) -> str:
        """Id and alias, as diagnostics name the item."""
        return f"{self.id} ({alias(self.dossier, self.value)})"

    def waives(self, rule: str, text: str) -> bool:
        """Whether the dossier grants this item a reviewed exception from a rule for these words."""
        return any(
            waiver["rule"] == rule and waiver["waived_item"] == self.id and waiver["waived_text"] == text
            for waiver in self.dossier.get("waivers", [])
        )

    def at(self, *path: str | int) -> Location:
        return self.document.at("items", self.number, *path)

    def at_key(self, *path: str | int) -> Location:
        return self.document.at_key("items", self.number, *path)


@dataclass
class Context:
    """A bank whose documents have been read and held to the schema. `sound` are the documents that fit it; rules look
    at those alone, so that a rule whose ground is missing stays silent."""

    bank: Bank
    sound: list[tuple[str, Document]]
    ches: Path | None = None
    counts: dict[str, int] = field(default_factory=dict)

    @cached_property
    def dossiers(self) -> list[Document]:
        return [document for root, document in self.sound if root == "Dossier"]

    @cached_property
    def excluded(self) -> list[Document]:
        return [document for root, document in self.sound if root == "ExcludedDossier"]

    @cached_property
    def prospective(self) -> list[Document]:
        return [document for root, document in self.sound if root == "ProspectiveRegister"]

    @cached_property
    def settings(self) -> dict[str, Any] | None:
        return self._one("Bank")

    @cached_property
    def plan(self) -> dict[str, Any] | None:
        return self._one("AnalysisPlan")

    @cached_property
    def sources(self) -> dict[str, Any] | None:
        return self._one("DataSources")

    @cached_property
    def evaluations(self) -> dict[str, Any] | None:
        return self._one("EvaluationRegister")

    def _one(self, wanted: str) -> dict[str, Any] | None:
        for root, document in self.sound:
            if root == wanted:
                value: dict[str, Any] = document.value
                return value
        return None

    @cached_property
    def items(self) -> list[ItemAt]:
        return [
            ItemAt(document, number, value)
            for document in self.dossiers
            for number, value in enumerate(document.value["items"])
        ]

    @cached_property
    def item_by_id(self) -> dict[str, ItemAt]:
        """The first item of each id; that an id stands twice is another rule's finding."""
        found: dict[str, ItemAt] = {}
        for item in self.items:
            found.setdefault(item.id, item)
        return found

    @cached_property
    def mirrors(self) -> list[tuple[ItemAt, ItemAt]]:
        """Each mirror with its original, where the original exists."""
        return [
            (item, self.item_by_id[item.value["mirror_of"]])
            for item in self.items
            if item.is_mirror and item.value["mirror_of"] in self.item_by_id
        ]


@dataclass(frozen=True)
class Rule:
    """One thing that must hold. `check` yields a diagnostic for each place where it does not."""

    id: str
    name: str
    protects: str
    fix: str
    check: Callable[[Rule, Context], Iterable[Diagnostic]]

    def found(self, at: Location, message: str, *related: Related, fix: str | None = None) -> Diagnostic:
        return Diagnostic(at, self.id, message, fix or self.fix, related)

    def run(self, context: Context) -> Iterator[Diagnostic]:
        yield from self.check(self, context)
