"""A bank with other files in the place of some, whole or in part, and with a freeze folder of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

import orjson

from divisionbell.bank.document import Document
from divisionbell.bank.load import Bank, Root
from divisionbell.bank.manifest import Record, records

NOT_FROZEN = Path("not-frozen")


@dataclass
class PartOfBank(Bank):
    """A bank whose frozen files lie in `frozen_in`. With `only`, it has no other documents than these."""

    frozen_in: Path = NOT_FROZEN
    only: list[tuple[Root, Document]] | None = None

    @property
    def freeze_folder(self) -> Path:
        return self.frozen_in

    def documents(self) -> Iterator[tuple[Root, Document]]:
        yield from super().documents() if self.only is None else self.only


Fresh = Mapping[int, Document]
"""A document's id() -> the document that stands in its place."""


def part_of(bank: Bank, fresh: Fresh, *, alone: bool) -> PartOfBank:
    """The bank with fresh documents; with `alone`, without the dossiers and registers that are as they were."""

    def now(documents: list[Document]) -> list[Document]:
        return [fresh.get(id(document), document) for document in documents if id(document) in fresh or not alone]

    held = {field.name: getattr(bank, field.name) for field in fields(Bank)}
    for name in ("settings", "plan", "sources", "evaluations"):
        held[name] = fresh.get(id(held[name]), held[name])
    for name in ("dossiers", "excluded", "prospective"):
        held[name] = now(held[name])
    return PartOfBank(**held)


class FrozenParts:
    """Freeze folders that hold the frozen records of a few documents, cut from the frozen version of a whole bank."""

    def __init__(self, bank: Bank, workshop: Path) -> None:
        self.version, self.workshop = bank.version, workshop
        path = bank.freeze_folder / f"{bank.version}.records.jsonl"
        self._lines: dict[tuple[str, str], bytes] = {}
        self.line_number: dict[tuple[str, str], int] = {}
        for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], start=1):
            record = orjson.loads(line)
            self._lines[record["kind"], record["id"]] = line
            self.line_number[record["kind"], record["id"]] = number
        self._records: dict[int, list[Record]] = {}
        for record in records(bank):
            self._records.setdefault(id(record.document), []).append(record)

    def records_of(self, document: Document | None) -> list[Record]:
        """The records that a document gives; None stands for the codebook."""
        return [r for r in self._records.get(id(document), []) if document is not None or r.kind == "codebook"]

    def of(self, documents: Iterable[Document | None]) -> Path:
        """The folder with the records of these documents; None stands for the codebook."""
        listed = list(documents)
        folder = self.workshop / "-".join(str(id(document)) for document in listed)
        if not folder.exists():
            folder.mkdir(parents=True)
            names = [(record.kind, record.id) for document in listed for record in self.records_of(document)]
            lines = [self._lines[name] for name in sorted([*names, ("schema", "bank.schema.json")])]
            (folder / f"{self.version}.records.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
        return folder
