"""The SLURM template, submitted as an array to a real SLURM on this machine, and its shards put together."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback_cluster import cluster, told, what_is_missing

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = ROOT / "docs" / "how-to" / "slurm-array.sh"
pytestmark = pytest.mark.skipif(what_is_missing() != "", reason=what_is_missing())


@pytest.fixture(scope="module")
def slurm() -> Iterator[dict[str, str]]:
    with cluster() as environment:
        yield environment


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with a frozen bank, the template, and a command `divisionbell` that runs this code."""
    shutil.copytree(ROOT / "tests" / "pilot" / "bank", tmp_path / "bank")
    shutil.copy(ROOT / "tests" / "pilot" / "data_sources.yaml", tmp_path)
    shutil.copy(TEMPLATE, tmp_path)
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "divisionbell"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m divisionbell "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    assert divisionbell(tmp_path, "freeze", "0.1.0")[0] == 0
    return tmp_path


def surroundings(home: Path) -> dict[str, str]:
    path = os.pathsep.join([str(home / "bin"), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT / "src")}


def divisionbell(home: Path, *arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "divisionbell", *arguments],
        cwd=home,
        env=surroundings(home),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout + done.stderr


def submit(home: Path, slurm: dict[str, str], *options: str, **more: str) -> None:
    """Submit the template and wait until no task of it is left."""
    environment = {**slurm, **surroundings(home), **more}
    answer = told("sbatch", "--export=ALL", *options, "slurm-array.sh", environment=environment, cwd=home)
    found = re.search(r"Submitted batch job ([0-9]+)", answer)
    assert found, answer
    end = time.monotonic() + 60
    while told("squeue", "-h", "-j", found.group(1), environment=environment).strip():
        assert time.monotonic() < end, outputs(home)
        time.sleep(0.2)


def outputs(home: Path) -> str:
    return "\n".join(path.read_text() for path in sorted(home.glob("divisionbell-*.out")))


def answers(home: Path, folder: str) -> dict[str, str]:
    """What the scores are computed from; that equal answers score alike is tested with `merge`."""
    lines = (home / folder / "journal.jsonl").read_bytes().splitlines()
    made = {unit["unit_key"]: unit["answer"] for unit in map(json.loads, lines)}
    assert len(made) == len(lines)
    return made


def test_an_array_is_merged_and_equals_an_unbroken_run(home: Path, slurm: dict[str, str]) -> None:
    asked = {"RESPONDENT": "scripted:coin", "OUT": "s", "SHARDS": "4", "OPTIONS": "--form short"}
    submit(home, slurm, "--array=1-3", **asked)
    assert "shard 2 of 4, from SLURM_ARRAY_TASK_ID=2" in outputs(home)
    code, text = divisionbell(home, "merge", "s", "--out", "m")
    assert code == 1
    assert "shard 4 of 4" in text
    submit(home, slurm, "--array=4", **asked)  # one task sent again keeps its place
    assert divisionbell(home, "merge", "s", "--out", "m")[0] == 0, outputs(home)
    assert divisionbell(home, "run", "scripted:coin", "--form", "short", "--out", "w")[0] == 0
    assert answers(home, "m") == answers(home, "w")
    assert divisionbell(home, "runs", "verify", "m")[0] == 0
    assert len(json.loads((home / "m" / "run.json").read_bytes())["merged_from"]) == 4


def test_auto_finds_its_place_in_an_array_that_begins_elsewhere(home: Path, slurm: dict[str, str]) -> None:
    script = home / "slurm-array.sh"
    script.write_text(script.read_text().replace('"auto/$SHARDS"', "auto"), encoding="utf-8")
    submit(home, slurm, "--array=10-14:2", RESPONDENT="scripted:coin", OUT="s", OPTIONS="--form short")
    assert "shard 3 of 3, from SLURM_ARRAY_TASK_ID=14" in outputs(home)
    assert divisionbell(home, "merge", "s", "--out", "m")[0] == 0, outputs(home)
