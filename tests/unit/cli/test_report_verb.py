"""The verb: what it writes for several models that were asked over a real socket, and what it refuses."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import pytest
from test_run_over_http import answer_of, completion, item_of, server

from divisionbell.model.run_classes import ComparisonDocument, ScoreDocument

Verb = Callable[..., Any]


@pytest.fixture
def home(frozen_bank: Path, divisionbell: Verb, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two models and a scripted responder; the models answer A to every other item and by its place otherwise."""
    monkeypatch.setenv("OPENAI_API_KEY", "x")

    def behaviour(request: dict[str, Any]) -> tuple[int, Any]:
        item = item_of(request) if '{"item_id":"' in request["messages"][-1]["content"] else "none"
        if request["model"] == "two" and sum(map(ord, item)) % 8 == 3:
            return 200, completion("It depends. " * 300)
        even = sum(map(ord, item)) % 2 == 0
        return 200, completion(answer_of(item, "A" if even or request["model"] == "one" else "B"))

    with server(behaviour) as url:
        for name, more in (("one", ()), ("two", ()), ("short", ("--form", "short"))):
            model = "two" if name == "short" else name
            ended = divisionbell("run", f"openai:{model}", "--base-url", url, "--out", name, *more)
            assert ended.code == 0, ended.err
    assert divisionbell("run", "scripted:coin", "--out", "coin").code == 0
    return frozen_bank.parent


def test_models_of_one_form_are_compared_and_the_rest_is_said(home: Path, divisionbell: Verb) -> None:
    ended = divisionbell("report", "one", "two", "short", "coin", "--out", "made/page.html")
    assert ended.code == 0, ended.err
    made = home / "made"
    assert "beside it" in ended.text and "page.json" in ended.text
    page = (made / "page.html").read_text(encoding="utf-8")
    assert "Differences between models" in page
    assert "form short with free decoding: openai:two" in page
    told = json.loads((made / "page.json").read_text())
    assert len([ScoreDocument.model_validate(one) for one in told["scores"]]) == 4
    (compared,) = [ComparisonDocument.model_validate(one) for one in told["comparisons"]]
    assert [run.respondent for run in compared.compared] == ["openai:one", "openai:two"]
    stored = json.loads((home / "one" / "score.json").read_text())
    assert told["scores"][0] == stored
    verb = json.loads(divisionbell("compare", "one", "two", "--format", "json").text)
    assert told["comparisons"][0] == verb
    assert (made / "page-tables" / "differences-1.csv").exists()
    assert (made / "page-tables" / "estimates.parquet").read_bytes().startswith(b"PAR1")
    for name in ("differences", "order-square"):
        assert (made / "page-figures" / f"{name}.svg").exists() and (made / "page-figures" / f"{name}.png").exists()
    _squares_are_those_of_the_scores(made)
    found = re.findall(r"3,600 characters; the first 2,000 are shown, the whole stands in (.*?)\.</p>", page)
    for run in ("two", "short"):
        run_id = json.loads((home / run / "run.json").read_text())["run_id"]
        mine = [
            int(place.rpartition("line ")[2]) for place in found if f"journal.jsonl of run {run_id}, line " in place
        ]
        lines = (home / run / "journal.jsonl").read_text().splitlines()
        assert mine
        assert all("It depends. " * 300 in lines[number - 1] for number in mine)


def _squares_are_those_of_the_scores(made: Path) -> None:
    rows = parquet.read_table(made / "page-tables" / "order-square.parquet").to_pylist()
    for score in json.loads((made / "page.json").read_text())["scores"]:
        named = {one["name"]: one for one in score["estimates"]}
        for axis in ("economic", "social"):
            at = f"concrete.{axis}."
            mine = [r for r in rows if (r["scored_run"], r["estimate_axis"]) == (score["scored_run"], axis)]
            ll, aa, bb, rr = [row["share"] for row in mine]
            assert sum(row["count"] for row in mine) == named[f"{at}flip"]["n"]
            assert (aa, bb) == (named[f"{at}a_lock"]["value"], named[f"{at}b_lock"]["value"])
            assert ll + rr == pytest.approx(named[f"{at}consistent_coverage"]["value"])
            assert rr - ll == pytest.approx(named[f"{at}identity"]["value"])


def test_one_run_twice_is_refused_and_nothing_is_written(home: Path, divisionbell: Verb) -> None:
    for again in ("one", "copy"):
        if again == "copy":
            shutil.copytree(home / "one", home / "copy")
        ended = divisionbell("report", "one", again, "--out", "made/page.html")
        assert ended.code == 2 and "which is named already (one)" in ended.err
        assert "name each run once" in ended.err
    assert not (home / "made").exists()


def test_without_pyarrow_the_page_is_made_and_it_is_said(
    home: Path, divisionbell: Verb, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("divisionbell.cli.report.find_spec", lambda name: None)
    ended = divisionbell("report", "coin", "--out", "made/page.html")
    assert ended.code == 0 and "Parquet needs the package pyarrow" in ended.err
    assert not (home / "made" / "page-tables" / "estimates.parquet").exists()
    assert (home / "made" / "page-tables" / "other_scores.csv").exists()


@pytest.mark.parametrize(
    ("out", "told"),
    [
        ("two/page.html", "lies in a run folder"),
        ("two/journal.jsonl", "lies in a run folder"),
        ("bank/page.html", "lies in the bank"),
        ("bank/freeze/0.1.0.html", "lies in the bank"),
        ("notes.html", "notes.html is there and is no report"),
        ("beside.html", "beside.json is there and is no report"),
        ("linked.html", "linked-tables is a link"),
        ("", "--out names no file"),
    ],
)
def test_a_report_is_written_over_nothing_but_a_report(home: Path, divisionbell: Verb, out: str, told: str) -> None:
    (home / "notes.html").write_text("<p>mine</p>")
    (home / "beside.json").write_text("{}")
    if not (home / "linked-tables").is_symlink():
        (home / "linked-tables").symlink_to(home / "bank" / "excluded")
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    ended = divisionbell("report", "one", "--out", out)
    assert ended.code == 2 and told in ended.err
    after = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    assert {p: d for p, d in after.items() if p.name != "score.json"} == {
        p: d for p, d in before.items() if p.name != "score.json"
    }


def test_a_report_is_written_over_an_earlier_one(home: Path, divisionbell: Verb) -> None:
    for run in ("one", "two"):
        assert divisionbell("report", run, "--out", "made/page.html").code == 0
    assert "openai:two" in (home / "made" / "page.html").read_text(encoding="utf-8")
