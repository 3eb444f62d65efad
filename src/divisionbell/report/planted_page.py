"""A report of planted models, one of each kind, drawn as every report is and read back: its numbers must be theirs."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from divisionbell.estimate.compared import Compared
from divisionbell.estimate.comparison import compare_runs
from divisionbell.estimate.document import score_document
from divisionbell.estimate.planted_grid import Plant
from divisionbell.estimate.planted_rows import Row, always
from divisionbell.estimate.planted_run import Bools, Instrument
from divisionbell.estimate.planted_suites import (
    Losses,
    Named,
    answers_biased,
    answers_of_plant,
    answers_pulled,
    lose,
    named,
)
from divisionbell.model.run_classes import ComparisonDocument
from divisionbell.report.evidence import AXES, ReportInput, RunEvidence
from divisionbell.report.html import render
from divisionbell.report.page_reader import PageCell, PageReader, agrees, spans
from divisionbell.report.planted_sentences import PART, follows, read
from divisionbell.report.table_files import documents
from divisionbell.run.journal import line_of
from divisionbell.score.answers import answers_of

FAMILIES, REPEATS = 14, 3
LEAN, THETA, BIAS, LOST = -0.6, -0.4, 3.0, "by family"
_AVERAGE = re.compile(r"On the (economic|social) axis its concrete pairs average (\S+) \(")


def page_rows(seed: int) -> list[Row]:
    """Rows of what the report of one model of each kind shows."""
    given, scores, comparison = _given(seed)
    told = json.loads(documents(given))
    page = PageReader(render(given))
    by_run = {str(score["respondent"]): named(score) for score in scores}
    return [
        always(PART, "report.json holds the score documents", _same(told["scores"], scores)),
        always(PART, "report.json holds the comparison", _same(told["comparisons"], [comparison])),
        always(PART, "the first sentence on the page follows from the estimates", _first(page, by_run)),
        always(PART, "numbers of the findings on the page are the estimates", _averages(page, by_run)),
        always(PART, "numbers of the table of scores on the page are the estimates", _scores(page, by_run)),
        always(PART, "every number of the page by name is the estimate", _every(page, by_run)),
        always(PART, "differences on the page are the comparison's", _differences(page, named(comparison))),
    ]


def _planted(seed: int) -> list[tuple[str, Bools, Losses | None]]:
    """One model of each kind, all of as many families and repeats: its name, its answers, and those that are lost."""
    lean, none = (Plant(n, FAMILIES, REPEATS, score, "narrow", "none") for n, score in enumerate((LEAN, 0.0)))
    leaning, lossy = answers_of_plant(lean, seed), answers_of_plant(lean, seed + 1)
    gone = lose(LOST, lossy[1], lossy[0], np.random.default_rng([seed, 4, 0]))
    return [
        ("planted:lean", leaning[1], None),
        ("planted:none", answers_of_plant(none, seed)[1], None),
        ("planted:letter", answers_biased(0, THETA, BIAS, seed)[1], None),
        ("planted:status-quo", answers_pulled(0, seed)[1], None),
        ("planted:lost", lossy[1], gone),
    ]


def _given(seed: int) -> tuple[ReportInput, list[dict[str, Any]], dict[str, Any]]:
    """The report of all of them with their comparison, asked and scored the way of every run."""
    runs, scores, compared = [], [], []
    for name, positive, gone in _planted(seed):
        asked = Instrument(FAMILIES, REPEATS, name)
        units = asked.ask(positive, gone)
        answers = answers_of(asked.bank, asked.header, units)
        journal = hashlib.sha256(b"".join(map(line_of, units))).hexdigest()
        scores.append(score_document(asked.bank, asked.header, answers, journal))
        runs.append(RunEvidence.of(asked.header, units, scores[-1]))
        compared.append(Compared(asked.header, answers, journal))
    comparison = compare_runs(asked.bank, compared)
    model = ComparisonDocument.model_validate(comparison)
    return ReportInput(asked.bank, tuple(runs), comparisons=(model,)), scores, comparison


def _same(told: Sequence[Mapping[str, Any]], made: Sequence[Mapping[str, Any]]) -> list[bool]:
    """Estimate by estimate, to the last digit."""
    pairs = [(named(one), named(other)) for one, other in zip(told, made, strict=True)]
    return [one.get(name) == estimate for one, other in pairs for name, estimate in other.items()]


def _first(page: PageReader, by_run: Mapping[str, Named]) -> list[bool]:
    told = {paragraphs[0]: paragraphs[1] for paragraphs in page.findings}
    return [name in told and follows(read(told[name]), found) for name, found in by_run.items()]


def _averages(page: PageReader, by_run: Mapping[str, Named]) -> list[bool]:
    held = []
    for name, *paragraphs in page.findings:
        for words in paragraphs:
            for match in _AVERAGE.finditer(words):
                found = by_run[name][f"concrete.{match[1]}"]
                ends = [" to ".join(one) for one in spans(words[match.end() :])[:1]]
                held.append(_agree(PageCell(text=match[2], lines=ends), found))
    return held


def _scores(page: PageReader, by_run: Mapping[str, Named]) -> list[bool]:
    rows = [row for table in page.tables if table.section == "scores" for row in table.rows]
    held = {
        (run, cell.name): _agree(cell, by_run[run][cell.name]) for run, cells in rows for cell in cells if cell.name
    }
    return [held.get((run, f"concrete.{axis}"), False) for run in by_run for axis in AXES]


def _every(page: PageReader, by_run: Mapping[str, Named]) -> list[bool]:
    held: dict[tuple[str, str], bool] = {}
    for table in page.tables:
        if table.section == "numbers":
            for _, (name, *cells) in table.rows:
                for run, cell in zip(table.head[1:], cells, strict=True):
                    found = by_run[run].get(name.text)
                    held[run, name.text] = cell.text == "not given" if found is None else _agree(cell, found)
    return [held.get((run, name), False) for run, found in by_run.items() for name in found]


def _differences(page: PageReader, found: Named) -> list[bool]:
    rows = [row for table in page.tables if table.section == "differences" for row in table.rows]
    held = {cell.name: _agree(cell, found[cell.name]) for _, cells in rows for cell in cells if cell.name in found}
    ends = ("", ".max_t_p", ".sign_flip_p")
    names = [name for name in found if name.startswith("difference.") and name.count(".") == 2]
    return [held.get(f"{name}{end}", False) for name in names for end in ends]


def _agree(cell: PageCell, estimate: Mapping[str, Any]) -> bool:
    """Whether a cell shows the estimate: its value and its ends, or that it has none."""
    value, low, high = (estimate.get(end) for end in ("value", "low", "high"))
    ends = cell.span
    if low is not None and high is not None and (ends is None or not (agrees(ends[0], low) and agrees(ends[1], high))):
        return False
    if value is not None:
        return agrees(cell.text, value)
    return ends is not None if low is not None else cell.text in ("undefined", "none")
