"""A mutant written to disk and held against every rule: what the short way of kill.py must agree with."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from kill import FREEZE
from mutant import FileMutant, Mutant, TextMutant
from proof import Proof
from right_place import right_place
from sample import kinds_first, of_exchanges, of_files, of_values

from divisionbell.bank.load import load
from divisionbell.diagnostics import Diagnostic
from divisionbell.validate.engine import check


def copied(repository: Path, to: Path) -> Path:
    """A copy of the shipped bank with its frozen versions."""
    shutil.copytree(repository / "bank", to / "bank")
    shutil.copy(repository / "data_sources.yaml", to / "data_sources.yaml")
    return to / "bank"


def drawn(proof: Proof, number: int, seed: str) -> list[Mutant]:
    """So many mutants, of every kind at least one where the number allows."""
    made = [*of_values(proof), *of_exchanges(proof), *of_files(proof), *proof.files.of_codebook()]
    draw = random.Random(seed)
    draw.shuffle(made)
    return kinds_first(made)[:number]


@dataclass(frozen=True)
class Found:
    """What the full validation finds of a mutant: all of it, and the rules that stand at the right place."""

    everywhere: frozenset[tuple[str, int, str]]
    right: frozenset[str]


def place(finding: Diagnostic) -> tuple[str, int, str]:
    """File, line and rule of a finding."""
    return finding.location.path, finding.location.line, finding.rule


def full(folder: Path, mutant: Mutant) -> tuple[Found, Found]:
    """Write a mutant over a copy of the bank, validate all of it with the freeze and without, put the files back."""
    with _written(mutant):
        bank = load(folder)
        with_freeze = check(bank).diagnostics
        with _hidden(folder / "freeze"):
            without = check(bank).diagnostics
        documents = {document.shown: document for _, document in bank.documents()}

        def told(found: tuple[Diagnostic, ...]) -> Found:
            right = {f.rule for f in found if right_place(f, mutant, documents) is not None}
            return Found(frozenset(map(place, found)), frozenset(right))

        return told(with_freeze), told(without)


def full_of_all(folder: Path, mutants: list[TextMutant]) -> tuple[Diagnostic, ...]:
    """What the full validation finds where mutants of different files are all written at once."""
    shown = [document.shown for mutant in mutants for document in mutant.documents]
    assert len(set(shown)) == len(shown)
    with ExitStack() as stack:
        for mutant in mutants:
            stack.enter_context(_written(mutant))
        return check(load(folder)).diagnostics


@contextmanager
def _written(mutant: Mutant) -> Iterator[None]:
    if isinstance(mutant, FileMutant):
        files = dict(mutant.files())
    else:
        assert isinstance(mutant, TextMutant)
        files = {document.path: mutant.text(document).encode("utf-8") for document in mutant.documents}
    before = {path: path.read_bytes() if path.exists() else None for path in files}
    try:
        _write(files)
        yield
    finally:
        _write(before)


def _write(files: dict[Path, bytes | None]) -> None:
    for path, data in files.items():
        if data is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


@contextmanager
def _hidden(folder: Path) -> Iterator[None]:
    away = folder.with_name("hidden")
    folder.rename(away)
    try:
        yield
    finally:
        away.rename(folder)


def disagreement(proof: Proof, mutant: Mutant) -> str | None:
    """How the short way and the full validation disagree about a mutant, or None where they agree."""
    verdict = proof.judge.judge(mutant)
    if verdict.same:
        return None
    own = {place(f) for f in verdict.counted if f.location.path.startswith(proof.shown_folder)}
    with_freeze, without = full(proof.bank.folder, mutant)
    invented = own - with_freeze.everywhere
    if invented:
        return f"{mutant.shown}: only the short way finds {sorted(invented)}"
    if bool(verdict.frozen) != bool(with_freeze.right):
        return f"{mutant.shown}: {sorted(verdict.frozen)} with the freeze, in full {sorted(with_freeze.right)}"
    content = {rule for rule in without.right if not rule.startswith(FREEZE)}
    if set(verdict.content) != content:
        return f"{mutant.shown}: {sorted(verdict.content)} without the freeze, in full {sorted(content)}"
    return None
