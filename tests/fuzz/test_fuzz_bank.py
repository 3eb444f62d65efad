"""Whatever is done to the files of a bank, a check ends with findings: sorted, of known rules, at places that exist.

`fuzz_reader.py` does the same with a fuzzer that is led by what the code does; what it found is kept below.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mutations import fitting, put, spoiled_file, written
from small_bank import SURVEY, SmallBank, must_be_sound

from divisionbell import __main__
from divisionbell.bank.load import load
from divisionbell.freeze.verify import verify
from divisionbell.validate.bounds import MOST_ACROSS
from divisionbell.validate.engine import Report, check

SETTINGS = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
DOSSIER = Path("bank/dossiers/social/end-of-life/1877-help-to-die.yaml")
BANK, SOURCES, RUNS = Path("bank/bank.yaml"), Path("data_sources.yaml"), Path("bank/evaluations.yaml")
LATER, PLAN = Path("bank/prospective/later.yaml"), Path("bank/analysis_plan.yaml")


def spoil(bank: SmallBank, draw: Random) -> None:
    """Spoil one file, sometimes two; dossiers and settings more often, since most rules look at those."""
    files = sorted(bank.files)
    weights = [4 if "dossiers" in file.parts or file.name == "bank.yaml" else 1 for file in files]
    for file in draw.choices(files, weights, k=draw.choice((1, 1, 1, 2))):
        file.write_bytes(spoiled_file(draw, bank.files[file], bank.values.get(file)))


@settings(SETTINGS, max_examples=150)
@given(st.randoms(use_true_random=False), st.integers(0, 3))
def test_a_spoiled_bank_has_findings_and_nothing_else(small_bank: SmallBank, draw: Random, survey: int) -> None:
    spoil(small_bank, draw)
    try:
        must_be_sound(check(load(small_bank.folder), SURVEY if survey == 0 else None))
    finally:
        small_bank.put_right()


@settings(SETTINGS, max_examples=60)
@given(st.randoms(use_true_random=False))
def test_a_bank_made_up_from_the_schema_has_findings_and_nothing_else(small_bank: SmallBank, draw: Random) -> None:
    """Several files at once, each with whatever its class admits."""
    for file in draw.sample(sorted(small_bank.values), 3):
        file.write_text(written(fitting(draw, {"$ref": f"#/$defs/{root_of(file)}"})), encoding="utf-8")
    try:
        must_be_sound(check(load(small_bank.folder)))
    finally:
        small_bank.put_right()


def root_of(file: Path) -> str:
    roots = {
        BANK: "Bank",
        PLAN: "AnalysisPlan",
        RUNS: "EvaluationRegister",
        SOURCES: "DataSources",
        LATER: "ProspectiveRegister",
    }
    return roots.get(file) or ("ExcludedDossier" if "excluded" in file.parts else "Dossier")


COMMANDS = [
    *(f"validate --format {style}" for style in ("text", "json", "github", "sarif", "junit")),
    "verify",
    "diff 0.1.0 WORKING",
    "fmt --check",
    "hash",
]


@settings(SETTINGS, max_examples=40)
@given(st.randoms(use_true_random=False), st.sampled_from(COMMANDS))
def test_no_command_ends_as_a_fault(small_bank: SmallBank, draw: Random, command: str) -> None:
    spoil(small_bank, draw)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["divisionbell", *command.split()])
        try:
            with pytest.raises(SystemExit) as ended:
                __main__.main()
        finally:
            small_bank.put_right()
    assert ended.value.code in {0, 1, 2}


def told(bank: SmallBank, file: Path, change: Callable[[Any], Any]) -> Report:
    """What is found after one change of the value of a file."""
    file.write_text(written(change(json.loads(json.dumps(bank.values[file])))), encoding="utf-8")
    try:
        report = check(load(bank.folder))
        must_be_sound(report)
    finally:
        bank.put_right()
    return report


def at(*path: str | int, value: Any) -> Callable[[Any], Any]:
    return lambda whole: put(whole, path, value)


@pytest.mark.parametrize("file", [DOSSIER, BANK, SOURCES, LATER], ids=lambda file: file.stem)
def test_verify_looks_at_no_file_that_does_not_fit(file: Path, small_bank: SmallBank) -> None:
    """It looks at frozen versions, and compared them with working records that nobody had looked at."""
    file.write_text("[]\n", encoding="utf-8")
    try:
        assert verify(load(small_bank.folder), None).all_findings == []
    finally:
        small_bank.put_right()


# Each of these ended in a traceback, without an end, or without memory.
KEPT = {
    "registry is empty": (BANK, at("registry", value=None), "SCH002"),
    "registry is a number": (BANK, at("registry", value=7), "SCH002"),
    "registry of numbers": (BANK, at("registry", value=[7, None, "x", []]), "SCH002"),
    "run length with a point": (BANK, at("wording_limits", "run_length", value=5.0), "SCH002"),
    "run length of all": (BANK, at("wording_limits", "run_length", value=2**53 - 1), "TXT003"),
    "title run length of all": (BANK, at("wording_limits", "title_run_length", value=10**9), "TXT003"),
    "bank run length of all": (BANK, at("wording_limits", "bank_run_length", value=41), "TXT003"),
    "version as long as no name": (BANK, at("version", value="1." + "1" * 300 + ".0"), "FRZ001"),
    "version that leads up": (BANK, at("version", value="../../data_sources"), "SCH002"),
    "run of such a version": (RUNS, at("evaluations", 0, "evaluated_version", value="1." + "1" * 300 + ".0"), "FRZ002"),
    "division with a point": (DOSSIER, at("source", "division_id", value=1877.0), "SCH002"),
    "everything is a text": (DOSSIER, lambda _: "x" * 9_000, "SCH002"),
    "everything is a list": (LATER, lambda _: [[[]]], "SCH002"),
    "sources are a number": (SOURCES, lambda _: 1, "SCH002"),
    "plan is nothing": (PLAN, lambda _: None, "SCH002"),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_was_found_once(name: str, small_bank: SmallBank) -> None:
    file, change, rule = KEPT[name]
    report = told(small_bank, file, change)
    if rule == "FRZ001":  # a version that is not frozen yet: nothing to compare with
        assert report.clean
    else:
        assert rule in {diagnostic.rule for diagnostic in report.diagnostics}


def test_a_codebook_that_ends_early(small_bank: SmallBank) -> None:
    """Where it differs was told one line behind its end."""
    file = small_bank.folder / "CODEBOOK.md"
    lines = small_bank.files[file].split(b"\n")
    try:
        for count in (0, 1, 5):
            file.write_bytes(b"".join(line + b"\n" for line in lines[:count]))
            report = check(load(small_bank.folder))
            must_be_sound(report)
            assert "FRZ001" in {d.rule for d in report.diagnostics if d.location.path == file.as_posix()}
    finally:
        small_bank.put_right()


def numbered(count: int, entry: dict[str, Any], slot: str, form: str) -> list[dict[str, Any]]:
    return [{**entry, slot: form.format(number)} for number in range(count)]


def waivers(item: str) -> list[dict[str, Any]]:
    of_all = {"waived_item": item, "reason": "x", "granted_by": "x", "granted_on": "2026-01-01", "rule": "TXT006"}
    return numbered(12_000, of_all, "waived_text", "word word {}")


def item_id(number: int) -> str:
    return "q" + f"{number:07d}".translate(str.maketrans("0189", "abcd"))


MANY: dict[str, tuple[Path, Callable[[Any], Any]]] = {
    "elements that are wrong in every slot": (LATER, lambda _: {"prospective_codes": [{} for _ in range(190_000)]}),
    "unknown names": (DOSSIER, lambda whole: {**whole, **{f"k{number}": 1 for number in range(90_000)}}),
    "waivers": (DOSSIER, lambda whole: {**whole, "waivers": waivers(whole["items"][0]["item_id"])}),
    "items": (
        DOSSIER,
        lambda whole: {**whole, "items": [{**whole["items"][0], "item_id": item_id(n)} for n in range(1_000)]},
    ),
    "a text that names everything": (
        DOSSIER,
        at("items", 0, "stem", value=("Act 1999 Paris waste Lisbon. Labour £5. " * 250)[:9_990].strip()),
    ),
    "weak points twice": (DOSSIER, at("weak_points", value=[f"x{number}" for number in range(90_000)] * 2)),
    "families": (
        BANK,
        lambda whole: {**whole, "issue_families": numbered(19_000, whole["issue_families"][-1], "family_id", "f{}")},
    ),
    "runs": (
        RUNS,
        lambda whole: {"evaluations": numbered(2_000, whole["evaluations"][0], "evaluated_version", "9.{}.0")},
    ),
}


@pytest.mark.parametrize("name", MANY)
def test_a_file_with_very_many_faults(name: str, small_bank: SmallBank) -> None:
    """All are of one file within its limits. What is told of it is bounded; unbounded, most of these took minutes."""
    file, change = MANY[name]
    report = told(small_bank, file, change)
    assert not report.clean
    assert len(report.diagnostics) < 4 * MOST_ACROSS
