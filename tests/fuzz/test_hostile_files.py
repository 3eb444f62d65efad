"""Hostile files through the real command: a clear finding, in bounded time and memory, and nothing written."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hostile_texts import HOSTILE, SPARSE
from small_bank import REPOSITORY

# Of one process that reads all of them, one after the other; a single file takes a small part of each.
SECONDS, BYTES = 40, 1_000_000_000


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    shutil.copytree(REPOSITORY / "tests" / "pilot", tmp_path / "pilot")
    return tmp_path / "pilot" / "bank"


def limits() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # nothing is written


def validated(folder: Path, *arguments: str) -> tuple[int, str, str]:
    # No output through a file: the limit on files does not touch pipes.
    ended = subprocess.run(
        [sys.executable, "-B", "-m", "divisionbell", "validate", *arguments],
        cwd=folder,
        capture_output=True,
        preexec_fn=limits,
        timeout=900,
        check=False,
    )
    return ended.returncode, ended.stdout.decode("utf-8"), ended.stderr.decode("utf-8")


def findings(bank: Path) -> dict[str, list[Any]]:
    """Findings by the name of the file."""
    code, out, err = validated(bank.parent, "--format", "json")
    assert (code, err) == (1, ""), err
    assert len(out) < 5_000_000
    found: dict[str, list[Any]] = {}
    for finding in json.loads(out)["findings"]:
        found.setdefault(Path(finding["path"]).name, []).append(finding)
    return found


def test_every_hostile_text(bank: Path) -> None:
    folder = bank / "dossiers" / "hostile"
    folder.mkdir()
    files = {}
    for number, (name, hostile) in enumerate(HOSTILE.items()):
        data = hostile.text.encode("utf-8")
        assert len(data) <= 4_000_000, name
        files[name] = folder / f"{number}.yaml"
        files[name].write_bytes(data)
    before = sorted(bank.parent.rglob("*"))
    found = findings(bank)
    for name, hostile in HOSTILE.items():
        told = found[files[name].name]
        if hostile.told == "holds a single text":  # it is YAML, and of no class
            assert {finding["rule"] for finding in told} == {"SCH002"}, name
            continue
        assert hostile.told in told[0]["message"], (name, told[0])
        assert {finding["rule"] for finding in told} == {"SCH001"}, name
        assert len(told) <= 1_001, name
        assert all(finding["fix"] and len(finding["message"]) < 1_100 for finding in told), name
        lines = hostile.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for finding in told:
            assert 1 <= finding["line"] <= len(lines), (name, finding)
            assert 1 <= finding["column"] <= len(lines[finding["line"] - 1]) + 1, (name, finding)
    assert set(found) == {file.name for file in files.values()}
    assert sorted(bank.parent.rglob("*")) == before


@pytest.mark.parametrize("name", ["CODEBOOK.md", "bank.yaml", "evaluations.yaml", "../data_sources.yaml"])
def test_files_of_the_bank_that_are_too_large_or_no_files(name: str, bank: Path) -> None:
    file = bank / name
    told = []
    for size in SPARSE.values():
        with file.open("wb") as stream:
            stream.truncate(size)
        told.append(findings(bank)[file.name][0]["message"])
    file.unlink()
    if name != "bank.yaml":  # without it there is no bank
        os.mkfifo(file)
        told.append(findings(bank)[file.name][0]["message"])
    assert told == ["is larger than 4,000,000 bytes"] * 2 + ["is not a file"] * (name != "bank.yaml")


def test_standard_input_that_never_ends(bank: Path) -> None:
    """What a file out of the bank leads to is not read, also where it is this very stream."""
    (bank / "CODEBOOK.md").unlink()
    (bank / "CODEBOOK.md").symlink_to("/dev/stdin")
    (bank / "dossiers" / "x.yaml").symlink_to("/dev/zero")
    read_end, write_end = os.pipe()
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "divisionbell", "validate"],
            cwd=bank.parent,
            stdin=read_end,
            capture_output=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(read_end)
        os.close(write_end)
    assert ended.returncode == 1
    assert ended.stdout.count(b"leads out of the bank folder") == 2


@pytest.mark.parametrize("style", ["text", "json", "github", "sarif", "junit"])
def test_nothing_from_a_file_reaches_a_terminal_unescaped(style: str, bank: Path) -> None:
    """Escape sequences in keys, values, the version and names of files, in every format."""
    settings = (bank / "bank.yaml").read_text(encoding="utf-8")
    settings = settings.replace("version: '0.1.0'", 'version: "\\e]0;\\x9b\\a\\u202e1"')
    (bank / "bank.yaml").write_text(settings + '"\\e[31m\\u202e": "\\e[2J"\n', encoding="utf-8")
    for name in ("\x1b]0;x\x07.yaml", "\u202ex.yaml", os.fsdecode(b"\xff.yaml")):
        (bank / "dossiers" / name).write_text('"\\e[2J": &x\n', encoding="utf-8")
    code, out, err = validated(bank.parent, "--format", style)
    assert (code, err) == (1, "")
    assert not {"\x1b", "\x07", "\x9b", "\u202e", "\x85"} & set(out)
