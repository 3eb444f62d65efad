"""Findings for people: form, colour, and that other verbs speak the same way."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from divisionbell.bank.load import load
from divisionbell.cli.findings.excerpt import Sources
from divisionbell.cli.findings.text import finding
from divisionbell.diagnostics import Diagnostic, Location, Related
from divisionbell.validate.engine import check

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def test_form(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("one: 1\nlist:\n  - \tx\n", encoding="utf-8")
    diagnostic = Diagnostic(
        Location(str(file), 3, 6),
        "KEY001",
        "is \x1b[2Jwrong",
        "write y",
        (Related(Location(str(file), 1, 6), "as here"),),
    )
    assert finding(diagnostic, Sources()) == (
        f"{file}:3:6: error[KEY001] is \\u001b[2Jwrong\n"
        "  3 |   -     x\n"
        "    |         ^\n"
        f"{file}:1:6: note: as here\n"
        "  1 | one: 1\n"
        "    |      ^\n"
        "  fix: write y\n"
    )


@pytest.mark.usefixtures("unreversed")
def test_without_excerpts_it_is_what_a_diagnostic_says(copied_bank: Path) -> None:
    found = check(load(copied_bank)).diagnostics
    assert any(diagnostic.related for diagnostic in found)
    for diagnostic in found:
        told = finding(diagnostic, Sources(), colour=True)
        plain = ESCAPE.sub("", told)
        assert told != plain
        kept = [line for line in plain.splitlines() if not re.match(r" +(\d+ )?\|( |$)", line)]
        assert kept == diagnostic.text().splitlines()
        assert plain == finding(diagnostic, Sources(), colour=False)


def test_many_notes_stand_without_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("one: 1\ntwo: 2\n", encoding="utf-8")
    notes = tuple(Related(Location(str(file), 2, 6), "one more") for _ in range(3))
    told = finding(Diagnostic(Location(str(file), 1, 6), "KEY001", "is wrong", "mend it", notes), Sources())
    assert told.count(" ^\n") == 1
    assert told.count("note: one more") == 3


@pytest.mark.usefixtures("broken")
def test_every_verb_that_tells_findings_shows_the_line(divisionbell: Callable[..., object]) -> None:
    told = divisionbell("validate").text
    frozen = divisionbell("freeze", "0.1.0")
    assert frozen.code == 1
    assert "\n  224 |     transformation_sha256: 67b650b7521" in told
    assert told.startswith(frozen.text)
    assert frozen.text.endswith("divisionbell hash\n")


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": ""}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": ""}, True),
    ],
)
@pytest.mark.usefixtures("broken")
def test_colour_in_a_pipe(
    program: Callable[..., subprocess.Popen[bytes]], variables: dict[str, str], coloured: bool
) -> None:
    started = program("validate", stdout=subprocess.PIPE, env=variables)
    out, _ = started.communicate()
    assert started.returncode == 1
    assert (b"\x1b[1;31merror[HSH001]\x1b[0m" in out) == coloured
    assert (b"\x1b" in out) == coloured


@pytest.mark.parametrize(
    ("variables", "coloured"), [({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False), ({"NO_COLOR": "1"}, False)]
)
@pytest.mark.usefixtures("broken")
def test_colour_on_a_terminal(
    program: Callable[..., subprocess.Popen[bytes]], variables: dict[str, str], coloured: bool
) -> None:
    near, far = pty.openpty()
    started = program("validate", stdout=far, env=variables)
    os.close(far)
    told = b""
    while select.select([near], [], [], 20)[0]:
        try:
            told += os.read(near, 65536)
        except OSError:  # the other end is closed
            break
    os.close(near)
    assert started.wait(20) == 1
    assert b"error[HSH001]" in told
    assert (b"\x1b[" in told) == coloured


@pytest.mark.usefixtures("broken")
def test_other_formats_are_never_coloured(divisionbell: Callable[..., object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert b"\x1b" in divisionbell("validate").out
    for style in ("json", "github", "sarif", "junit"):
        assert b"\x1b" not in divisionbell("validate", "--format", style).out
