"""`explain` from the command line: the list, one page or several, JSON, and what is near to an id that is none."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from divisionbell import __main__
from divisionbell.validate.page import FAMILIES, page
from divisionbell.validate.rules import BY_ID, RULES


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["divisionbell", "explain", *arguments])
    with pytest.raises(SystemExit) as ended:
        __main__.main()
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_every_rule_is_listed_below_its_family(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines if not line.startswith(" ")] == list(FAMILIES)
    assert [line.split()[0] for line in lines if line.startswith("  ")] == [rule.id for rule in RULES]


@pytest.mark.parametrize("rule_id", ["KEY001", "TXT006", "HSH002"])
def test_one_page_says_everything(
    rule_id: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, rule_id.lower()) == 0
    out, shown = capsys.readouterr().out, page(BY_ID[rule_id])
    plain = [line.strip() for line in out.splitlines()]
    for text in (shown.name, shown.protects, shown.fix, *(held.says for held in shown.holds), *shown.also):
        assert text in out
    for block in (shown.wrong, shown.right, shown.says):
        assert [line for line in block.split("\n") if line.strip() not in plain] == []
    assert ("none is granted" in out) == (not shown.waiver)


def test_several_pages_in_the_order_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "MIR002", "KEY001", "mir002") == 0
    heads = [line for line in capsys.readouterr().out.splitlines() if line[:6] in BY_ID]
    assert [head.split()[0] for head in heads] == ["MIR002", "KEY001"]


def test_json_holds_the_same(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "TXT001", "--format", "json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["format"] == "divisionbell-explain/1"
    (one,) = told["rules"]
    shown = page(BY_ID["TXT001"])
    assert (one["id"], one["says"], one["waiver"]) == (shown.id, shown.says, shown.waiver)
    assert {held["table"] for held in one["holds"]} == {"instrument", "codebook"}
    assert run(monkeypatch, "--format", "json") == 0
    assert [one["id"] for one in json.loads(capsys.readouterr().out)["rules"]] == [rule.id for rule in RULES]


def test_near_ids_are_named_and_nothing_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "KEY001", "MIR0O2") == 2
    ended = capsys.readouterr()
    assert ended.out == ""
    assert "there is no rule MIR0O2" in ended.err and "the nearest are MIR002" in ended.err
    assert run(monkeypatch, "zzzzzz") == 2
    assert "nearest" not in capsys.readouterr().err


def test_it_needs_neither_bank_nor_repository(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "divisionbell", "explain", *(rule.id for rule in RULES)]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.count("What validate says") == len(RULES)


def test_a_family_lists_its_rules_in_order(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "frz") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["FRZ  freeze", *(f"  {r.id}  {r.name}" for r in RULES if r.id.startswith("FRZ"))]
    assert run(monkeypatch, "FRZ", "--format", "json") == 0
    assert [one["id"] for one in json.loads(capsys.readouterr().out)["rules"]] == ["FRZ001", "FRZ002", "FRZ003"]
    assert run(monkeypatch, "FRX") == 2
    assert "FRZ" in capsys.readouterr().err


def test_it_says_once_whose_places_are_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "KEY001", "MIR002") == 0
    assert capsys.readouterr().out.count("tests/pilot") == 1
