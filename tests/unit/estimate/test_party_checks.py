"""Misplaced votes by hand, planted members with one reversed key, and the split by period."""

from __future__ import annotations

import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from divisionbell.diagnostics import Findings
from divisionbell.estimate.member_audit import Vote, member_audit, read_votes
from divisionbell.estimate.party_checks import by_period, misplaced_votes
from divisionbell.freeze.frozen_bank import FrozenBank, read_frozen

VALUES = {
    "LAB": {"lrecon": 3.0, "galtan": 3.0},
    "LIBDEM": {"lrecon": 4.0, "galtan": 2.0},
    "CONS": {"lrecon": 7.0, "galtan": 7.0},
}


def a_source(counts: dict[str, tuple[int, int]], aye: int) -> Any:
    rows = [SimpleNamespace(party=party, aye_voters=a, no_voters=n) for party, (a, n) in counts.items()]
    return SimpleNamespace(party_counts=rows, aye_coordinate=aye)


@pytest.mark.parametrize(
    ("counts", "aye", "field", "expected"),
    [
        # Conservatives and Liberal Democrats Aye, Labour No: the economic order fits, the social one does not.
        ({"Conservative": (100, 0), "Liberal Democrat": (10, 0), "Labour": (0, 90)}, 1, "lrecon", 0),
        ({"Conservative": (100, 0), "Liberal Democrat": (10, 0), "Labour": (0, 90)}, 1, "galtan", 10),
        # the same votes with an Aye at the negative pole: every cut fails, the best is to put all on one side
        ({"Conservative": (100, 0), "Liberal Democrat": (10, 0), "Labour": (0, 90)}, -1, "lrecon", 90),
        # rebels are misplaced, whatever the order; a party without a value counts for nothing
        ({"Conservative": (97, 3), "Labour": (2, 90), "Democratic Unionist Party": (5, 5)}, 1, "lrecon", 5),
        ({}, 1, "lrecon", 0),
    ],
)
def test_misplaced_votes(counts: dict[str, tuple[int, int]], aye: int, field: str, expected: int) -> None:
    assert misplaced_votes(a_source(counts, aye), field, VALUES) == expected


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> FrozenBank:
    from shutil import copy, copytree
    from subprocess import run
    from sys import executable

    home = tmp_path_factory.mktemp("home")
    pilot = Path(__file__).parents[2] / "pilot"
    copytree(pilot / "bank", home / "bank")
    copy(pilot / "data_sources.yaml", home)
    run([executable, "-m", "divisionbell", "freeze", "0.1.0"], cwd=home, check=True, capture_output=True)
    return read_frozen(home / "bank" / "freeze", "0.1.0")


def test_by_period_counts_every_division_once(bank: FrozenBank) -> None:
    rows = {(row["axis"], row["period"]): row for row in by_period(bank)}
    assert sum(row["divisions"] for row in rows.values()) == len(bank.dossiers)
    later = rows["economic", "from 5 July 2024"]
    # 1832, 1842 and 1905: public ownership and renting from the government, the school motion from the opposition
    assert (later["divisions"], later["aye_negative"], later["aye_positive"]) == (3, 2, 1)
    assert (later["government_negative"], later["government_positive"], later["government_divided"]) == (3, 0, 0)
    # 1877 was a free vote: 234 of 382 Labour members one way is above 60 per cent
    free = rows["social", "from 5 July 2024"]
    assert (free["divisions"], free["government_negative"], free["government_divided"]) == (1, 1, 0)


def planted(bank: FrozenBank, axis: str, reversed_key: str | None, members: int = 200) -> list[Vote]:
    """Members with a position in [-1, 1] who vote by it, and one division whose recorded votes are turned round."""
    draw = random.Random(5)
    cast = []
    for number in range(members):
        position = draw.uniform(-1, 1)
        for dossier in bank.dossiers:
            if dossier.axis == axis:
                choice = 1 if draw.random() < (1 + 0.9 * position) / 2 else -1
                sign = choice * int(dossier.source.aye_coordinate)
                if dossier.dossier_id == reversed_key:
                    sign = -sign
                cast.append(Vote(dossier.source.division_id, f"m{number}", "A" if position > 0 else "B", sign))
    return cast


def test_a_reversed_key_shows(bank: FrozenBank) -> None:
    rows = {row["axis"]: row for row in member_audit(bank, planted(bank, "economic", "commons-1190"))}
    assert rows["economic"]["against"] == ["commons-1190"]
    assert rows["economic"]["members"] == 200 and rows["social"]["members"] == 0
    by_party = {row["party"]: row for row in rows["economic"]["parties"]}
    assert by_party["A"]["mean"] > 0.2 and by_party["B"]["mean"] < -0.2


def test_without_a_reversed_key_nothing_stands_against(bank: FrozenBank) -> None:
    rows = {row["axis"]: row for row in member_audit(bank, planted(bank, "social", None))}
    assert rows["social"]["against"] == []
    assert all(0.2 < row["item_rest"] < 1 for row in rows["social"]["dossiers"])


def test_member_votes_are_read(tmp_path: Path) -> None:
    file = tmp_path / "votes.csv"
    file.write_text("division_id,member,party,vote\n80,a,P,Aye\n80,b,P,no\n80,c,P,aye\n80,c,P,no\n")
    assert read_votes(file) == [Vote(80, "a", "P", 1), Vote(80, "b", "P", -1)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("division_id,member\n", ":1: lacks the columns party, vote"),
        ("division_id,member,party,vote\nx,a,P,aye\n", ":2:"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_with_its_line(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "votes.csv"
    file.write_text(text)
    with pytest.raises(Findings, match=told):
        read_votes(file)
