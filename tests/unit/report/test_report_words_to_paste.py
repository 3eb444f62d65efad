"""Methods, citation and sources: filled in from the evidence, ready to paste, and safe where they are pasted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from report_sample import LEANING, bank, run
from several_models import again, several

from divisionbell.bank.manifest import Record
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.report import citations, methods
from divisionbell.report.evidence import ReportInput

GIVEN = several()


def with_source(**value: str) -> ReportInput:
    used = bank()
    records = tuple(record for record in used.records if record.kind != "data_source")
    other = FrozenBank(used.version, used.sha256, used.statement, (*records, Record("data_source", "s", value)))
    return ReportInput(other, (run(other, "openai:m", LEANING),))


def test_the_methods_hold_the_numbers_of_these_runs() -> None:
    said = " ".join(methods.methods(GIVEN))
    for words in (
        "version 0.1.0 (record file SHA-256 abab",
        "a frozen bank of 32 forced-choice items made from 8 divisions",
        "Form full holds 32 items (economic: 4 issue families, 4 dossiers, 16 items (4 concrete and 4 implicit pairs",
        "openai:lakeside (2026-02-03) was asked as lakeside from 2026-02-03 00:00 UTC (run run-later)",
        "each order of each item once, 64 units in all; decoding was free; settings: temperature 0.",
        "decoding was constrained to the shape of an answer (another instrument)",
        "Replies were read by strict_json_v1",
        "openai:reticent 70% and 72%",
        "cancels the sign of that pull and not the shrinking",
        "Student t over families; beyond 0.75 in size a studentised bootstrap of whole families (10,000 draws, seed 1",
        "openai:reticent 40 of 96",
        "The 3 models of form full were compared on concrete pairs",
        "3 pairs on both axes are one family of tests",
        "A family without a complete pair of both drops out of their difference",
        "a simultaneous Imbens–Manski interval of the difference over all families",
        "at least 12 families have a score of both",
        "a mean over complete pairs that no completion gives is not reported",
    ):
        assert words in said, words


def test_the_methods_say_nothing_of_a_comparison_that_was_not_made() -> None:
    alone = " ".join(methods.methods(ReportInput(GIVEN.bank, (GIVEN.runs[0],))))
    assert "were compared" not in alone and "Holm over the two" in alone


def test_the_citation_names_bank_digest_program_and_runs() -> None:
    said = citations.plain(GIVEN)
    assert said.startswith(
        "The Division Bell authors (2026). A sample bank of made-up items, version 0.1.0, record file"
    )
    assert GIVEN.bank.sha256 in said
    assert all(one.header.run_id in said for one in GIVEN.runs)


def test_bibtex_is_one_whole_entry_whatever_a_run_is_called() -> None:
    hostile = again(GIVEN.runs[0], "r}\\input{x}%_&#$^~{", "2026-01-03T00:00:00Z")
    made = citations.bibtex(ReportInput(GIVEN.bank, (replace(hostile, apart=""),)))
    assert made.startswith("@misc{divisionbell010,\n") and made.endswith("\n}")
    assert r"r\}\textbackslash{}input\{x\}\%\_\&\#\$\textasciicircum{}\textasciitilde{}\{" in made
    unescaped = made.replace("\\{", "").replace("\\}", "")
    assert unescaped.count("{") == unescaped.count("}")


def test_a_year_that_is_not_recorded_is_said() -> None:
    used = bank()
    undated = FrozenBank(used.version, used.sha256, {}, used.records)
    assert "(n.d.)" in citations.plain(ReportInput(undated, (run(undated, "openai:m", LEANING),)))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (
            {
                "title": "Votes by member in division 659, public copy",
                "publisher": "somebody/votes",
                "address": "https://example.org/somebody/votes",
                "licence": "A licence",
                "citation": "data/Division659.csv, as the service gave it out",
            },
            "somebody/votes. Votes by member in division 659, public copy. data/Division659.csv, as the service gave "
            "it out. https://example.org/somebody/votes. Licence: A licence.",
        ),
        (
            {
                "title": "A survey",
                "doi": "10.1/x",
                "citation": "Somebody (2025), A survey, doi:10.1/x",
                "licence": "None is given.",
            },
            "Somebody (2025), A survey. https://doi.org/10.1/x. Licence: None is given.",
        ),
        (
            {
                "title": "Votes",
                "publisher": "Parliament",
                "address": "https://example.org",
                "licence": "OPL",
                "citation": "Contains information licensed under the OPL.",
            },
            "Parliament. Votes. https://example.org. Contains information licensed under the OPL.",
        ),
    ],
)
def test_a_source_can_be_found_from_its_line(value: dict[str, str], said: str) -> None:
    assert citations.sources(with_source(**value)) == [said]
