"""`validate` from the command line: exit codes, the closing line, formats and the filter by path."""

from __future__ import annotations

import json
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from divisionbell import __main__
from divisionbell.validate import engine
from divisionbell.validate.rules import RULES


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["divisionbell", *arguments])
    with pytest.raises(SystemExit) as ended:
        __main__.main()
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.fixture
def broken(copied_bank: Path) -> Path:
    """A dossier with one letter of a stem changed."""
    file = next(copied_bank.glob("dossiers/social/*/*.yaml"))
    head, found, rest = file.read_text(encoding="utf-8").partition("    stem: >-\n      ")
    assert found
    file.write_text(head + found + "Z" + rest, encoding="utf-8")
    return file


@pytest.mark.usefixtures("copied_bank")
def test_clean(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "validate") == 0
    first, last = capsys.readouterr().out.splitlines()
    assert "bank" in first
    assert "no survey file given" in first
    assert last.endswith(" · 0 findings")
    assert " 0 items" not in last
    assert run(monkeypatch, "validate", "--quiet") == 0
    assert capsys.readouterr().out == ""


def test_findings(broken: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "validate", "--bank", "bank") == 1
    out = capsys.readouterr().out
    assert f"{broken.as_posix()}:" in out
    assert "error[HSH001]" in out
    closing = out.splitlines()[-1]
    assert closing.endswith(" · 1 finding")
    assert re.search(r"\b(\d+)/(\d+) hashes", closing)


def test_json(broken: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "validate", "--format", "json") == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["clean"], told["bank"], told["format"]) == (False, "bank", "divisionbell-validate/1")
    (finding,) = told["findings"]
    assert (finding["rule"], finding["path"]) == ("HSH001", broken.as_posix())
    assert {"line", "column", "message", "fix", "related"} <= set(finding)


def test_paths_filter(broken: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "validate", "bank/dossiers/economic") == 0
    assert "0 findings" in capsys.readouterr().out
    for path in (broken.as_posix(), broken.parent.as_posix(), "bank"):
        assert run(monkeypatch, "validate", path) == 1
        assert "1 finding" in capsys.readouterr().out
    assert run(monkeypatch, "validate", "bank/nowhere") == 2


def test_no_bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DIVISIONBELL_BANK", raising=False)
    assert run(monkeypatch, "validate", "--bank", "nowhere") == 2
    assert "nowhere/bank.yaml does not exist" in capsys.readouterr().err


def test_usage(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "validate", "--nonsense") == 2
    assert run(monkeypatch, "nonsense") == 2
    assert run(monkeypatch, "validate", "--format", "x") == 2
    assert run(monkeypatch, "explain", "XXX999") == 2
    assert "Traceback" not in capsys.readouterr().err


def test_the_bank_from_the_environment(copied_bank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIVISIONBELL_BANK", str(copied_bank.resolve()))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert run(monkeypatch, "validate") == 0


def test_no_items_is_never_success(
    copied_bank: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(copied_bank / "dossiers")
    settings = copied_bank / "bank.yaml"
    text = settings.read_text(encoding="utf-8")
    start, end = text.index("registry:\n"), text.index("agents:\n")
    settings.write_text(text[:start] + "registry: []\n" + text[end:], encoding="utf-8")
    assert run(monkeypatch, "validate") == 1
    assert " 0 items" in capsys.readouterr().out
    assert run(monkeypatch, "validate", "--format", "json") == 1


def test_every_file_that_cannot_be_read_is_a_finding(
    copied_bank: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in (copied_bank / "bank.yaml", copied_bank / "analysis_plan.yaml", Path("data_sources.yaml")):
        data = file.read_bytes()
        for broken in (b"", b"\xff", b"a: [", b"- a\n", b"7\n"):
            file.write_bytes(broken)
            assert run(monkeypatch, "validate") == 1
            assert f"{file.as_posix()}:1:" in capsys.readouterr().out
        file.write_bytes(data)


@pytest.mark.usefixtures("copied_bank")
def test_a_crash_in_a_rule_is_our_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    crashing = replace(RULES[0], check=lambda rule, context: [1 / 0])
    monkeypatch.setattr(engine, "RULES", (crashing, *RULES[1:]))
    assert run(monkeypatch, "validate") == 3
    told = capsys.readouterr().err
    assert "Traceback" not in told
    log = Path(told.strip().rsplit(" ", 1)[1])
    assert "ZeroDivisionError" in log.read_text(encoding="utf-8")


def test_what_lies_elsewhere_is_counted_in_the_last_line(
    broken: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other = next(path for path in Path("bank/excluded").rglob("*.yaml"))
    assert run(monkeypatch, "validate", str(other)) == 0
    out = capsys.readouterr().out
    assert re.search(r"0 findings here, [1-9]\d* elsewhere: divisionbell validate shows them\n\Z", out)
    assert run(monkeypatch, "validate", str(other), "--format", "sarif") == 0
    assert json.loads(capsys.readouterr().out)["runs"][0]["properties"]["findingsElsewhere"] > 0
    assert run(monkeypatch, "validate", str(other), "--format", "github") == 0
    assert "0 findings here" in capsys.readouterr().out


def test_a_file_that_is_not_checked_further_is_counted(
    copied_bank: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = next(copied_bank.glob("dossiers/*/*/1541-*.yaml"))
    file.write_text(file.read_text(encoding="utf-8").replace("axis: social", "axis: socal", 1), encoding="utf-8")
    assert run(monkeypatch, "validate") == 1
    assert " · 1 file not checked further · 1 finding\n" in capsys.readouterr().out
    assert run(monkeypatch, "validate", "--format", "json") == 1
    assert json.loads(capsys.readouterr().out)["counts"]["files not checked"] == 1


def test_a_verb_that_is_none_names_the_nearest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "valdate") == 2
    assert "No such command 'valdate'. Did you mean validate?" in capsys.readouterr().err
    assert run(monkeypatch, "xyzzy") == 2
    assert "Did you mean" not in capsys.readouterr().err


def test_the_working_files_are_named_in_capitals(
    frozen_bank: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "diff", "0.1.0", "working") == 2
    assert "write WORKING in capital letters" in capsys.readouterr().err
