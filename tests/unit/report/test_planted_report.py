"""Planted models in the report: what holds, and that a page or a sentence that says something else is found out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from divisionbell.estimate import planted_rows
from divisionbell.estimate.planted_certificate import planted_certificate
from divisionbell.report import findings, html, planted_page, table_files, tables
from divisionbell.report.page_reader import PageReader, agrees
from divisionbell.report.planted_sentences import Sentences, read
from divisionbell.report.words import signed


@pytest.fixture(scope="module")
def made() -> tuple[Any, dict[str, Any]]:
    """The report that is drawn, and its figures: neither is made again where a test spoils what is written."""
    given = planted_page._given(1)
    return given, html.draw_all(given[0])


@pytest.fixture(autouse=True)
def once(made: tuple[Any, dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planted_page, "_given", lambda seed: made[0])
    monkeypatch.setattr(html, "draw_all", lambda given: made[1])
    monkeypatch.setattr(planted_rows, "TELLING", 20)  # fewer models are made here than tell a share


def sentences(models: int) -> dict[str, bool | None]:
    shown = Sentences()
    planted_certificate(models, 1, see=shown.see)
    return {row.what: row.holds for row in shown.rows()}


def page() -> dict[str, bool | None]:
    return {row.what: row.holds for row in planted_page.page_rows(1)}


def failing(rows: dict[str, bool | None]) -> set[str]:
    return {what for what, holds in rows.items() if holds is False}


def test_the_page_of_planted_models_shows_their_estimates() -> None:
    rows = planted_page.page_rows(1)
    assert [row for row in rows if row.holds is not True] == []
    counted = {row.what: row.n for row in rows}
    assert counted["the first sentence on the page follows from the estimates"] == 5
    assert counted["differences on the page are the comparison's"] == 3 * 2 * 10
    assert counted["every number of the page by name is the estimate"] > 800


def test_what_is_said_first_agrees_with_what_was_planted() -> None:
    rows = sentences(30)
    assert failing(rows) == set()
    assert {what for what, holds in rows.items() if holds is None} == {"no lean planted, of the grid: none is told"}


def test_a_page_that_writes_other_numbers_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "shown", lambda e: replace(tables.shown(e), text="+0.99"))
    assert failing(page()) == {"numbers of the findings on the page are the estimates"}
    monkeypatch.undo()
    whole = tables.shown
    monkeypatch.setattr(
        tables, "shown", lambda e: replace(whole(e), span="−0.01 to +0.01") if whole(e).span else whole(e)
    )
    assert failing(page()) == {
        "numbers of the table of scores on the page are the estimates",
        "every number of the page by name is the estimate",
        "differences on the page are the comparison's",
    }


def test_a_page_that_leaves_a_model_or_a_number_out_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html.page_tables, "of_numbers", lambda given: [])
    assert failing(page()) == {"every number of the page by name is the estimate"}


def test_a_file_that_rounds_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = table_files._plain

    def rounded(document):  # type: ignore[no-untyped-def]
        made = whole(document)
        for one in made["estimates"]:
            one.update({end: round(one[end], 3) for end in ("value", "low", "high") if end in one})
        return made

    monkeypatch.setattr(table_files, "_plain", rounded)
    assert failing(page()) == {"report.json holds the score documents", "report.json holds the comparison"}


def test_a_lean_told_too_easily_or_to_the_wrong_side_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = findings.lean
    other = {"positive": "negative", "negative": "positive", None: None}
    monkeypatch.setattr(findings, "lean", lambda run, axis, least: other[whole(run, axis, least)])
    assert failing(sentences(30)) == {
        "a lean is told exactly where the intervals leave out 0",
        "a lean planted: none is told to the other side",
    }
    monkeypatch.setattr(findings, "lean", lambda run, axis, least: "positive")
    assert "no lean planted, with answers lost or pulled to the status quo: none is told" in failing(sentences(1))


def test_a_respondent_of_letters_that_is_given_a_position_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "by_position", lambda run: False)
    assert failing(sentences(1)) == {"answers by letter: it is said to measure nothing"}
    monkeypatch.setattr(findings, "by_position", lambda run: True)
    assert "answers by content: it is not said to answer by position" in failing(sentences(1))


def test_a_written_number_agrees_with_what_rounds_to_it_alone() -> None:
    assert agrees(signed(-0.6871), -0.6871) and not agrees(signed(-0.6871), 0.6871)
    assert agrees("1,008", 1008) and not agrees("1,008", 1009)
    assert agrees("21.4%", 0.21438) and not agrees("21.4%", 0.2146)
    assert agrees("over 99.9%", 0.9999) and not agrees("over 99.9%", 0.99)
    assert not agrees("undefined", 0.0)


def test_a_sentence_of_another_kind_says_nothing_of_any_axis() -> None:
    assert read("Demonstration: no position of x can be read from this.").signs == {}
    assert read("On this bank x leans towards nowhere on the social axis.").signs == {}
    assert read("x answers by position and measures nothing.").signs is None
    one = (
        "On this bank x leans towards state authority and compulsory order on the social axis; on the economic axis no"
    )
    assert read(f"{one} lean can be told.").signs == {"economic": 0, "social": 1}


def test_a_page_is_read_as_it_stands() -> None:
    read_back = PageReader(
        '<section id="a"><table><thead><tr><th>Run</th><th>Score<sup>a</sup></th></tr></thead><tbody><tr>'
        '<th scope="rowgroup" rowspan="2">x<wbr>y <span class="tag">t</span></th><td data-estimate="s">'
        '<span class="text">+0.10</span><sup>a</sup><span class="line short">0.00 to +0.20</span></td></tr><tr>'
        "<td>&lt;b&gt;</td></tr></tbody></table></section>"
        '<div class="finding"><p>n</p><p>f <b>x</b></p></div><p>after</p>'
    )
    (table,) = read_back.tables
    assert (table.section, table.head) == ("a", ["Run", "Score"])
    assert [heading.strip() for heading, _ in table.rows] == ["xy", "xy"]
    cell = table.rows[0][1][1]
    assert (cell.name, cell.text, cell.span) == ("s", "+0.10", ("0.00", "+0.20"))
    assert table.rows[1][1][0].text == "<b>"
    assert read_back.findings == [["n", "f x"]]
