"""The verb `power`: what it tells with given spreads and with runs, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

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
    assert "needs at least 6 families that differ, 7 over two axes by Holm; 19 reach no p below 3.8e-06." in ended.text
    assert two["table"][0]["sd"] == pytest.approx(2**0.5 * one["table"][0]["sd"])


def test_correlated_respondents_need_fewer_families(divisionbell: Verb) -> None:
    apart, near = (
        studies(divisionbell, *GIVEN, "--difference", "0.3", "--correlation", r)[1]["table"][0]["families_needed"]
        for r in ("0", "0.8")
    )
    assert near < apart


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


def test_one_repeat_does_not_tell_its_noise(home: Path, divisionbell: Verb) -> None:
    assert divisionbell("run", "scripted:coin", "--out", "once").code == 0
    ended = divisionbell("power", "--from", "once")
    assert ended.code == 0 and "1 repeat do not tell noise from dossiers" not in ended.text
    assert "one repeat does not tell noise from dossiers" in ended.text
    ended = divisionbell("power", "--from", "once", "--repeats", "5")
    assert ended.code == 2 and "do not tell the noise of 5" in ended.err


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
        (("--family-sd", "0.3", "--difference", "1.5"), "cannot differ from 0 by 1.5"),
        (("--family-sd", "nan"), "nan"),
        (("--family-sd", "0.3", "--difference", "nan"), "nan"),
        (("--family-sd", "-1"), "-1"),
    ],
)
def test_what_is_refused(frozen_bank: Path, divisionbell: Verb, arguments: tuple[str, ...], says: str) -> None:
    ended = divisionbell("power", *arguments)
    assert ended.code == 2
    assert says in ended.err
    assert "Traceback" not in ended.err
