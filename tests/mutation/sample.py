"""A stratified sample of the mutants, the same each time: of every slot every kind, in several files."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import TypeVar

from all_mutants import following, neighbours, of_site
from mutant import FileMutant, Mutant, TextMutant
from of_frozen import FrozenFiles
from of_register import Register
from of_structure import of_dossier
from proof import CHUNKS, Part, Proof
from slots import Site
from tally import Tally

M = TypeVar("M", bound=Mutant)
FILES = 3
"""In how many files each kind of mutant of a slot is tried, where the slot occurs in so many."""
LOOKED_AT = 40
"""How many sites of a slot are looked at for kinds that not every site has."""
LINES = 60
"""From how many lines of a frozen file its mutants are drawn: those of all lines of a large one take seconds."""


def of_values(proof: Proof) -> Iterator[Mutant]:
    """Mutants of values, keys and lists."""
    after: dict[int, Site] = {}
    by_slot: dict[str, list[Site]] = {}
    for _, document in proof.documents:
        found = proof.sites[id(document)]
        after |= following(found)
        for site in found:
            by_slot.setdefault(site.slot, []).append(site)
    for slot, sites in by_slot.items():
        draw = random.Random(slot)
        looked_at = draw.sample(sites, min(LOOKED_AT, len(sites)))
        made = ((site.document, m) for site in looked_at for m in of_site(site, after.get(id(site)), proof.pool))
        yield from _few(made)


def of_exchanges(proof: Proof) -> Iterator[Mutant]:
    """Values exchanged: within a mapping, between original and mirror, between two files."""
    draw = random.Random("exchanges")
    dossiers, excluded = (draw.sample(listed, FILES) for listed in (proof.bank.dossiers, proof.bank.excluded))
    single = [document for root, document in proof.documents if root not in {"Dossier", "ExcludedDossier"}]
    chosen = [*dossiers, *excluded, *single]
    yield from _few((document, m) for document in chosen for m in neighbours(proof.sites[id(document)]))
    yield from _few((document, m) for document in dossiers for m in of_dossier(document, proof.sites[id(document)]))
    numbers = [next(n for n, document in enumerate(proof.bank.dossiers) if document is one) for one in dossiers]
    yield from (mutant for number in numbers for mutant in proof.of_two_files(number))


def _few(made: Iterable[tuple[object, Mutant]]) -> Iterator[Mutant]:
    """Of each kind of each slot one in each file, in so many files; in the only file of its kind, one."""
    taken: dict[tuple[str, str], set[int]] = {}
    for document, mutant in made:
        files = taken.setdefault((mutant.kind, mutant.slot), set())
        if id(document) not in files and len(files) < FILES:
            files.add(id(document))
            yield mutant


def of_files(proof: Proof) -> Iterator[FileMutant]:
    """Files deleted, doubled, moved and emptied: every single file, a few dossiers."""
    draw = random.Random("files")
    few = {id(d) for listed in (proof.bank.dossiers, proof.bank.excluded) for d in draw.sample(listed, FILES)}
    for root, document in proof.documents:
        if id(document) in few or root not in {"Dossier", "ExcludedDossier"}:
            yield from proof.files.of(root, document)


class Sample:
    """Judges the sample in parts."""

    def __init__(self, proof: Proof) -> None:
        self.proof = proof
        self.of_bank = [*of_values(proof), *of_exchanges(proof), *of_files(proof), *proof.files.of_codebook()]

    def parts(self) -> list[Part]:
        """Every part of the sample."""
        return [
            ("frozen 0.1.0", 400),
            (f"frozen {self.proof.bank.version}", 40),
            ("register", "0.1.0"),
            *(("bank", n) for n in range(CHUNKS)),
        ]

    def run(self, part: Part) -> Tally:
        """Judge the mutants of one part."""
        name, which = part
        tally = Tally()
        if name == "bank":
            for mutant in self.of_bank[int(which) :: CHUNKS]:
                tally.add(self.proof.judge.judge(mutant))
        elif name == "register":
            register = Register(self.proof.bank, str(which), self.proof.workshop)
            for text_mutant in of_register(register, self.proof):
                tally.add(register.judge(text_mutant), frozen_only=True)
        else:
            made = self.proof.frozen_files(name.removeprefix("frozen "))
            for file_mutant in of_frozen(made, int(which)):
                made.put(file_mutant)
                tally.add(self.proof.judge.judge(file_mutant), frozen_only=True)
        return tally


def of_frozen(made: FrozenFiles, number: int) -> Iterator[FileMutant]:
    """Every change of the files of a frozen version, and some of their lines, of every kind at least one."""
    yield from made.of_files()
    draw = random.Random(made.version)
    lines = list(made.of_lines(draw, LINES))
    draw.shuffle(lines)
    yield from kinds_first(lines)[:number]


def kinds_first(mutants: Iterable[M]) -> list[M]:
    """The mutants with the first of every kind in front."""
    listed = list(mutants)
    first: dict[str, M] = {}
    for mutant in listed:
        first.setdefault(mutant.kind, mutant)
    return [*first.values(), *(mutant for mutant in listed if first[mutant.kind] is not mutant)]


def of_register(register: Register, proof: Proof) -> Iterator[TextMutant]:
    """One mutant of every kind of every slot of the register of runs."""
    seen: set[tuple[str, str]] = set()
    for mutant in register.mutants(proof.pool):
        if (mutant.kind, mutant.slot) not in seen:
            seen.add((mutant.kind, mutant.slot))
            yield mutant
