"""Surface responders see what they should, and planted cues show in the wording certificate."""

from __future__ import annotations

from typing import Any

import pytest

from divisionbell.estimate.wording_certificate import wording_certificate
from divisionbell.validate.gazetteer import folded, is_place
from divisionbell.validate.surface import SURFACES, chosen_pole, content_words, reading_grade


def an_item(a: str, b: str, *, stem: str = "A town decides.", quo: str = "none", kind: str = "concrete_action") -> Any:
    """The negative pole stands at A."""
    key = {"key_a": {"economic": -1, "social": 0}, "key_b": {"economic": 1, "social": 0}}
    texts = {"text_a": a, "text_b": b}
    return {"stem": stem, "options": texts, "scoring_key": key, "status_quo": quo, "kind": kind}


@pytest.mark.parametrize(
    ("surface", "a", "b", "expected"),
    [
        ("longer", "Pay now.", "Pay later on.", 1),
        ("shorter", "Pay now.", "Pay later on.", -1),
        ("longer", "Pay now.", "Pay off.", 0),
        ("stem-words", "The town pays.", "Somebody pays.", -1),
        ("stem-words", "A and the.", "Somebody pays.", 0),
        ("number", "Pay in two weeks.", "Pay in time.", -1),
        ("number", "Pay 3 times.", "Pay two times.", 0),
        ("benefit-words", "A safer and better way.", "A safer way.", -1),
        ("lower-grade", "Go on as it is.", "Administrative continuation.", -1),
        ("public-body", "A court decides.", "A firm decides.", -1),
        ("public-body", "A court decides.", "An officer decides.", 0),
    ],
)
def test_one_surface(surface: str, a: str, b: str, expected: int) -> None:
    assert chosen_pole(an_item(a, b), "economic", surface) == expected


def test_the_stored_order_is_no_matter() -> None:
    item = an_item("Pay now.", "Pay later on.")
    turned = an_item("Pay later on.", "Pay now.")
    turned["scoring_key"] = {"key_a": item["scoring_key"]["key_b"], "key_b": item["scoring_key"]["key_a"]}
    for surface in SURFACES:
        assert chosen_pole(item, "economic", surface) == chosen_pole(turned, "economic", surface)


@pytest.mark.parametrize(("quo", "expected"), [("negative", -1), ("positive", 1), ("none", 0)])
def test_status_quo_is_read_from_the_record(quo: str, expected: int) -> None:
    assert chosen_pole(an_item("a", "b", quo=quo), "economic", "status-quo") == expected


def test_reading_grade_is_its_formula() -> None:
    # 9 words, 36 letters, 2 sentences: 4.71 * 4 + 0.5 * 4.5 - 21.43
    text = "Four boats lay here. Some more came into port."
    assert sum(c.isalnum() for c in text) == 36
    assert reading_grade(text) == pytest.approx(4.71 * 36 / 9 + 0.5 * 9 / 2 - 21.43)
    with pytest.raises(ValueError, match="no reading grade"):
        reading_grade(" ")


def test_content_words_leave_function_words_out() -> None:
    assert content_words("The town and its harbour-master") == {"town", "harbour", "master"}


def dossier(name: str, family: str, items: list[Any]) -> dict[str, Any]:
    return {"dossier_id": name, "axis": "economic", "issue_family": family, "items": items}


def test_a_planted_cue_fails_and_is_named() -> None:
    leaning = [an_item("Pay.", "Pay later on."), an_item("Pay.", "Pay much later on.")]
    even = [an_item("Pay.", "Pay later."), an_item("Pay later.", "Pay.")]
    rows = wording_certificate([dossier("x", "f", leaning), dossier("y", "g", even), dossier("z", "g", even)], 0.15)
    longer = next(row for row in rows if row["surface"] == "longer")
    # families count once: f leans 1, g leans 0
    assert (longer["score"], longer["holds"], longer["carried_by"]) == (0.5, False, [["x", 1.0]])
    assert next(row for row in rows if row["surface"] == "shorter")["score"] == -0.5
    assert all(row["holds"] for row in rows if row["surface"] == "number")
    assert {row["scale"] for row in rows} == {"concrete"}


@pytest.mark.parametrize("name", ["Paris", "łódź", "Łódź", "New York", "Saint-Étienne", "France"])
def test_real_places_are_known(name: str) -> None:
    assert is_place(name)


@pytest.mark.parametrize("name", ["Veldrassow", "Qwxzy", "", "Paris Fennovar"])
def test_others_are_not(name: str) -> None:
    assert not is_place(name)


def test_folding_takes_accents_case_and_signs_away() -> None:
    assert folded("  São-Tomé ") == "sao tome"
