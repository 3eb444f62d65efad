"""Does the validator find a mutant? Only the changed files are read again, and only rules that they can concern run.

What is left out can hide a finding and cannot make one: every finding that counts here is one of the full validation,
which test_sound.py holds against mutants written to disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import orjson
from mutant import FileMutant, Mutant, TextMutant
from part_of_bank import Fresh, FrozenParts, PartOfBank, part_of
from reads import readers, slot_of
from right_place import right_place

from divisionbell.bank.document import Document
from divisionbell.bank.load import Bank, Root
from divisionbell.bank.manifest import record_file, records
from divisionbell.bank.read import read_bytes
from divisionbell.diagnostics import Diagnostic
from divisionbell.validate.common import Common
from divisionbell.validate.rule import Context
from divisionbell.validate.rules import BY_ID, RULES
from divisionbell.validate.shape import shape_problems

FREEZE = "FRZ"
# A change of these is held against every dossier; the others stand by themselves beside these.
SHARED = {"Bank", "AnalysisPlan", "DataSources", "EvaluationRegister"}


@dataclass(frozen=True)
class Verdict:
    """What was found of a mutant, as rule -> how it stands at the right place (see right_place.py).

    `frozen` is found with the freeze in place; `content` by the other rules alone, as if the bank were not frozen yet;
    `elsewhere` are those of them that found something, but not at the right place. `same` tells that the records that a
    freeze would hold are as they were; `counted` are the findings that count.
    """

    mutant: Mutant
    same: bool = False
    frozen: Mapping[str, str] = field(default_factory=dict)
    content: Mapping[str, str] = field(default_factory=dict)
    elsewhere: frozenset[str] = frozenset()
    counted: tuple[Diagnostic, ...] = ()


def plain(value: object) -> bytes:
    """A value's bytes whatever the order of its keys; 1 and 1.0, 1 and true are told apart."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


class Judge:
    """Holds one loaded bank, its frozen records apart by document, and which rules read what."""

    def __init__(self, bank: Bank, workshop: Path) -> None:
        self.bank = bank
        self.root: dict[int, Root] = {id(document): root for root, document in bank.documents()}
        self.shown = {document.shown: document for _, document in bank.documents()}
        self.frozen_parts = FrozenParts(bank, workshop)
        self.readers = readers(part_of(bank, {}, alone=False), left_out=FREEZE)
        self.common = Common(bank)
        before = Context(part_of(bank, {}, alone=False), list(bank.documents()), common=self.common)
        self.gathered = {rule.id: rule.gathered(before) for rule in RULES if rule.gather is not None}

    def judge(self, mutant: Mutant) -> Verdict:
        """Hold what the rules find in the changed bank against the mutant's place."""
        if isinstance(mutant, FileMutant):
            return self._of_files(mutant)
        assert isinstance(mutant, TextMutant)
        fresh = {id(d): read_bytes(mutant.text(d).encode("utf-8"), Document(d.path)) for d in mutant.documents}
        shape = [
            fault
            for old in mutant.documents
            for fault in fresh[id(old)].problems or shape_problems(self.root[id(old)], fresh[id(old)])
        ]
        documents = self.shown | {new.shown: new for new in fresh.values()}
        if shape:
            return self._verdict(mutant, shape, shape, documents)
        if self._is_same(mutant, fresh):
            return Verdict(mutant, same=True)
        frozen = list(BY_ID["FRZ001"].run(self._frozen_context(mutant, fresh)))
        content = self._content(mutant, fresh)
        return self._verdict(mutant, frozen, content, documents)

    def changes(self, mutant: TextMutant) -> list[str]:
        """What a change of layout changes that it must not: values, records, or what is found."""
        fresh = {id(d): read_bytes(mutant.text(d).encode("utf-8"), Document(d.path)) for d in mutant.documents}
        told = [f"{mutant.shown}: {fault.text()}" for new in fresh.values() for fault in new.problems]
        told += [
            f"{mutant.shown}: a value changed"
            for old in mutant.documents
            if plain(fresh[id(old)].value) != plain(old.value)
        ]
        if not told and any(self.root[id(old)] != "EvaluationRegister" for old in mutant.documents):
            context = self._frozen_context(mutant, fresh)
            frozen = context.bank.freeze_folder / f"{self.bank.version}.records.jsonl"
            if record_file(records(context.bank)) != frozen.read_bytes():
                told.append(f"{mutant.shown}: a record changed")
            told += [f"{mutant.shown}: {finding.text()}" for finding in BY_ID["FRZ001"].run(context)]
        return told

    def _alone(self, mutant: TextMutant) -> bool:
        return not any(self.root[id(document)] in SHARED for document in mutant.documents)

    def _frozen_context(self, mutant: TextMutant, fresh: Fresh) -> Context:
        part = part_of(self.bank, fresh, alone=True)
        part.frozen_in = self.frozen_parts.of(mutant.documents)
        part.only = [(self.root[id(old)], fresh[id(old)]) for old in mutant.documents]
        part.codebook = None
        return Context(part, part.only)

    def _is_same(self, mutant: TextMutant, fresh: Fresh) -> bool:
        """Whether a freeze would hold the same records, byte for byte."""
        if all(plain(fresh[id(old)].value) == plain(old.value) for old in mutant.documents):
            return True
        if not any(self.root[id(old)] in {"Bank", "DataSources", "ProspectiveRegister"} for old in mutant.documents):
            return False  # such a file is one record

        def held(part: PartOfBank) -> list[bytes]:
            return [record.line() for record in records(part)]

        now = self._frozen_context(mutant, fresh).bank
        before = self._frozen_context(mutant, {id(old): old for old in mutant.documents}).bank
        assert isinstance(now, PartOfBank) and isinstance(before, PartOfBank)
        return held(now) == held(before)

    def _wanted(self, mutant: TextMutant) -> set[str]:
        """The rules that read what was touched."""
        wanted: set[str] = set()
        for touched in mutant.touched:
            slot = slot_of(self.root[id(self.shown[touched.shown])], touched.path)
            wanted |= self.readers.get(slot.rstrip("[]"), set())
        return wanted

    def _content(self, mutant: TextMutant, fresh: Fresh) -> list[Diagnostic]:
        """What the rules that read what was touched find; of dossiers by themselves, only in the changed ones."""
        wanted = self._wanted(mutant)
        if not wanted:
            return []
        rules = [rule for rule in RULES if rule.id in wanted]
        whole = part_of(self.bank, fresh, alone=False)
        across = Context(whole, list(whole.documents()))
        if not self._alone(mutant):
            return [finding for rule in rules for finding in rule.run(across)]
        part = part_of(self.bank, fresh, alone=True)
        within = Context(part, list(part.documents()), common=self.common)
        across.common = self.common
        number = {id(d): n for n, d in enumerate([*across.dossiers, *across.excluded])}
        for rule in rules:
            if rule.gather is not None:
                gathered = list(self.gathered[rule.id])
                for document, own in zip([*within.dossiers, *within.excluded], rule.gathered(within), strict=True):
                    gathered[number[id(document)]] = own
                across.gathered[rule.id] = gathered
        return [f for rule in rules for f in (*rule.check(rule, within), *rule.across(rule, across))]

    def _of_files(self, mutant: FileMutant) -> Verdict:
        fits = [not d.problems and d.value is not None for _, d in mutant.bank.documents()]
        sound = [at for at, is_sound in zip(mutant.bank.documents(), fits, strict=True) if is_sound]
        unsound = [at for at, is_sound in zip(mutant.bank.documents(), fits, strict=True) if not is_sound]
        context = Context(mutant.bank, sound, unsound=unsound)
        found = [finding for name in mutant.rules for finding in BY_ID[name].run(context)]
        content = [finding for finding in found if not finding.rule.startswith(FREEZE)]
        if mutant.frozen is not None:
            found += BY_ID["FRZ001"].run(Context(mutant.frozen, list(mutant.frozen.documents())))
        documents = {document.shown: document for _, document in mutant.bank.documents()}
        return self._verdict(mutant, found, content, documents)

    def _verdict(
        self,
        mutant: Mutant,
        frozen: list[Diagnostic],
        content: list[Diagnostic],
        documents: Mapping[str, Document],
    ) -> Verdict:
        at = {finding: right_place(finding, mutant, documents) for finding in {*frozen, *content}}
        right = {finding: how for finding, how in at.items() if how is not None}
        own = {touched.shown for touched in mutant.touched}
        return Verdict(
            mutant,
            frozen={f.rule: right[f] for f in [*content, *frozen] if f in right},
            content={f.rule: right[f] for f in content if f in right},
            elsewhere=frozenset(f.rule for f in content if f not in right and f.location.path in own),
            counted=tuple(right),
        )
