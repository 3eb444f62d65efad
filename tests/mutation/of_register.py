"""A register of runs, as `divisionbell runs register` writes it, and the judge of its mutants."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from all_mutants import of_document
from kill import Verdict
from mutant import TextMutant
from of_values import Pool
from part_of_bank import part_of
from right_place import right_place
from slots import sites

from divisionbell.bank.canonical import sha256_hex
from divisionbell.bank.document import Document
from divisionbell.bank.load import Bank
from divisionbell.bank.read import read_bytes
from divisionbell.validate.rule import Context
from divisionbell.validate.rules import BY_ID
from divisionbell.validate.shape import shape_problems

RULES = ("SCH003", "REF001", "FRZ002", "FRZ003", "PRV001")
ENTRY = """\
  - evaluated_run: {respondent}-2026010{number}T030405Z-0a1b2c
    evaluated_version: '{version}'
    records_sha256: {records}
    statement_sha256: {statement}
    journal_sha256: {journal}
    respondent_name: scripted:{respondent}
    asked_form: {form}
    registered_at: '2026-01-0{number}T03:04:05Z'
"""


def register_text(folder: Path, version: str, number: int = 3) -> str:
    """A register with runs that used a frozen version; their journals are invented."""
    digests = [sha256_hex((folder / name).read_bytes()) for name in (f"{version}.records.jsonl", f"{version}.json")]
    return "evaluations:\n" + "".join(
        ENTRY.format(
            respondent=("coin", "always-a", "always-b")[n % 3],
            number=n + 1,
            version=version,
            records=digests[0],
            statement=digests[1],
            journal=sha256_hex(f"journal {n}".encode()),
            form=("full", "short", "full")[n % 3],
        )
        for n in range(number)
    )


class Register:
    """A bank with registered runs, and what the rules find of a change of the register."""

    def __init__(self, bank: Bank, version: str, workshop: Path) -> None:
        assert bank.evaluations is not None
        text = register_text(bank.freeze_folder, version)
        self.document = read_bytes(text.encode("utf-8"), Document(bank.evaluations.path))
        assert self.document.problems == []
        self.bank = part_of(bank, {id(bank.evaluations): self.document}, alone=False)
        self.bank.frozen_in = workshop / f"register-{version}"
        self.bank.frozen_in.mkdir(parents=True, exist_ok=True)
        for name in (f"{version}.records.jsonl", f"{version}.json"):
            (self.bank.frozen_in / name).write_bytes((bank.freeze_folder / name).read_bytes())
        self.common = Context(self.bank, list(self.bank.documents())).whole

    def mutants(self, pool: Pool) -> Iterator[TextMutant]:
        """Every mutant of the register."""
        for mutant in of_document(self.document, list(sites("EvaluationRegister", self.document)), pool):
            assert isinstance(mutant, TextMutant)
            yield mutant

    def judge(self, mutant: TextMutant) -> Verdict:
        """What the rules that look at the register find."""
        new = read_bytes(mutant.text(self.document).encode("utf-8"), Document(self.document.path))
        found = list(new.problems or shape_problems("EvaluationRegister", new))
        if not found:
            part = part_of(self.bank, {id(self.document): new}, alone=False)
            part.frozen_in = self.bank.frozen_in
            context = Context(part, list(part.documents()), common=self.common)
            found = [finding for name in RULES for finding in BY_ID[name].run(context)]
        at = {f: right_place(f, mutant, {new.shown: new}) for f in found}
        return Verdict(mutant, frozen={f.rule: how for f, how in at.items() if how is not None}, counted=tuple(found))
