import itertools
from pathlib import Path

import pytest
from planted import bank, dossier, excluded, frozen, party

from divisionbell.bank.canonical import jcs
from divisionbell.bank.load import load
from divisionbell.bank.manifest import records
from divisionbell.estimate.parties import Votes, axis_swap_survival, party_audit, party_coordinate, votes
from divisionbell.freeze.frozen_bank import FrozenBank

PLANNED = bank().plan


def rows(of):
    return {(row["party"], row["axis"], row["set"]): row for row in party_audit(of)}


def test_ends_of_both_axes():
    found = rows(bank())
    for axis in ("economic", "social"):
        assert found["Blue", axis, "admitted"]["score"] == 1
        assert found["Red", axis, "admitted"]["score"] == -1
        assert found["Blue", axis, "admitted"]["missing"] == 0
        assert "low" not in found["Blue", axis, "admitted"]


def test_a_reversed_key_shows():
    ids = itertools.count()
    dossiers = [dossier("economic", f"e{n}", n, ids=ids) for n in range(1, 5)]
    dossiers[0]["source"]["aye_coordinate"] = -1
    assert rows(frozen(dossiers))["Blue", "economic", "admitted"]["score"] == 0.5


@pytest.mark.parametrize(
    ("cast", "expected"),
    [
        (Votes(6, 0, 10), 1.0),
        (Votes(3, 7, 10), -0.4),
        (Votes(6, 4, 10), 0.2),
        (Votes(5, 4, 10), None),  # 56 % one way
        (Votes(4, 0, 10), None),  # 40 % voted
        (Votes(5, 0, 10), 1.0),
        (Votes(12, 0, 10), 1.0),  # members is a lower bound
        (Votes(5, 0, None), None),
        (Votes(0, 0, 10), None),
        (None, None),
    ],
)
def test_position_on_a_division(cast, expected):
    found = party_coordinate(cast, 1, PLANNED)
    assert found == (None if expected is None else pytest.approx(expected))
    if expected is not None:
        assert party_coordinate(cast, -1, PLANNED) == pytest.approx(-expected)


def test_tellers_count_and_two_names_are_one_party():
    counts = [
        party("Labour", 10, 1, 20, tellers=(2, 0)),
        party("Labour (Co-op)", 5, 0, 6),
        party("Independent", 3, 0, 3),
        party("Small", 1, 0),
    ]
    of = frozen([dossier("economic", "e0", 1, ids=itertools.count(), counts=counts)])
    assert votes(of.dossiers[0].source) == {"Labour": Votes(17, 1, 26), "Small": Votes(1, 0, None)}


def test_missing_positions_have_bounds_and_families_weigh_once():
    ids = itertools.count()
    aye = [party("Blue", 9, 0, 10)]
    no = [party("Blue", 0, 9, 10)]
    absent = [party("Blue", 1, 0, 10)]
    plan = [("e0", aye), ("e0", aye), ("e0", aye), ("e1", no), ("e1", absent)]
    of = frozen([dossier("economic", family, n, ids=ids, counts=counts) for n, (family, counts) in enumerate(plan, 1)])
    found = rows(of)["Blue", "economic", "admitted"]
    assert found["score"] == 0
    assert (found["divisions"], found["positions"], found["missing"]) == (5, 4, 1)
    assert (found["low"], found["high"]) == pytest.approx((0, 0.5))


def test_no_position_is_no_zero():
    of = frozen([dossier("social", "s0", 1, ids=itertools.count(), counts=[party("Blue", 1, 0, 10)])])
    found = rows(of)["Blue", "social", "admitted"]
    assert "score" not in found
    assert (found["low"], found["high"]) == (-1, 1)


def test_excluded_divisions_stand_each_for_itself():
    counts = [party("Blue", 0, 9, 10)]
    of = bank((1, 1), (1,), left_out=[excluded("economic", 90, 1, counts), excluded("economic", 91, 0, counts)])
    found = rows(of)
    assert found["Blue", "economic", "admitted"]["divisions"] == 2
    every = found["Blue", "economic", "all judged"]
    assert (every["divisions"], every["families_of"]) == (3, 3)
    assert every["score"] == pytest.approx(1 / 3)


def test_axis_swap():
    ids = itertools.count()
    others = [1.5, 0.4, -1.5, None]
    of = frozen([dossier("economic", f"e{n}", n + 1, ids=ids, other=other) for n, other in enumerate(others)])
    assert axis_swap_survival(of) == {"reviews": 4, "survived": 1, "share": 0.25}
    assert axis_swap_survival(frozen([])) == {"reviews": 0, "survived": 0}


def test_the_shipped_bank():
    """The working files, taken as frozen records; with their keys the two largest parties stand at opposite ends."""
    folder = Path(__file__).parents[2] / "pilot" / "bank"
    taken = records(load(folder))
    assert all(jcs(record.value) for record in taken)
    of = FrozenBank("0.1.0", "0" * 64, {}, tuple(taken))
    found = rows(of)
    for axis in ("economic", "social"):
        blue, red = (found[name, axis, "admitted"] for name in ("Conservative", "Labour"))
        assert blue["score"] > 0.5
        assert red["score"] < 0
        assert blue["positions"] > blue["missing"]
    assert axis_swap_survival(of)["share"] > 0.9
