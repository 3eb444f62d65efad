"""What lies beside the page: tables as CSV, estimates as Parquet, and the documents as JSON."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from report_sample import LEANING, run, sample
from several_models import several

from divisionbell.diagnostics import UsageProblem
from divisionbell.model.run_classes import ComparisonDocument, ScoreDocument
from divisionbell.report import page_tables, table_files
from divisionbell.report.evidence import ReportInput
from divisionbell.report.tables import Bar, Cell, Table
from divisionbell.report.write import write_report

GIVEN = several()


def lines(table: Table) -> list[list[str]]:
    return list(csv.reader(io.StringIO(table_files.csv_of(table).decode("utf-8"))))


def test_every_table_of_the_page_is_a_file_and_every_line_is_as_long_as_its_head() -> None:
    tables = page_tables.every(GIVEN)
    assert {"scores", "differences-1", "ranks-1", "families-1-economic", "families-4-social", "numbers-1"} <= set(
        tables
    )
    for name, table in tables.items():
        read = lines(table)
        assert len(read) > 1, name
        assert {len(line) for line in read} == {len(read[0])}, name


def test_a_cell_that_spans_rows_stands_in_each_and_a_picture_in_none() -> None:
    read = lines(page_tables.every(GIVEN)["scores"])
    first, second = (dict(zip(read[0], line, strict=True)) for line in read[1:3])
    assert first["Respondent"] == second["Respondent"] == "openai:lakeside (2026-01-03)"
    assert [line["Axis"] for line in (first, second)] == ["Economic", "Social"]
    assert not any("1 to 1" in title for title in read[0])
    assert (first["Concrete pairs"], first["Concrete pairs: more"]) == ("-0.42", "'-0.71 to -0.13")
    assert [line[1] for line in read[-2:]] == ["constrained decoding"] * 2


@pytest.mark.parametrize("text", ["=1+1", "+cmd", "-2+3", "@SUM(A1)", "\t=1", "=HYPERLINK(0)"])
def test_words_that_a_spreadsheet_would_run_are_words(text: str) -> None:
    table = Table("x", ("A", "B"))
    table.groups.append([[Cell(text, (text,)), Cell("−0.42")]])
    (_, (first, beside, number)) = lines(table)
    for cell in (first, beside):
        assert not cell.startswith(("=", "+", "-", "@", "\t"))
    assert number == "-0.42"


@pytest.mark.parametrize("text", ["−0.42", "+1.00", "−12.5%", "0.00", "1,234", "+1,234", "100.0%", "undefined"])
def test_a_single_number_has_no_apostrophe(text: str) -> None:
    table = Table("x", ("A",))
    table.groups.append([[Cell(text)]])
    assert lines(table)[1] == [text.replace("−", "-")]


@pytest.mark.parametrize(
    "text", ["−0.63 to +0.13", "+0.1 to +0.2; 1 dossier", "−0.09 to +0.45; bounds −1.00 to 1.00", "-"]
)
def test_more_than_a_number_has_one_whatever_it_is(text: str) -> None:
    table = Table("x", ("A", "B"))
    table.groups.append([[Cell(text), Cell("1", (text,))]])
    assert lines(table)[1] == ["'" + text.replace("−", "-"), "1", "'" + text.replace("−", "-")]


def test_no_cell_of_any_table_begins_as_a_formula_but_a_number() -> None:
    cells = [cell for table in page_tables.every(GIVEN).values() for line in lines(table) for cell in line]
    assert any(cell.startswith("'") for cell in cells)
    for cell in cells:
        if cell.startswith(("=", "+", "-", "@", "\t", "\r")):
            float(cell.rstrip("%").replace(",", ""))


def test_hostile_text_stays_in_its_cell() -> None:
    table = Table("x", ("A", "B"))
    table.groups.append([[Cell('a",b\n=1\u202e\ud800'), Cell("", bar=None)]])
    (_, (first, second)) = lines(table)
    assert first == 'a",b\n=1\\u202e\\ud800' and second == ""
    table.groups.append([[Cell("x"), Cell("", bar=Bar(1, None, None))]])
    assert [len(line) for line in lines(table)] == [1, 1, 1]


def test_text_that_is_no_unicode_is_held_in_the_json() -> None:
    odd = run(GIVEN.bank, "openai:m", LEANING)
    kept = odd.score.estimates[0].model_copy(update={"definition": "\ud800"})
    object.__setattr__(odd, "score", odd.score.model_copy(update={"estimates": [kept]}))
    made = json.loads(table_files.documents(ReportInput(GIVEN.bank, (odd,))))
    assert made["scores"][0]["estimates"][0]["definition"] == "\ud800"


def test_the_documents_are_what_they_were() -> None:
    made = json.loads(table_files.documents(GIVEN))
    assert [ScoreDocument.model_validate(one) for one in made["scores"]] == [one.score for one in GIVEN.runs]
    assert [ComparisonDocument.model_validate(one) for one in made["comparisons"]] == list(GIVEN.comparisons)
    assert "null" not in json.dumps(made["scores"][0]["estimates"])


def test_settings_keep_what_is_null() -> None:
    odd = run(GIVEN.bank, "openai:m", LEANING, settings={"model": "m", "reasoning_tags": None})
    made = json.loads(table_files.documents(ReportInput(GIVEN.bank, (odd,))))
    assert made["scores"][0]["settings"] == {"model": "m", "reasoning_tags": None}


def test_everything_lies_beside_the_page(tmp_path: Path) -> None:
    written = write_report(GIVEN, tmp_path / "page.html", {"estimates.parquet": b"PAR1"})
    assert written.documents == tmp_path / "page.json"
    assert {path.suffix for path in written.tables} == {".csv", ".parquet"}
    assert sorted(path.name for path in (tmp_path / "page-tables").iterdir()) == sorted(p.name for p in written.tables)
    assert all(path.stat().st_size for path in written.all)


def test_a_page_is_not_named_as_its_documents_are(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="documents of a report"):
        write_report(sample(), tmp_path / "report.json")
    assert not list(tmp_path.iterdir())
