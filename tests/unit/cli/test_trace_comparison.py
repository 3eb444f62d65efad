"""`trace RUN NAME --with RUN`: from the figures of a comparison to the replies of both runs, as text and as JSON."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from divisionbell.run.respondents.scripted import SCRIPTS

Verb = Callable[..., Any]
NAME = "difference.social.1-2"
SCHEMA = json.loads(files("divisionbell.report").joinpath("trace-1.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema_rs.validator_for(SCHEMA)


@pytest.fixture
def home(frozen_bank: Path, divisionbell: Verb, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two runs: a coin, and one that answers nothing where the negative option stands at A in some items."""
    assert divisionbell("run", "scripted:coin", "--repeats", "2", "--out", "coin").code == 0
    negative = SCRIPTS["negative"]
    monkeypatch.setitem(SCRIPTS, "gaps", lambda ask: "no" if ask.unit_key[0] in "012" else negative(ask))
    assert divisionbell("run", "scripted:gaps", "--out", "gaps").code == 0
    return frozen_bank.parent


def told(divisionbell: Verb, *arguments: str) -> dict[str, Any]:
    ended = divisionbell("trace", *arguments, "--with", "gaps", "--format", "json")
    assert ended.code == 0, ended.err
    found: dict[str, Any] = json.loads(ended.text)
    if "figure" in found:
        VALIDATOR.validate(found)
    return found


def units(found: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for dossier in found["dossiers"]:
        for item in dossier["items"]:
            yield from ((item, unit) for unit in item["units"])


def test_every_figure_of_a_comparison_traces_to_the_replies_of_both_runs(home: Path, divisionbell: Verb) -> None:
    compared = json.loads(divisionbell("compare", "coin", "gaps", "--format", "json").text)
    journals = {
        number: (home / run / "journal.jsonl").read_text().splitlines() for number, run in ((1, "coin"), (2, "gaps"))
    }
    assert len(compared["estimates"]) == 2 * (7 + 2)
    for figure in compared["estimates"]:
        found = told(divisionbell, "coin", figure["name"])
        assert found["figure"] == figure
        assert [(one["number"], one["folder"]) for one in found["runs"]] == [(1, "coin"), (2, "gaps")]
        assert [one["journal_sha256"] for one in found["runs"]] == [
            one["scored_journal_sha256"] for one in compared["compared"]
        ]
        assert found["notes"] == compared["notes"]
        rows = list(units(found))
        assert {unit["run"] for _, unit in rows} == {1, 2} and len(rows) == found["counts"]["units"]
        for item, unit in rows:
            stored = json.loads(journals[unit["run"]][int(unit["line"].rpartition(":")[2]) - 1])
            assert (stored["unit_key"], stored["asked_item"]) == (unit["unit_key"], item["item_id"])
            assert stored.get("answer") == unit.get("answer")
        for dossier in found["dossiers"]:
            path, _, line = dossier["place"].rpartition(":")
            assert Path(path).read_text().splitlines()[int(line) - 1] == f"dossier_id: {dossier['dossier_id']}"
            assert dossier["division"]["official_address"].startswith("https://") and len(dossier["reviews"]) == 2
        if found["made"]["rule"] == "sum" and "value" in figure:
            again = math.fsum(unit["weight"] * unit["enters_as"] for _, unit in rows)
            assert again == pytest.approx(figure["value"], abs=1e-9)
            assert math.fsum(one["part"] for one in found["families"]) == pytest.approx(figure["value"], abs=1e-9)
        elif found["made"]["rule"] == "bounds":
            known = math.fsum(unit["weight"] * unit["enters_as"] for _, unit in rows)
            missing = math.fsum(abs(unit["weight"]) for _, unit in rows if unit["role"] == "no answer")
            assert (known - missing, known + missing) == pytest.approx((figure["low"], figure["high"]), abs=1e-9)
            assert missing > 0
        else:
            assert not any("weight" in unit for _, unit in rows)


def test_the_text_names_the_run_of_every_unit(home: Path, divisionbell: Verb) -> None:
    ended = divisionbell("trace", "coin", NAME, "--with", "gaps")
    assert ended.code == 0, ended.err
    lines = ended.text.splitlines()
    assert lines[0] == f"{NAME} of 2 runs compared (free decoding)"
    assert lines[1].startswith("  1  scripted:coin, 2 repeats, started ") and lines[1].endswith("(coin)")
    assert lines[2].startswith("  2  scripted:gaps, 1 repeat, started ")
    assert "  demonstration: no difference can be read from these runs" in lines
    assert sum(line.startswith("  replies     ") for line in lines) == 2
    assert any(line.startswith("    run 1, negative option at A, repeat 2: ") for line in lines)
    assert "      left out: the other run has no answer in this order; 0 x +1" in lines
    assert "journal.jsonl" in ended.text and "(scripted" not in ended.text


def test_one_item_names_and_what_is_refused(home: Path, divisionbell: Verb) -> None:
    whole = told(divisionbell, "coin", NAME)
    item = whole["dossiers"][0]["items"][0]
    assert [one["items"] for one in told(divisionbell, "coin", NAME, "--item", item["alias"])["dossiers"]] == [[item]]
    names = told(divisionbell, "coin")
    assert names["format"] == "divisionbell-trace-names/1" and len(names["compared"]) == 2
    listed = divisionbell("trace", "coin", "--with", "gaps").text.splitlines()
    assert listed[0] == "18 figures of 1 scripted:coin (coin), 2 scripted:gaps (gaps)"
    assert [line.split()[0] for line in listed[1:]] == [one["name"] for one in names["figures"]]
    alone = divisionbell("trace", "coin", NAME)
    assert alone.code == 2 and "divisionbell trace coin --with RUN traces figures of a comparison" in alone.err
    other = divisionbell("trace", "coin", "concrete.social", "--with", "gaps")
    assert other.code == 2 and "concrete.social is no figure of this comparison" in other.err
    assert divisionbell("trace", "coin", NAME, "--with", "coin").code == 2
    assert divisionbell("trace", "coin", NAME, "--with", "nowhere").code == 2
    assert not os.path.exists(home / "coin" / "score.json"), "a trace writes nothing"
