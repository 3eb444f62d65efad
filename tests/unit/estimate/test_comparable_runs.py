from test_compared_runs import BANK, LEANING, MILD, compared

from divisionbell.estimate.comparable import comparable
from divisionbell.estimate.comparison import compare_runs


def test_runs_of_one_form_and_decoding_are_one_group_in_their_order():
    runs = [compared(LEANING, 1), compared(MILD, 2), compared(LEANING, 3)]
    groups, said = comparable(runs)
    assert groups == [runs] and said == []
    assert len(compare_runs(BANK, groups[0])["compared"]) == 3


def test_one_run_is_compared_with_nothing():
    assert comparable([compared(LEANING, 1)]) == ([], [])
    assert comparable([]) == ([], [])


def test_another_form_or_decoding_stands_apart_and_is_named():
    free, also = compared(LEANING, 1), compared(MILD, 2)
    forced = compared(MILD, 3, constrained=True)
    groups, (said,) = comparable([free, forced, also])
    assert groups == [[free, also]]
    assert "no difference between them is told" in said
    assert "form full with free decoding: openai:m1, openai:m2" in said
    assert "form full with constrained decoding: openai:m3" in said


def test_each_group_of_two_or_more_is_compared():
    runs = [compared(LEANING, n, constrained=n > 2) for n in range(1, 5)]
    groups, said = comparable(runs)
    assert [[run.header["run_id"] for run in group] for group in groups] == [["run-1", "run-2"], ["run-3", "run-4"]]
    assert len(said) == 1


def test_more_than_can_be_compared_at_once_is_said():
    one = compared(LEANING, 1)
    groups, (said,) = comparable([one] * 101)
    assert groups == [] and said.startswith("101 runs are more than the 100")
