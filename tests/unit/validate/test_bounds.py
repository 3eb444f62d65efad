"""What is told is bounded, and taking a document apart for the check of its shape loses nothing of it."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from divisionbell.bank.load import load
from divisionbell.bank.read import Document
from divisionbell.diagnostics import LONGEST, Diagnostic, Location, Related
from divisionbell.validate.bounds import bounded
from divisionbell.validate.engine import check
from divisionbell.validate.rules.wording import MOST_COMPARED
from divisionbell.validate.shape import schema, shape_problems, validator
from divisionbell.validate.shape_parts import TOGETHER, parts
from divisionbell.validate.words import LONGEST_RUN, word_runs


def findings(count: int) -> Iterator[Diagnostic]:
    for number in range(count):
        yield Diagnostic(Location("x", number + 1), "TXT001", "told", "mend it")


def test_up_to_the_bound_all_is_told_and_then_that_there_is_more() -> None:
    for count in (0, 1, 3):
        assert list(bounded(findings(count), 3)) == list(findings(count))
    (*first, last) = bounded(findings(4), 3)
    assert first == list(findings(3))
    assert (last.rule, last.location.line, last.fix) == ("TXT001", 4, "mend these first")
    endless = bounded(iter(lambda: next(findings(1)), None), 3)
    assert len(list(endless)) == 4


def test_a_message_quotes_no_million_of_characters() -> None:
    long = "x" * 1_000_000
    told = Diagnostic(Location("x"), "SCH001", long, long, (Related(Location("x"), long),))
    assert told.message.endswith("... (999,000 more characters)")
    assert len(told.text()) < 4 * LONGEST
    exact = Diagnostic(Location("x"), "SCH001", "x" * LONGEST, "fix")
    assert exact.message == "x" * LONGEST


def test_findings_at_one_place_have_one_order() -> None:
    here = Location("x")
    related = [Diagnostic(here, "A", "m", "f", (Related(Location("x", n), "r"),)) for n in (2, 1)]
    assert sorted(related, key=Diagnostic.sort_key) == related[::-1]
    fixes = [Diagnostic(here, "A", "m", fix) for fix in ("b", "a")]
    assert sorted(fixes, key=Diagnostic.sort_key) == fixes[::-1]


def all_at_once(root: str, value: Any) -> set[tuple[tuple[str | int, ...], str]]:
    return {(tuple(error.instance_path), error.message) for error in validator(root).iter_errors(value)}


@pytest.mark.parametrize("count", [2, TOGETHER, TOGETHER + 1, 3 * TOGETHER])
def test_taken_apart_a_document_has_the_faults_that_it_has_whole(count: int, repository: Path) -> None:
    file = next((repository / "tests" / "pilot" / "bank").glob("dossiers/*/*/1541-*"))
    from divisionbell.bank.read import read

    value = read(file).value
    item, row = value["items"][0], value["source"]["party_counts"][0]
    value["items"] = [copy.deepcopy(item) for _ in range(count)]
    value["source"]["party_counts"] = [{**row, "aye_voters": number} for number in range(count)]
    value["weak_points"] = ["x"] * count
    assert all_at_once("Dossier", value) == set()
    assert list(shape_problems("Dossier", Document(file, value))) == []
    value["items"][-1]["stem"] = 7
    value["items"][-1]["rewritings"] = [{"rewritten_on": "x"}] * count
    value["items"][-1]["institutions"] = ["A", 5]
    del value["items"][0]["kind"]
    value["source"]["party_counts"][-1] = []
    value["source"]["party_counts"][0]["more"] = 1
    value["weak_points"][-1] = ""
    value["x"] = [[1]] * count
    in_parts = {
        ((*base, *error.instance_path), error.message)
        for node, part, base in parts(schema(), "Dossier", value)
        for error in validator_of(node).iter_errors(part)
    }
    told = {(path, message) for path, message in all_at_once("Dossier", value)}
    assert {path for path, _ in in_parts} == {path for path, _ in told}
    assert len(in_parts) == len(told) > 6


def validator_of(node: tuple[str, ...]) -> Any:
    from divisionbell.validate import shape

    return shape._validator(node)


def test_what_shows_only_in_a_long_list_as_a_whole_is_told() -> None:
    value = {"item_id": "q2345abc", "institutions": [f"N{number}" for number in range(60)] + ["N0"]}
    whole = {"items": [value]}
    found = [p for p in shape_problems("Dossier", Document(Path("x"), whole)) if "institutions" in p.message]
    assert found == []  # there is more to mend first
    unique = {**_smallest("DataSource"), "fields": [f"f{number}" for number in range(60)] + ["f0"]}
    (problem,) = shape_problems("DataSource", Document(Path("x"), unique))
    assert problem.message.startswith("fields: ")


def _smallest(root: str) -> dict[str, Any]:
    return {
        "source_id": "x",
        "title": "x",
        "publisher": "x",
        "address": "https://example.org/",
        "licence": "x",
        "redistributed": False,
        "citation": "x",
    }


def test_a_whole_number_with_a_point_is_told_as_it_is_written() -> None:
    value = {"division_id": 5.0, "number": 5.5, "ayes": 5}
    document = Document(Path("x"), value, "division_id: 5.0\nnumber: 5.5\nayes: 5\n")
    told = {
        p.message: p.location.line for p in shape_problems("DivisionSourceRecord", document) if "lacks" not in p.message
    }
    assert told == {"division_id: 5.0 is another spelling of 5": 1, "number: 5.5 is not of type integer": 2}


def test_runs_that_are_longer_than_any_are_not_made() -> None:
    assert len(list(word_runs(["a"] * 100, LONGEST_RUN))) == 100 - LONGEST_RUN + 1
    with pytest.raises(ValueError, match="not compared"):
        word_runs(["a"] * 100, LONGEST_RUN + 1)


def test_more_items_than_are_compared(copied_bank: Path) -> None:
    file = next(copied_bank.glob("dossiers/*/*/1541-*"))
    text = file.read_text(encoding="utf-8")
    head, mark, items = text.partition("\nitems:\n")
    first = items[: items.index("\n  - item_id", 1) + 1]
    number = 2 + MOST_COMPARED
    ids = [f"q{n:07d}".translate(str.maketrans("0189", "abcd")) for n in range(number)]
    old = load(copied_bank)
    (document,) = [d for d in old.dossiers if d.path == file]
    made = "".join(first.replace(document.value["items"][0]["item_id"], name) for name in ids)
    file.write_text(head + mark + made, encoding="utf-8")
    found = [d for d in check(load(copied_bank)).diagnostics if d.rule == "TXT008" and "compared" in d.message]
    assert [d.message for d in found] == [
        f"the dossier holds {number} items, and only {MOST_COMPARED} are compared with each other"
    ]
