"""What would cover a slot that is added to a class of the bank's schema: tried in the text of a file that has one."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from of_register import register_text
from part_of_bank import PartOfBank, part_of
from slots import sites

from divisionbell.bank.canonical import transformation_digests
from divisionbell.bank.document import Document, Path_
from divisionbell.bank.load import Bank, Root
from divisionbell.bank.manifest import record_file, records
from divisionbell.bank.read import read_bytes
from divisionbell.validate import shape
from divisionbell.validate.rule import Context
from divisionbell.validate.rules import BY_ID
from divisionbell.validate.rules.hashes import COVERAGE

WAIVER = """\
waivers:
  - rule: TXT006
    waived_item: {item}
    waived_text: waste
    reason: It is the name of what is carried away.
    granted_by: divisionbell
    granted_on: '2026-11-30'
"""


@dataclass(frozen=True)
class Cover:
    """Whether rule HSH002 asks about the slot, whether the transformation digest is taken over it, and whether the
    frozen records hold it, so that FRZ001 finds a change of it at its line."""

    asked: bool
    digested: bool
    frozen: bool


class AddedSlots:
    """Adds a slot to one record of each class."""

    def __init__(self, bank: Bank, workshop: Path) -> None:
        self.bank, self.workshop = bank, workshop
        self.place: dict[str, tuple[Root, Document, Path_]] = {}
        for root, document in self._documents():
            self.place.setdefault(root, (root, document, ()))
            for site in sites(root, document):
                if isinstance(site.mark.children, dict):
                    self.place.setdefault(site.range, (root, document, site.path))

    def _documents(self) -> list[tuple[Root, Document]]:
        """The documents of the bank, with a waiver in a dossier and with registered runs, which it has none of."""
        bank = self.bank
        assert bank.evaluations is not None
        dossier = bank.dossiers[0]
        waiver = WAIVER.format(item=dossier.value["items"][0]["item_id"])
        register = register_text(bank.freeze_folder, "0.1.0")
        return [
            *bank.documents(),
            ("Dossier", read_bytes((dossier.text + waiver).encode("utf-8"), Document(dossier.path))),
            ("EvaluationRegister", read_bytes(register.encode("utf-8"), Document(bank.evaluations.path))),
        ]

    def cover(self, name: str) -> Cover:
        """What covers a slot that is added to the class of this name."""
        root, document, path = self.place[name]
        one, line = self._with_slot(document, path, "one")
        other, _ = self._with_slot(document, path, "other")
        return Cover(self._asked(name), self._digested(root, one, other), self._found(root, document, one, other, line))

    def _with_slot(self, document: Document, path: Path_, value: str) -> tuple[Document, int]:
        """The document with the slot, which stands behind the first of the record, and its line."""
        children = document.mark(path)[0].children
        assert isinstance(children, dict)
        first = next(iter(children.values()))
        line = " " * (first.key_column - 1) + f"added_slot: {value}"
        lines = [*document.lines[: first.end_line], line, *document.lines[first.end_line :]]
        made = read_bytes("\n".join(lines).encode("utf-8"), Document(document.path))
        assert made.at(*path, "added_slot").line == first.end_line + 1
        return made, first.end_line + 1

    def _asked(self, name: str) -> bool:
        changed = copy.deepcopy(shape.schema())
        changed["$defs"][name]["properties"]["added_slot"] = {"type": "string"}
        with patch.object(shape, "schema", lambda: changed):
            found = list(COVERAGE.run(Context(self.bank, [])))
        return any(f"{name}.added_slot" in finding.message for finding in found)

    def _digested(self, root: Root, one: Document, other: Document) -> bool:
        return root == "Dossier" and transformation_digests(one.value) != transformation_digests(other.value)

    def _found(self, root: Root, old: Document, one: Document, other: Document, line: int) -> bool:
        """Whether FRZ001 finds the other value in the working file, where the one is frozen."""
        frozen_in = self.workshop / f"added-{root}"
        frozen_in.mkdir(exist_ok=True)
        before, now = (self._part(root, old, document, frozen_in) for document in (one, other))
        (frozen_in / f"{self.bank.version}.records.jsonl").write_bytes(record_file(records(before)))
        found = BY_ID["FRZ001"].run(Context(now, list(now.documents())))
        return any((f.location.path, f.location.line) == (other.shown, line) for f in found)

    def _part(self, root: Root, old: Document, document: Document, frozen_in: Path) -> PartOfBank:
        part = part_of(self.bank, {id(old): document}, alone=True)
        if root == "EvaluationRegister":
            part.evaluations = document
        part.frozen_in, part.only, part.codebook = frozen_in, [(root, document)], None
        return part
