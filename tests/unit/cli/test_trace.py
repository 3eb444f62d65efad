"""The verb: the way from a figure to replies, items, reviews and divisions, at places that hold what they say."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from divisionbell.bank.load import load
from divisionbell.cli.scoring import checked, document_of
from divisionbell.report.trace import trace
from divisionbell.report.trace_text import lines
from divisionbell.run.respondents.scripted import SCRIPTS

Verb = Callable[..., Any]
NAME = "concrete.social"
SCHEMA = json.loads(files("divisionbell.report").joinpath("trace-1.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema_rs.validator_for(SCHEMA)


@pytest.fixture
def home(frozen_bank: Path, divisionbell: Verb) -> Path:
    ended = divisionbell("run", "scripted:coin", "--repeats", "2", "--out", "coin")
    assert ended.code == 0, ended.err
    return frozen_bank.parent


def told(divisionbell: Verb, *arguments: str) -> dict[str, Any]:
    ended = divisionbell("trace", *arguments, "--format", "json")
    assert ended.code == 0, ended.err
    found: dict[str, Any] = json.loads(ended.text)
    if "figure" in found:
        VALIDATOR.validate(found)
    return found


def line_at(place: str) -> str:
    path, _, number = place.rpartition(":")
    return Path(path).read_text(encoding="utf-8").splitlines()[int(number) - 1]


def test_every_place_holds_what_is_said_to_stand_there(home: Path, divisionbell: Verb) -> None:
    found = told(divisionbell, "coin", NAME)
    assert found["format"] == "divisionbell-trace/1"
    assert list(found) == [
        *("format", "run", "notes", "figure", "made", "counts", "families", "dossiers", "score_file"),
    ]
    journal = (home / "coin" / "journal.jsonl").read_text().splitlines()
    units = 0
    for dossier in found["dossiers"]:
        assert line_at(dossier["place"]) == f"dossier_id: {dossier['dossier_id']}"
        assert dossier["working_copy"] == "same"
        division = dossier["division"]
        assert line_at(division["place"]) == f"  official_address: {division['official_address']}"
        assert [line_at(review["place"]).strip() for review in dossier["reviews"]] == [
            f"{review['procedure']}:" for review in dossier["reviews"]
        ]
        assert {review["status"] for review in dossier["reviews"]} == {"approved"}
        assert all(review["evidence"] and review["reviewer"] for review in dossier["reviews"])
        for item in dossier["items"]:
            assert line_at(item["place"]) == f"  - item_id: {item['item_id']}"
            assert len(item["transformation_sha256"]) == 64
            for unit in item["units"]:
                assert unit["line"].startswith("journal.jsonl:")
                stored = json.loads(journal[int(unit["line"].rpartition(":")[2]) - 1])
                assert stored["unit_key"] == unit["unit_key"]
                assert [attempt["reply_text"] for attempt in stored["attempts"]] == [
                    reply["reply_text"] for reply in unit["replies"]
                ]
                assert (stored["asked_order"], stored["repeat"]) == (unit["order"], unit["repeat"])
                assert stored["answer"] == unit["answer"]
                units += 1
    assert units == found["counts"]["units"] > 0


def test_weights_that_are_printed_give_the_figure_again(home: Path, divisionbell: Verb) -> None:
    found = told(divisionbell, "coin", NAME)
    units = [unit for dossier in found["dossiers"] for item in dossier["items"] for unit in item["units"]]
    assert math.fsum(unit["weight"] * unit["coordinate"] for unit in units) == pytest.approx(found["figure"]["value"])
    assert math.fsum(one["part"] for one in found["families"]) == pytest.approx(found["figure"]["value"])
    assert math.fsum(unit["weight"] for unit in units) == pytest.approx(1)
    assert found["made"]["again"]["value"] == pytest.approx(found["figure"]["value"])


@pytest.mark.parametrize("respondent", ["scripted:coin", "scripted:refuse", "party:Labour"])
@pytest.mark.parametrize("form", ["full", "short"])
def test_every_name_traces(frozen_bank: Path, divisionbell: Verb, respondent: str, form: str) -> None:
    assert divisionbell("run", respondent, "--form", form, "--out", "run").code == 0
    bank, run = checked(Path("run"), None)
    document, working = document_of(bank, run), load(frozen_bank)
    assert len(document["estimates"]) > 90
    for figure in document["estimates"]:
        found = trace(bank, working, run, document, figure)
        json.dumps(found, allow_nan=False)
        VALIDATOR.validate(found | {"score_file": ""})
        text = list(lines(found))
        assert text[0] == f"{figure['name']} of run: {respondent}"
        units = [unit for dossier in found["dossiers"] for item in dossier["items"] for unit in item["units"]]
        assert len(units) == found["counts"]["units"]
        assert units or figure["n"] == 0
        if found["made"]["rule"] == "sum" and "value" in figure:
            again = math.fsum(unit["weight"] * unit["enters_as"] for unit in units)
            assert again == pytest.approx(figure["value"], abs=1e-9)
        elif found["made"]["rule"] != "bounds" or "low" not in figure:
            assert not any("weight" in unit for unit in units) or found["made"]["rule"] == "tipping point"


def test_a_working_copy_that_differs_is_not_where_the_record_stands(home: Path, divisionbell: Verb) -> None:
    first = told(divisionbell, "coin", NAME)["dossiers"][0]
    path = Path(first["place"].rpartition(":")[0])
    whole = path.read_text()
    path.write_text("# a remark alone changes no record\n" + whole)
    moved = told(divisionbell, "coin", NAME)["dossiers"][0]
    assert moved["working_copy"] == "same"
    assert line_at(moved["items"][0]["place"]) == f"  - item_id: {moved['items'][0]['item_id']}"
    assert moved["items"][0]["place"] != first["items"][0]["place"]
    path.write_text(whole.replace("    stem: >-\n      ", "    stem: >-\n      Z", 1))
    changed = told(divisionbell, "coin", NAME)["dossiers"][0]
    assert changed["working_copy"] == "differs"
    assert changed["note"] == f"the working copy differs from what was frozen: {path}"
    assert changed["items"][0]["place"] == changed["place"]
    assert changed["place"].startswith("bank/freeze/0.1.0.records.jsonl:")
    assert json.loads(line_at(changed["place"]))["id"] == changed["dossier_id"]
    ended = divisionbell("trace", "coin", NAME)
    assert f"  ! the working copy differs from what was frozen: {path}" in ended.text.splitlines()
    path.write_text("not: [a dossier")
    assert told(divisionbell, "coin", NAME)["dossiers"][0]["working_copy"] == "absent"
    path.unlink()
    gone = told(divisionbell, "coin", NAME)["dossiers"][0]
    assert gone["note"] == "no working file holds this dossier any more"
    assert [item["place"] for item in gone["items"]] == [gone["place"]] * len(gone["items"])


def test_names_unknown_and_listed(home: Path, divisionbell: Verb) -> None:
    listed = divisionbell("trace", "coin").text.splitlines()
    names = told(divisionbell, "coin")
    assert names["format"] == "divisionbell-trace-names/1"
    assert [line.split()[0] for line in listed[1:]] == [one["name"] for one in names["figures"]]
    ended = divisionbell("trace", "coin", "concrete.soc")
    assert ended.code == 2
    assert "concrete.soc is no figure of this run" in ended.err
    assert "nearest: concrete.social, " in ended.err
    assert divisionbell("trace", "coin", "").code == 2
    assert "nearest: " not in divisionbell("trace", "coin", "x" * 10_000).err
    assert divisionbell("trace", "coin", "--item", "x").code == 2
    assert divisionbell("trace", "nowhere", NAME).code == 2
    assert not (home / "coin" / "score.json").exists(), "a trace writes nothing"


def test_one_item_alone(home: Path, divisionbell: Verb) -> None:
    whole = told(divisionbell, "coin", NAME)
    item = whole["dossiers"][-1]["items"][0]
    for named in (item["item_id"], item["alias"]):
        found = told(divisionbell, "coin", NAME, "--item", named)
        assert [one["items"] for one in found["dossiers"]] == [[item]]
        assert found["counts"] == whole["counts"] and found["families"] == whole["families"]
    text = divisionbell("trace", "coin", NAME, "--item", item["item_id"]).text
    assert text.count("  transformation ") == 1
    ended = divisionbell("trace", "coin", NAME, "--item", item["alias"] + "x")
    assert ended.code == 2
    assert item["alias"] in ended.err.partition("nearest: ")[2]


def test_what_score_json_says(home: Path, divisionbell: Verb) -> None:
    assert told(divisionbell, "coin", NAME)["score_file"].startswith("not there")
    assert divisionbell("score", "coin").code == 0
    stored = home / "coin" / "score.json"
    whole = stored.read_text()
    assert told(divisionbell, "coin", NAME)["score_file"] == "says the same"
    value = told(divisionbell, "coin", NAME)["figure"]["value"]
    stored.write_text(whole.replace(f'"value": {json.dumps(value)}', '"value": 0.123'))
    assert told(divisionbell, "coin", NAME)["score_file"].startswith("says something else")
    for spoilt in ("[", "[]", "[" * 100_000, '{"estimates": 1}'):
        stored.write_text(spoilt)
        assert told(divisionbell, "coin", NAME)["score_file"].startswith("cannot be read")


def test_a_journal_that_was_changed_is_not_traced(home: Path, divisionbell: Verb) -> None:
    journal = home / "coin" / "journal.jsonl"
    whole = journal.read_bytes()
    journal.write_bytes(whole.replace(b'"answer":"A"', b'"answer":"B"', 1))
    ended = divisionbell("trace", "coin", NAME)
    assert ended.code == 1 and "was not scored" in ended.err
    journal.write_bytes(b"".join(whole.splitlines(keepends=True)[:-1]))
    ended = divisionbell("trace", "coin", NAME)
    assert ended.code == 2 and "is incomplete" in ended.err


def test_hostile_replies_are_shown_harmlessly_and_shortened(
    frozen_bank: Path, divisionbell: Verb, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = "\x1b[2J\u202e<script>\n::error::forged\n\ud800" + "x" * 100_000
    monkeypatch.setitem(SCRIPTS, "malformed", lambda ask: hostile)
    assert divisionbell("run", "scripted:malformed", "--out", "run").code == 0
    ended = divisionbell("trace", "run", f"{NAME}.bounds")
    assert ended.code == 0
    assert "\\u001b[2J\\u202e<script>\\u000a::error::forged\\u000a\\ud800x" in ended.text
    assert not any(line.startswith("::error::") for line in ended.text.splitlines())
    assert "\x1b" not in ended.text and max(map(len, ended.text.splitlines())) < 1000
    assert "more characters)" in ended.text
    found = told(divisionbell, "run", f"{NAME}.bounds")
    reply = found["dossiers"][0]["items"][0]["units"][0]["replies"][1]
    assert (reply["reply_text"], reply["reply_text_more_characters"]) == (hostile[:300], len(hostile) - 300)
    assert found["made"]["again"] == pytest.approx({"low": -1, "high": 1})
    assert "made again  low -1, high +1" in ended.text
    assert "\x1b" not in divisionbell("trace", "run", f"{NAME}.bounds", "--format", "json").text


def test_demonstration_and_constrained_runs_say_so(home: Path, divisionbell: Verb) -> None:
    text = divisionbell("trace", "coin", NAME).text
    assert text.splitlines()[2] == "  demonstration: no position can be read from this run"
    assert "\n  ! Demonstration: no position can be read from this." in text
    bank, run = checked(Path("coin"), None)
    document = document_of(bank, run) | {"constrained": True, "notes": ["Constrained decoding: so."]}
    found = trace(bank, load(Path("bank")), run, document, document["estimates"][0])
    head = list(lines(found))
    assert head[0].endswith("(constrained decoding, another instrument)")
    assert "  ! Constrained decoding: so." in head


def test_a_count_shows_what_is_counted(home: Path, divisionbell: Verb) -> None:
    ended = divisionbell("trace", "coin", "parse.outcome.malformed")
    assert ended.code == 0
    assert "  figure      0; count, diagnostic" in ended.text
    assert "items of which no unit is counted are not shown" in ended.text
    assert "commons-" not in ended.text
    item = told(divisionbell, "coin", "parse.outcome.malformed")["dossiers"][0]["items"][0]["item_id"]
    alone = divisionbell("trace", "coin", "parse.outcome.malformed", "--item", item).text
    assert alone.count("not counted: valid_at_first, first reply read as ok; 0 x 0") == 4
    every = divisionbell("trace", "coin", "parse.asked").text
    assert "counted: valid_at_first, first reply read as ok; 1 x +1" in every


def test_the_line_is_that_of_what_stands(home: Path, divisionbell: Verb) -> None:
    journal = home / "coin" / "journal.jsonl"
    whole = journal.read_bytes()
    unit = json.loads(whole.splitlines()[0])
    attempt = {key: value for key, value in unit["attempts"][0].items() if key in {"attempt_number", "turns"}}
    attempt |= {
        "turns_sha256": unit["attempts"][0]["turns_sha256"],
        "reading": "transport",
        "transport_error": "no answer",
        "transport_retries": 3,
    }
    failed = {key: value for key, value in unit.items() if key != "answer"}
    failed |= {"outcome": "transport_failed", "attempts": [attempt]}
    journal.write_bytes(json.dumps(failed).encode() + b"\n" + whole)
    found = told(divisionbell, "coin", "parse.asked", "--item", unit["asked_item"])
    lines_told = {one["unit_key"]: one["line"] for one in found["dossiers"][0]["items"][0]["units"]}
    assert lines_told[unit["unit_key"]] == "journal.jsonl:2"
    assert found["run"]["journal_sha256"] == hashlib.sha256(journal.read_bytes()).hexdigest()
