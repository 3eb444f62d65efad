"""Where a frozen dossier is found: in its working file where that still is what was frozen, else in its record."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from divisionbell.bank.load import Bank
from divisionbell.bank.manifest import Record, dossier_record
from divisionbell.bank.read import Document
from divisionbell.diagnostics import shown_path
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.validate.shape import validator

WorkingCopy = Literal["same", "differs", "absent"]


@dataclass(frozen=True)
class Placed:
    """One frozen dossier: the line of its record, counted from 1, and its working file where there is one.

    `working_copy` is "same" where the working file holds exactly what was frozen, and only then places are told in it.
    """

    records: str
    line: int
    working_copy: WorkingCopy
    document: Document | None

    def at(self, *path: str | int) -> str:
        """`file:line` of a part of the dossier; of the whole record where the working file is another."""
        if self.document is None or self.working_copy != "same":
            return f"{self.records}:{self.line}"
        place = self.document.at_key(*path) if path else self.document.at()
        return f"{place.path}:{place.line}"

    @property
    def word(self) -> str | None:
        """What must be said of the working copy, None where it is the same."""
        if self.working_copy == "same":
            return None
        if self.document is None:
            return "no working file holds this dossier any more"
        return f"the working copy differs from what was frozen: {self.document.shown}"


def placed(frozen: FrozenBank, working: Bank, wanted: Collection[str]) -> dict[str, Placed]:
    """The place of each dossier wanted; `working` is the bank folder that the frozen version was read from."""
    records = shown_path(working.freeze_folder / f"{frozen.version}.records.jsonl")
    documents: dict[str, list[Document]] = {}
    for document in (*working.dossiers, *working.excluded):
        named = document.value.get("dossier_id") if isinstance(document.value, dict) else None
        if isinstance(named, str):
            documents.setdefault(named, []).append(document)
    found = {}
    for line, record in enumerate(frozen.records, start=1):
        if record.kind == "dossier" and record.id in wanted:
            found[record.id] = _placed(records, line, record, documents.get(record.id, []))
    return found


def _placed(records: str, line: int, record: Record, documents: list[Document]) -> Placed:
    same = next((document for document in documents if _is_frozen(document, record)), None)
    if same is not None:
        return Placed(records, line, "same", same)
    return Placed(records, line, "differs" if documents else "absent", documents[0] if documents else None)


def _is_frozen(document: Document, record: Record) -> bool:
    """Whether a working file is the record, to the byte of its canonical form."""
    if document.problems or not validator("Dossier").is_valid(document.value):
        return False
    return dossier_record(document).line() == record.line()
