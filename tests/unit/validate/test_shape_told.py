"""What is said of a slot that does not fit: what is empty, what breaks, what writes it, and nothing twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from divisionbell.bank.load import load
from divisionbell.bank.read import Document, read_bytes
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


@pytest.mark.parametrize(
    ("written", "line"), [(">-\n  one\n   two\n  three", 3), ("|-\n  one\n  two", 3), (">-\n  one\n\n  two", 4)]
)
def test_a_text_of_several_lines_is_shown_where_the_second_begins(dossier: Document, written: str, line: int) -> None:
    before = dossier.text.partition("  question: ")[0]
    text = f"{before}  question: {written.replace(chr(10), chr(10) + '  ')}\n"
    (found,) = [
        found
        for found in shape_problems("Dossier", read_bytes(text.encode(), Document(dossier.path)))
        if "contrast.question" in found.message
    ]
    (note,) = found.related
    assert note.message == "a new line of the text begins here"
    assert note.location.line == before.count("\n") + line
