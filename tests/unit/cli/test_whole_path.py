"""The whole path by its commands: freeze, run, score, register, verify, with the outcomes that are known beforehand."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import forked

ROOT = Path(__file__).resolve().parents[3]
Start = Callable[..., subprocess.CompletedProcess[str]]
SCORES = [f"{scale}.{axis}" for scale in ("concrete", "implicit") for axis in ("economic", "social")]


def divisionbell(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return forked.run(*arguments, cwd=home)


def from_the_start(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The same with all that the start of Python does."""
    return subprocess.run(
        [sys.executable, "-m", "divisionbell", *arguments], cwd=home, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a frozen copy of the shipped bank."""
    folder = tmp_path_factory.mktemp("home")
    shutil.copytree(ROOT / "tests" / "pilot" / "bank", folder / "bank")
    shutil.copy(ROOT / "tests" / "pilot" / "data_sources.yaml", folder)
    if not list((folder / "bank").glob("freeze/*.json")):
        done = from_the_start(folder, "freeze", "0.1.0")
        assert done.returncode == 0, done.stdout + done.stderr
    return folder


def named_scores(home: Path, respondent: str, start: Start = divisionbell) -> dict[str, Any]:
    out = f"runs/{respondent.replace(':', '-')}"
    done = start(home, "run", respondent, "--out", out)
    assert done.returncode == 0, done.stderr
    done = start(home, "score", out, "--format", "json")
    assert done.returncode == 0, done.stderr
    return {estimate["name"]: estimate for estimate in json.loads(done.stdout)["estimates"]}


@pytest.mark.parametrize(
    ("respondent", "score", "flip"),
    [
        ("scripted:always-a", 0, 1),
        ("scripted:always-b", 0, 1),
        ("scripted:negative", -1, 0),
        ("scripted:positive", 1, 0),
    ],
)
def test_scores_known_beforehand(home: Path, respondent: str, score: int, flip: int) -> None:
    start = from_the_start if respondent == "scripted:positive" else divisionbell
    named = named_scores(home, respondent, start)
    assert [named[name]["value"] for name in SCORES] == [score] * 4
    assert [named[f"{name}.flip"]["value"] for name in SCORES] == [flip] * 4
    assert all(named[name]["low"] < named[name]["high"] for name in SCORES)


def test_refusing_everything_is_undefined_with_the_widest_bounds(home: Path) -> None:
    named = named_scores(home, "scripted:refuse")
    for name in SCORES:
        assert "value" not in named[name]
        assert "value" not in named[f"{name}.flip"]
        assert (named[f"{name}.bounds"]["low"], named[f"{name}.bounds"]["high"]) == (-1, 1)
    assert named["parse.final_rate"]["value"] == 0


def test_parties_stand_apart_on_both_axes(home: Path) -> None:
    done = divisionbell(home, "parties", "--format", "json")
    assert done.returncode == 0, done.stderr
    rows = {(r["party"], r["axis"], r["set"]): r for r in json.loads(done.stdout)["parties"]}
    for axis in ("economic", "social"):
        for which in ("admitted", "all judged"):
            assert rows["Conservative", axis, which]["score"] > 0 > rows["Labour", axis, which]["score"]


def test_a_registered_run_locks_its_version(home: Path, tmp_path: Path) -> None:
    copy = tmp_path / "home"
    shutil.copytree(home, copy)
    assert divisionbell(copy, "run", "scripted:coin", "--out", "runs/coin").returncode == 0
    done = divisionbell(copy, "runs", "register", "runs/coin")
    assert done.returncode == 0, done.stderr
    assert divisionbell(copy, "validate").returncode == 0
    assert "used by run scripted-coin" in divisionbell(copy, "verify").stdout
    again = divisionbell(copy, "runs", "register", "runs/coin")
    assert again.returncode == 2
    assert "registered already" in again.stderr
    frozen = copy / "bank" / "freeze" / "0.1.0.json"
    frozen.write_bytes(frozen.read_bytes().replace(b'"frozen_by": "divisionbell', b'"frozen_by": "divisionbelL'))
    done = divisionbell(copy, "validate")
    assert done.returncode == 1
    assert "FRZ002" in done.stdout
    frozen.unlink()
    assert divisionbell(copy, "verify").returncode == 1


def test_a_tampered_run_is_neither_verified_nor_registered(home: Path, tmp_path: Path) -> None:
    copy = tmp_path / "home"
    shutil.copytree(home, copy)
    assert divisionbell(copy, "run", "scripted:always-a", "--form", "short", "--out", "runs/a").returncode == 0
    journal = copy / "runs" / "a" / "journal.jsonl"
    lines = journal.read_text().splitlines()
    changed = json.loads(lines[0])
    changed["answer"] = "B"
    journal.write_text("\n".join([json.dumps(changed), *lines[1:]]) + "\n")
    done = divisionbell(copy, "runs", "verify", "runs/a")
    assert done.returncode == 1
    assert "recorded is valid_at_first B" in done.stdout
    assert divisionbell(copy, "runs", "register", "runs/a").returncode == 2
    done = divisionbell(copy, "score", "runs/a")
    assert done.returncode == 1
    assert "was not scored" in done.stderr


def test_a_run_against_another_bank_is_not_scored(home: Path, tmp_path: Path) -> None:
    copy = tmp_path / "home"
    shutil.copytree(home, copy)
    assert divisionbell(copy, "run", "scripted:coin", "--form", "short", "--out", "runs/c").returncode == 0
    header = copy / "runs" / "c" / "run.json"
    told = json.loads(header.read_text())
    told["bank_sha256"] = "0" * 64
    header.write_text(json.dumps(told))
    done = divisionbell(copy, "score", "runs/c")
    assert done.returncode == 1
    assert "it was asked from records 000" in done.stderr
    assert "Traceback" not in done.stderr


def test_parse_passes_unknown_fields_through(home: Path) -> None:
    line = {"item_id": "q2345abc", "reply": '{"item_id":"q2345abc","answer":"B"}', "finish_reason": "stop", "mine": [1]}
    done = subprocess.run(
        [sys.executable, "-m", "divisionbell", "parse", "-"],
        input=json.dumps(line) + "\n\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert json.loads(done.stdout) == {**line, "verdict": "valid", "answer": "B", "reason": "ok"}


@pytest.mark.parametrize("line", ["{", "[]", '{"reply":"x"}', '{"item_id":"q2345abc","reply":1}'])
def test_parse_names_the_line_it_cannot_read(line: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "divisionbell", "parse"], input=line, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert ":1:" in done.stderr


def tampered(home: Path, tmp_path: Path, change: Any, *, respondent: str = "scripted:coin") -> Path:
    """A copy with a run of the short form whose lines went through `change`."""
    copy = tmp_path / "home"
    shutil.copytree(home, copy)
    assert divisionbell(copy, "run", respondent, "--form", "short", "--out", "runs/t").returncode == 0
    journal = copy / "runs" / "t" / "journal.jsonl"
    lines = [change(json.loads(line)) for line in journal.read_text().splitlines()]
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines if line is not None))
    return copy


def second_thoughts(unit: dict[str, Any]) -> dict[str, Any]:
    """The other letter as an answer after the reminder, where the first reply was valid."""
    other = "B" if unit["answer"] == "A" else "A"
    again = {**unit["attempts"][0], "attempt_number": 2}
    again["reply_text"] = json.dumps({"item_id": unit["asked_item"], "answer": other})
    return {**unit, "attempts": [unit["attempts"][0], again], "outcome": "valid_after_retry", "answer": other}


def dropped(unit: dict[str, Any]) -> dict[str, Any]:
    if unit["asked_dossier"] != "commons-1905":
        return unit
    kept = {name: value for name, value in unit.items() if name != "answer"}
    return {**kept, "attempts": [], "outcome": "not_administered"}


@pytest.mark.parametrize(
    "change",
    [
        second_thoughts,
        dropped,
        lambda unit: {**unit, "stored_order": not unit["stored_order"]},
        lambda unit: {**unit, "asked_dossier": "commons-80"},
        lambda unit: {**unit, "attempts": [{**unit["attempts"][0], "attempt_number": 2}]},
    ],
)
def test_a_run_that_is_not_what_its_replies_come_to_is_used_by_nothing(home: Path, tmp_path: Path, change: Any) -> None:
    copy = tampered(home, tmp_path, change)
    for verb in (("runs", "verify"), ("score",), ("report",), ("runs", "register")):
        done = divisionbell(copy, *verb, "runs/t")
        assert done.returncode in (1, 2), verb
        assert "Traceback" not in done.stderr
    assert divisionbell(copy, "export", "rdf", "--run", "runs/t").returncode in (1, 2)


def test_a_registered_run_cannot_be_rewritten(home: Path, tmp_path: Path) -> None:
    copy = tampered(home, tmp_path, lambda unit: unit)
    assert divisionbell(copy, "runs", "register", "runs/t").returncode == 0
    journal = copy / "runs" / "t" / "journal.jsonl"
    journal.write_text("".join(reversed(journal.read_text().splitlines(keepends=True))))
    done = divisionbell(copy, "score", "runs/t")
    assert done.returncode == 1
    assert "was registered with journal_sha256" in done.stderr
    (copy / "bank" / "evaluations.yaml").unlink()
    assert divisionbell(copy, "validate").returncode == 1


def test_scores_that_were_changed_are_not_exported(home: Path, tmp_path: Path) -> None:
    copy = tampered(home, tmp_path, lambda unit: unit)
    assert divisionbell(copy, "score", "runs/t").returncode == 0
    assert divisionbell(copy, "export", "rdf", "--run", "runs/t").returncode == 0
    path = copy / "runs" / "t" / "score.json"
    document = json.loads(path.read_text())
    document["estimates"][0]["value"] = 0.777
    path.write_text(json.dumps(document))
    done = divisionbell(copy, "export", "rdf", "--run", "runs/t")
    assert done.returncode == 1
    assert "is not what the run gives" in done.stderr


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("journal.jsonl", '{"unit_key":[1],"outcome":[]}\n{}\n'),
        ("run.json", "[" * 100_000),
        ("run.json", "{}"),
        ("journal.jsonl", None),
    ],
)
def test_damaged_run_files_are_findings(home: Path, tmp_path: Path, file: str, content: str | None) -> None:
    copy = tampered(home, tmp_path, lambda unit: unit)
    path = copy / "runs" / "t" / file
    if content is None:
        path.unlink()
        path.mkdir()
    else:
        path.write_text(content)
    for verb in (("runs", "verify"), ("runs", "show"), ("score",), ("report",)):
        assert divisionbell(copy, *verb, "runs/t").returncode in (1, 2), verb
    assert divisionbell(copy, "runs", "list").returncode == 0


@pytest.mark.parametrize("out", ["bank/x", "README.md/x", "bank"])
def test_a_run_folder_must_be_a_sound_place(home: Path, tmp_path: Path, out: str) -> None:
    copy = tmp_path / "home"
    shutil.copytree(home, copy)
    (copy / "README.md").write_text("x")
    assert divisionbell(copy, "run", "scripted:coin", "--out", out).returncode == 2
