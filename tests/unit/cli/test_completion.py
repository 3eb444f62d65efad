"""Completion in a shell: verbs, rule ids and formats, in a real bash, and without importing what is not needed."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from divisionbell.cli import VERBS
from divisionbell.cli.findings import FORMATS
from divisionbell.validate.rules import RULES

# What a shell writes to a terminal beside the text: bell, modes, colours, titles.
UNSEEN = re.compile(r"\x07|\x1b\[[0-9;?<>=]*[a-zA-Z]|\x1b[=>]|\x1b\][^\x07]*\x07|\x1b\(B")

# What starts a shell without anybody's settings, and the line of docs/how-to/shell-completion.md.
SHELLS = {
    "bash": (["--norc", "--noprofile", "-i"], 'eval "$(_DIVISIONBELL_COMPLETE=bash_source divisionbell)"'),
    "zsh": (
        ["-f", "-i"],
        'autoload -Uz compinit && compinit -D; eval "$(_DIVISIONBELL_COMPLETE=zsh_source divisionbell)"',
    ),
}
FISH = "_DIVISIONBELL_COMPLETE=fish_source divisionbell | source"


@pytest.fixture
def on_path(tmp_path: Path, environment: dict[str, str]) -> dict[str, str]:
    """An environment in which `divisionbell` is a command that runs this code."""
    command = tmp_path / "bin" / "divisionbell"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m divisionbell "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return environment | {"PATH": f"{command.parent}{os.pathsep}{environment['PATH']}", "HOME": str(tmp_path)}


def completed(line: str, environment: dict[str, str]) -> list[str]:
    """What the program answers to a shell that asks for the end of a line."""
    words = line.split(" ")
    asked = {"_DIVISIONBELL_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    told = subprocess.run(["divisionbell"], env=environment | asked, capture_output=True, text=True, check=True)
    assert told.stderr == ""
    return [answer.partition(",")[2] for answer in told.stdout.split("\n") if answer]


def test_answers(on_path: dict[str, str]) -> None:
    assert completed("divisionbell val", on_path) == ["validate"]
    assert completed("divisionbell ", on_path) == list(VERBS)
    assert completed("divisionbell explain ", on_path) == [rule.id for rule in RULES]
    assert completed("divisionbell explain MIR", on_path) == [rule.id for rule in RULES if rule.id[:3] == "MIR"]
    assert completed("divisionbell explain mir", on_path) == [rule.id for rule in RULES if rule.id[:3] == "MIR"]
    assert completed("divisionbell explain nonsense", on_path) == []
    assert completed("divisionbell validate --format ", on_path) == list(FORMATS)
    assert completed("divisionbell validate --format sa", on_path) == ["sarif"]
    assert completed("divisionbell validate --wa", on_path) == ["--watch"]
    assert completed("divisionbell review sh", on_path) == ["sheet"]


def test_a_verb_is_completed_without_importing_it(environment: dict[str, str]) -> None:
    code = """
import sys
from divisionbell.__main__ import main
try:
    main()
finally:
    print(*[name for name in sys.modules if name.startswith("divisionbell.")], file=sys.stderr)
"""
    asked = {"_DIVISIONBELL_COMPLETE": "bash_complete", "COMP_WORDS": "divisionbell ", "COMP_CWORD": "1"}
    told = subprocess.run(
        [sys.executable, "-c", code], env=environment | asked, capture_output=True, text=True, check=True
    )
    assert told.stdout.splitlines() == [f"plain,{verb}" for verb in VERBS]
    loaded = {"divisionbell.__main__", "divisionbell.cli", "divisionbell.cli.stdout", "divisionbell.diagnostics"}
    assert set(told.stderr.split()) == loaded


def test_the_answers_explain_themselves_in_zsh_and_fish(on_path: dict[str, str]) -> None:
    for shell in ("zsh", "fish"):
        asked = {"_DIVISIONBELL_COMPLETE": f"{shell}_complete", "COMP_WORDS": "divisionbell explain MIR002"}
        asked["COMP_CWORD"] = "MIR002" if shell == "fish" else "2"
        told = subprocess.run(["divisionbell"], env=on_path | asked, capture_output=True, text=True, check=True).stdout
        assert "MIR002" in told
        assert next(rule.name for rule in RULES if rule.id == "MIR002") in told.replace("\\:", ":")


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("divisionbell val\t", "divisionbell validate "),
        ("divisionbell explain HSH\t", "divisionbell explain HSH00"),
        ("divisionbell explain KEY001\t", "divisionbell explain KEY001 "),
        ("divisionbell validate --format sa\t", "divisionbell validate --format sarif "),
        ("divisionbell validate --bank dossi\t", "divisionbell validate --bank dossierbank/"),
    ],
)
def test_the_tab_key(shell: str, typed: str, line: str, on_path: dict[str, str], tmp_path: Path) -> None:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"there is no {shell}: install it with the system's packages")
    (tmp_path / "dossierbank").mkdir()
    options, source = SHELLS[shell]
    terminal = Terminal([found, *options], on_path | {"PS1": "$ ", "TERM": "dumb"}, tmp_path)
    try:
        terminal.write(f'{source}; echo re"ady"\n')
        terminal.until("ready")
        terminal.write(typed)
        terminal.until(line)
    finally:
        terminal.close()


@pytest.mark.parametrize(
    ("typed", "answers"),
    [
        ("divisionbell val", ["validate"]),
        ("divisionbell explain HSH", ["HSH001", "HSH002"]),
        ("divisionbell validate --format sa", ["sarif"]),
    ],
)
def test_fish(typed: str, answers: list[str], on_path: dict[str, str]) -> None:
    found = shutil.which("fish")
    if found is None:
        pytest.skip("there is no fish: install it with the system's packages")
    asked = [found, "--no-config", "-c", f"{FISH}; complete --do-complete '{typed}'"]
    told = subprocess.run(asked, env=on_path, capture_output=True, text=True, check=True).stdout
    assert [line.split("\t")[0] for line in told.splitlines()] == answers


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, command: list[str], environment: dict[str, str], folder: Path) -> None:
        self.near, far = pty.openpty()
        self.process: subprocess.Popen[Any] = subprocess.Popen(
            command, stdin=far, stdout=far, stderr=far, env=environment, cwd=folder, start_new_session=True
        )
        os.close(far)
        self.seen = ""

    def write(self, text: str) -> None:
        os.write(self.near, text.encode())

    def until(self, text: str) -> None:
        """Wait until the text stands on the terminal; what came before it is forgotten."""
        end = time.monotonic() + 30
        while text not in (plain := UNSEEN.sub("", self.seen)):
            left = end - time.monotonic()
            assert left > 0, plain
            if select.select([self.near], [], [], left)[0]:
                self.seen += os.read(self.near, 4096).decode(errors="replace")
        self.seen = plain.partition(text)[2]

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.near)
