"""Standard output may be closed, full, a broken pipe or in any encoding, and names may hold anything."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from divisionbell.cli.findings import FORMATS

ODD = [b"a b, c:d%", b"new\nline\r\x1b[31m", b"caf\xe9\xff"]


@pytest.fixture
def ended(program: Callable[..., Any]) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    def run(*arguments: Any, **options: Any) -> subprocess.CompletedProcess[bytes]:
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        process = program(*arguments, **options)
        out, err = process.communicate(timeout=60)
        return subprocess.CompletedProcess([], process.returncode, out, err)

    return run


def well_formed(style: str, told: bytes) -> None:
    if style in {"json", "sarif"}:
        json.loads(told.decode())
    elif style == "junit":
        ElementTree.fromstring(told)
    elif style == "github":
        assert all(line.startswith("::") for line in told.decode().splitlines())
    assert told.endswith(b"\n")


@pytest.mark.parametrize("style", FORMATS)
def test_a_reader_that_has_enough_changes_no_verdict(broken: Path, program: Callable[..., Any], style: str) -> None:
    for code, path in ((1, "bank"), (0, "bank/dossiers/economic")):
        process = program("validate", path, "--format", style, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.wait(60) == code
        assert process.stderr.read() == b""


@pytest.mark.parametrize("style", FORMATS)
@pytest.mark.usefixtures("broken")
def test_output_that_cannot_be_written(style: str, program: Callable[..., Any], environment: dict[str, str]) -> None:
    with open("/dev/full", "wb") as full:
        process = program("validate", "--format", style, stdout=full, stderr=subprocess.PIPE)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert err.startswith(b"error: the output cannot be written: ")
    assert b"Traceback" not in err
    closed = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *process.args], capture_output=True, env=environment)
    assert (closed.returncode, closed.stdout, closed.stderr) == (1, b"", b"")


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", ">&- 2>&- <&-"])
def test_closed_streams_also_with_a_bank_that_takes_two_processes(
    closed: str, repository: Path, environment: dict[str, str]
) -> None:
    for verb, code in (("validate", 0), ("explain", 0), ("validate nowhere", 2)):
        command = [sys.executable, "-m", "divisionbell", *verb.split()]
        ended = subprocess.run(
            ["sh", "-c", f'"$@" {closed}', "sh", *command], cwd=repository, env=environment, capture_output=True
        )
        assert ended.returncode == code
        assert b"fault of divisionbell" not in ended.stderr


@pytest.mark.parametrize("arguments", [["validate", "--bank", "nowhere"], ["nonsense"], ["explain", "XXX000"]])
def test_the_exit_code_tells_where_nothing_else_can(arguments: list[str], program: Callable[..., Any]) -> None:
    with open("/dev/full", "wb") as full:
        assert program(*arguments, stdout=full, stderr=full).wait(60) == 2


@pytest.mark.parametrize("arguments", [["explain"], ["--help"], ["validate", "--help"], ["score", "nowhere"]])
def test_other_verbs_say_so_too(arguments: list[str], program: Callable[..., Any]) -> None:
    with open("/dev/full", "wb") as full:
        process = program(*arguments, stdout=full, stderr=subprocess.PIPE)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert b"fault of divisionbell" not in err
    assert err.startswith(b"error: ")


@pytest.mark.parametrize(
    "variables",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
)
def test_any_encoding(
    dossier: Path, ended: Callable[..., subprocess.CompletedProcess[bytes]], variables: dict[str, str]
) -> None:
    text = dossier.read_text(encoding="utf-8").replace("    stem: >-\n      ", "    stem: >-\n      Ω→Z", 1)
    dossier.write_text(text, encoding="utf-8")
    for style in FORMATS:
        told = ended("validate", "--format", style, env=variables)
        assert (told.returncode, told.stderr) == (1, b"")
        well_formed(style, told.stdout)
        if style == "text" and "ascii" in variables.values():
            assert told.stdout.isascii()
            assert b"\\u03a9" in told.stdout
    assert ended("--help", env=variables).returncode == 0
    assert ended("validate", "--help", env=variables).returncode == 0


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("style", FORMATS)
def test_any_name(
    name: bytes, style: str, broken: Path, ended: Callable[..., subprocess.CompletedProcess[bytes]]
) -> None:
    folder = os.fsdecode(name)
    broken.rename(broken.with_name(f"1541-{folder}.yaml"))
    Path(folder).mkdir()
    shutil.move("bank", folder)
    shutil.move("data_sources.yaml", folder)
    told = ended("validate", "--format", style, "--bank", f"{folder}/bank")
    assert (told.returncode, told.stderr) == (1, b"")
    well_formed(style, told.stdout)
    assert b"\x1b" not in told.stdout
    assert b"HSH001" in told.stdout
    if style == "text":
        assert b"\r" not in told.stdout
        assert b"  224 |     transformation_sha256: " in told.stdout
    if style == "sarif" and b"\xff" in name:
        assert b"caf%E9%FF/bank/dossiers/social/public-protest/1541-caf%E9%FF.yaml" in told.stdout
    missing = ended("validate", "--bank", f"{folder}/nowhere", "--format", style)
    assert (missing.returncode, missing.stdout) == (2, b"")
    assert b"\x1b" not in missing.stderr


def test_quiet(copied_bank: Path, divisionbell: Callable[..., Any]) -> None:
    for style, empty in (("text", True), ("github", True), ("json", False), ("sarif", False), ("junit", False)):
        ended = divisionbell("validate", "--quiet", "--format", style)
        assert (ended.code, ended.err) == (0, "")
        assert (ended.out == b"") == empty
    shutil.rmtree(copied_bank / "dossiers")
    ended = divisionbell("validate", "--quiet", "bank/excluded")
    assert (ended.code, ended.out, ended.err) == (1, b"", "error: 0 items checked, which is never success\n")


@pytest.mark.usefixtures("broken")
def test_quiet_leaves_the_findings(divisionbell: Callable[..., Any]) -> None:
    loud, quiet = divisionbell("validate"), divisionbell("validate", "--quiet")
    assert quiet.code == 1
    assert loud.text.startswith(quiet.text)
    assert len(loud.text.splitlines()) == len(quiet.text.splitlines()) + 2
