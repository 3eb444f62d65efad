"""A document that another process read: the same value, and the same places once they are asked for."""

from __future__ import annotations

import pickle
from pathlib import Path

from divisionbell.bank.load import load
from divisionbell.bank.read import read


def test_a_document_told_by_another_process_knows_its_places(copied_bank: Path) -> None:
    for file in [copied_bank / "bank.yaml", *sorted((copied_bank / "dossiers").rglob("*.yaml"))]:
        own = read(file)
        told = pickle.loads(pickle.dumps(own))
        assert told.value == own.value
        assert (told.text, told.lines) == (own.text, own.lines)
        assert [told.at(key) for key in own.value] == [own.at(key) for key in own.value]


def test_a_file_that_is_another_by_now_has_no_places(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("one: 1\ntwo: 2\n", encoding="utf-8")
    told = pickle.loads(pickle.dumps(read(file)))
    file.write_text("# before\none: 1\ntwo: 2\n", encoding="utf-8")
    assert (told.text, told.at("two").line) == ("", 1)


def test_every_file_of_a_large_bank_knows_its_places(repository: Path) -> None:
    bank = load(repository / "bank")
    assert len(bank.dossiers) >= 100  # so many that two processes read them
    assert [d.path for d in [*bank.dossiers, *bank.excluded] if d.at("dossier_id").line != 2] == []
