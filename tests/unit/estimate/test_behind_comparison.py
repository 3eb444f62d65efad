"""What is behind a figure of a comparison: every name has its units, no other unit changes it, and weights give it."""

import random

import pytest
from planted import always, bank, coin, lost, run, unit

from divisionbell.estimate.behind import BOUNDS, FUNCTION, row_of
from divisionbell.estimate.behind_comparison import ALONE, TABLE, behind_comparison
from divisionbell.estimate.compared import Compared
from divisionbell.estimate.comparison import compare_runs
from divisionbell.estimate.entering import NO_ANSWER, Scored
from divisionbell.score.answers import answers_of

OF = bank((1, 3, 2), (1, 2))
HOLES = lost(coin(2), 0.2, 3)
RUNS = {
    "coin and holes": [(coin(1), 1), (HOLES, 3)],
    "three": [(coin(1), 2), (HOLES, 1), (always("positive"), 1)],
    "refusing": [(coin(1), 1), (always("blocked"), 2)],
    "alike": [(always("negative"), 1), (always("negative"), 1)],
    "opposite": [(always("negative"), 1), (always("positive"), 1)],
}


def made(respondents, form="short"):
    return [run(OF, said, form, repeats, run_id=f"run-{n}") for n, (said, repeats) in enumerate(respondents)]


def estimates(runs):
    told = compare_runs(
        OF, [Compared(head, answers_of(OF, head, units), f"{n:064x}") for n, (head, units) in enumerate(runs)]
    )
    return told["estimates"]


def looked(runs):
    scored = [Scored(OF, head, units) for head, units in runs]
    return {figure["name"]: behind_comparison(scored, figure) for figure in estimates(runs)}


@pytest.mark.parametrize("name", RUNS)
def test_every_name_has_its_units_and_weights_give_the_figure_again(name):
    runs = made(RUNS[name])
    keys = {
        (number, one["asked_item"], ("negative_at_a", "positive_at_a").index(one["asked_order"]), one["repeat"])
        for number, (_, units) in enumerate(runs, start=1)
        for one in units
    }
    for figure_name, found in looked(runs).items():
        listed = [(entry.run, *entry.unit) for entry in found.entries]
        assert len(listed) == len(set(listed)) > 0 and set(listed) <= keys, figure_name
        assert all(entry.role for entry in found.entries)
        defined = "low" in found.figure if found.made == BOUNDS else "value" in found.figure
        assert found.weighted == (defined and found.made != FUNCTION)
        assert bool(found.again) == found.weighted
        for end, value in found.again.items():
            assert value == pytest.approx(found.figure[end], abs=1e-9), figure_name
        whole = figure_name.startswith("rank.") or figure_name.endswith((".max_t_p", ".imbens_manski", ".told_apart"))
        assert ({entry.run for entry in found.entries} == set(range(1, len(runs) + 1))) == (whole or len(runs) == 2)
        assert whole == ({str(entry.asked.dossier.axis) for entry in found.entries} == {"economic", "social"})


def test_every_row_is_of_some_name():
    seen = {row_of(one["name"], TABLE)[0].names for one in estimates(made(RUNS["coin and holes"]))}
    assert seen == {row.names for row in TABLE}
    for name in ("difference.economic", "difference.economic.1", "rank.economic", "rank.economic.x", ""):
        with pytest.raises(LookupError):
            row_of(name, TABLE)


def test_the_second_run_is_taken_off_and_what_the_other_left_out_does_not_count():
    found = looked(made(RUNS["coin and holes"]))["difference.economic.1-2"]
    of_run = {number: [entry for entry in found.entries if entry.run == number] for number in (1, 2)}
    assert {entry.weight > 0 for entry in of_run[1] if entry.weight} == {True}
    assert {entry.weight > 0 for entry in of_run[2] if entry.weight} == {False}
    assert ALONE in {entry.role for entry in of_run[1]} and NO_ANSWER in {entry.role for entry in of_run[2]}
    for number, sign in ((1, 1), (2, -1)):
        assert sum(entry.weight for entry in of_run[number]) == pytest.approx(sign)


@pytest.mark.parametrize("name", ["coin and holes", "three"])
def test_no_unit_that_is_not_listed_changes_a_figure(name):
    runs = made(RUNS[name])
    before = {one["name"]: one for one in estimates(runs)}
    listed = {figure: {(entry.run, *entry.unit) for entry in found.entries} for figure, found in looked(runs).items()}
    asked = {one.item.item_id: one for one in OF.form("short")}
    chosen, changes = random.Random(5), 0
    for number, (head, units) in enumerate(runs, start=1):
        for at in chosen.sample(range(len(units)), 6):
            one = units[at]
            key = (
                number,
                one["asked_item"],
                ("negative_at_a", "positive_at_a").index(one["asked_order"]),
                one["repeat"],
            )
            for said in ("B" if one.get("answer") == "A" else "A", "blocked"):
                other = unit(asked[one["asked_item"]], one["asked_order"], one["repeat"], said)
                spoilt = [*runs[: number - 1], (head, [*units[:at], other, *units[at + 1 :]]), *runs[number:]]
                for after in estimates(spoilt):
                    ends = () if after["name"].count(".") == 2 and "difference" in after["name"] else ("low", "high")
                    same = all(before[after["name"]].get(slot) == after.get(slot) for slot in ("value", "n", *ends))
                    changes += not same
                    assert same or key in listed[after["name"]], f"{key} changes {after['name']} and is not listed"
    assert changes > 20
