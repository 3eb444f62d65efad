"""Figures of divisions from the official file and from copies, with what the real records do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from divisionbell.diagnostics import Findings, UsageProblem
from divisionbell.sources.commons import parliament_of, read_figures


def member(party: str, sub: str | None = None) -> dict[str, Any]:
    return {"MemberId": 1, "Name": "N", "Party": party, "SubParty": sub, "PartyAbbreviation": None}


def official(**changed: Any) -> dict[str, Any]:
    return {
        "DivisionId": 7,
        "Date": "2024-11-25T21:50:00",
        "PublicationUpdated": "2024-11-26T09:52:43",
        "Number": 47,
        "Title": " Rents &amp; Deposits Bill:\tSecond Reading ",
        "AyeCount": 5,
        "NoCount": 2,
        "AyeTellers": None,
        "NoTellers": [member("Conservative")],
        "Ayes": [member("Labour"), member("Labour", "Co-op"), member("Labour (Co-op)"), member("Independent")],
        "Noes": [member("Conservative"), member("Speaker")],
        "NoVoteRecorded": [member("Labour"), member("Conservative")],
        **changed,
    }


def copy_row(number: int, day: str, aye: dict[str, int], no: dict[str, int], **changed: Any) -> dict[str, Any]:
    names = dict.fromkeys([*aye, *no])
    return {
        "division_id": number,
        "date": f"{day}T12:00:00",
        "number": 1,
        "title": "Title",
        "aye_count": sum(aye.values()),
        "no_count": sum(no.values()),
        "parties": {name: {"aye": aye.get(name, 0), "no": no.get(name, 0)} for name in names},
        "tellers": {"Labour": {"aye": 2, "no": 0}},
        "source_repo": "a/b",
        "source_path": "c",
        "source_commit": "d",
        "party_source": {"repo": "e/f", "path": "g", "commit": "h"},
        **changed,
    }


def write(tmp_path: Path, *rows: dict[str, Any]) -> Path:
    file = tmp_path / "figures.json"
    file.write_text("\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")
    return file


def test_the_official_file(tmp_path: Path) -> None:
    figures = read_figures(write(tmp_path, official()), 7)
    source = figures.source
    assert source["official_title"] == "Rents & Deposits Bill:\tSecond Reading"
    assert (source["ayes"], source["noes"], source["held_at"]) == (5, 2, "2024-11-25T21:50:00")
    counts = {row["party"]: row for row in source["party_counts"]}
    assert set(counts) == {"Labour", "Independent", "Conservative", "Speaker"}
    assert counts["Labour"] == {
        "party": "Labour",
        "aye_voters": 3,
        "no_voters": 0,
        "aye_tellers": 0,
        "no_tellers": 0,
        "members": 4,
    }
    assert counts["Conservative"]["no_tellers"] == 1
    assert counts["Conservative"]["members"] == 3
    assert figures.copies[0]["revision"] == "updated 2024-11-26T09:52:43"


def test_a_member_in_both_lobbies_counts_in_both(tmp_path: Path) -> None:
    both = official(Ayes=[member("Labour")], Noes=[member("Labour")])
    (row,) = (r for r in read_figures(write(tmp_path, both), 7).source["party_counts"] if r["party"] == "Labour")
    assert (row["aye_voters"], row["no_voters"]) == (1, 1)


@pytest.mark.parametrize("slots", [{"Ayes": [], "AyeCount": 0}, {"Ayes": None}, {"NoTellers": None, "Noes": []}])
def test_empty_sides(tmp_path: Path, slots: dict[str, Any]) -> None:
    assert read_figures(write(tmp_path, official(**slots)), 7).source["division_id"] == 7


def test_a_copy_with_members_seen_around_the_day(tmp_path: Path) -> None:
    rows = [
        copy_row(1, "2024-07-01", {"Labour": 400}, {}),  # the parliament before
        copy_row(2, "2024-11-01", {"Labour": 300}, {"Conservative": 90}),
        copy_row(3, "2024-11-20", {"Labour": 250}, {"Conservative": 100}, tellers=None),
        copy_row(4, "2026-01-20", {"Labour": 390}, {}),  # more than half a year away
        {"division_id": 5, "date": "2024-11-02T00:00:00", "parties": None},
    ]
    figures = read_figures(write(tmp_path, *rows), 3)
    counts = {row["party"]: row for row in figures.source["party_counts"]}
    assert counts["Labour"]["members"] == 302
    assert counts["Conservative"]["members"] == 100
    assert [copy["supplies"][-1] for copy in figures.copies] == ["noes", "party_counts"]


def test_totals_only_is_said_so(tmp_path: Path) -> None:
    file = write(tmp_path, copy_row(1, "2024-11-01", {}, {}, parties=None))
    with pytest.raises(Findings, match="totals only"):
        read_figures(file, 1)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", UsageProblem),
        ("[]", UsageProblem),
        ("{", Findings),
        ('{"division_id": 7}', Findings),
        ('{"DivisionId": 7}', Findings),
        ('{"DivisionId": 8}', UsageProblem),
        ('{"division_id": 8}\n{"division_id": 9}', UsageProblem),
        ('{"division_id": 8}\nnot json', Findings),
        ('{"DivisionId": 7, "Ayes": 3}', Findings),
    ],
)
def test_what_holds_no_division(tmp_path: Path, text: str, problem: type[Exception]) -> None:
    file = tmp_path / "figures.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(problem):
        read_figures(file, 7)


def test_parliaments() -> None:
    from datetime import date

    days = [date(2016, 3, 9), date(2017, 6, 8), date(2019, 12, 11), date(2019, 12, 12), date(2024, 7, 4)]
    assert [parliament_of(day) for day in days] == [1, 2, 2, 3, 4]


@pytest.fixture
def shared(repository: Path) -> Path:
    folder = repository.parent / "shared" / "data" / "commons"
    if not folder.exists():
        pytest.skip("the data are not beside this checkout")
    return folder


def test_the_official_file_as_served(shared: Path) -> None:
    source = read_figures(shared / "api" / "commons-1873.json", 1873).source
    assert (source["ayes"], source["noes"]) == (336, 175)
    assert sum(row["aye_voters"] for row in source["party_counts"]) == 333
    assert sum(row["no_voters"] for row in source["party_counts"]) == 174
    assert not any("Co-op" in row["party"] for row in source["party_counts"])
    assert sum(row["members"] for row in source["party_counts"]) <= 650


@pytest.mark.parametrize(
    "number", [24, 56, 318, 401, 671, 783, 984, 1234, 1305, 1594, 1750, 1877, 1878, 1901, 2215, 2318]
)
def test_odd_divisions_of_the_copy(shared: Path, number: int) -> None:
    try:
        source = read_figures(shared / "divisions.jsonl", number).source
    except Findings as problem:
        assert "totals only" in problem.message
        return
    assert source["division_id"] == number
    title = source["official_title"]
    assert title == title.strip()
    assert "&amp;" not in title
    assert source["party_counts"]
