import random

import pytest
from planted import always, bank, coin, lost, run, unit

from divisionbell.diagnostics import UsageProblem
from divisionbell.score.apply_key import apply_key

BANK = bank((1, 2), (1,))


def test_a_letter_means_the_pole_that_stood_there():
    cells = apply_key(BANK, *run(BANK, always("A")))
    for cell in cells:
        assert (cell.coordinate, cell.letter) == (-1 if cell.order == 1 else 1, "A")
    assert len(list(cells)) == 4 * 4 * 2


@pytest.mark.parametrize(("pole", "coordinate"), [("negative", -1), ("positive", 1)])
def test_a_pole_is_the_same_coordinate_in_every_order(pole, coordinate):
    cells = list(apply_key(BANK, *run(BANK, always(pole), repeats=2)))
    assert {cell.coordinate for cell in cells} == {coordinate}
    assert {cell.letter for cell in cells} == {"A", "B"}


def test_the_stored_key_is_what_gives_the_coordinate():
    header, units = run(BANK, coin(1))
    key = {item.item_id: item.scoring_key for dossier in BANK.dossiers for item in dossier.items}
    found = {(cell.item, cell.order): cell for cell in apply_key(BANK, header, units)}
    for one in units:
        letter = one["answer"] if one["stored_order"] else {"A": "B", "B": "A"}[one["answer"]]
        side = key[one["asked_item"]].key_a if letter == "A" else key[one["asked_item"]].key_b
        cell = found[one["asked_item"], 1 if one["asked_order"] == "negative_at_a" else 2]
        assert cell.coordinate == getattr(side, cell.axis)


def test_labels_of_a_cell():
    cells = list(apply_key(BANK, *run(BANK, always("B"), repeats=2)))
    assert {(c.axis, c.family) for c in cells} == {("economic", "e0"), ("economic", "e1"), ("social", "s0")}
    assert {c.kind for c in cells} == {"concrete", "implicit"}
    assert {c.version for c in cells} == {"original", "mirror"}
    assert {c.repeat for c in cells} == {1, 2}
    places = [(c.family, c.dossier, c.kind, c.version, c.order, c.repeat) for c in cells]
    assert len(set(places)) == len(places)


def test_missing_answers_have_an_outcome_and_no_coordinate():
    said = {1: "malformed", 2: "blocked", 3: "cut_off", 4: "positive!"}
    cells = list(apply_key(BANK, *run(BANK, lambda asked, order, repeat: said[repeat], repeats=4)))
    for cell in cells:
        if cell.repeat == 4:
            assert (cell.outcome, cell.coordinate) == ("valid_after_retry", 1)
        else:
            assert (cell.outcome, cell.coordinate, cell.letter) == (said[cell.repeat], None, None)


def test_the_order_of_units_is_nothing():
    header, units = run(BANK, lost(coin(2), 0.3, 3), repeats=3)
    shuffled = random.Random(4).sample(units, len(units))
    assert list(apply_key(BANK, header, units)) == list(apply_key(BANK, header, shuffled))


def refused(header, units, words):
    with pytest.raises(UsageProblem, match=words):
        apply_key(BANK, header, units)


def test_another_bank_is_refused():
    header, units = run(BANK, always("A"))
    refused(header | {"bank_sha256": "0" * 64}, units, "other|against frozen records")


def test_units_that_do_not_belong_are_refused():
    header, units = run(BANK, always("A"))
    refused(header, [*units, units[0]], "stands twice")
    refused(header, [*units, units[0] | {"unit_key": "f" * 64}], "stands twice, under two keys")
    refused(header, [units[0] | {"asked_item": "qzzzzzzz"}, *units[1:]], "no such item")
    refused(header, [units[0] | {"asked_dossier": "commons-99"}, *units[1:]], "stands in")
    refused(header, [units[0] | {"repeat": 2}, *units[1:]], "1 repeat")
    refused(header, [units[0] | {"stored_order": not units[0]["stored_order"]}, *units[1:]], "contradicts")
    refused(header, [units[0] | {"outcome": "malformed"}, *units[1:]], "contradict each other")
    refused(header, [units[0] | {"answer": "C"}, *units[1:]], "neither A nor B")
    refused(header | {"form": "other"}, units, "there is no form")
    refused(header | {"unit_count": len(units) - 1}, units, "its form has")


def test_a_unit_of_another_form_is_refused():
    header, units = run(BANK, always("A"), form="short")
    implicit = next(asked for asked in BANK.form("full") if asked.item.kind == "implicit_action")
    refused(header, [*units, unit(implicit, "negative_at_a", 1, "A")], "of another form")


def test_an_incomplete_run_is_refused_with_the_way_on():
    header, units = run(BANK, always("A"))
    with pytest.raises(UsageProblem, match="31 of 32 units") as short:
        apply_key(BANK, header, units[1:])
    assert short.value.fix == "divisionbell runs show RUN says how to go on with it"
    failed = lost(always("A"), 1, 1, "transport_failed", lambda asked, order: asked.item.item_id == "qaaaaaaa")
    with pytest.raises(UsageProblem, match="2 of 32 units did not reach") as unreached:
        apply_key(BANK, *run(BANK, failed))
    assert unreached.value.fix == short.value.fix


def test_a_dossier_not_administered_drops_out():
    gone = lost(always("A"), 1, 1, "not_administered", lambda asked, order: asked.dossier.dossier_id == "commons-2")
    cells = apply_key(BANK, *run(BANK, gone))
    assert cells.not_administered == ("commons-2",)
    assert "commons-2" not in {cell.dossier for cell in cells}
    assert len(cells.items) == 12


def test_a_dossier_administered_in_part_is_refused():
    part = lost(always("A"), 1, 1, "not_administered", lambda asked, order: asked.item.item_id == "qaaaaaaa")
    refused(*run(BANK, part), "all or none")
