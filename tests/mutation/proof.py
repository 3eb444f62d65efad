"""The whole proof in parts: every mutant of a bank, and what is found of each."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from all_mutants import all_sites, of_document, pool_of
from kill import Judge
from mutant import Mutant
from of_files import Files
from of_frozen import FrozenFiles
from of_register import Register
from of_structure import of_two_dossiers
from part_of_bank import part_of
from tally import Tally

from divisionbell.bank.load import Bank
from divisionbell.diagnostics import shown_path

Part = tuple[str, int | str]
CHUNKS = 40
"""The mutants of a frozen version are judged in this many parts."""
SMALL = "0.1.0"
STRIDE = 7
"""Of the mutants of the two files of the version that the bank names every so many is judged: they are large, and their
lines alike. All those of the small version are."""


class Proof:
    """Makes the mutants of a bank and judges them."""

    def __init__(self, bank: Bank, workshop: Path) -> None:
        self.bank, self.workshop = bank, workshop
        self.judge = Judge(bank, workshop)
        self.shown_folder = shown_path(bank.folder)
        self.documents = list(bank.documents())
        self.sites = all_sites(bank)
        self.pool = pool_of(self.sites)
        self.files = Files(bank, self.judge.frozen_parts)

    def parts(self) -> list[Part]:
        """Every part of the proof."""
        numbers = range(len(self.documents))
        return [
            *(("document", n) for n in numbers),
            *(("file", n) for n in numbers),
            *(("two files", n) for n in range(len(self.bank.dossiers))),
            ("codebook", 0),
            ("register", "0.1.0"),
            *((f"frozen {version}", n) for version in (SMALL, str(self.bank.version)) for n in range(CHUNKS)),
        ]

    def of_document(self, number: int) -> Iterator[Mutant]:
        """Every mutant of the text of one document."""
        _, document = self.documents[number]
        return of_document(document, self.sites[id(document)], self.pool)

    def of_two_files(self, number: int) -> Iterator[Mutant]:
        """Every exchange between a dossier and the next."""
        one, other = self.bank.dossiers[number], self.bank.dossiers[(number + 1) % len(self.bank.dossiers)]
        return of_two_dossiers(self.sites[id(one)], self.sites[id(other)])

    def run(self, part: Part) -> Tally:
        """Judge every mutant of one part."""
        name, which = part
        tally = Tally()
        if name.startswith("frozen"):
            self._run_frozen(name.removeprefix("frozen "), int(which), tally)
        elif name == "register":
            register = Register(self.bank, str(which), self.workshop)
            for text_mutant in register.mutants(self.pool):
                tally.add(register.judge(text_mutant), frozen_only=True)
        else:
            for mutant in self._mutants(name, int(which)):
                tally.add(self.judge.judge(mutant))
        return tally

    def _mutants(self, name: str, number: int) -> Iterable[Mutant]:
        if name == "document":
            return self.of_document(number)
        if name == "file":
            return self.files.of(*self.documents[number])
        if name == "two files":
            return self.of_two_files(number)
        return self.files.of_codebook()

    def frozen_files(self, version: str) -> FrozenFiles:
        """The maker of mutants of a frozen version's two files."""
        bank = part_of(self.bank, {}, alone=False)
        bank.frozen_in = self.workshop / f"frozen-{version}-{os.getpid()}"
        return FrozenFiles(bank, self.bank.freeze_folder, version)

    def _run_frozen(self, version: str, chunk: int, tally: Tally) -> None:
        made = self.frozen_files(version)
        for number, mutant in enumerate([*made.of_files(), *made.of_lines()] if chunk == 0 else made.of_lines()):
            if number % (CHUNKS * (1 if version == SMALL else STRIDE)) == chunk:
                made.put(mutant)
                tally.add(self.judge.judge(mutant), frozen_only=True)


class Worker(Protocol):
    """Whoever can do one part of a proof."""

    def run(self, part: Part) -> Tally: ...


def together(worker: Worker, parts: Sequence[Part], processes: int) -> Iterator[tuple[Part, Tally]]:
    """The tally of each part, in whatever order they are done."""
    if processes < 2:
        for part in parts:
            yield part, worker.run(part)
        return
    _forked["worker"] = worker
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        yield from pool.imap_unordered(_run_forked, parts)


_forked: dict[str, Worker] = {}
"""What a forked process inherits: a proof cannot be sent to it."""


def _run_forked(part: Part) -> tuple[Part, Tally]:
    return part, _forked["worker"].run(part)
