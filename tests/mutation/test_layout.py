"""What YAML does not carry changes nothing: no value, no frozen record, no finding."""

from __future__ import annotations

from collections import Counter
from contextlib import chdir
from pathlib import Path

import pytest
from mutant import TextMutant
from of_layout import ALLOWED, sampled
from on_disk import copied, full
from proof import Proof

from divisionbell.bank.load import load


@pytest.fixture(scope="module")
def changes(proof: Proof) -> list[TextMutant]:
    documents = [(root, document, proof.sites[id(document)]) for root, document in proof.documents]
    return list(sampled(documents, 1))


def test_no_value_and_no_record_changes(proof: Proof, changes: list[TextMutant], figures: list[str]) -> None:
    with chdir(Path(__file__).resolve().parents[2]):
        told = [line for mutant in changes for line in proof.judge.changes(mutant)]
    assert told == []
    figures.append(f"layout: {len(changes)} changes of {len(ALLOWED)} kinds change nothing")


def test_every_kind_has_its_reason(changes: list[TextMutant]) -> None:
    tried = Counter(mutant.kind for mutant in changes)
    assert set(tried) == set(ALLOWED)
    assert min(tried.values()) >= 4


def test_the_full_validation_finds_nothing(repository: Path, tmp_path: Path) -> None:
    proof = Proof(load(copied(repository, tmp_path)), tmp_path / "workshop")
    documents = [(root, document, proof.sites[id(document)]) for root, document in proof.documents]
    first: dict[str, TextMutant] = {}
    for mutant in sampled(documents, 1):
        first.setdefault(mutant.kind, mutant)
    for mutant in first.values():
        assert full(proof.bank.folder, mutant, frozen=True).everywhere == frozenset(), mutant.shown
