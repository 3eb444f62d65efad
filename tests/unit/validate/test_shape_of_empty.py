"""What is said of a slot that is still empty: where it stands, what writes it, and nothing twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from divisionbell.bank.load import load
from divisionbell.bank.read import Document
from divisionbell.validate.shape import shape_problems


@pytest.fixture
def dossier(copied_bank: Path) -> Document:
    return load(copied_bank).dossiers[0]


def told(dossier: Document, **changed: object) -> list[tuple[str, str]]:
    """What is said, and the way to mend it, where the first item has other values."""
    value = {**dossier.value, "items": [{**dossier.value["items"][0], **changed}, *dossier.value["items"][1:]]}
    return [(found.message, found.fix) for found in shape_problems("Dossier", Document(dossier.path, value))]


@pytest.mark.parametrize("empty", [None, ["negative"], 1])
def test_what_an_empty_or_misshapen_slot_would_ask_for_is_not_asked_yet(dossier: Document, empty: object) -> None:
    (found,) = told(dossier, heard_first=empty)
    assert found[0].startswith("items.0.heard_first")


def test_what_a_slot_asks_for_is_asked(dossier: Document) -> None:
    value = {name: value for name, value in dossier.value["items"][0].items() if name != "heard_first_who"}
    changed = {**dossier.value, "items": [{**value, "heard_first": "negative"}, *dossier.value["items"][1:]]}
    (found,) = shape_problems("Dossier", Document(dossier.path, changed))
    assert (found.message, found.fix) == ("items.0 lacks heard_first_who", "add heard_first_who")


def test_an_empty_digest_is_for_the_program_to_write(dossier: Document) -> None:
    assert told(dossier, transformation_sha256=None) == [
        ("items.0.transformation_sha256 is empty", "write what else is missing, then: divisionbell hash")
    ]
