"""What is behind a figure: every name has its units, they are those that change it, and weights give it again."""

import itertools
import random
from collections import defaultdict

import pytest
from planted import always, bank, coin, dossier, frozen, lost, run, unit

from divisionbell.diagnostics import UsageProblem
from divisionbell.estimate.behind import ASKING, BOUNDS, CHOICE, FUNCTION, TABLE, behind, row_of
from divisionbell.estimate.document import score_run
from divisionbell.estimate.entering import Scored

ENTITY = "a" * 64
TOLD = ("value", "low", "high", "n")
UNEVEN = bank((1, 3, 2), (1, 2))


PLACES = [("economic", family) for family in ("e0", "e0", "e1", "e2")] + [("social", f"s{n}") for n in range(3)]
BLOCKS = {"s0": "public_health", "s1": "public_health", "s2": "security_and_enforcement"}


def small():
    """Three families on each axis: blocks, a lopsided division, a pair that a coder had rewritten, and a pair whose two
    versions have no opposite records."""
    ids = itertools.count()
    made = [
        dossier(axis, family, number, ids=ids, votes=(500, 20) if number == 2 else (300, 200))
        for number, (axis, family) in enumerate(PLACES, 1)
    ]
    change = {"rewritten_on": "2026-01-01", "rewritten_because": "unclear", "rewriting_asked_by": "maker"}
    made[2]["items"][0]["rewritings"] = [change]
    for item in made[0]["items"][:2]:
        item["status_quo"], item["frame"] = "none", "neutral"
    of = frozen(made)
    settings = next(record for record in of.records if record.kind == "bank").value
    for family in settings["issue_families"]:
        if family["axis"] == "social":
            family["block"] = BLOCKS[family["family_id"]]
    return of


SMALL = small()
RESPONDENTS = {
    "coin": coin(1),
    "always-a": always("A"),
    "positive": always("positive"),
    "late": lost(coin(2), 0.3, 3, "negative!"),
    "holes": lost(coin(2), 0.3, 3),
    "few holes": lost(coin(4), 0.05, 5, "cut_off"),
    "refuse": always("blocked"),
    "one dossier declined": lost(coin(5), 1, 1, "not_administered", lambda a, _: a.dossier.dossier_id == "commons-2"),
    "one axis declined": lost(coin(5), 1, 1, "not_administered", lambda a, _: a.dossier.axis == "social"),
}


def scored(of, header, units):
    return Scored(of, header, units), score_run(of, header, units, ENTITY)["estimates"]


def numbers(of, header, units):
    return {
        one["name"]: tuple(round(one[t], 9) if isinstance(one.get(t), float) else one.get(t) for t in TOLD)
        for one in score_run(of, header, units, ENTITY)["estimates"]
    }


def key(one):
    return one["asked_item"], ("negative_at_a", "positive_at_a").index(one["asked_order"]), one["repeat"]


@pytest.mark.parametrize("name", RESPONDENTS)
@pytest.mark.parametrize("form", ["full", "short"])
@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("of", [UNEVEN, SMALL], ids=["uneven", "small"])
def test_every_name_has_its_units_and_weights_give_the_figure_again(of, name, form, repeats):
    whole, estimates = scored(of, *run(of, RESPONDENTS[name], form, repeats))
    keys = {key(one) for one in whole.units}
    for figure in estimates:
        found = behind(whole, figure)
        listed = [entry.unit for entry in found.entries]
        assert len(listed) == len(set(listed)), figure["name"]
        assert set(listed) <= keys
        if not listed:  # nothing was asked that could enter
            assert "value" not in figure and "low" not in figure and figure["n"] == 0, figure
            continue
        assert all(entry.role for entry in found.entries)
        defined = "low" in figure if found.made == BOUNDS else "value" in figure
        assert found.weighted == (defined and found.made != FUNCTION)
        if found.weighted:
            assert found.again
            for end, value in found.again.items():
                assert value == pytest.approx(figure[end], abs=1e-9), figure["name"]


def test_weights_of_a_mean_sum_to_one_and_of_a_contrast_to_nothing():
    whole, estimates = scored(UNEVEN, *run(UNEVEN, RESPONDENTS["few holes"], repeats=3))
    for figure in estimates:
        name, found = figure["name"], behind(whole, figure)
        if not found.weighted or name.startswith("parse."):
            continue
        mean = name.endswith((".original", ".mirror"))
        contrast = name.startswith(("framing", "difference")) or name.endswith("by_order")
        expected = 0 if contrast and not mean else 1
        assert sum(entry.weight for entry in found.entries) == pytest.approx(expected, abs=1e-9), name


def test_names_that_no_row_has():
    for name in ("", "concrete", "concrete.economic.", "concrete.economic.family", "parse", "nothing.at.all"):
        with pytest.raises(LookupError):
            row_of(name, TABLE)
    assert row_of("implicit.social.family.a-b", TABLE)[1] == {"scale": "implicit", "axis": "social", "family": "a-b"}


def test_every_row_is_of_some_name():
    seen = set()
    for name, repeats in itertools.product(RESPONDENTS, (1, 3)):
        seen |= {
            row_of(one["name"], TABLE)[0].names
            for one in scored(SMALL, *run(SMALL, RESPONDENTS[name], "full", repeats))[1]
        }
    assert seen == {row.names for row in TABLE}


def changed(of, header, units, missing):
    """For seven units the names of the figures that change with another letter; with another letter, the answer lost or
    won, or given only after the reminder; and with the whole dossier not being asked."""
    before, made = numbers(of, header, units), {}
    sample = random.Random(7).sample(range(len(units)), 7)
    asked = {one.item.item_id: one for one in of.form(header["form"])}

    def other(changes):
        mutated = [
            unit(asked[one["asked_item"]], one["asked_order"], one["repeat"], changes[n]) if n in changes else one
            for n, one in enumerate(units)
        ]
        declined = sum(one["outcome"] == "not_administered" for one in mutated)
        after = numbers(of, header | {"not_administered_count": declined}, mutated)
        return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}

    by_dossier = {}
    for place in (units[n]["asked_dossier"] for n in sample):
        if place not in by_dossier:
            here = [n for n, two in enumerate(units) if two["asked_dossier"] == place]
            by_dossier[place] = other(dict.fromkeys(here, "not_administered"))
    for n in sample:
        one = units[n]
        said = one.get("answer")
        flipped = other({n: "B" if said == "A" else "A"}) if said else set()
        ways = [] if one["outcome"] == "not_administered" else [f"{said or 'A'}!", missing if said else "A"]
        alone = flipped.union(*(other({n: way}) for way in ways))
        made[key(one)] = flipped, alone, by_dossier[one["asked_dossier"]]
    return made


def gone(*places):
    """Whether an item is of one of these dossiers or families."""
    return lambda asked, order: bool({asked.dossier.dossier_id, asked.dossier.issue_family} & set(places))


VARIED = [
    (coin(1), "malformed"),
    (always("A"), "blocked"),
    (always("positive"), "cut_off"),
    (lost(coin(0), 0.1, 0), "malformed"),
    (lost(coin(1), 0.5, 1), "blocked"),
    (lost(coin(2), 0.8, 2), "malformed"),
    (lost(coin(3), 1, 3, where=gone("e1", "s1")), "cut_off"),
    (lost(coin(4), 1, 4, where=gone("e2", "s2")), "malformed"),
    (lost(coin(5), 1, 5, "not_administered", gone("commons-1")), "malformed"),
    (lost(coin(6), 1, 6, "not_administered", gone("commons-2")), "blocked"),
]
#: A run in which this is not 0 is not scored.
ALWAYS_0 = "parse.outcome.transport_failed"


def observed(respondents, form, repeats):
    """Name -> units listed, and name -> units seen to change it; no other unit ever does, by another letter only those
    do whose letter counts, and those with a weight always do."""
    listed, changing = defaultdict(set), defaultdict(set)
    for respondent, missing in respondents:
        header, units = run(SMALL, respondent, form, repeats)
        whole, estimates = scored(SMALL, header, units)
        found = {figure["name"]: behind(whole, figure) for figure in estimates}
        of_unit = {name: {entry.unit: entry for entry in one.entries} for name, one in found.items()}
        for one, (flipped, alone, with_dossier) in changed(SMALL, header, units, missing).items():
            for name, figure in found.items():
                entry = of_unit[name].get(one)
                if entry is None:
                    assert name not in alone, f"{one} changes {name} and is not listed"
                    continue
                listed[name].add(one)
                if name in alone | with_dossier:
                    changing[name].add(one)
                assert figure.by == CHOICE or name not in flipped, f"another letter of {one} changes {name}"
                assert figure.by != ASKING or name not in alone, f"another answer of {one} changes {name}"
                if entry.weight and entry.role == "counted" and figure.by == CHOICE:
                    assert name in flipped, f"{one} has a weight in {name}, and another letter changes nothing"
    return listed, changing


def test_units_behind_a_figure_are_exactly_those_that_change_it():
    listed, changing = observed(VARIED, "full", 3)
    for name, of_name in listed.items():
        idle = of_name - changing[name]
        assert not idle or name == ALWAYS_0, f"{name}: {sorted(idle)} never change it"
    assert len(listed) > 150


@pytest.mark.parametrize("form", ["full", "short"])
def test_no_unit_that_is_not_listed_changes_a_figure(form):
    listed, changing = observed([VARIED[0], VARIED[4]], form, 1)
    assert len(changing) > 40 and changing.keys() <= listed.keys()


def test_a_run_of_another_bank_is_refused():
    header, units = run(UNEVEN, coin(1))
    with pytest.raises(UsageProblem):
        _ = Scored(SMALL, header, units).cells
