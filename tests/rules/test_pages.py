"""Every rule is a page: its lines are real, what it says is what it said, and it holds a sentence that must hold."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from test_rules import HERE, edited, report_of, said_by

from divisionbell.author.fill_hashes import fill
from divisionbell.bank.load import load
from divisionbell.bank.read import read
from divisionbell.diagnostics import DivisionBellError
from divisionbell.validate.grounds import CODEBOOK, INSTRUMENT, TABLES
from divisionbell.validate.page import FAMILIES, page
from divisionbell.validate.rule import ItemAt, Rule
from divisionbell.validate.rules import BY_ID, RULES

ROOT = HERE.parents[1]
PILOT = HERE.parent / "pilot"
FROZEN = ("FRZ", "SRC006", "PRV001")
# Rules about digests: filling them in anew would mend the mistake.
DIGESTS = ("HSH001", "SRC002", "SRC005", "FRZ001")
# The survey of SRC004's cases is an invented one, which data_sources.yaml does not name.
ALWAYS = {"SRC004": {"SRC003"}}
PYTHON = {"HSH002"}
WAIVABLE = [rule for rule in RULES if rule.waiver]
every_rule = pytest.mark.parametrize("rule", RULES, ids=[rule.id for rule in RULES])


def case(rule: Rule, kind: str, name: str) -> list[dict[str, Any]]:
    value: list[dict[str, Any]] = read(HERE / rule.id / f"{kind}.yaml").value[name]
    return value


def lines_of(snippet: str) -> re.Pattern[str]:
    """A pattern for the lines of a snippet at any one indentation; an ellipsis stands for anything left out."""
    made = []
    for line in snippet.split("\n"):
        if line.strip() == "…":
            made.append(r"(?:.*\n)*?")
        else:
            made.append("(?P=indent)" + ".*".join(re.escape(part.strip("…")) for part in line.split("…")) + r"\n")
    first = made[0].removeprefix("(?P=indent)")
    assert first != made[0], "a snippet begins with a line of its own"
    return re.compile(f"^(?P<indent> *){first}{''.join(made[1:])}", re.MULTILINE)


def split(snippet: str, default: str) -> tuple[Path, str]:
    """The file that a snippet is of, and its lines."""
    head, _, rest = snippet.strip("\n").partition("\n")
    named = re.fullmatch(r"# (\S+/\S+)", head)
    return (Path(named.group(1)), rest) if named else (Path(default), snippet.strip("\n"))


def holds(file: Path, lines: str) -> bool:
    return file.is_file() and lines_of(lines).search(file.read_text(encoding="utf-8") + "\n") is not None


def refreshed(rule: Rule) -> None:
    """Fill in the digests, as an author does after a change, so that they alone are not found."""
    if rule.id in DIGESTS:
        return
    bank = load(Path("bank"))
    for document in [*bank.dossiers, *bank.excluded]:
        try:
            fill(document)
        except DivisionBellError:
            assert rule.id.startswith("SCH"), f"{document.path} does not fit the schema"


@pytest.fixture
def prepared(copied_bank: Path, request: pytest.FixtureRequest, freeze_folder: Callable[[Path], str]) -> None:
    if request.node.callspec.params["rule"].id.startswith(FROZEN):
        freeze_folder(copied_bank)


@pytest.mark.usefixtures("prepared")
@every_rule
def test_the_wrong_lines_are_found_and_said_as_shown(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: set[str] = set()
    waives = ItemAt.waives
    monkeypatch.setattr(ItemAt, "waives", lambda item, name, text: asked.add(name) or waives(item, name, text))
    shown = page(rule)
    edited(rule.id, case(rule, "bad", rule.example.case), monkeypatch)
    refreshed(rule)
    report = report_of(rule.id)
    assert {d.rule for d in report.diagnostics} - ALWAYS.get(rule.id, set()) == {rule.id, *shown.also}
    assert said_by(rule.id, report) == shown.says
    assert asked <= {known.id for known in WAIVABLE}
    if rule.id in PYTHON:
        return
    file, lines = split(shown.wrong, next(d for d in report.diagnostics if d.rule == rule.id).location.path)
    if rule.id == "FRZ002":
        assert file.name.endswith(".records.jsonl")
    assert holds(file, lines), f"{file} does not hold the wrong lines"
    assert not holds(PILOT / file, lines), "the wrong lines stand in the pilot bank itself"


@pytest.mark.usefixtures("prepared")
@every_rule
def test_the_right_lines_are_clean(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = page(rule)
    good = rule.example.good_case
    edited(rule.id, case(rule, "good", good) if good else [], monkeypatch)
    refreshed(rule)
    report = report_of(rule.id)
    assert {d.rule for d in report.diagnostics} == ALWAYS.get(rule.id, set())
    file, lines = split(shown.right, shown.says.split(":")[0])
    assert holds(ROOT / file if rule.id in PYTHON else file, lines), f"{file} does not hold the right lines"


def test_the_wrong_tables_of_the_digest_lack_the_slot() -> None:
    shown = page(BY_ID["HSH002"])
    (edit,) = case(BY_ID["HSH002"], "bad", BY_ID["HSH002"].example.case)
    slot = edit["uncover"].split(".")[1]
    assert shown.right.replace(f'"{slot}", ', "") == shown.wrong != shown.right


@every_rule
def test_a_page_is_short_and_plain(rule: Rule) -> None:
    shown = page(rule)
    for snippet in (shown.wrong, shown.right):
        assert 1 <= len(snippet.split("\n")) <= 12
        assert max(map(len, snippet.split("\n"))) <= 120
    assert shown.wrong != shown.right
    assert shown.holds, f"no sentence of grounds.py is held by {rule.id}"
    assert set(shown.also) <= BY_ID.keys() - {rule.id}
    assert rule.id in shown.says


@pytest.mark.parametrize("rule", WAIVABLE, ids=[rule.id for rule in WAIVABLE])
def test_a_waiver_silences_the_rule_and_nothing_else_does(
    rule: Rule, copied_bank: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The case named "waived" is found once its waiver is taken out; that it is silent with it is tested there."""
    edits = case(rule, "good", "waived")
    waiver = [edit for edit in edits if f"rule: {rule.id}" in edit.get("append", "")]
    assert len(waiver) == 1
    edited(rule.id, [edit for edit in edits if edit not in waiver], monkeypatch)
    assert said_by(rule.id, report_of(rule.id))


def test_a_waiver_for_a_rule_that_grants_none_is_refused(copied_bank: Path) -> None:
    file = next(copied_bank.glob("dossiers/*/*/1541-*.yaml"))
    item = read(file).value["items"][0]["item_id"]
    none = [rule.id for rule in RULES if not rule.waiver]
    waivers = [
        f"  - {{rule: {name}, waived_item: {item}, waived_text: officers, reason: None., "
        "granted_by: divisionbell, granted_on: '2026-11-30'}\n"
        for name in none
    ]
    file.write_text(file.read_text(encoding="utf-8") + "waivers:\n" + "".join(waivers), encoding="utf-8")
    told = [d.message for d in report_of("REF005").diagnostics if d.rule == "REF005"]
    assert told == [f"{name} grants no waiver" for name in none]


def test_families_stand_together_and_are_named() -> None:
    assert [family for family, _ in groupby(RULES, key=lambda rule: rule.id[:3])] == list(FAMILIES)


def test_every_bank_rule_of_the_instrument_is_held() -> None:
    numbers = {re.match(r"[0-9]+", ground.number).group() for ground in INSTRUMENT}  # type: ignore[union-attr]
    assert numbers == {str(number) for number in range(1, 13)}
    assert [ground.number for ground in INSTRUMENT if not ground.rules] == []


def test_grounds_name_rules_that_exist() -> None:
    for grounds in TABLES.values():
        assert len({ground.number for ground in grounds}) == len(grounds)
        for ground in grounds:
            assert set(ground.rules) <= BY_ID.keys(), ground.number
            assert ground.rules or ground.elsewhere, f"nothing holds {ground.number}"
            assert ground.says.endswith(".")


def test_the_table_of_the_codebook_is_that_of_the_bank() -> None:
    """bank/CODEBOOK.md is frozen: every sentence and rule named there stands in the table, which may name more."""
    text = (ROOT / "bank" / "CODEBOOK.md").read_text(encoding="utf-8")
    parts = re.split(r"^([0-9]+)\. ", text, flags=re.MULTILINE)[1:]
    pairs = zip(parts[::2], parts[1::2], strict=True)
    named = {number: set(re.findall(r"\b[A-Z]{3}[0-9]{3}\b", said)) for number, said in pairs}
    assert len(set().union(*named.values())) > 20
    table = {ground.number: set(ground.rules) for ground in CODEBOOK}
    assert list(table) == list(named)
    assert {number: rules - table[number] for number, rules in named.items() if rules - table[number]} == {}


@pytest.fixture
def rule_pages(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import rule_pages

    return rule_pages


def test_what_rules_say_is_what_the_cases_say(rule_pages: Any) -> None:
    said = json.loads((ROOT / "src" / "divisionbell" / "validate" / "said.json").read_text(encoding="utf-8"))
    assert said == rule_pages.said(), "make docs, then commit"


def test_the_pages_are_current(rule_pages: Any) -> None:
    made = rule_pages.pages()
    found = [ROOT / "docs" / "rules.md", *sorted((ROOT / "docs" / "rules").glob("*.md"))]
    assert [path.relative_to(ROOT / "docs").as_posix() for path in found] == ["rules.md", *sorted(made)[1:]]
    stale = [name for name, text in made.items() if (ROOT / "docs" / name).read_text(encoding="utf-8") != text]
    assert stale == [], "make docs, then commit"


def test_links_of_the_pages_lead_somewhere(rule_pages: Any) -> None:
    for name, text in rule_pages.pages().items():
        for target in re.findall(r"\]\(([^)]+)\)", text):
            path, _, anchor = target.partition("#")
            file = (ROOT / "docs" / name).parent / path
            assert file.is_file(), f"{name} links to {target}"
            if anchor:
                heads = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
                assert anchor in {head.lower().replace(" ", "-") for head in heads}, f"{name} links to {target}"
