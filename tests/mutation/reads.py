"""Which slots each rule reads, observed while it runs over the whole bank.

A rule is a function of what it reads. Where a mutant changes one slot alone and a rule never reads that slot over the
unchanged bank, the rule takes the same steps over the mutant and finds what it found before: nothing. Such rules need
not be run, and what they would find is known without a table that somebody would have to keep.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, ValuesView
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import orjson
from slots import ROOT_NAMES

from divisionbell.bank.document import Document, Path_
from divisionbell.bank.load import Bank
from divisionbell.validate.rule import Context
from divisionbell.validate.rules import RULES


class Recorded(dict[str, Any]):
    """A mapping of a bank file that notes each of its keys that is looked at; going through it looks at all."""

    def __init__(self, value: dict[str, Any], slot: str, seen: set[str]) -> None:
        super().__init__({key: recorded(part, f"{slot}.{key}", seen) for key, part in value.items()})
        self._slot, self._seen = slot, seen

    def _look(self, key: object) -> None:
        self._seen.add(f"{self._slot}.{key}")

    def _look_at_all(self) -> None:
        for key in super().keys():  # noqa: SIM118 - iterating over itself would be looking
            self._look(key)

    def __getitem__(self, key: str) -> Any:
        self._look(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self._look(key)
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        self._look(key)
        return super().__contains__(key)

    def __iter__(self) -> Iterator[str]:
        self._look_at_all()
        return super().__iter__()

    def keys(self) -> KeysView[str]:
        self._look_at_all()
        return super().keys()

    def values(self) -> ValuesView[Any]:
        self._look_at_all()
        return super().values()

    def items(self) -> ItemsView[str, Any]:
        self._look_at_all()
        return super().items()

    def __len__(self) -> int:
        self._look_at_all()
        return super().__len__()

    def __eq__(self, other: object) -> bool:
        self._look_at_all()
        if isinstance(other, Recorded):
            other._look_at_all()
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None


def recorded(value: Any, slot: str, seen: set[str]) -> Any:
    """A copy of a value whose mappings note what is looked at."""
    if isinstance(value, dict):
        return Recorded(value, slot, seen)
    if isinstance(value, list):
        return [recorded(part, f"{slot}[]", seen) for part in value]
    return value


def look_at_all(value: Any) -> None:
    """Note everything within a value: what a serialiser does that goes past Python's own ways to look."""
    if isinstance(value, dict):
        for part in value.values():
            look_at_all(part)
    elif isinstance(value, list):
        for part in value:
            look_at_all(part)


def slot_of(root: str, path: Path_) -> str:
    """The slot that a path leads to, such as dossier.items[].stem."""
    return ROOT_NAMES[root] + "".join("[]" if isinstance(step, int) else f".{step}" for step in path)


def readers(bank: Bank, left_out: str) -> dict[str, set[str]]:
    """Slot -> the rules that read it over this bank; rules whose id begins with `left_out` are not looked at."""
    seen: set[str] = set()
    copies = {
        id(document): replace(document, value=recorded(document.value, ROOT_NAMES[root], seen))
        for root, document in bank.documents()
    }

    def of(documents: list[Document]) -> list[Document]:
        return [copies[id(document)] for document in documents]

    assert bank.evaluations is not None
    whole = replace(
        bank,
        settings=copies[id(bank.settings)],
        plan=copies[id(bank.plan)],
        sources=copies[id(bank.sources)],
        evaluations=copies[id(bank.evaluations)],
        dossiers=of(bank.dossiers),
        excluded=of(bank.excluded),
        prospective=of(bank.prospective),
    )
    found: dict[str, set[str]] = {}
    dumps = orjson.dumps

    def looked_at(value: Any, *given: Any, **named: Any) -> bytes:
        look_at_all(value)
        return dumps(value, *given, **named)

    with patch.object(orjson, "dumps", looked_at):
        for rule in RULES:
            if rule.id.startswith((left_out, "SCH")):
                continue
            seen.clear()
            told = list(rule.run(Context(whole, list(whole.documents()))))
            assert told == [], f"{rule.id} finds something in the unchanged bank"
            for slot in seen:
                found.setdefault(slot, set()).add(rule.id)
    return found
