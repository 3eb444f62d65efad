import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted import always, bank, coin, lost, run

from divisionbell.estimate.headline import headline, missing_answer_estimates, observed
from divisionbell.estimate.position_estimates import order_mean, scale_position
from divisionbell.estimate.scale import scale_of
from divisionbell.score.apply_key import apply_key

UNEVEN = bank((1, 3, 2), (1,))


def mean(values):
    return sum(values, Fraction(0)) / len(values)


def by_definition(cells, scale="concrete", axis="economic"):
    """The score by its definition, cell by cell, in exact fractions; None where a family has no complete pair."""
    tree = {}
    for cell in cells:
        if (cell.axis, cell.kind) == (axis, scale):
            place = (cell.family, cell.dossier, cell.version, cell.order)
            tree.setdefault(place, []).append(cell.coordinate)
    families = {}
    for family, dossier in {place[:2] for place in tree}:
        families.setdefault(family, {})
        orders = [
            [x for x in tree[family, dossier, version, order] if x is not None]
            for version in ("original", "mirror")
            for order in (1, 2)
        ]
        if all(orders):
            families[family][dossier] = mean([mean([Fraction(x) for x in order]) for order in orders])
    if not all(families.values()):
        return None
    return mean([mean(list(dossiers.values())) for dossiers in families.values()])


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), share=st.sampled_from([0.0, 0.05, 0.3]), repeats=st.integers(1, 3))
def test_the_score_is_its_definition(seed, share, repeats):
    cells = apply_key(UNEVEN, *run(UNEVEN, lost(coin(seed), share, seed), repeats=repeats))
    for name in ("concrete", "implicit"):
        scale = scale_of(cells, "economic", name)
        expected = by_definition(list(cells), name)
        found = headline(scale, UNEVEN.plan.interval_rule)
        if expected is None:
            assert "value" not in found
        elif "value" in found:
            assert found["value"] == pytest.approx(float(expected), abs=1e-12)
        else:  # a mean over complete pairs that no completion of the missing answers gives is no score
            bounds = missing_answer_estimates(scale, UNEVEN.plan.interval_rule)[0]
            assert not bounds["low"] <= float(expected) <= bounds["high"]
            assert "no completion of the missing answers" in found["undefined_because"]


def test_a_point_outside_its_own_bounds_is_no_score():
    """One dossier a family is whole and leans one way; in the others one order is missing and the rest leans the other
    way, so that they fall out of the mean over complete pairs and not out of the bounds."""
    of = bank((3,) * 12, (3,) * 12)
    first = {}
    for asked in of.form("full"):
        first.setdefault(asked.dossier.issue_family, asked.dossier.dossier_id)

    def respond(asked, order, repeat):
        if asked.dossier.dossier_id == first[asked.dossier.issue_family]:
            return "positive"
        return "malformed" if order == "positive_at_a" and not asked.is_mirror else "negative"

    scale = scale_of(apply_key(of, *run(of, respond)), "economic", "concrete")
    found = headline(scale, of.plan.interval_rule)
    assert "value" not in found and "no completion of the missing answers" in found["undefined_because"]
    (seen,) = observed(scale)
    assert seen["value"] == 1 and seen["n_of"] == "of 12 families"
    bounds = missing_answer_estimates(scale, of.plan.interval_rule)[0]
    assert bounds["high"] < 0


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), share=st.sampled_from([0.1, 0.4]), repeats=st.integers(1, 3))
def test_bounds_hold_every_completion(seed, share, repeats):
    whole = apply_key(UNEVEN, *run(UNEVEN, coin(seed), repeats=repeats))
    holes = apply_key(UNEVEN, *run(UNEVEN, lost(coin(seed), share, seed), repeats=repeats))
    scale = scale_of(holes, "economic", "concrete")
    found = {one["name"]: one for one in missing_answer_estimates(scale, UNEVEN.plan.interval_rule)}
    bounds = found["concrete.economic.bounds"]
    if "low" not in bounds:
        return
    ends = []
    for fill in (-1.0, 1.0):
        filled = np.where(scale.answered, scale.x, fill)
        full = replace(scale, x=filled, answered=np.ones_like(scale.answered))
        ends.append(float(np.mean(list(full.family_scores.values()))))
    assert (bounds["low"], bounds["high"]) == pytest.approx(tuple(ends), abs=1e-12)
    truth = float(by_definition(list(whole)))
    assert bounds["low"] - 1e-12 <= truth <= bounds["high"] + 1e-12
    wide = found["concrete.economic.imbens_manski"]
    assert wide["low"] <= bounds["low"] + 1e-12
    assert wide["high"] >= bounds["high"] - 1e-12


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), repeats=st.integers(1, 3))
def test_score_is_consistent_score_times_coverage(seed, repeats):
    cells = apply_key(UNEVEN, *run(UNEVEN, coin(seed), repeats=repeats))
    scale = scale_of(cells, "economic", "concrete")
    found = scale_position(scale)
    score = headline(scale, UNEVEN.plan.interval_rule)["value"]
    assert found.score == pytest.approx(score, abs=1e-12)
    assert (found.consistent_score or 0.0) * (1 - found.flip) == pytest.approx(score, abs=1e-12)
    assert (order_mean(scale, 0) + order_mean(scale, 1)) / 2 == pytest.approx(score, abs=1e-12)


def test_by_hand():
    """Two families of one and two dossiers, one repeat.

    commons-1 (e0): original negative in both orders, mirror A in both: item scores -1 and 0, pair -1/2.
    commons-2 (e1): all positive: 1. commons-3 (e1): original positive, mirror negative: 0. Family e1: 1/2. S = 0.
    """
    of = bank((1, 2), (1,))
    said = {
        "commons-1": ("negative", "A"),
        "commons-2": ("positive", "positive"),
        "commons-3": ("positive", "negative"),
        "commons-4": ("A", "A"),
    }

    def respond(asked, order, repeat):
        return said[asked.dossier.dossier_id][asked.is_mirror]

    scale = scale_of(apply_key(of, *run(of, respond)), "economic", "concrete")
    assert scale.family_scores == pytest.approx({"e0": -0.5, "e1": 0.5})
    assert scale.pair_weight == pytest.approx([1 / 2, 1 / 4, 1 / 4])
    found = headline(scale, of.plan.interval_rule)
    assert found["value"] == 0
    # SE = sqrt((1/4 + 1/4)/2) = 1/2, t with one degree of freedom is 12.7: clipped.
    assert (found["low"], found["high"], found["n"]) == (-1, 1, 2)
    # A-lock: the mirror of commons-1 has half the weight of its family: 1/4.
    position = scale_position(scale)
    assert (position.a_lock, position.b_lock) == (0.25, 0.0)
    # Consistent weights: negative 1/4 + 1/8, positive 1/4 + 1/8.
    assert position.consistent_score == pytest.approx(0)


def test_one_order_alone_gives_no_score():
    of = bank((1, 1), (1,))
    respond = lost(always("positive"), 1, 1, where=lambda asked, order: order == "negative_at_a")
    scale = scale_of(apply_key(of, *run(of, respond)), "economic", "concrete")
    assert scale.dossier_scores == {}
    a, b = scale.bound_parts
    assert (a - b).tolist() == [0, 0]
    assert (a + b).tolist() == [1, 1]


def test_not_administered_leaves_no_bounds():
    of = bank((2, 1), (1,))
    gone = lost(
        always("negative"), 1, 1, "not_administered", lambda asked, order: asked.dossier.dossier_id == "commons-1"
    )
    scale = scale_of(apply_key(of, *run(of, gone)), "economic", "concrete")
    assert scale.families == ("e0", "e1")
    assert scale.family_scores == {"e0": -1, "e1": -1}
    assert scale.bound_parts[1].tolist() == [0, 0]


def test_every_unit_has_weight():
    of = bank((1, 2), (1,))
    cells = apply_key(of, *run(of, always("positive"), repeats=2))
    scale = scale_of(cells, "economic", "concrete")
    places = list(itertools.product(range(3), range(2), range(2), range(2)))
    total = 0.0
    for place in places:
        answered = scale.answered.copy()
        answered[place] = False
        a, b = scale.with_answers(answered).bound_parts
        assert a.mean() + b.mean() == pytest.approx(1)
        assert b.mean() > 0
        total += b.mean()
    assert total == pytest.approx(1)
