"""No name of a file or folder can begin a line of output, or command a terminal, whatever verb says it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from divisionbell.cli import VERBS
from divisionbell.sources.ches import FIELDS

Command = Callable[..., Any]
# A line feed, then a command of a GitHub workflow; the sequence that clears a terminal; text that runs backwards.
NAME = "x\n::error::forged\x1b[2J\u202e"
SURVEY = {"CONS": 7.5, "LAB": 4.0, "LIBDEM": 4.5, "SNP": 3.5, "Plaid": 3.0, "GPEW": 2.0, "REF UK": 8.5}
# Verbs that say no name of a file in a bank folder: what they print comes from the command line, or from rules.
NO_NAMES = {"explain", "parse", "selftest", "diff"}


@pytest.fixture
def bank(frozen_bank: Path) -> Path:
    """A frozen bank in a folder with such a name, with a dossier of such a name that lacks a digest and a mirror."""
    folder = Path(NAME)
    frozen_bank.rename(folder)
    dossier = next(folder.glob("dossiers/social/public-protest/*.yaml"))
    dossier.rename(dossier.with_name(f"1541-{NAME}.yaml"))
    rows = ["country,party," + ",".join(FIELDS)]
    rows += [f"uk,{label}," + ",".join([str(value)] * len(FIELDS)) for label, value in SURVEY.items()]
    Path(f"{NAME}.csv").write_text("\n".join(rows) + "\n")
    shutil.copytree(folder, "whole")
    return folder


def dossier_of(bank: Path) -> Path:
    return next(bank.glob("dossiers/social/public-protest/*.yaml"))


def without_a_digest(bank: Path) -> None:
    text = dossier_of(bank).read_text()
    dossier_of(bank).write_text(re.sub(r"(transformation_sha256: )\S+", r"\g<1>'" + "0" * 64 + "'", text, count=1))


def without_a_mirror(bank: Path) -> str:
    lines = dossier_of(bank).read_text().splitlines(keepends=True)
    starts = [n for n, line in enumerate(lines) if line.startswith("  - item_id:")]
    mirror_of = next(line.split()[1] for line in lines[starts[1] :] if line.strip().startswith("mirror_of:"))
    dossier_of(bank).write_text("".join(lines[: starts[1]] + lines[starts[2] :]))
    return mirror_of


def unformatted(bank: Path) -> None:
    text = dossier_of(bank).read_text()
    dossier_of(bank).write_text(text.replace("axis: social", "axis:   social", 1))


def unshaped(bank: Path) -> None:
    dossier_of(bank).write_text(dossier_of(bank).read_text() + "stray: 1\n")


def said(divisionbell: Command, bank: Path, *arguments: str) -> tuple[str, int]:
    ended = divisionbell(*arguments, "--bank", str(bank))
    assert "fault of divisionbell" not in ended.err, (arguments, ended)
    return ended.text + ended.err, ended.code


def test_every_verb(bank: Path, divisionbell: Command) -> None:
    spoils: dict[str, Callable[[Path], Any] | None] = {"hash": without_a_digest, "fmt": unformatted}
    survey, figures = f"{NAME}.csv", f"{NAME}.json"
    Path(figures).write_text(json.dumps({"division_id": 5}))
    new = ["5", "--from", figures, "--ches", survey, "--aye", "negative", "--slug", "a", "--agent", NAME]
    given = {
        "validate": [[], [NAME], ["--format", "github"], ["--ches", survey]],
        "hash": [["--check"], [], [f"{NAME}/absent"]],
        "fmt": [["--diff"], ["--check"], ["--check", "--format", "json"], [], [NAME + "y"]],
        "freeze": [["0.1.0"], [NAME], ["0.1.0", "--sign", NAME + ".key"]],
        "verify": [[], [NAME], ["--format", "json"], ["--key", NAME + ".key"]],
        "parties": [[], ["--members", survey], ["--ches", survey]],
        "review": [
            ["party-space", "1541", "--ches", survey],
            ["party-space", NAME, "--ches", survey],
            ["sheet", "--dossier", "1541"],
            ["sheet", "--out", f"{NAME}.sheet"],
            ["code", survey, "--agent", NAME],
            ["agreement"],
        ],
        "new": [[*new, "--axis", "social", "--exclude", "ambiguous"]],
        "run": [["scripted:coin", "--form", "short", "--out", f"{NAME}-run"], [NAME]],
        "runs": [["verify", f"{NAME}-run"], ["register", f"{NAME}-run"]],
        "score": [[f"{NAME}-run"], [NAME]],
        "trace": [
            [f"{NAME}-run"],
            [f"{NAME}-run", "concrete.social"],
            [f"{NAME}-run", "concrete.social", "--format", "json"],
            [f"{NAME}-run", NAME],
            [f"{NAME}-run", "concrete.social", "--item", NAME],
        ],
        "power": [["--from", f"{NAME}-run"], ["--from", f"{NAME}-run", "--format", "json"], ["--from", NAME], [NAME]],
        "export": [["rdf", "--out", f"{NAME}.ttl"]],
    }
    runs = {verb: [[verb, *rest] for rest in commands] for verb, commands in given.items()}
    printed = 0
    for verb, commands in runs.items():
        for arguments in commands:
            spoil = spoils.get(verb)
            if spoil is not None:
                spoil(bank)
            text, _ = said(divisionbell, bank, *arguments)
            printed += "\\u000a" in text or "%0A" in text or "\\n" in text
            for line in text.splitlines():
                assert not line.startswith("::error::forged"), (arguments, text)
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", text), (arguments, text)
    assert printed > 20
    assert VERBS.keys() - runs.keys() - NO_NAMES <= {"mirror", "report", "models", "merge", "batch", "query", "compare"}


def test_mirror(bank: Path, divisionbell: Command) -> None:
    text, code = said(divisionbell, bank, "mirror", without_a_mirror(bank))
    assert code == 0, text
    assert "\\u000a::error::forged\\u001b[2J\\u202e.yaml; write its texts" in text
    assert text.count("\n") == 1


def test_what_does_not_fit_is_told_in_lines_of_its_own(bank: Path, divisionbell: Command) -> None:
    unshaped(bank)
    for arguments in (("review", "sheet"), ("review", "agreement"), ("hash",)):
        text, code = said(divisionbell, bank, *arguments)
        assert code == 1
        lines = text.splitlines()
        assert "error[SCH002] the record has no slot stray" in lines[0]
        assert any(line.startswith("  fix: correct the spelling") for line in lines)
        assert any(line.startswith("error: ") and "does not fit the schema" in line for line in lines)
        assert not any(line.startswith("::error::") for line in lines)


def test_an_unknown_option_is_told_in_one_line(divisionbell: Command) -> None:
    ended = divisionbell("validate", "--" + NAME)
    assert ended.code == 2
    assert "\n::error::" not in ended.err
    assert "\x1b" not in ended.err
