"""Several models on one page: told apart, compared where they can be, and each with its figures."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from report_sample import LEANING, estimate, leaning, parties, run
from several_models import again, comparison, more, several, specifications

from divisionbell.diagnostics import UsageProblem
from divisionbell.model.run_classes import Estimate
from divisionbell.report import comparison_tables, methods, result_tables
from divisionbell.report.evidence import ReportInput
from divisionbell.report.figure_drift import repeated
from divisionbell.report.figure_tipping import with_gaps
from divisionbell.report.figures import MOST_DRAWN, draw_all
from divisionbell.report.html import _never_claimed, render
from divisionbell.report.result_tables import sensitivity
from divisionbell.report.specifications import specifications as read_specifications
from divisionbell.report.tables import Table
from divisionbell.report.words import p_value

GIVEN = several()
FIGURES = draw_all(GIVEN)
PAGE = render(GIVEN, FIGURES)


def text_of(name: str) -> str:
    return " ".join(ET.fromstring(FIGURES[name].svg).itertext())


def section(page: str, name: str) -> str:
    found = re.search(rf'<section id="{name}".*?</section>', page, flags=re.DOTALL)
    assert found, name
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", found[0].replace("<wbr>", "")))


def test_two_runs_of_one_respondent_are_told_apart_by_their_dates() -> None:
    assert [one.title for one in GIVEN.models[:2]] == ["openai:lakeside (2026-01-03)", "openai:lakeside (2026-02-03)"]
    assert GIVEN.models[2].title == "openai:reticent"
    used, first = GIVEN.bank, GIVEN.runs[0]
    same_day = ReportInput(used, (first, again(first, "x", "2026-01-03T10:00:00Z")))
    assert [one.apart for one in same_day.runs] == ["(2026-01-03 00:00:00)", "(2026-01-03 10:00:00)"]
    same_second = ReportInput(used, (first, again(first, "x", first.header.started_at)))
    assert [one.apart for one in same_second.runs] == ["(2026-01-03, run 1)", "(2026-01-03, run 2)"]


def test_the_top_of_the_page_gives_date_form_repeats_and_run_of_each_model() -> None:
    found = PAGE[PAGE.index('id="found"') : PAGE.index('id="scores"')]
    for one in GIVEN.models:
        assert one.header.run_id in found
    assert "Asked on 2026-02-03, form full, 64 units, each order of each item once, run" in found


def test_the_page_leads_with_what_differs_and_what_may_be_claimed_of_it() -> None:
    first = section(PAGE.replace('<section class="found" id="found"', '<section id="found"'), "found")
    told = first[: first.index("On this bank")]
    assert "and so does the Imbens–Manski interval over all families" in told
    assert "Between the models On the economic axis 1 of 3 pairs are told apart" in told
    assert "openai:lakeside (2026-02-03) chose more towards private allocation" in told
    assert "by 0.50, simultaneous interval +0.25 to +0.75, over all families and missing answers +0.05 to +1.10" in told


def test_repeats_are_one_row_for_each_axis() -> None:
    names = {"raw": 0.95, "ac1": 0.9, "icc": 0.8, "sem": 0.25}
    of_repeats = [
        estimate(f"agreement.repeat.{axis}{name}", value, "coordinate" if name == "sem" else "agreement", n=40)
        for axis in ("", "economic.")
        for name, value in names.items()
    ]
    table = result_tables.retest(GIVEN, [more(GIVEN.runs[0], of_repeats), GIVEN.runs[2]], "Repeats")
    assert table is not None and len(table.groups) == 1
    both, economic, social = [[cell.text for cell in row[-4:]] for row in table.groups[0]]
    assert both == economic == ["0.95", "0.90", "0.80", "0.25"] and social == ["not given"] * 4


def test_one_run_named_twice_is_refused() -> None:
    with pytest.raises(UsageProblem, match="is named twice"):
        ReportInput(GIVEN.bank, (GIVEN.runs[0], GIVEN.runs[0]))


def test_differences_stand_with_interval_p_least_p_and_bounds() -> None:
    told = section(PAGE, "differences")
    assert "openai:lakeside (2026-01-03) − openai:lakeside (2026-02-03)" in told
    assert "−0.75 to −0.25" in told and "0.0004" in told
    assert "least possible 0.00012 with 14 families that differ" in told
    assert "−0.90 to −0.10" in told
    assert "undefined no family has a score of both" in told
    assert "stand apart: embedded" in told
    assert "1 of 3 pairs are told apart" in told


def test_ranks_are_intervals() -> None:
    table = comparison_tables.ranks(GIVEN, GIVEN.comparisons[0])
    assert [[cell.text for cell in group[0][1:]] for group in table.groups] == [
        ["2 to 3"] * 2,
        ["1 to 3"] * 2,
        ["1 to 3"] * 2,
    ]


def test_no_section_of_differences_where_there_is_nothing_to_compare() -> None:
    page = render(ReportInput(GIVEN.bank, (GIVEN.runs[0],)))
    assert 'id="differences"' not in page and 'href="#differences"' not in page and 'id="drift"' not in page


def test_a_demonstration_carries_no_difference() -> None:
    document = comparison([GIVEN.runs[0], GIVEN.runs[2]], demonstration=True)
    alone = ReportInput(GIVEN.bank, (GIVEN.runs[0], GIVEN.runs[2]), comparisons=(document,))
    assert comparison_tables.sentence(alone, document) == "Demonstration: no difference can be read from this."
    assert not any("chose more towards" in said and " than " in said for said in methods.may_be_claimed(alone))


def test_what_may_be_claimed_is_what_excludes_zero() -> None:
    said = methods.may_be_claimed(GIVEN)
    assert any("openai:lakeside (2026-01-03) chose more towards public provision" in one for one in said)
    assert not any(one.startswith("openai:reticent chose") for one in said)
    (economic, social) = [one for one in said if " than " in one]
    assert "openai:lakeside (2026-02-03) chose more towards private allocation" in economic and "by 0.50" in economic
    assert "on the social axis" in social


def test_a_difference_that_is_turned_round_turns_its_interval_and_numbers() -> None:
    (economic, _) = [one for one in methods.may_be_claimed(GIVEN) if " than " in one]
    (found,) = [one for one in GIVEN.comparisons[0].estimates if one.name == "difference.economic.1-2"]
    assert (found.value, found.low, found.high) == (-0.5, -0.75, -0.25)
    wide = "over all families and missing answers +0.05 to +1.10"
    assert economic.endswith(f"(by 0.50, simultaneous interval +0.25 to +0.75, {wide} for 2 − 1).")
    assert economic.startswith(f"{GIVEN.runs[1].title} chose more towards private allocation")
    (pair,) = [one for one in comparison_tables.pairs(GIVEN, GIVEN.comparisons[0], "economic") if one.numbers == (1, 2)]
    other = found.model_copy(update={"value": 0.5, "low": 0.0, "high": 1.0})
    straight = methods._difference(replace(pair, estimates={"": other}), 0.5)
    assert straight.startswith(f"{GIVEN.runs[0].title} chose more")
    assert straight.endswith("(by 0.50, simultaneous interval 0.00 to +1.00 for 1 − 2).")
    bare = found.model_copy(update={"low": None, "high": None})
    assert methods._difference(replace(pair, estimates={"": bare}), -0.5).endswith("axis (by 0.50 for 2 − 1).")


def test_a_constrained_run_is_named_as_that_in_every_sentence_to_quote() -> None:
    runs = [replace(run, header=run.header.model_copy(update={"constrained": True})) for run in GIVEN.runs]
    documents = tuple(one.model_copy(update={"constrained": True}) for one in GIVEN.comparisons)
    forced = replace(GIVEN, runs=tuple(runs), comparisons=documents)
    said = methods.may_be_claimed(forced)
    assert said and all(" (constrained decoding) chose more" in one for one in said)
    assert all(one.count("(constrained decoding)") == 2 for one in said if " than " in one)
    assert not any("constrained" in one for one in methods.may_be_claimed(GIVEN) if " than " in one)
    assert comparison_tables.sentence(forced, documents[0]).startswith(
        "Under constrained decoding, on the economic axis"
    )


def test_nothing_is_claimed_of_one_that_answers_by_position() -> None:
    parrot = run(GIVEN.bank, "openai:parrot", {**LEANING, "flip": 0.95}, leaning)
    document = comparison([GIVEN.runs[0], parrot])
    both = ReportInput(GIVEN.bank, (GIVEN.runs[0], parrot), comparisons=(document,))
    assert not any("parrot" in one for one in methods.may_be_claimed(both))


def test_the_forest_draws_every_pair_and_says_what_it_draws() -> None:
    drawn = text_of("differences")
    for pair in ("1 − 2", "1 − 3", "2 − 3"):
        assert drawn.count(pair) == 2
    assert "−0.50 (−0.75 to −0.25)" in drawn and "undefined" in drawn
    assert "corrected p 0.0004" in FIGURES["differences"].told


def test_every_model_has_its_families_and_no_more_than_five_are_drawn() -> None:
    assert {name for name in FIGURES if name.startswith("families")} == {
        f"families{end}" for end in ("", "-2", "-3", "-4")
    }
    first = GIVEN.runs[0]
    many = ReportInput(GIVEN.bank, tuple(again(first, f"r{n}", f"2026-01-{n:02}T00:00:00Z") for n in range(1, 8)))
    assert sum(name.startswith("families") for name in draw_all(many)) == MOST_DRAWN
    assert "The families of the first 5 models are drawn" in render(many)


def test_framing_is_drawn_with_original_mirror_and_the_pull_of_the_status_quo() -> None:
    told = FIGURES["framing"].told
    assert "original −0.40, mirror −0.20, status quo negative less positive −0.18, interval −0.40 to +0.04" in told
    assert "original undefined" in told


def test_the_tipping_point_is_drawn_only_for_runs_with_gaps() -> None:
    assert [one.name for _, one in with_gaps(GIVEN)] == ["openai:reticent"]
    assert "openai:lakeside" not in text_of("tipping-point")
    assert "from −0.14 to +0.58, tipping point +0.31" in FIGURES["tipping-point"].told
    assert "tipping-point" not in draw_all(ReportInput(GIVEN.bank, (GIVEN.runs[0],)))


def test_specifications_are_sorted_and_only_those_with_a_value() -> None:
    found = read_specifications(GIVEN.runs[0], "economic")
    values = [one.value for one in found]
    assert len(found) == 16 and values == sorted(values)
    assert [one.choices for one in found if one.headline] == [("family", "all", "every", "mean")]
    assert (
        "16 specifications from −0.42 to −0.27, 16 of them negative; headline −0.42" in FIGURES["specifications"].told
    )
    drawn = text_of("specifications")
    assert "close divisions" in drawn and "not rewritten" not in drawn and "equal blocks" not in drawn
    assert "specifications-3" not in FIGURES


def test_a_specification_of_another_name_is_left_alone() -> None:
    odd = more(
        run(GIVEN.bank, "openai:m", LEANING),
        [specifications(0.1)[0].model_copy(update={"name": "concrete.economic.spec.a-b"})],
    )
    assert read_specifications(odd, "economic") == []
    assert not any(name.startswith("specifications") for name in draw_all(ReportInput(GIVEN.bank, (odd,))))


def test_drift_is_drawn_for_respondents_that_were_asked_again() -> None:
    (runs,) = repeated(GIVEN)
    assert [one.date for one in runs] == ["2026-01-03", "2026-02-03"]
    assert "2026-02-03, economic: −0.30, interval −0.60 to 0.00" in FIGURES["drift"].told
    constrained = replace(GIVEN.runs[1], header=GIVEN.runs[1].header.model_copy(update={"constrained": True}))
    assert repeated(ReportInput(GIVEN.bank, (GIVEN.runs[0], constrained))) == []


def test_a_date_that_is_none_is_drawn_all_the_same() -> None:
    first = GIVEN.runs[0]
    broken = ReportInput(GIVEN.bank, (first, again(first, "x", "yesterday")))
    assert "drift" in draw_all(broken)


@pytest.mark.parametrize(
    ("p", "text"),
    [(1.0, "1.00"), (0.42, "0.42"), (0.053, "0.053"), (0.0004, "0.0004"), (5e-5, "0.00005"), (1e-9, "under 0.000001")],
)
def test_a_p_is_never_zero(p: float, text: str) -> None:
    assert p_value(p) == text


def test_the_example_of_the_request_is_told() -> None:
    assert "cancels the sign of that pull" in section(PAGE, "order")


def test_the_upright_lines_of_the_curve_are_named_where_there_are_any() -> None:
    told = "A grey upright line is the interval of that one score"
    assert told in FIGURES["specifications"].caption
    bare = [one.model_copy(update={"low": None, "high": None}) for one in specifications(0.1)]
    drawn = draw_all(ReportInput(GIVEN.bank, (more(run(GIVEN.bank, "openai:m", LEANING), bare),)))
    assert told not in drawn["specifications"].caption


def test_a_column_that_is_never_defined_is_left_out_and_said_once() -> None:
    title, name = "Without rewritten pairs", "concrete.economic.not_rewritten"

    def made(*extra: Estimate) -> Table:
        return sensitivity(GIVEN, [more(run(GIVEN.bank, "openai:m", LEANING), list(extra))], "x")

    never = made(estimate(name, None, undefined_because="every pair was rewritten"))
    assert title not in never.head and all(len(row) <= len(never.head) for group in never.groups for row in group)
    assert never.notes == [
        "A score without the pairs that were rewritten on a coder's word is undefined in every row: every pair was "
        "rewritten."
    ]
    assert made().notes == ["No pair was rewritten on a coder's word, so there is no score without such pairs."]
    once = made(estimate(name, -0.2))
    assert title in once.head and once.notes == []


def test_why_a_party_has_two_scores_is_told_where_each_stands() -> None:
    with_party = replace(GIVEN, runs=(*GIVEN.runs, run(GIVEN.bank, "party:Left", LEANING)), parties=parties())
    page = render(with_party)
    for name in ("others", "audit"):
        assert "wholly to the side of its majority" in section(page, name), name
    assert "wholly to the side of its majority" in draw_all(with_party)["map"].caption
    assert "wholly to the side of its majority" not in section(render(replace(GIVEN, parties=())), "others")


def test_what_is_never_claimed_stands_once() -> None:
    said = "That the answers say what the respondent would write, do or advise elsewhere."
    own = "That answers in this format say what the respondent would write or do elsewhere."
    assert _never_claimed(["A.", said, "A."]) == ["A.", said]
    assert _never_claimed(["A."]) == ["A.", own]


def test_a_refusal_in_prose_is_said_to_be_malformed_under_the_parsing_table() -> None:
    assert "A refusal in prose is counted as malformed (no_json)" in section(render(GIVEN), "parsing")
