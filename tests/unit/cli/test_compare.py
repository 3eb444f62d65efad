"""The verb: what it says of two and three runs, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from divisionbell.cli.compare import _difference
from divisionbell.cli.score import _cells

Verb = Callable[..., Any]


@pytest.fixture
def home(frozen_bank: Path, divisionbell: Verb) -> Path:
    for name in ("coin", "positive", "negative"):
        ended = divisionbell("run", f"scripted:{name}", "--out", name)
        assert ended.code == 0, ended.err
    return frozen_bank.parent


def test_three_runs_as_text_and_as_json(home: Path, divisionbell: Verb) -> None:
    ended = divisionbell("compare", "coin", "positive", "negative")
    assert ended.code == 0, ended.err
    lines = ended.text.splitlines()
    assert lines[0] == "bank 0.1.0, form full"
    assert lines[1].startswith("  1  scripted:coin, started ") and lines[1].endswith("(coin)")
    assert "  ! Demonstration: no position and no difference can be read from this." in ended.text
    (certain,) = [line for line in lines if line.startswith("  2 − 3  +2.000 no interval")][:1]
    assert "; not told apart; 6 families; p over all pairs and axes none (alone 0.031, least possible 0.031)" in certain
    assert "  ranks, 1 the most positive: 1: " in ended.text
    told = json.loads(divisionbell("compare", "coin", "positive", "negative", "--format", "json").text)
    assert [run["respondent"] for run in told["compared"]] == [
        f"scripted:{n}" for n in ("coin", "positive", "negative")
    ]
    names = [one["name"] for one in told["estimates"]]
    assert len(names) == len(set(names)) == 2 * (3 * 7 + 3)


def test_what_is_refused(home: Path, divisionbell: Verb) -> None:
    def told(*runs: str, code: int = 2) -> str:
        ended = divisionbell("compare", *runs)
        assert ended.code == code
        return str(ended.err)

    assert "one run alone cannot be compared" in told("coin")
    assert "is named twice" in told("coin", "positive", "coin")
    assert "nowhere is no run" in told("coin", "nowhere")
    assert divisionbell("run", "party:Labour", "--out", "labour").code == 0
    assert "party:Labour is a party" in told("coin", "labour")
    assert divisionbell("run", "scripted:coin", "--form", "short", "--out", "short").code == 0
    assert "has form short" in told("coin", "short")
    journal = home / "positive" / "journal.jsonl"
    whole = journal.read_bytes()
    journal.write_bytes(b"".join(whole.splitlines(keepends=True)[:-1]))
    assert "is incomplete" in told("coin", "positive")
    journal.write_bytes(whole.replace(b'"answer":"A"', b'"answer":"B"', 1))
    assert "was not scored" in told("coin", "positive", code=1)


def test_a_line_says_who_is_told_apart_by_which_intervals_and_what_each_p_is() -> None:
    name = "difference.economic.2-4"
    p = {"max_t_p": {"value": 0.041}, "sign_flip_p": {"value": 5e-5}, "smallest_p": {}}
    named: dict[str, dict[str, Any]] = {f"{name}.{part}": of for part, of in p.items()}
    named[name] = {"value": -0.5, "low": -0.8, "high": -0.2, "n": 12, "n_of": "families"}
    named[f"{name}.bounds"] = {"low": -0.7, "high": -0.2}
    named[f"{name}.imbens_manski"] = {"low": -0.9, "high": -0.1}
    named[f"{name}.told_apart"] = {"value": -1.0}
    assert _difference(name, named) == (
        "2 − 4  -0.500 [-0.800, -0.200]; told apart, 4 more positive; 12 families; p over all pairs and axes 0.041 "
        "(alone 0.00005, least possible none); with missing answers bounds [-0.700, -0.200], interval "
        "over all families [-0.900, -0.100]"
    )
    named[name] = {"undefined_because": "no completion gives it", "n": 12}
    named[f"{name}.told_apart"] = {"value": 0.0}
    named[f"{name}.imbens_manski"] = {"undefined_because": "one family only"}
    assert _difference(name, named) == (
        "2 − 4  undefined: no completion gives it; not told apart; with missing answers bounds [-0.700, -0.200], no "
        "interval over all families"
    )


def test_nothing_has_no_sign_and_what_is_something_is_never_nothing() -> None:
    common = {"n": 12, "n_of": "families", "unit": "coordinate"}
    name = "difference.social.1-2"
    named = {f"{name}.{part}": {"value": 0.5} for part in ("max_t_p", "sign_flip_p", "smallest_p")}
    named |= {name: {"value": -1e-17, "low": -0.0004, "high": 0.0004, **common}, f"{name}.bounds": {}}
    assert _difference(name, named).startswith("1 − 2  0.000 [-0.0004, +0.0004]; not told apart; 12 families; p over")
    told = _cells({"name": "concrete.social", "value": -1e-17, "low": -1e-17, "high": 0.0004, **common})
    assert told[1:3] == ("0.000", "[0.000, +0.0004]")
