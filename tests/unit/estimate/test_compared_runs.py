"""Two and more respondents side by side: planted differences, missing answers, and what is refused."""

import pytest
from planted import always, bank, coin, lost, run

from divisionbell.diagnostics import UsageProblem
from divisionbell.estimate.compared import Compared
from divisionbell.estimate.comparison import compare_runs
from divisionbell.estimate.document import score_run
from divisionbell.model.run_classes import ComparisonDocument
from divisionbell.run.fits import misfit
from divisionbell.score.answers import answers_of

TWELVE = (2,) * 12
BANK = bank(TWELVE, TWELVE)
LEANING = coin(1, weights=(1, 9))
MILD = coin(2, weights=(4, 6))


def compared(respondent, number, of=BANK, **header):
    head, units = run(of, respondent, run_id=f"run-{number}", **header)
    head["respondent"] = f"openai:m{number}"
    return Compared(head, answers_of(of, head, units), f"{number:064x}")


def named(*runs, of=BANK):
    document = compare_runs(of, runs)
    assert misfit("ComparisonDocument", document) is None
    ComparisonDocument.model_validate(document)
    return {one["name"]: one for one in document["estimates"]}, document


def score(respondent, axis, of=BANK):
    head, units = run(of, respondent)
    (found,) = [e for e in score_run(of, head, units, "0" * 64)["estimates"] if e["name"] == f"concrete.{axis}"]
    return found["value"]


def test_with_nothing_missing_it_is_the_difference_of_the_scores():
    found, document = named(compared(LEANING, 1), compared(MILD, 2))
    for axis in ("economic", "social"):
        difference = found[f"difference.{axis}.1-2"]
        assert difference["value"] == pytest.approx(score(LEANING, axis) - score(MILD, axis))
        assert difference["n"] == 12 and difference["standing"] == "primary"
        assert difference["low"] < difference["value"] < difference["high"]
        assert "value" not in found[f"difference.{axis}.1-2.bounds"]
    assert not document["demonstration"]
    assert document["notes"][0].startswith("2 differences are one family of tests (1 pair × 2 axes)")


def test_the_order_of_the_runs_turns_the_sign_and_nothing_else():
    one, _ = named(compared(LEANING, 1), compared(MILD, 2))
    other, _ = named(compared(MILD, 2), compared(LEANING, 1))
    for axis in ("economic", "social"):
        name = f"difference.{axis}.1-2"
        assert one[name]["value"] == pytest.approx(-other[name]["value"])
        assert one[name]["low"] == pytest.approx(-other[name]["high"])
        assert one[f"{name}.max_t_p"]["value"] == other[f"{name}.max_t_p"]["value"]


def test_one_respondent_twice_does_not_differ():
    found, _ = named(compared(MILD, 1), compared(MILD, 2))
    difference = found["difference.economic.1-2"]
    assert difference["value"] == 0 and difference["low"] < 0 < difference["high"]
    assert "no spread" in found["difference.economic.1-2.max_t_p"]["undefined_because"]
    assert found["difference.economic.1-2.smallest_p"]["undefined_because"] == "no family differs"
    assert (found["rank.economic.1"]["low"], found["rank.economic.1"]["high"]) == (1, 2)


def test_no_p_is_below_the_smallest_that_can_be_reached():
    few = bank((2,) * 3, (2,) * 3)
    found, document = named(
        compared(coin(3, weights=(1, 20)), 1, few), compared(coin(4, weights=(20, 1)), 2, few), of=few
    )
    assert document["demonstration"] and document["notes"][0].startswith("Demonstration: no position and no difference")
    for axis in ("economic", "social"):
        smallest = found[f"difference.{axis}.1-2.smallest_p"]
        assert smallest["value"] == 2 / 2 ** smallest["n"]
        assert found[f"difference.{axis}.1-2.sign_flip_p"]["value"] >= smallest["value"]


def test_ranks_part_only_those_whose_differences_are_told_apart():
    runs = [
        compared(coin(number, weights=weights), number) for number, weights in ((1, (1, 30)), (2, (1, 1)), (3, (30, 1)))
    ]
    found, _ = named(*runs, compared(coin(5), 4))
    ranks = [
        (found[f"rank.economic.{number}"]["low"], found[f"rank.economic.{number}"]["high"]) for number in range(1, 5)
    ]
    assert ranks == [(1, 1), (2, 3), (4, 4), (2, 3)]


def test_missing_answers_leave_what_both_answered_and_bounds_that_hold_every_completion():
    holes = lost(LEANING, 0.2, 7)
    found, document = named(compared(holes, 1), compared(MILD, 2))
    full, _ = named(compared(LEANING, 1), compared(MILD, 2))
    assert any(note.startswith("Answers are missing") for note in document["notes"])
    for axis in ("economic", "social"):
        bounds = found[f"difference.{axis}.1-2.bounds"]
        assert bounds["low"] <= full[f"difference.{axis}.1-2"]["value"] <= bounds["high"]
        for pole in ("negative", "positive"):
            filled = lost(LEANING, 0.2, 7, outcome=pole)
            end = named(compared(filled, 1), compared(MILD, 2))[0][f"difference.{axis}.1-2"]["value"]
            assert end == pytest.approx(bounds["low" if pole == "negative" else "high"])


def test_an_order_that_one_did_not_answer_counts_for_neither():
    def only_negative_at_a(asked, order):
        return order == "positive_at_a"

    first = lost(always("A"), 1.0, 1, where=only_negative_at_a)
    found, _ = named(compared(first, 1), compared(always("A"), 2))
    assert found["difference.economic.1-2"]["undefined_because"] == "no family has a score of both"
    bounds = found["difference.economic.1-2.bounds"]
    assert (bounds["low"], bounds["high"]) == (-1, 0)


def test_different_numbers_of_repeats_are_averaged_first():
    found, document = named(compared(MILD, 1, repeats=3), compared(LEANING, 2))
    assert "value" in found["difference.economic.1-2"]
    assert any("different numbers of repeats" in note for note in document["notes"])


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ({"respondent": "party:Labour"}, "is a party"),
        ({"form": "short"}, "has form short"),
        ({"constrained": True}, "has constrained decoding, run run-1 has free decoding"),
        ({"bank_sha256": "ff" * 32}, "has bank_sha256 ffff"),
        ({"run_id": "run-1"}, "is named twice"),
    ],
)
def test_what_cannot_be_compared_is_refused(header, told):
    one, two = compared(MILD, 1), compared(LEANING, 2)
    other = Compared({**two.header, **header}, two.answers, two.journal_sha256)
    with pytest.raises(UsageProblem, match=told):
        compare_runs(BANK, [one, other])


def test_a_copy_and_what_a_run_was_merged_from_are_that_run():
    one, two = compared(MILD, 1), compared(LEANING, 2)
    copy = Compared({**one.header, "run_id": "copy"}, one.answers, one.journal_sha256)
    with pytest.raises(UsageProblem, match="runs run-1 and copy hold the same replies"):
        compare_runs(BANK, [one, two, copy])
    part = {"merged_run": "run-1", "merged_journal_sha256": one.journal_sha256}
    merged = Compared({**one.header, "run_id": "merged", "merged_from": [part]}, one.answers, "e" * 64)
    again = Compared({**merged.header, "run_id": "again"}, one.answers, "f" * 64)
    for runs in ([one, merged], [merged, one], [merged, two, again]):
        with pytest.raises(UsageProblem, match="hold the same replies"):
            compare_runs(BANK, runs)
    assert compare_runs(BANK, [merged, two])["compared"]


def test_one_run_is_no_comparison():
    with pytest.raises(UsageProblem, match="one run alone cannot be compared"):
        compare_runs(BANK, [compared(MILD, 1)])


def test_a_difference_that_missing_answers_could_take_away_is_not_told_apart():
    """Refusals of half of the items of one pole: over what both answered they differ, and completions could undo it."""
    holes = lost(coin(1, weights=(1, 30)), 0.5, 3)
    found, _ = named(compared(holes, 1), compared(coin(2), 2))
    whole, _ = named(compared(coin(1, weights=(1, 30)), 1), compared(coin(2), 2))
    assert whole["difference.economic.1-2.told_apart"]["value"] == 1
    for axis in ("economic", "social"):
        name = f"difference.{axis}.1-2"
        assert found[f"{name}.bounds"]["low"] < 0 < found[f"{name}.bounds"]["high"]
        assert found[f"{name}.told_apart"]["value"] == 0
        assert (found[f"rank.{axis}.1"]["low"], found[f"rank.{axis}.1"]["high"]) == (1, 2)


def test_bounds_beyond_0_tell_nobody_apart_while_the_interval_over_all_families_holds_0():
    """Five of 17 families without an answer: what both answered and the bounds lie above 0, and the bounds err too."""
    of = bank((2,) * 17, (2,) * 17)
    gone = {name for axis in ("economic", "social") for name in families_of(of, axis)[12:]}
    holes = lost(coin(1, weights=(1, 12)), 1.0, 1, where=lambda asked, order: asked.dossier.issue_family in gone)
    found, document = named(
        compared(holes, 1, of), compared(coin(2, weights=(3, 2)), 2, of), compared(always("negative"), 3, of), of=of
    )
    name = "difference.social.1-2"
    assert found[name]["n"] == 12 and found[name]["low"] > 0 and found[f"{name}.bounds"]["low"] > 0
    wide = found[f"{name}.imbens_manski"]
    assert wide["low"] < 0 < found[f"{name}.bounds"]["high"] < wide["high"] and wide["n"] == 17
    assert "Imbens-Manski over families, simultaneous" in wide["interval_kind"]
    assert found[f"{name}.told_apart"]["value"] == 0
    assert found["difference.social.1-3.told_apart"]["value"] == 1 < found["difference.social.1-3.imbens_manski"]["n"]
    assert found["difference.social.1-3.imbens_manski"]["low"] > 0
    assert (found["rank.social.1"]["low"], found["rank.social.1"]["high"]) == (1, 2)
    assert any("leaves out the families where one has no complete pair" in note for note in document["notes"])


def families_of(of, axis):
    return sorted({asked.dossier.issue_family for asked in of.form("full") if asked.dossier.axis == axis})


def test_with_nothing_missing_the_interval_over_all_families_is_that_of_the_difference():
    found, _ = named(compared(LEANING, 1), compared(MILD, 2), compared(always("positive"), 3))
    for name in [name for name in found if name.endswith(".imbens_manski")]:
        difference, wide = found[name.removesuffix(".imbens_manski")], found[name]
        assert (wide["low"], wide["high"]) == pytest.approx((difference["low"], difference["high"]))


def test_fewer_families_than_a_position_needs_tell_nobody_apart():
    few = bank((2,) * 11, (2,) * 12)
    found, _ = named(compared(coin(1, weights=(1, 60)), 1, few), compared(coin(2, weights=(60, 1)), 2, few), of=few)
    economic = found["difference.economic.1-2"]
    assert economic["value"] > 0 and "low" not in economic
    assert found["difference.economic.1-2.max_t_p"]["undefined_because"] == (
        "11 families have a score of both, 12 are needed"
    )
    assert found["difference.economic.1-2.told_apart"]["value"] == 0
    assert found["difference.social.1-2.told_apart"]["value"] == 1


def test_a_run_with_few_families_takes_no_claim_from_the_others():
    """Half of all flips of two families are without spread: within the family of tests they would leave no limit."""
    others = compared(LEANING, 1), compared(always("positive"), 2), compared(MILD, 3)
    alone, _ = named(*others)
    kept = sorted({one.dossier.issue_family for one in BANK.form("full")})[:2]
    two = lost(coin(4), 1.0, 4, where=lambda asked, order: asked.dossier.issue_family not in kept)
    beside, _ = named(*others, compared(two, 4))
    for name in [name for name in alone if name.startswith("difference.")]:
        if not name.endswith(("_p", ".imbens_manski")):
            assert beside[name] == alone[name], name


def test_whoever_answers_by_position_is_told_apart_from_nobody():
    null = coin(7, poles=("A", "positive"), weights=(12, 1))
    found, document = named(compared(null, 1), compared(LEANING, 2), compared(coin(8, weights=(1, 30)), 3))
    for axis in ("economic", "social"):
        assert found[f"difference.{axis}.1-2"]["high"] < 0
        assert [found[f"difference.{axis}.{pair}.told_apart"]["value"] for pair in ("1-2", "1-3")] == [0, 0]
        assert (found[f"rank.{axis}.1"]["low"], found[f"rank.{axis}.1"]["high"]) == (1, 3)
    assert document["notes"][-1].startswith("By position, not by content, answers: 1.")


def test_the_corrected_p_is_never_below_the_p_of_the_pair_alone():
    runs = [compared(coin(number, weights=(1, 1 + number)), number) for number in range(1, 5)]
    found, _ = named(*runs)
    for name in [name for name in found if name.endswith(".max_t_p") and "value" in found[name]]:
        alone = found[name.replace("max_t_p", "sign_flip_p")]["value"]
        smallest = found[name.replace("max_t_p", "smallest_p")]["value"]
        assert found[name]["value"] >= alone >= smallest - 1e-12


def test_the_two_floors_of_p_are_told_and_are_where_it_stops():
    wide = bank((2,) * 19, (2,) * 14)
    found, document = named(
        compared(always("positive"), 1, wide), compared(lost(coin(2, weights=(9, 1)), 0, 1), 2, wide), of=wide
    )
    (said,) = [note for note in document["notes"] if note.startswith("Two floors of p")]
    assert "over all pairs and axes 1/10,001, since 10,000 flips are drawn" in said
    counted, drawn = found["difference.social.1-2.smallest_p"], found["difference.economic.1-2.smallest_p"]
    assert (counted["n"], counted["value"]) == (14, 2 / 2**14)
    assert (drawn["n"], drawn["value"]) == (19, 1 / 20_001)
    for axis, smallest in (("social", counted), ("economic", drawn)):
        assert found[f"difference.{axis}.1-2.sign_flip_p"]["value"] >= smallest["value"]
        assert found[f"difference.{axis}.1-2.max_t_p"]["value"] >= 1 / 10_001
    assert "never below 1/10,001" in found["difference.social.1-2.max_t_p"]["definition"]
    assert "from 17 families on, where 20,000 flips are drawn, 1/20,001" in counted["definition"]
