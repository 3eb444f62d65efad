"""Every rule against small edits of the shipped bank: bad ones that it must find, near misses where it must be silent.

A rule's folder holds bad.yaml and good.yaml, each a mapping from a case's name to its edits (see edits.py), and
expected.txt, what the rule says to each bad case. After a meant change of the bank or of a message:

    UPDATE_EXPECTED=1 python -m pytest tests/rules

and read the difference before committing it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from edits import apply, filled, ids_by_alias

from divisionbell.author.write_back import replace_block
from divisionbell.bank.load import load
from divisionbell.bank.read import read
from divisionbell.sources.ches import read_survey
from divisionbell.sources.party_space import compute
from divisionbell.validate.engine import Report, check
from divisionbell.validate.rules import RULES

HERE = Path(__file__).parent
SURVEY = "survey.csv"


def cases(kind: str) -> list[Any]:
    return list(_cases(kind))


def _cases(kind: str) -> Iterator[Any]:
    for rule in RULES:
        file = HERE / rule.id / f"{kind}.yaml"
        if file.exists():
            document = read(file)
            assert not document.problems, document.problems
            for name, edits in document.value.items():
                yield pytest.param(rule.id, name, edits, id=f"{rule.id}-{name.replace(' ', '-')}")


def edited(rule_id: str, edits: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Carry out a case's edits on ./bank; a rule with a survey of its own has the figures of that one first."""
    ids = ids_by_alias(HERE.parent / "pilot" / "bank")
    survey = HERE / rule_id / SURVEY
    if survey.exists():
        _compute_anew(survey)
    for edit in edits:
        apply(filled(edit, ids), monkeypatch)


def report_of(rule_id: str) -> Report:
    """What every rule says to ./bank."""
    return check(load(Path("bank")), Path(SURVEY) if (HERE / rule_id / SURVEY).exists() else None)


def said_by(rule_id: str, report: Report) -> str:
    """What one rule says; digests are left out, since they change with every text."""
    told = "\n".join(diagnostic.text() for diagnostic in report.diagnostics if diagnostic.rule == rule_id)
    return re.sub(r"\b[0-9a-f]{64}\b", "<sha256>", told)


def found_by(rule_id: str, edits: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> str:
    """What the rule says to ./bank after the edits."""
    edited(rule_id, edits, monkeypatch)
    return said_by(rule_id, report_of(rule_id))


def _compute_anew(file: Path) -> None:
    """Put the figures of an invented survey in the place of the real one's, which is not handed on."""
    Path(SURVEY).write_bytes(file.read_bytes())
    survey = read_survey(file)
    bank = load(Path("bank"))
    for document in [*bank.dossiers, *bank.excluded]:
        value = document.value
        space = compute(value["source"], value["axis"], survey.values, survey.sha256, survey.value_sha256)
        path = ("reviews", "party_space_crosscheck_v1", "party_space")
        document.path.write_text(replace_block(document, path, space), encoding="utf-8")


def sections(text: str) -> dict[str, str]:
    parts = re.split(r"^=== (.*)$\n", text, flags=re.MULTILINE)[1:]
    return {name: told.strip("\n") for name, told in zip(parts[::2], parts[1::2], strict=True)}


@pytest.fixture
def prepared(copied_bank: Path, request: pytest.FixtureRequest, freeze_folder: Callable[[Path], str]) -> None:
    if request.node.callspec.params["rule_id"].startswith(("FRZ", "SRC006", "PRV001")):
        freeze_folder(copied_bank)


@pytest.mark.usefixtures("prepared")
@pytest.mark.parametrize(("rule_id", "name", "edits"), cases("bad"))
def test_bad(rule_id: str, name: str, edits: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    told = found_by(rule_id, edits, monkeypatch)
    file = HERE / rule_id / "expected.txt"
    expected = sections(file.read_text(encoding="utf-8")) if file.exists() else {}
    if os.environ.get("UPDATE_EXPECTED"):
        expected[name] = told
        names = list(read(HERE / rule_id / "bad.yaml").value)
        kept = [f"=== {case}\n{expected[case]}\n" for case in names if case in expected]
        file.write_text("\n".join(kept), encoding="utf-8")
    assert told, f"{rule_id} finds nothing"
    assert told.split("\n") == expected.get(name, "").split("\n")


@pytest.mark.usefixtures("prepared")
@pytest.mark.parametrize(("rule_id", "name", "edits"), cases("good"))
def test_good(rule_id: str, name: str, edits: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    assert found_by(rule_id, edits, monkeypatch) == ""


@pytest.mark.parametrize("rule_id", [rule.id for rule in RULES])
def test_every_rule_has_its_cases(rule_id: str) -> None:
    folder = HERE / rule_id
    bad, good = read(folder / "bad.yaml").value, read(folder / "good.yaml").value
    assert bad, "no bad case"
    assert good, "no near miss"
    assert list(sections((folder / "expected.txt").read_text(encoding="utf-8"))) == list(bad)


def test_every_folder_is_a_rules() -> None:
    folders = {folder.name for folder in HERE.iterdir() if folder.is_dir() and not folder.name.startswith("_")}
    assert folders == {rule.id for rule in RULES}


def test_the_copy_is_clean(copied_bank: Path) -> None:
    report = check(load(copied_bank))
    assert [d.text() for d in report.diagnostics] == []
    assert report.clean
