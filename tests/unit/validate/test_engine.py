"""Checks by parts and in two processes find what one pass over all finds, and a clean bank costs no places."""

from __future__ import annotations

from pathlib import Path

import pytest

from divisionbell.bank import build
from divisionbell.bank.document import Document, Mark
from divisionbell.bank.load import load
from divisionbell.validate import engine
from divisionbell.validate.engine import check


def _spoil(bank: Path) -> None:
    for number, file in enumerate(sorted(bank.glob("dossiers/*/*/*.yaml"))):
        text = file.read_text(encoding="utf-8")
        file.write_text(
            text.replace("status: approved", "status: rejected") if number % 2 else text.replace("the", "thé")
        )


@pytest.mark.parametrize("part", [1, 5, 1000])
@pytest.mark.parametrize("many", [0, 10**6])
def test_the_same_findings_however_it_is_split(
    copied_bank: Path, part: int, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    _spoil(copied_bank)
    expected = check(load(copied_bank))
    assert len(expected.diagnostics) > 20
    monkeypatch.setattr(engine, "PART", part)
    monkeypatch.setattr(engine, "MANY", many)
    found = check(load(copied_bank))
    assert found.diagnostics == expected.diagnostics
    assert found.counts == expected.counts


def test_places_are_looked_up_only_for_findings(frozen_bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_marks(document: Document) -> Mark:
        assert not {"dossiers", "excluded"} & {*document.path.parts}, f"the places of {document} were looked up"
        return Mark(1, 1, 1)

    monkeypatch.setattr(build, "marks_of", no_marks)
    assert check(load(frozen_bank)).clean
