"""The order square: what was chosen in one order against the other, as figure, table and rows."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from report_sample import LEANING, POSITION, REFUSING, always_a, bank, leaning, refusing, run
from several_models import again

from divisionbell.report.evidence import AXES, ReportInput
from divisionbell.report.figure_square import draw_squares
from divisionbell.report.figures import draw_all
from divisionbell.report.html import render
from divisionbell.report.order_square import KINDS, MOST_SQUARES, order_square, order_square_rows, shown_runs, square

BANK = bank()
LEANS = run(BANK, "openai:leans", LEANING, leaning)
PARROT = run(BANK, "openai:parrot", POSITION, always_a)
GAPS = run(BANK, "openai:gaps", REFUSING, refusing)
GIVEN = ReportInput(BANK, (LEANS, PARROT, GAPS, run(BANK, "scripted:always-a", POSITION, always_a)))
FIGURE = draw_squares(GIVEN)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("one", [LEANS, PARROT, GAPS], ids=lambda one: one.name)
def test_the_four_shares_are_those_of_the_replies(one: object, axis: str) -> None:
    """Counted anew from the letters: the sample has one dossier a family, so every item weighs the same."""
    chosen: dict[str, dict[str, str]] = {}
    concrete = {a.item.item_id for a in BANK.form("full") if a.item.kind == "concrete_action"}
    on_axis = {i.item_id for d in BANK.dossiers if d.axis == axis for i in d.items} & concrete
    for unit in one.units:  # type: ignore[attr-defined]
        if unit.answer and unit.asked_item in on_axis:
            chosen.setdefault(unit.asked_item, {})[str(unit.asked_order)] = str(unit.answer)
    both = [(c["negative_at_a"], c["positive_at_a"]) for c in chosen.values() if len(c) == 2]
    found = square(one, axis)  # type: ignore[arg-type]
    assert found is not None and found.n == len(both) > 0
    expected = [both.count(letters) for letters in (("A", "B"), ("A", "A"), ("B", "B"), ("B", "A"))]
    assert list(found.counts) == expected
    assert found.shares == pytest.approx([n / len(both) for n in expected])


def test_the_figure_tells_every_number_to_those_who_do_not_see_it() -> None:
    drawn = [" ".join(ET.fromstring(form).itertext()) for form in (FIGURE.svg, FIGURE.wide, FIGURE.narrow)]
    for one in (LEANS, PARROT, GAPS):
        for axis in AXES:
            found = square(one, axis)
            assert found is not None and found.shares is not None
            said = re.search(rf"{one.name}, {axis}: ([^.]*(?:\.\d[^.]*)*)\.", FIGURE.told)
            assert said, FIGURE.told
            for kind, n in zip(KINDS, found.counts, strict=True):
                assert re.search(rf"{kind.told} [\d.]+% \({n}\)", said[1]), said[1]
            assert all(f"{found.n} askings in both orders" in text for text in drawn)
    assert "openai:parrot, social: negative both times 0%" in FIGURE.told
    assert "A both times 100% (8)" in FIGURE.told
    assert "scripted:" not in FIGURE.told


def test_it_stands_with_its_table_and_among_the_figures() -> None:
    figures = draw_all(GIVEN)
    page = render(GIVEN, figures)
    order = page[page.index('id="order"') : page.index('id="families"')]
    assert order.index('id="figure-order-square"') < order.index("The choice in one order against the other, concrete")
    assert 'role="img" aria-label="The choice in one order against the other. openai:leans' in order
    assert figures["order-square"] == FIGURE
    table = order_square(GIVEN)
    assert table is not None and len(table.groups) == 3
    assert [cell.text for cell in table.groups[1][0][2:]] == ["0%", "100%", "0%", "0%", "8"]


def test_the_rows_are_whole_and_of_every_run() -> None:
    rows = list(order_square_rows(GIVEN))
    assert len(rows) == 4 * 2 * 4
    parrot = [row for row in rows if row["respondent"] == "openai:parrot" and row["estimate_axis"] == "social"]
    assert [(row["chosen_negative_at_a"], row["chosen_positive_at_a"]) for row in parrot if row["count"]] == [
        ("negative", "positive")
    ]
    assert {row["follows"] for row in parrot} == {"text", "place"}


def test_without_answers_there_is_no_square_and_an_empty_one_says_so() -> None:
    bare = replace(LEANS, cells=None)
    page = render(ReportInput(BANK, (bare,)))
    assert "figure-order-square" not in page and "The choice in one order" not in page
    refused = run(BANK, "openai:refuses", REFUSING, lambda *_: ("malformed", None, [("no", "no_json")] * 2))
    given = ReportInput(BANK, (refused,))
    assert "openai:refuses, social: no item has an answer in both orders." in draw_squares(given).told
    table = order_square(given)
    assert table is not None and [cell.text for cell in table.groups[0][0][2:]] == ["undefined"] * 4 + ["0"]
    assert [row["share"] for row in order_square_rows(given)] == [None] * 8


def test_where_no_model_was_asked_the_others_have_squares() -> None:
    scripted = run(BANK, "scripted:always-a", POSITION, always_a)
    assert [one.name for one in shown_runs(ReportInput(BANK, (scripted,)))] == ["scripted:always-a"]


def test_no_more_than_twelve_are_drawn_and_all_are_tabulated() -> None:
    many = ReportInput(BANK, tuple(again(LEANS, f"r{n}", f"2026-01-{n:02}T00:00:00Z") for n in range(1, 15)))
    drawn, table = draw_squares(many), order_square(many)
    assert drawn.told.count("economic") == MOST_SQUARES
    assert "The first 12 are drawn" in drawn.caption
    assert table is not None and len(table.groups) == 14
