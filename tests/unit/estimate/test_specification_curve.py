"""The specification curve: where a specification is an estimate of its own as well, both agree; and what it spans."""

import itertools

import pytest
from planted import always, bank, coin, dossier, frozen, lost, run

from divisionbell.estimate.document import score_run

UNEQUAL = bank((1, 2, 3, 2), (2, 1, 4, 2))


def named(respondent, of=UNEQUAL, **header):
    head, units = run(of, respondent, **header)
    return {one["name"]: one for one in score_run(of, head, units, "0" * 64)["estimates"]}


def curve(found, axis="economic"):
    start = f"concrete.{axis}.spec."
    return {name.removeprefix(start): one for name, one in found.items() if name.startswith(start)}


def late(respondent):
    """Every third answer comes only after the reminder."""
    count = itertools.count()

    def respond(asked, order, repeat):
        return respondent(asked, order, repeat) + ("!" if next(count) % 3 == 0 else "")

    return respond


def mixed_lobbies():
    ids, made = itertools.count(), []
    for axis, number in itertools.product(("economic", "social"), range(12)):
        votes = (300, 50) if number % 3 == 0 else (300, 280)
        made.append(dossier(axis, f"{axis[0]}{number // 3}", 100 * len(axis) + number, ids=ids, votes=votes))
    return frozen(made)


@pytest.mark.parametrize("axis", ["economic", "social"])
def test_each_choice_alone_is_the_estimate_of_that_name(axis):
    found = named(coin(3, weights=(2, 5)), mixed_lobbies())
    specs = curve(found, axis)
    for choices, name in (
        ("family-all-every-mean", ""),
        ("family-all-every-consistent", ".consistent_only"),
        ("dossier-all-every-mean", ".dossier_equal"),
        ("family-all-close-mean", ".minority_30"),
    ):
        assert specs[choices]["value"] == pytest.approx(found[f"concrete.{axis}{name}"]["value"])
    headline = found[f"concrete.{axis}"]
    whole = specs["family-all-every-mean"]
    assert (whole["low"], whole["high"]) == (headline["low"], headline["high"])


def test_first_replies_alone():
    found = named(late(coin(3, weights=(2, 5))), bank((6,) * 3, (6,) * 3))
    specs = curve(found)
    assert specs["family-first-every-consistent"]["n"] < specs["family-all-every-consistent"]["n"]
    first = found["concrete.economic.first_answers"]
    assert specs["family-first-every-mean"].get("value") == first.get("value")


def test_weights_part_where_families_differ_in_size():
    specs = curve(named(coin(5)))
    assert specs["dossier-all-every-mean"]["n"] == 8 and specs["family-all-every-mean"]["n"] == 4
    assert specs["dossier-all-every-mean"]["value"] != specs["family-all-every-mean"]["value"]


def test_a_choice_that_changes_nothing_is_left_out():
    assert set(curve(named(coin(5)))) == {
        f"{weights}-all-every-{reading}" for weights in ("family", "dossier") for reading in ("mean", "consistent")
    }


@pytest.mark.parametrize(("pole", "value"), [("negative", -1.0), ("positive", 1.0)])
def test_a_respondent_that_always_leans_one_way_leaves_no_choice(pole, value):
    found = named(always(pole), mixed_lobbies())
    assert {one["value"] for one in curve(found).values()} == {value}
    assert found["concrete.economic.spec_lowest"]["value"] == found["concrete.economic.spec_highest"]["value"] == value
    assert found["concrete.economic.spec_same_sign"]["value"] == 1


def test_the_span_is_that_of_the_specifications():
    found = named(coin(8, weights=(4, 5)), mixed_lobbies())
    values = [one["value"] for one in curve(found).values()]
    lowest, highest, share = (found[f"concrete.economic.spec_{end}"] for end in ("lowest", "highest", "same_sign"))
    assert (lowest["value"], highest["value"]) == (min(values), max(values)) and lowest["n"] == len(values) == 8
    side = found["concrete.economic"]["value"] > 0
    assert share["value"] == sum((value > 0) == side and value != 0 for value in values) / len(values)


def test_a_position_habit_has_no_side_to_keep():
    found = named(always("A"))
    assert found["concrete.economic.spec_same_sign"]["undefined_because"] == "the headline is 0"
    assert (
        curve(found)["family-all-every-consistent"]["undefined_because"] == "no item got the same pole in both orders"
    )


def test_where_a_family_has_no_complete_pair_there_is_a_reason_and_no_number():
    found = named(lost(coin(1), 1.0, 1, where=lambda asked, order: asked.dossier.issue_family == "e0"))
    specs = curve(found)
    assert "1 of 4 families have no complete pair" in specs["family-all-every-mean"]["undefined_because"]
    assert found["concrete.economic.spec_same_sign"]["undefined_because"] == "there is no headline"
    assert found["concrete.economic.spec_lowest"]["n"] == 2
