"""The bank that is shipped: valid, frozen as it stands, certified, read blind, and counted rightly on its card."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

from divisionbell.bank.load import Bank, load
from divisionbell.cli.certificates import arithmetic_certificate
from divisionbell.estimate.coding_agreement import CURRENT, FIRST, readings, recovery
from divisionbell.estimate.wording_certificate import wording_certificate
from divisionbell.freeze.frozen_bank import FrozenBank, read_frozen
from divisionbell.validate.engine import check


@pytest.fixture(scope="module")
def bank(repository: Path) -> Bank:
    return load(repository / "bank")


@pytest.fixture(scope="module")
def frozen(bank: Bank) -> FrozenBank:
    assert bank.version is not None
    return read_frozen(bank.freeze_folder, bank.version)


def test_it_is_valid_and_matches_its_freeze(bank: Bank) -> None:
    assert [diagnostic.text() for diagnostic in check(bank).diagnostics] == []


def test_with_the_survey_every_figure_is_recomputed(bank: Bank, repository: Path) -> None:
    survey = repository.parent / "shared" / "data" / "ches" / "CHES_2024_final_v2.csv"
    if not survey.is_file():
        pytest.skip("the survey file is not redistributed; see data_sources.yaml for its address")
    assert [diagnostic.text() for diagnostic in check(bank, survey).diagnostics] == []


def test_it_is_as_large_as_was_planned(bank: Bank) -> None:
    held = Counter(document.value["axis"] for document in bank.dossiers)
    assert held["economic"] >= 60 and held["social"] >= 45
    for document in bank.dossiers:
        kinds = [(item["kind"], "mirror_of" in item) for item in document.value["items"]]
        assert sorted(kinds) == [
            ("concrete_action", False),
            ("concrete_action", True),
            ("implicit_action", False),
            ("implicit_action", True),
        ]


def test_no_division_stands_twice(bank: Bank) -> None:
    codes = [code["division_id"] for document in bank.prospective for code in document.value["prospective_codes"]]
    ids = [document.value["source"]["division_id"] for document in [*bank.dossiers, *bank.excluded]] + codes
    assert len(ids) == len(set(ids))
    assert len(codes) == 33


def test_both_certificates_hold(frozen: FrozenBank) -> None:
    assert [row for row in arithmetic_certificate(frozen) if row["holds"] is False] == []
    dossiers = [record.value for record in frozen.records if record.kind == "dossier"]
    rows = wording_certificate(dossiers, 0.15)
    assert len(rows) == 32
    assert [row for row in rows if not row["holds"]] == []


def test_blind_coders_recover_axis_and_pole(bank: Bank) -> None:
    dossiers = [document.value for document in bank.dossiers]
    rows = {(row["reading"], row["axis"], row["kind"]): row for row in recovery(dossiers) if row["coder"] == "all"}
    for reading in (FIRST, CURRENT):
        for axis in ("economic", "social", "all"):
            for kind in ("concrete_action", "implicit_action", "all"):
                assert rows[reading, axis, kind]["share"] >= 0.95, (reading, axis, kind)
    read = Counter(read.item_id for read in readings(dossiers) if read.current)
    every = [item["item_id"] for dossier in dossiers for item in dossier["items"]]
    assert [item_id for item_id in every if read[item_id] < 2] == []


def test_the_short_form_is_balanced(bank: Bank) -> None:
    form = next(form for form in bank.settings.value["forms"] if form["form_id"] == "short")
    chosen = [d.value for d in bank.dossiers if d.value["dossier_id"] in form["form_dossiers"]]
    assert len(chosen) == len(form["form_dossiers"]) == 24
    assert Counter(dossier["axis"] for dossier in chosen) == {"economic": 12, "social": 12}
    assert len({dossier["issue_family"] for dossier in chosen}) == 24
    poles = Counter((dossier["axis"], dossier["source"]["aye_coordinate"]) for dossier in chosen)
    assert set(poles.values()) == {6}


def test_the_data_card_counts_the_bank(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(repository / "docs"))
    sys.modules.pop("data_card", None)
    import data_card

    card = (repository / "bank" / "DATA_CARD.md").read_text(encoding="utf-8")
    assert data_card.written(card, data_card.counts(repository / "bank")) == card
