"""Mutants of whole files: deleted, doubled, moved, emptied; and of the codebook's text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from mutant import FileMutant, Touched
from of_lines import line_mutants
from of_structure import names_below
from part_of_bank import FrozenParts, PartOfBank, part_of
from slots import ROOT_NAMES

from divisionbell.bank.document import Document
from divisionbell.bank.load import Bank, Root
from divisionbell.bank.read import read, read_bytes
from divisionbell.diagnostics import Location, shown_path

WHOLE = 1_000_000
"""The last line of a file, where all of it is what was changed."""
RULES = ("SCH001", "SCH002", "REF001", "REF002", "REF003", "FAM001")
OF_TWO = (*RULES, "MIR001", "TXT008")
"""A copy holds each text a second time as well."""


class Files:
    """Makes the mutants of a bank's set of files."""

    def __init__(self, bank: Bank, frozen: FrozenParts) -> None:
        self.bank, self.frozen = bank, frozen
        self.record_file = shown_path(bank.freeze_folder / f"{bank.version}.records.jsonl")

    def of(self, root: Root, document: Document) -> Iterator[FileMutant]:
        """Every mutant of one file as a file."""
        path = document.path
        yield self._replaced("file: emptied", root, document, read_bytes(b"", Document(path)), {path: b""})
        if root in {"Bank", "AnalysisPlan", "DataSources", "EvaluationRegister"}:
            yield self._replaced("file: deleted", root, document, _missing(path), {path: None})
            return
        yield self._deleted(root, document)
        yield self._doubled(root, document)
        if root == "ProspectiveRegister":
            return
        for kind, other in (
            ("file: moved to another folder", path.parents[1] / "elsewhere" / path.name),
            ("file: moved to the other axis", _other_axis(path)),
            ("file: number in its name changed", path.with_name("1" + path.name)),
        ):
            moved = read_bytes(document.text.encode("utf-8"), Document(other))
            files = {path: None, other: document.text.encode("utf-8")}
            yield self._replaced(kind, root, document, moved, files)

    def _replaced(
        self, kind: str, root: Root, document: Document, other: Document, files: dict[Path, bytes | None]
    ) -> FileMutant:
        return FileMutant(
            kind,
            ROOT_NAMES[root],
            (Touched(other.shown, (), 1, WHOLE),),
            part_of(self.bank, {id(document): other}, alone=False),
            None,
            RULES,
            lambda: files,
        )

    def _deleted(self, root: Root, document: Document) -> FileMutant:
        without = part_of(self.bank, {}, alone=False)
        for listed in (without.dossiers, without.excluded, without.prospective):
            listed[:] = [kept for kept in listed if kept is not document]
        names = [(record.kind, record.id) for record in self.frozen.records_of(document)]
        rest, folder = self._frozen([document], [])
        small = shown_path(folder / Path(self.record_file).name)
        touched = [Touched(self.record_file, (), number, number) for number in map(self.frozen.line_number.get, names)]
        return FileMutant(
            "file: deleted",
            ROOT_NAMES[root],
            (*touched, Touched(small, (), 1, WHOLE)),
            without,
            rest,
            RULES,
            lambda: {document.path: None},
            names=frozenset(names_below(document.value, "")),
        )

    def _doubled(self, root: Root, document: Document) -> FileMutant:
        other = document.path.with_name(document.path.stem + "-copy.yaml")
        copy = read_bytes(document.text.encode("utf-8"), Document(other))
        bank = part_of(self.bank, {}, alone=False)
        for listed in (bank.dossiers, bank.excluded, bank.prospective):
            if any(kept is document for kept in listed):
                listed[:] = sorted([*listed, copy], key=lambda kept: kept.path)
        touched = Touched(copy.shown, (), 1, WHOLE)
        files = {other: document.text.encode("utf-8")}
        return FileMutant("file: doubled", ROOT_NAMES[root], (touched,), bank, None, OF_TWO, lambda: files)

    def _frozen(self, old: list[Document | None], now: list[tuple[Root, Document]]) -> tuple[PartOfBank, Path]:
        part = part_of(self.bank, {}, alone=True)
        part.frozen_in = self.frozen.of(old)
        part.only, part.codebook = now, None
        return part, part.frozen_in

    def of_codebook(self) -> Iterator[FileMutant]:
        """Every mutant of the codebook's text; the frozen bank holds it character by character."""
        assert self.bank.codebook is not None
        path = self.bank.codebook_path
        for change in line_mutants(shown_path(path), self.bank.codebook):
            bank, _ = self._frozen([None], [])
            bank.codebook = text = change.text()
            touched = Touched(shown_path(path), (), change.first, change.last)
            files = {path: text.encode("utf-8")}
            yield FileMutant(change.kind, "codebook", (touched,), bank, bank, (), lambda files=files: files)


def _missing(path: Path) -> Document:
    """What reading a file comes to that is not there."""
    gone, missing = read(path.with_name("no-such-file")), Document(path)
    missing.problems = [replace(found, location=Location(missing.shown)) for found in gone.problems]
    return missing


def _other_axis(path: Path) -> Path:
    parts = ["social" if part == "economic" else "economic" if part == "social" else part for part in path.parts]
    return Path(*parts)
