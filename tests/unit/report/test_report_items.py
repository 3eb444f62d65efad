"""The list of items: what is alike once with its number, what is odd whole, and what the filter reads."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from report_sample import LEANING, always_a, bank, leaning, run

from divisionbell.report.evidence import ReportInput, RunEvidence
from divisionbell.report.html import render
from divisionbell.report.replies import dossiers, shown_characters

BANK = bank()


def repeated(of: RunEvidence, times: int, change: Any = None) -> RunEvidence:
    """The run with every unit asked so many times; `change(unit, repeat)` may give another unit."""
    units = []
    for unit in of.units:
        for repeat in range(1, times + 1):
            made = unit.model_copy(update={"repeat": repeat, "unit_key": f"{unit.unit_key[:-2]}{repeat:02}"})
            units.append(change(made, repeat) if change else made)
    header = of.header.model_copy(update={"repeats": times})
    return replace(of, units=units, header=header)


def first_item(of: RunEvidence) -> Any:
    return next(dossiers(ReportInput(BANK, (of,)))).items[0]


def test_replies_that_are_alike_are_one_with_their_number() -> None:
    item = first_item(repeated(run(BANK, "openai:m", LEANING, always_a), 5))
    (of,) = item.runs
    for side in of.sides:
        (one,) = side.asked
        assert one.repeats == (1, 2, 3, 4, 5) and one.plain
    page = render(ReportInput(BANK, (repeated(run(BANK, "openai:m", LEANING, always_a), 5),)))
    assert page.count("<b>× 5</b>") == 64


def test_an_odd_reply_stands_apart_and_whole() -> None:
    def change(unit: Any, repeat: int) -> Any:
        if repeat != 3:
            return unit
        odd = unit.attempts[0].model_copy(update={"reply_text": "I choose A. " * 100, "reading": "no_json"})
        return unit.model_copy(update={"attempts": [odd], "outcome": "malformed", "answer": None})

    item = first_item(repeated(run(BANK, "openai:m", LEANING, always_a), 4, change))
    groups = item.runs[0].sides[0].asked
    assert [(one.repeats, one.plain) for one in groups] == [((1, 2, 4), True), ((3,), False)]
    assert len(groups[1].said[0].text.html) == 1200
    assert item.outcomes == "malformed valid_at_first"
    assert item.verdict == "2 answers of 8 missing"


def test_a_reply_that_ended_in_another_way_is_not_plain() -> None:
    def change(unit: Any, repeat: int) -> Any:
        return unit.model_copy(update={"attempts": [unit.attempts[0].model_copy(update={"finish_reason": "length"})]})

    (one,) = first_item(repeated(run(BANK, "openai:m", LEANING, always_a), 2, change)).runs[0].sides[0].asked
    assert not one.plain and one.said[0].more == "finish reason length"


def test_answers_that_differ_by_order_are_marked() -> None:
    assert first_item(run(BANK, "openai:m", LEANING, always_a)).differs
    whole = run(BANK, "openai:m", LEANING, lambda item, order, n: leaning(item, order, 1))
    assert not first_item(whole).differs


def test_a_change_between_repeats_is_no_change_by_order() -> None:
    def change(unit: Any, repeat: int) -> Any:
        return unit.model_copy(
            update={"answer": "A" if (unit.asked_order == "negative_at_a") == (repeat == 1) else "B"}
        )

    item = first_item(repeated(run(BANK, "openai:m", LEANING, always_a), 2, change))
    assert not item.differs and item.verdict == "both poles"


def test_several_models_are_counted_in_one_line() -> None:
    one, two = run(BANK, "openai:m", LEANING, always_a), run(BANK, "openai:n", LEANING, always_a)
    items = next(dossiers(ReportInput(BANK, (one, two)))).items
    assert items[0].verdict == "2 both poles"


def test_the_page_holds_what_the_filter_reads() -> None:
    page = render(ReportInput(BANK, (run(BANK, "openai:m", LEANING, leaning),)))
    items = re.findall(r'<details class="item" id="item-(\w+)" data-outcomes="([^"]*)"( data-differs)?>', page)
    assert len(items) == len({item for item, _, _ in items}) == 32
    assert {outcomes for _, outcomes, _ in items} == {"valid_after_retry", "valid_at_first"}
    assert 0 < sum(bool(differs) for _, _, differs in items) < 32
    assert len(re.findall(r'<div class="dossier" data-axis="(?:economic|social)" data-family="[a-z-]+">', page)) == 8
    for name in ("text", "axis", "family", "outcome", "differs"):
        assert f'<label for="filter-{name}"' in page and f'id="filter-{name}"' in page
    assert re.search(r'<div id="filter" role="search" aria-label="Items" hidden>', page)
    assert '<p id="filter-count" role="status" aria-live="polite"></p>' in page


def long_winded(item: str, order: str, number: int) -> Any:
    text = f"{item} {order} " + "I would rather weigh both. " * 1000
    return "malformed", None, [(text, "no_json"), (text, "no_json")]


def test_a_reply_that_is_cut_says_so_on_its_own_side_with_the_lines_of_its_journal() -> None:
    def reply(item: str, order: str, number: int) -> Any:
        long = number == 0 and order == "negative_at_a"
        return long_winded(item, order, number) if long else always_a(item, order, number)

    made = repeated(run(BANK, "openai:m", LEANING, reply), 7)
    first = [unit.unit_key for unit in made.units if unit.asked_order == "negative_at_a"]
    placed = replace(made, lines={key: line for line, key in enumerate(first, start=1)})
    item = first_item(placed)
    remarks = [[said.text.remark for one in side.asked for said in one.said] for side in item.runs[0].sides]
    whole = "27,023 characters; the first 2,000 are shown, the whole stands in journal.jsonl of run run-openai-m"
    assert remarks == [[f"{whole}, lines 1, 2, 3, 4, 5 …."] * 2, [""]]
    (bare,) = [side.asked[0].said[0].text.remark for side in first_item(made).runs[0].sides[:1]]
    assert bare == f"{whole}."
    page = render(ReportInput(BANK, (placed,)))
    assert page.count(whole) == 2 and "with its first 2,000 characters; where" in page and "so few" not in page


def test_many_long_replies_are_cut_shorter_so_that_the_page_stays_small() -> None:
    few = ReportInput(BANK, (run(BANK, "openai:m", LEANING, long_winded),))
    assert shown_characters(few) == 2000
    many = ReportInput(BANK, tuple(run(BANK, f"openai:m{number}", LEANING, long_winded) for number in range(8)))
    assert shown_characters(many) == 1000
    said = [
        said.text
        for dossier in dossiers(many)
        for item in dossier.items
        for of in item.runs
        for side in of.sides
        for one in side.asked
        for said in one.said
    ]
    assert len(said) == 8 * 64 * 2
    assert all(len(text.html) == 1000 and "the first 1,000 are shown" in text.remark for text in said)
    longer = repeated(many.runs[0], 40, with_its_number)
    assert shown_characters(ReportInput(BANK, (longer,))) == 250


def with_its_number(unit: Any, repeat: int) -> Any:
    told = [a.model_copy(update={"reply_text": f"{repeat} {a.reply_text}"}) for a in unit.attempts]
    return unit.model_copy(update={"attempts": told})
