"""The verb `power`: what it tells with given spreads and with runs, and what it refuses."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from divisionbell.cli.power import _lines

Verb = Callable[..., Any]
GIVEN = ("--family-sd", "0.3", "--item-sd", "0.4", "--noise-sd", "0.3")


def studies(divisionbell: Verb, *arguments: str) -> list[dict[str, Any]]:
    ended = divisionbell("power", *arguments, "--format", "json")
    assert ended.code == 0, ended.err
    told: list[dict[str, Any]] = json.loads(ended.text)["studies"]
    return told


def test_the_answer_stands_in_a_sentence(divisionbell: Verb) -> None:
    ended = divisionbell("power", *GIVEN, "--difference", "0.3", "--families", "19", "--repeats", "3")
    assert ended.code == 0, ended.err
    one, two = studies(divisionbell, *GIVEN, "--difference", "0.3", "--families", "19", "--repeats", "3")
    row = next(row for row in one["table"] if row["repeats"] == 3)
    found = f"{row['smallest_difference']:.2f}"
    assert f"19 families and 3 repeats find a difference of {found} with a power of 80%." in ended.text
    assert f"A difference of 0.3 needs {row['families_needed']} families with 3 repeats" in ended.text
    assert "needs at least 6 families that differ, 7 over two axes by Holm; 19 reach no p below 5e-05." in ended.text
    assert two["table"][0]["sd"] == pytest.approx(2**0.5 * one["table"][0]["sd"])


def test_correlated_respondents_need_fewer_families(divisionbell: Verb) -> None:
    apart, near = (
        studies(divisionbell, *GIVEN, "--difference", "0.3", "--correlation", r)[1]["table"][0]["families_needed"]
        for r in ("0", "0.8")
    )
    assert near < apart


def test_a_difference_beyond_one_score_is_planned_for_two_alone(divisionbell: Verb) -> None:
    arguments = ("--family-sd", "0.3", "--difference", "1.5")
    ended = divisionbell("power", *arguments)
    assert ended.code == 0, ended.err
    assert ended.text.startswith("one respondent against 0: a score cannot differ from 0 by 1.5 and vary;")
    told = json.loads(divisionbell("power", *arguments, "--format", "json").text)
    assert [one["comparison"] for one in told["studies"]] == ["two respondents, paired over families"]
    assert [one["comparison"] for one in told["left_out"]] == ["one respondent against 0"]


def test_a_spread_that_no_score_can_have_beside_the_difference_is_pointed_out(divisionbell: Verb) -> None:
    arguments = ("--family-sd", "0.7", "--difference", "0.8")
    one, two = studies(divisionbell, *arguments)
    assert one["sd_possible"] == pytest.approx(0.6)  # sqrt(1 - 0.8^2)
    assert "sd_possible" not in two
    told = "Beside a difference of 0.8 no answer can vary by more than 0.60: these spreads are of scores nearer to 0."
    assert told in divisionbell("power", *arguments).text
    assert "sd_possible" not in studies(divisionbell, "--family-sd", "0.6", "--difference", "0.8")[0]


def test_what_is_more_than_there_can_be(divisionbell: Verb) -> None:
    ended = divisionbell("power", "--family-sd", "0.9", "--families", "3")
    assert "which is more than there can be (1)" in ended.text
    assert "no noise between repeats" in ended.text


def test_noise_alone_is_overcome_by_repeats(divisionbell: Verb) -> None:
    ended = divisionbell("power", "--family-sd", "0", "--noise-sd", "0.5", "--families", "12", "--difference", "0.3")
    assert ended.code == 0, ended.err
    assert "With ever more repeats ever smaller differences" in ended.text


@pytest.fixture
def home(frozen_bank: Path, divisionbell: Verb) -> Path:
    for name in ("coin", "positive"):
        ended = divisionbell("run", f"scripted:{name}", "--repeats", "3", "--out", name)
        assert ended.code == 0, ended.err
    return frozen_bank.parent


def test_variances_from_one_run_and_from_two(home: Path, divisionbell: Verb) -> None:
    from_one = studies(divisionbell, "--from", "coin")
    assert [one["axis"] for one in from_one] == ["economic", "economic", "social", "social"]
    assert from_one[1]["variances"]["noise"] == pytest.approx(2 * from_one[0]["variances"]["noise"])
    assert all(one["families"] >= 2 and "smallest_difference" in one["table"][0] for one in from_one)
    (from_two,) = studies(divisionbell, "--from", "coin", "positive", "--axis", "social")
    assert from_two["comparison"].startswith("two respondents")
    assert from_two["variances"]["noise"] == pytest.approx(from_one[2]["variances"]["noise"])
    assert studies(divisionbell, "--from", "coin", "--from", "positive", "--axis", "social") == [from_two]
    ended = divisionbell("power", "--from", "coin", "--difference", "0.9")
    assert "The bank's plan claims nothing from fewer than" in ended.text
    assert "Spreads from a run are estimates" in ended.text
    still = divisionbell("power", "--from", "positive")
    assert still.code == 0 and "nothing varies between families" in still.text


def copied(run: str, name: str, **header: object) -> str:
    """A copy of a run with another id, and other slots of its header as given."""
    shutil.copytree(run, name)
    path = Path(name, "run.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"run_id": name, **header}))
    return name


def test_runs_that_cannot_be_compared_are_refused_as_by_compare(home: Path, divisionbell: Verb) -> None:
    copy = copied("coin", "copy")
    assert divisionbell("run", "scripted:negative", "--form", "short", "--repeats", "3", "--out", "short").code == 0
    assert divisionbell("run", "party:Labour", "--out", "labour").code == 0
    for first, second, says in (
        ("coin", "coin", "is named twice"),
        ("coin", copy, "hold the same replies"),
        ("coin", "short", "has form short"),
    ):
        for verb in (("power", "--from"), ("compare",)):
            ended = divisionbell(*verb, first, second)
            assert ended.code == 2 and says in ended.err, (verb, second, ended.err)
    for arguments in (("labour",), ("coin", "labour")):
        ended = divisionbell("power", "--from", *arguments)
        assert ended.code == 2 and "party" in ended.err
        assert ("no distance between" in ended.err) == (len(arguments) == 2)
    assert "no spread to plan by" in divisionbell("power", "--from", "labour").err
    for verb in (("report",), ("export", "replies", "--out", "x.parquet")):
        ended = divisionbell(*verb, "coin", copy)
        assert ended.code == 2 and "hold the same replies" in ended.err


def test_a_run_says_its_form_and_decoding_and_where_it_is_not_the_whole(home: Path, divisionbell: Verb) -> None:
    assert divisionbell("run", "scripted:coin", "--form", "short", "--repeats", "3", "--out", "short").code == 0
    (one, two) = studies(divisionbell, "--from", "short", "--axis", "social")
    assert one["form"] == two["form"] == "short" and "constrained" not in one
    text = divisionbell("power", "--from", "short", "--axis", "social").text
    assert text.startswith("social axis, one respondent against 0 (form short): ")
    fewer = one | {"families_of_run": 12, "families_of_bank": 19, "dossiers_of_bank": 3.051, "constrained": True}
    told = "\n".join(_lines(fewer))
    assert (
        "The run scores 12 of the bank's 19 families of the axis, not all of it: --families 19 --dossiers 3.05" in told
    )
    assert "(form short, constrained decoding)" in told
    assert "Constrained decoding is another instrument: nothing of this holds for free decoding." in told


def test_one_repeat_does_not_tell_its_noise(home: Path, divisionbell: Verb) -> None:
    assert divisionbell("run", "scripted:coin", "--out", "once").code == 0
    ended = divisionbell("power", "--from", "once")
    assert ended.code == 0 and "1 repeat do not tell noise from dossiers" not in ended.text
    assert "one repeat does not tell noise from dossiers" in ended.text
    ended = divisionbell("power", "--from", "once", "--repeats", "5")
    assert ended.code == 2 and "do not tell the noise of 5" in ended.err and "2 repeats or more" in ended.err
    assert divisionbell("run", "scripted:coin", "--repeats", "2", "--out", "twice").code == 0
    ended = divisionbell("power", "--from", "twice", "--repeats", "5")
    assert ended.code == 0 and ", noise 0." in ended.text and "cannot be planned" not in ended.text


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "without a spread nothing can be planned"),
        (("--family-sd", "0"), "without a spread nothing can be planned"),
        (("runs/x",), "runs/x is no option"),
        (("--from", "nowhere"), "nowhere is no run"),
        (("--from", "a", "--family-sd", "0.1"), "both say what the variances are"),
        (("--from", "a", "b", "c"), "3 runs are too many"),
        (("--from", "a", "b", "--correlation", "0.1"), "tell their correlation themselves"),
        (("--family-sd", "0.3", "--axis", "social"), "--axis is about a run"),
        (("--family-sd", "0.3", "--power", "0.04"), "a power that chance alone reaches"),
        (("--family-sd", "0.3", "--difference", "2"), "a difference of 2 is as large as there can be"),
        (("--family-sd", "0.9", "--item-sd", "0.5"), "spreads of 1.03 together cannot be"),
        (("--correlation", "0.5"), "without a spread nothing can be planned"),
        (("--difference", "0.5"), "without a spread nothing can be planned"),
        *(
            (("--family-sd", "0.3", f"{option}={value}"), f"'{option}': {value} is not {allowed}")
            for option, allowed in (
                ("--difference", "from 0.001 to 2."),
                ("--item-sd", "0, or from 0.001 to 1."),
                ("--dossiers", "from 1 to 1000."),
                ("--correlation", "from -1 to 1."),
                ("--level", "from 0.501 to 0.9999."),
                ("--power", "from 0.001 to 0.9999."),
            )
            for value in ("-3", "1e-300", "inf", "-inf", "1e300")
            if (option, value) != ("--correlation", "1e-300")
        ),
        *(
            (("--family-sd", "0.3", option, "nan"), f"'{option}': 'nan' is not a number.")
            for option in (
                "--difference",
                "--item-sd",
                "--noise-sd",
                "--dossiers",
                "--correlation",
                "--level",
                "--power",
            )
        ),
        *((("--family-sd", value), "'--family-sd': ") for value in ("nan", "x", "-1", "2", "1e-300", "")),
    ],
)
def test_what_is_refused(frozen_bank: Path, divisionbell: Verb, arguments: tuple[str, ...], says: str) -> None:
    ended = divisionbell("power", *arguments)
    assert ended.code == 2
    assert says in ended.err
    assert "Traceback" not in ended.err
