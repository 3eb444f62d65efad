"""What YAML does not carry changes nothing: no value, no frozen record, no finding."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import chdir
from pathlib import Path

import pytest
from mutant import TextMutant
from of_layout import ALLOWED, sampled
from on_disk import full_of_all
from proof import Proof


@pytest.fixture(scope="module")
def changes(proof: Proof) -> list[TextMutant]:
    documents = [(root, document, proof.sites[id(document)]) for root, document in proof.documents]
    return list(sampled(documents, 1))


def test_no_value_and_no_record_changes(proof: Proof, changes: list[TextMutant], figures: dict[str, list[str]]) -> None:
    with chdir(Path(__file__).resolve().parents[2]):
        told = [line for mutant in changes for line in proof.judge.changes(mutant)]
    assert told == []
    figures["changes of layout"] = [f"{len(changes)} changes of {len(ALLOWED)} kinds change nothing"]


def test_every_kind_has_its_reason(changes: list[TextMutant]) -> None:
    tried = Counter(mutant.kind for mutant in changes)
    assert set(tried) == set(ALLOWED)
    assert min(tried.values()) >= 4


def test_the_full_validation_finds_nothing(on_disk: Proof) -> None:
    """Of a bank with a change of every kind in it, each in a file of its own."""
    documents = [(root, document, on_disk.sites[id(document)]) for root, document in on_disk.documents]
    mutants = list(sampled(documents, 1))
    random.Random("layout").shuffle(mutants)
    often = Counter(mutant.kind for mutant in mutants)
    taken: set[str] = set()
    chosen = []
    for kind in sorted(ALLOWED, key=lambda kind: often[kind]):  # only few files have the rare ones
        mutant = next(m for m in mutants if m.kind == kind and not {d.shown for d in m.documents} & taken)
        taken |= {document.shown for document in mutant.documents}
        chosen.append(mutant)
    assert full_of_all(on_disk.bank.folder, chosen) == (), [mutant.shown for mutant in chosen]
