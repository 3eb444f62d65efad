"""The page: whole, harmless whatever it is given, and the same bytes each time."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from report_sample import LEANING, POSITION, bank, estimate, run, sample
from several_models import several

from divisionbell.report.evidence import ReportInput, RunEvidence
from divisionbell.report.figures import draw_all
from divisionbell.report.html import render
from divisionbell.report.write import write_report

BANK = bank()
VOID = {"meta", "link", "br", "wbr", "img", "input", "hr"}
HOSTILE = (
    '</div></script><script>alert(1)</script><img src=x onerror=alert(2)><a href="javascript:alert(3)">x</a>'
    "\u202eevil\u202c\x00\x1b[31m{{ 7*7 }}{% raw %}"
)


class Reader(HTMLParser):
    """Collects tags and attributes, and whether every tag is closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.open: list[str] = []
        self.ids: list[str] = []
        self.levels: list[int] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def page() -> str:
    return render(sample(demonstration=True))


def _safe(text: str) -> Reader:
    read = Reader(text)
    assert read.open == []
    assert not {"img", "iframe", "object", "embed", "form", "base"} & set(read.tags)
    assert read.tags.count("script") == 1
    for tag, name, value in read.attributes:
        assert not name.startswith("on"), (tag, name)
        if name in ("src", "srcset", "action", "poster", "data"):
            raise AssertionError((tag, name, value))
        if name in ("href", "xlink:href"):
            allowed = ("https://", "http://", "#") if tag == "a" else ("#", "data:")
            assert value.startswith(allowed), (tag, name, value)
        if name == "style":
            assert "url(" not in value or re.search(r"url\(#", value)
    return read


def test_the_page_is_well_formed_and_loads_nothing(page: str) -> None:
    read = _safe(page)
    assert ("html", "lang", "en") in read.attributes
    assert len(read.ids) == len(set(read.ids))
    assert read.levels[0] == 1
    assert all(b - a <= 2 for a, b in zip(read.levels, read.levels[1:], strict=False))
    assert "@import" not in page
    assert {"main", "nav", "header", "footer"} <= set(read.tags)
    assert all(s in ("col", "row", "rowgroup") for t, n, s in read.attributes if t == "th" and n == "scope")
    assert read.tags.count("caption") == read.tags.count("table")


def test_a_strict_policy_stands_before_everything_that_it_governs(page: str) -> None:
    policy = page.index("Content-Security-Policy")
    assert "default-src &#39;none&#39;" in page
    assert policy < page.index("<style")
    assert "unsafe-eval" not in page
    assert "unsafe-inline" not in policy_of(page).partition("style-src")[0]


def policy_of(page: str) -> str:
    found = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert found
    return found[1].replace("&#39;", "'")


def test_the_one_script_is_the_one_that_the_policy_allows(page: str) -> None:
    (script,) = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy_of(page)
    assert not re.search(r"\b(fetch|XMLHttpRequest|eval|import|innerHTML|localStorage|document\.write)\b", script)


def test_the_same_bytes_twice(page: str, tmp_path: Path) -> None:
    assert render(sample(demonstration=True)) == page
    first, second = (write_report(several(), tmp_path / name / "r.html") for name in ("a", "b"))
    assert [p.name for p in first.all] == [p.name for p in second.all]
    assert [p.read_bytes() for p in first.all] == [p.read_bytes() for p in second.all]


def test_every_run_is_named_and_what_is_no_model_stands_apart(page: str) -> None:
    for each in sample().runs:
        assert each.name in page
    scores = page[page.index('id="scores"') : page.index('id="map"')]
    assert "scripted:" not in re.sub("<wbr>", "", scores)
    assert "party:" not in re.sub("<wbr>", "", scores)
    others = re.sub("<wbr>", "", page[page.index('id="others"') : page.index('id="certificate"')])
    assert "scripted:coin" in others
    assert "party:Labour" in others
    assert "openai:" not in others


def test_what_a_report_must_say_is_said(page: str) -> None:
    for sentence in (
        "no position can be read from this",
        "embedded answers by position and measures nothing.",
        "Zero is where this bank happens to balance",
        "Key audit by parties, not validity",
        "126 of 127 party-space reviews",
        "No person has coded these items yet",
        "1 of 13 rows does not hold",
        BANK.sha256,
        BANK.settings.system_message,
        BANK.settings.reminder,
    ):
        assert sentence in page, sentence


def test_constrained_decoding_is_labelled_in_every_table_that_names_it(page: str) -> None:
    tables = re.findall(r"<table>.*?</table>", page, flags=re.DOTALL)
    naming = [t for t in tables if re.search(r"(?<!<wbr)>embedded\b(?! \d)", t)]
    assert len(naming) >= 8
    assert all("constrained decoding" in table for table in naming)


def test_undefined_is_said_with_its_reason_and_never_as_nan(page: str) -> None:
    assert "4 of 12 families have no complete pair." in page
    assert page.count(">undefined<") > 10
    text = re.sub(r"<[^>]*>", " ", page)
    assert not re.search(r"\b(nan|NaN|None|inf|Infinity)\b", text)


def test_no_demonstration_box_where_there_is_none() -> None:
    assert "Demonstration:" not in render(sample())


def test_a_demonstration_of_what_is_no_model_is_explained_and_heads_no_page() -> None:
    model, party = run(BANK, "openai:m", LEANING), run(BANK, "party:Labour", LEANING, demonstration=True)
    given = ReportInput(BANK, (model, party))
    drawn = draw_all(given)  # what is looked at here is no figure
    page = render(given, drawn)
    found, others = page[page.index('id="found"') :], page[page.index('id="others"') :]
    assert '<div class="box"' not in found[: found.index('id="scores"')]
    assert "A note that begins with “Demonstration”" in others[: others.index('id="certificate"')]
    alone = render(ReportInput(BANK, (party,)), drawn)
    assert "claims no position of any of them" in alone and '<div class="box"' not in alone
    assert "nothing may be claimed of scripted responders and parties" in alone
    scripted = ReportInput(BANK, (model, run(BANK, "scripted:coin", POSITION)))
    assert "A note that begins with" not in render(scripted, drawn)
    short = ReportInput(BANK, (model, run(BANK, "openai:short", LEANING, demonstration=True)))
    assert "This holds for openai:short, and not for the other models on this page." in render(short, drawn)


def hostile(item: str, order: str, number: int) -> Any:
    if number == 0:
        return "malformed", None, [("A" * 1_048_576, "no_json"), (HOSTILE, "no_json")]
    return "malformed", None, [(HOSTILE, "embedded"), ("\u200f" * 3, "no_json")]


def _hostile_run() -> RunEvidence:
    made = run(BANK, f"openai:{HOSTILE}", LEANING, hostile, settings={HOSTILE: HOSTILE})
    notes = [HOSTILE]
    bad = estimate("concrete.economic", None, undefined_because=HOSTILE, interval_kind=HOSTILE)
    kept = [e for e in made.score.estimates if e.name != "concrete.economic"]
    return replace(made, score=made.score.model_copy(update={"notes": notes, "estimates": [bad, *kept]}))


def test_hostile_replies_names_and_notes_are_harmless() -> None:
    evil_party = {"party": HOSTILE, "axis": "economic", "set": "admitted", "value": 0.5, "n": 1, "missing": 0}
    evil_row = {
        "respondent": HOSTILE,
        "axis": "economic",
        "scale": HOSTILE,
        "expected": HOSTILE,
        "found": 0,
        "holds": None,
    }
    text = render(ReportInput(BANK, (_hostile_run(),), [evil_party], [evil_row]))
    _safe(text)
    assert len(text) < 1_500_000
    assert (
        "1,048,576 characters; the first 2,000 are shown, the whole stands in journal.jsonl of run run-openai-" in text
    )
    for character in ("\u202e", "\u202c", "\x00", "\x1b", "\u200f"):
        assert character not in text
    assert '<span class="esc">\\u202e</span>' in text
    assert "49" not in re.findall(r"\{\{ 7\*7 \}\}|>49<", text)
    assert "{{ 7*7 }}" in text


def test_a_division_is_linked_only_by_a_web_address() -> None:
    value = dict(BANK.dossiers[0].model_dump(exclude_none=True))
    assert value["source"]["official_address"].startswith("https://")
    evil = BANK.dossiers[0].source.model_copy(update={"official_address": "javascript:alert(1)"})
    other = type(BANK)(BANK.version, BANK.sha256, BANK.statement, BANK.records)
    dossiers = (BANK.dossiers[0].model_copy(update={"source": evil}), *BANK.dossiers[1:])
    object.__setattr__(other, "dossiers", dossiers)
    text = render(ReportInput(other, (run(BANK, "openai:m", LEANING),)))
    _safe(text)
    assert "javascript:" not in text


def test_a_sparse_score_document_is_shown_with_its_gaps() -> None:
    made = run(BANK, "openai:m", LEANING)
    sparse = replace(made, score=made.score.model_copy(update={"estimates": [], "notes": []}))
    text = render(ReportInput(BANK, (sparse,)))
    _safe(text)
    assert "The score document does not hold this estimate." in text


def test_scripted_runs_alone_make_a_page() -> None:
    text = render(ReportInput(BANK, (run(BANK, "scripted:always-a", POSITION),)))
    _safe(text)
    assert "No model was asked" in text
    assert "Models: framing contrasts on concrete pairs, exploratory: nothing was asked." in text
    assert not re.search(r"</thead>\s*</table>", text)


def test_party_rows_as_the_audit_names_them() -> None:
    rows = [{"party": "Labour", "axis": "economic", "set": "admitted", "positions": 5, "missing": 0, "score": -0.91}]
    text = render(ReportInput(BANK, (run(BANK, "openai:m", LEANING),), rows))
    assert "−0.91" in text[text.index('id="audit"') :]


def test_sizes(page: str, tmp_path: Path) -> None:
    assert len(page.encode()) < 1_500_000
    written = write_report(sample(), tmp_path / "out.html")
    assert written.page == tmp_path / "out.html"
    names = sorted(p.name for p in (tmp_path / "out-figures").iterdir())
    drawn = (
        "map",
        "outcomes",
        "order-square",
        "order",
        "families",
        "families-2",
        "families-3",
        "tipping-point",
        "framing",
    )
    assert names == sorted(f"{n}.{s}" for n in drawn for s in ("svg", "png"))
    assert all(p.stat().st_size < 400_000 for p in written.all[1:])
    assert not list(tmp_path.glob(".*"))
