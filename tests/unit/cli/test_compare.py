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
    (certain,) = [line for line in lines if line.startswith("  2 − 3  +2.000 [")][:1]
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


def test_what_rounds_to_nothing_has_no_minus() -> None:
    common = {"n": 12, "n_of": "families", "unit": "coordinate"}
    name = "difference.social.1-2"
    named = {f"{name}.{part}": {"value": 0.5} for part in ("max_t_p", "sign_flip_p", "smallest_p")}
    named |= {name: {"value": -1e-17, "low": -0.0004, "high": 0.0004, **common}, f"{name}.bounds": {}}
    assert _difference(name, named).startswith("1 − 2  +0.000 [+0.000, +0.000]")
    told = _cells({"name": "concrete.social", "value": -1e-17, "low": -1e-17, "high": 0.0004, **common})
    assert told[1:3] == ("+0.000", "[+0.000, +0.000]")
