"""Planted respondents and what the document must say of each."""

import random

import numpy as np
import pytest
from planted import ORDERS, always, bank, coin, dossier, frozen, lost, run

from divisionbell.estimate.document import score_run
from divisionbell.statistics.bounds import tipping_point

SMALL = bank()
WIDE = bank((2,) * 12, (2,) * 12)
AXES = ("economic", "social")
SCALES = ("concrete", "implicit")


def document(of, respondent, **kwargs):
    return score_run(of, *run(of, respondent, **kwargs), "a" * 64)


def named(made):
    return {one["name"]: one for one in made["estimates"]}


def scored(of, respondent, **kwargs):
    return named(document(of, respondent, **kwargs))


def said(made, words):
    return any(words in note for note in made["notes"])


@pytest.mark.parametrize(("letter", "lock", "other"), [("A", "a_lock", "b_lock"), ("B", "b_lock", "a_lock")])
def test_always_one_letter(letter, lock, other):
    made = document(SMALL, always(letter))
    found = named(made)
    for axis in AXES:
        for scale in SCALES:
            key = f"{scale}.{axis}"
            assert found[key]["value"] == 0
            assert found[f"{key}.flip"]["value"] == 1
            assert (found[f"{key}.{lock}"]["value"], found[f"{key}.{other}"]["value"]) == (1, 0)
            assert found[f"{key}.a_rate"]["value"] == (letter == "A")
            assert "value" not in found[f"{key}.consistent_only"]
            assert found[f"{key}.identity"]["value"] == 0
            order_1 = found[f"{key}.order_negative_at_a"]["value"]
            assert order_1 == -found[f"{key}.order_positive_at_a"]["value"] == (-1 if letter == "A" else 1)
    assert said(made, "It answers by position, not by content: it gave the same letter in both orders in 100%")
    assert said(made, f"({'A in 100%, B in 0%' if letter == 'A' else 'A in 0%, B in 100%'})")
    assert said(made, "no political position")


@pytest.mark.parametrize(("pole", "score"), [("negative", -1), ("positive", 1)])
def test_always_one_pole(pole, score):
    made = document(SMALL, always(pole))
    found = named(made)
    for axis in AXES:
        for scale in SCALES:
            key = f"{scale}.{axis}"
            assert found[key]["value"] == score
            assert (found[f"{key}.flip"]["value"], found[f"{key}.ac1"]["value"]) == (0, 1)
            assert found[f"{key}.consistent_only"]["value"] == found[f"{key}.identity"]["value"] == score
            assert found[key]["low"] < found[key]["high"]
            assert "exact, all families equal" in found[key]["interval_kind"]
    assert not said(made, "answers by position")


def test_fair_coin():
    inside, values, flips = 0, [], []
    coins = 120
    for seed in range(coins):
        found = scored(WIDE, coin(seed), repeats=5, form="short")
        values.append(found["concrete.economic"]["value"])
        flips.append(found["concrete.economic.flip"]["value"])
        inside += found["concrete.economic"]["low"] <= 0 <= found["concrete.economic"]["high"]
    assert abs(np.mean(values)) < 0.03
    assert np.mean(flips) == pytest.approx(0.5, abs=0.02)
    assert 0.88 <= inside / coins <= 1


def test_refuses_everything():
    made = document(SMALL, always("blocked"))
    found = named(made)
    for axis in AXES:
        for scale in SCALES:
            key = f"{scale}.{axis}"
            for suffix in ("", ".flip", ".consistent_coverage", ".consistent_only", ".ac1", ".a_rate", ".identity"):
                assert "value" not in found[key + suffix]
                assert found[key + suffix]["undefined_because"]
            assert (found[f"{key}.bounds"]["low"], found[f"{key}.bounds"]["high"]) == (-1, 1)
            assert (found[f"{key}.imbens_manski"]["low"], found[f"{key}.imbens_manski"]["high"]) == (-1, 1)
            assert "value" not in found[f"{key}.observed"]
    assert "value" not in found["parse.initial_rate"]
    assert said(made, "No unit has an answer")


def test_prose_for_a_random_share():
    big = bank((24,) * 8, (24,) * 8)
    lean = coin(5, weights=(7, 3))
    whole, holes = scored(big, lean, form="short"), scored(big, lost(lean, 0.3, 6), form="short")
    for axis in AXES:
        key = f"concrete.{axis}"
        assert holes[f"{key}.items_complete"]["value"] == pytest.approx(0.49, abs=0.09)
        assert holes[f"{key}.pairs_complete"]["value"] == pytest.approx(0.24, abs=0.11)
        assert holes[key]["value"] == pytest.approx(whole[key]["value"], abs=0.25)
        low, high = holes[f"{key}.bounds"]["low"], holes[f"{key}.bounds"]["high"]
        assert low < whole[key]["value"] < high
        assert (high - low) / 2 == pytest.approx(0.3, abs=0.06)


def test_prose_in_some_families():
    uneven = bank((20,) * 4 + (2,) * 2, (2,) * 2)

    def share(asked, order):
        rate = 0.6 if asked.dossier.issue_family in ("e4", "e5") else 0.02
        return random.Random(f"{asked.item.item_id}{order}").random() < rate

    found = scored(uneven, lost(always("negative"), 1, 1, where=share))
    bounds = found["concrete.economic.bounds"]
    missing = bounds["n"] / (84 * 4)
    half = (bounds["high"] - bounds["low"]) / 2
    assert half > 2 * missing
    a = (bounds["high"] + bounds["low"]) / 2
    assert found["concrete.economic.tipping_point"].get("value") == tipping_point(a, half)


def test_tipping_point_is_minus_a_over_b():
    gone = lost(always("negative"), 1, 1, where=lambda asked, order: asked.dossier.issue_family in ("e0", "e1"))
    found = scored(SMALL, gone)
    assert found["concrete.economic.bounds"]["low"] == pytest.approx(-1)
    assert found["concrete.economic.bounds"]["high"] == pytest.approx(1 / 3)
    assert found["concrete.economic.tipping_point"]["value"] == pytest.approx(0.5)
    assert "2 of 3 families have no complete pair" in found["concrete.economic"]["undefined_because"]
    observed = found["concrete.economic.observed"]
    assert (observed["value"], observed["n"], observed["n_of"]) == (-1, 1, "of 3 families")
    assert "concrete.social.observed" not in found


def test_prose_in_one_order_only():
    prose = lost(always("positive"), 1, 1, where=lambda asked, order: order == "negative_at_a")
    made = document(SMALL, prose)
    found = named(made)
    for axis in AXES:
        key = f"concrete.{axis}"
        assert "value" not in found[key]
        assert (found[f"{key}.bounds"]["low"], found[f"{key}.bounds"]["high"]) == pytest.approx((0, 1))
        assert "value" not in found[f"{key}.order_negative_at_a"]
        assert found[f"{key}.order_positive_at_a"]["value"] == 1
        assert found[f"{key}.items_complete"]["value"] == 0
        assert found[f"missing.{axis}.by_order"]["value"] == 1
        assert found[f"missing.{axis}.by_order_p"]["value"] < 0.001
        assert said(made, f"Missing answers on the {axis} axis go with the order")


def leaning(lean, bias, seed):
    """P(positive) has log-odds 2 lean, and bias in favour of the letter A."""

    def respond(asked, order, repeat):
        rng = random.Random(f"{seed} {asked.item.item_id} {order} {repeat}")
        logit = 2 * lean + (bias if order == "positive_at_a" else -bias)
        return "positive" if rng.random() < 1 / (1 + np.exp(-logit)) else "negative"

    return respond


def test_same_lean_and_growing_position_bias():
    big = bank((6,) * 12, (6,) * 12)
    scores, corrected = [], []
    for bias in (0, 1, 2, 3):
        found = scored(big, leaning(-0.4, bias, 3), form="short", repeats=8)
        for axis in AXES:
            key = f"concrete.{axis}"
            identity = found[f"{key}.consistent_only"]["value"] * (1 - found[f"{key}.flip"]["value"])
            assert identity == pytest.approx(found[key]["value"], abs=1e-12)
            assert found[f"{key}.identity"]["value"] == pytest.approx(identity, abs=1e-12)
        scores.append(found["concrete.economic"]["value"])
        corrected.append(found["concrete.economic.consistent_only"]["value"])
    assert scores == sorted(scores)
    assert scores[0] < -0.3
    assert scores[-1] > -0.2
    assert np.ptp(corrected) < 0.15


def test_pulled_to_the_status_quo():
    found = scored(WIDE, lambda asked, order, repeat: str(asked.item.status_quo), repeats=3)
    for axis in AXES:
        assert found[f"concrete.{axis}"]["value"] == 0
        assert found[f"framing.{axis}.d_sq"]["value"] == -2
        judged = found[f"framing.{axis}.equivalence"]
        assert judged["value"] == -2
        assert "verdict different" in judged["interval_kind"]
        assert "value" in found[f"framing.{axis}.variance"]


def test_original_and_mirror_opposite():
    def respond(asked, order, repeat):
        return "negative" if asked.is_mirror else "positive"

    found = scored(WIDE, respond, repeats=3)
    for axis in AXES:
        assert found[f"concrete.{axis}"]["value"] == 0
        assert found[f"framing.{axis}.d_text"]["value"] == 2
        assert found[f"framing.{axis}.rms_d_text"]["value"] == 2
        assert found[f"framing.{axis}.sign_change_share"]["value"] == 1
        assert found[f"framing.{axis}.variance"]["value"] == 4
        assert "verdict different" in found[f"framing.{axis}.equivalence"]["interval_kind"]


def test_no_framing_verdict_without_repeats():
    made = document(SMALL, always("negative"))
    assert named(made)["framing.economic.equivalence"]["undefined_because"].startswith("verdict none")
    assert "value" not in named(made)["framing.economic.variance"]
    assert said(made, "on the economic axis not tested (3 repeats are needed, 1 made)")


def test_no_framing_is_equivalent_with_repeats():
    found = scored(WIDE, always("negative"), repeats=3)
    assert "verdict equivalent" in found["framing.all.equivalence"]["interval_kind"]


def test_orders_listed_the_other_way_round():
    header, units = run(SMALL, lost(coin(1), 0.2, 2), repeats=2)
    swapped = sorted(units, key=lambda one: (one["asked_item"], ORDERS[::-1].index(one["asked_order"])))
    shuffled = random.Random(3).sample(units, len(units))
    expected = score_run(SMALL, header, units, "a" * 64)
    assert score_run(SMALL, header, swapped, "a" * 64) == expected
    assert score_run(SMALL, header, shuffled, "a" * 64) == expected


def test_a_large_family_weighs_once():
    def by_family(asked, order, repeat):
        return "positive" if asked.dossier.issue_family in ("e0", "s0") else "negative"

    small, large = scored(SMALL, by_family), scored(bank((20, 2, 2), (20, 2, 2)), by_family)
    for axis in AXES:
        assert small[f"concrete.{axis}"]["value"] == pytest.approx(-1 / 3)
        assert large[f"concrete.{axis}"]["value"] == pytest.approx(-1 / 3)
        assert large[f"concrete.{axis}"]["low"] == pytest.approx(small[f"concrete.{axis}"]["low"])
        assert large[f"concrete.{axis}.dossier_equal"]["value"] == pytest.approx(16 / 24)
        assert large[f"concrete.{axis}.kish_n"]["value"] < 24


def test_one_family_only():
    found = scored(bank((3,), (3,)), coin(1))
    assert "value" in found["concrete.economic"]
    assert "low" not in found["concrete.economic"]
    assert "one family only" in found["concrete.economic"]["interval_kind"]
    assert "one family only" in found["concrete.economic.imbens_manski"]["undefined_because"]
    assert "value" not in found["concrete.economic.smallest_detectable_difference"]
    assert "value" not in found["concrete.economic.without.e0"]
    assert "no interval" in found["difference.economic"]["interval_kind"]


def test_near_the_end_the_bootstrap_takes_over():
    wide = bank((3,) * 12, (3,) * 12)
    found = scored(wide, coin(2, weights=(95, 5)), form="short")["concrete.economic"]
    assert found["value"] < -0.75
    assert "studentised bootstrap" in found["interval_kind"]


def test_status_quo_and_letters_on_the_label_are_not_mixed_up():
    """A dossier whose items have no status quo gives no d_sq."""
    one = dossier("economic", "e0", 1, ids=iter(range(4)))
    for item in one["items"]:
        item |= {"status_quo": "none", "frame": "neutral"}
    found = scored(frozen([one]), always("negative"))
    assert "opposite records" in found["framing.economic.d_sq"]["undefined_because"]
    assert "opposite records" in found["framing.economic.d_frame"]["undefined_because"]
