"""Lobbies in survey space, on numbers worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from divisionbell.sources.party_space import (
    PRIMARY,
    RELATED,
    SURVEY_LABEL,
    Lobby,
    compute,
    inconsistencies,
    lobby,
    participation,
    verdict,
)

FIELDS = (*PRIMARY.values(), *RELATED["economic"], *RELATED["social"])


def values(**positions: float) -> dict[str, dict[str, float | None]]:
    """The same position on every field."""
    return {label: dict.fromkeys(FIELDS, position) for label, position in positions.items()}


def row(party: str, aye: int, no: int, members: int = 100, tellers: int = 0) -> dict[str, Any]:
    return {
        "party": party,
        "aye_voters": aye,
        "no_voters": no,
        "aye_tellers": tellers,
        "no_tellers": 0,
        "members": members,
    }


def source(*rows: dict[str, Any], aye: int = -1) -> dict[str, Any]:
    return {"party_counts": list(rows), "aye_coordinate": aye}


SURVEY = values(CONS=7.0, LAB=4.0, LIBDEM=5.0)
DIVISION = source(row("Labour", 60, 0), row("Liberal Democrat", 20, 10), row("Conservative", 0, 70), row("DUP", 20, 20))


def test_means_weighted_by_votes() -> None:
    # Aye: (60 * 4 + 20 * 5) / 80 = 4.25, of 100 voters 80 covered; No: (10 * 5 + 70 * 7) / 80 = 6.75, of 100.
    counts = DIVISION["party_counts"]
    assert lobby(counts, "aye_voters", "lrecon", SURVEY) == Lobby(4.25, 0.8, 80)
    assert lobby(counts, "no_voters", "lrecon", SURVEY) == Lobby(6.75, 0.8, 80)
    space = compute(DIVISION, "economic", SURVEY, "a", "b")
    assert (space["aye_position"], space["no_position"], space["difference"]) == (4.25, 6.75, -2.5)
    assert (space["aye_coverage"], space["no_covered_voters"]) == (0.8, 80)
    assert (space["primary_field"], space["other_axis_field"]) == ("lrecon", "galtan")
    assert space["other_axis_difference"] == -2.5
    assert space["axes_told_apart"] is False
    assert [entry["field"] for entry in space["related_fields"]] == list(RELATED["economic"])
    assert verdict(space, -1)[:2] == ("approved", -1)
    assert verdict(space, 1)[:2] == ("rejected", -1)


def test_both_spellings_of_a_party_are_one() -> None:
    counts = [row("Labour", 1, 0), row("Labour (Co-op)", 3, 0)]
    assert lobby(counts, "aye_voters", "lrecon", SURVEY) == Lobby(4.0, 1.0, 4)


@pytest.mark.parametrize(
    "rows",
    [
        [row("Labour", 238, 0)],
        [row("Labour", 0, 238)],
        [row("Labour", 50, 0), row("DUP", 0, 50)],
        [row("Speaker", 1, 1)],
        [],
    ],
)
def test_an_empty_lobby_gives_no_number(rows: list[dict[str, Any]]) -> None:
    space = compute(source(*rows), "social", SURVEY, "a", "b")
    assert "difference" not in space
    assert verdict(space, -1)[:2] == ("not_computable", None)
    assert all("difference" not in entry for entry in space["related_fields"])


def test_a_missing_value_is_no_zero() -> None:
    survey = values(CONS=7.0, LAB=4.0)
    survey["LAB"]["spendvtax"] = None
    space = compute(source(row("Labour", 50, 0), row("Conservative", 0, 50)), "economic", survey, "a", "b")
    assert [("difference" in entry) for entry in space["related_fields"]] == [True, False, True]


def test_a_tie_of_positions_gives_no_direction() -> None:
    tied = source(row("Labour", 30, 30), row("Conservative", 30, 30))
    space = compute(tied, "economic", SURVEY, "a", "b")
    assert space["difference"] == 0.0
    status, found, why = verdict(space, -1)
    assert (status, found) == ("rejected", None)
    assert "below 0.5" in why


@pytest.mark.parametrize(
    ("rows", "approved"),
    [
        ([row("Labour", 20, 0), row("Conservative", 0, 20)], True),
        ([row("Labour", 19, 0), row("Conservative", 0, 20)], False),
        ([row("Labour", 30, 0), row("DUP", 10, 0), row("Conservative", 0, 20)], True),
        ([row("Labour", 30, 0), row("DUP", 11, 0), row("Conservative", 0, 20)], False),
        ([row("Labour", 50, 42), row("Conservative", 40, 48)], False),
    ],
    ids=["20 voters", "19 voters", "coverage 0.75", "coverage below", "difference below 0.5"],
)
def test_thresholds(rows: list[dict[str, Any]], approved: bool) -> None:
    space = compute(source(*rows), "economic", SURVEY, "a", "b")
    assert (verdict(space, -1)[0] == "approved") is approved


def test_axes_told_apart() -> None:
    survey = values(CONS=7.0, LAB=4.0)
    survey["LAB"]["galtan"] = 9.0
    space = compute(source(row("Labour", 50, 0), row("Conservative", 0, 50)), "economic", survey, "a", "b")
    assert space["axes_told_apart"] is True


def test_participation_of_the_four_largest() -> None:
    rows = [row(f"P{n}", n, 0, members=10 * n, tellers=n % 2) for n in range(1, 7)]
    found = participation(rows)
    assert [entry["party"] for entry in found] == ["P6", "P5", "P4", "P3"]
    assert [entry["participation_share"] for entry in found] == [0.1, 0.12, 0.1, round(4 / 30, 4)]
    assert participation([row("P", 10, 1, members=10)])[0]["participation_share"] == 1.0


def test_what_is_computed_is_consistent_and_each_figure_is_held() -> None:
    space = compute(DIVISION, "economic", SURVEY, "a", "b")
    review = {"status": "approved", "found_aye_coordinate": -1, "party_space": space}
    assert list(inconsistencies(DIVISION, review, "economic")) == []
    for slot, other in (
        ("aye_covered_voters", 81),
        ("no_coverage", 0.81),
        ("difference", -2.4),
        ("aye_position", 4.3),
        ("axes_told_apart", True),
        ("primary_field", "galtan"),
        ("participation", []),
        ("related_fields", []),
    ):
        changed = {**review, "party_space": {**space, slot: other}}
        assert list(inconsistencies(DIVISION, changed, "economic")), slot


def test_labels_are_of_seven_parties() -> None:
    assert len(set(SURVEY_LABEL.values())) == 7
