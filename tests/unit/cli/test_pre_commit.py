"""The hook of .pre-commit-hooks.yaml under the real pre-commit: a good bank goes through, a broken one is refused.

The hook's own words are used with `language: system`, so that no environment is made for it: that one is tried by
hand, since it needs a package registry and a minute.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

pytest.importorskip("pre_commit", reason="pip install pre-commit")
pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def hook(repository: Path) -> dict[str, object]:
    return _hooks(repository)["divisionbell-validate"]


def _hooks(repository: Path) -> dict[str, dict[str, object]]:
    listed = yaml.safe_load((repository / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    return {hook["id"]: hook for hook in listed}


@pytest.fixture
def run(tmp_path: Path, environment: dict[str, str]) -> Run:
    """Run a command in the working folder, with nobody's settings of git and pre-commit."""
    command = tmp_path / "bin" / "divisionbell"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m divisionbell "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    settings = tmp_path / "gitconfig"
    settings.write_text("[user]\nname = a\nemail = a@example.org\n[init]\ndefaultBranch = main\n", encoding="utf-8")
    given = environment | {
        "PATH": f"{command.parent}{os.pathsep}{environment['PATH']}",
        "PRE_COMMIT_HOME": str(tmp_path / "pre-commit"),
        "GIT_CONFIG_GLOBAL": str(settings),
        "GIT_CONFIG_NOSYSTEM": "1",
    }

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(arguments, env=given, capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def committed(copied_bank: Path, repository: Path, hook: dict[str, object], run: Run) -> Run:
    """A repository with a bank and both hooks, with one commit that they let through; `commit` makes another."""
    form = _hooks(repository)["divisionbell-fmt"]
    config = {"repos": [{"repo": "local", "hooks": [each | {"language": "system"} for each in (hook, form)]}]}
    Path(".pre-commit-config.yaml").write_text(json.dumps(config), encoding="utf-8")
    Path(".gitignore").write_text("/bin/\n/pre-commit/\n/gitconfig\n", encoding="utf-8")
    assert run("git", "init", "--quiet").returncode == 0
    installed = run(sys.executable, "-m", "pre_commit", "install")
    assert installed.returncode == 0, installed.stderr

    def commit(message: str) -> subprocess.CompletedProcess[str]:
        assert run("git", "add", "--all").returncode == 0
        return run("git", "commit", "--message", message)

    first = commit("first")
    assert first.returncode == 0, first.stderr
    assert re.search(r"divisionbell validate\.+Passed", first.stderr)
    return commit


def test_the_manifest_is_valid(repository: Path, run: Run) -> None:
    told = run(sys.executable, "-m", "pre_commit", "validate-manifest", str(repository / ".pre-commit-hooks.yaml"))
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")


def test_a_broken_bank_is_refused(committed: Run, broken: Path, run: Run) -> None:
    refused = committed("broken")
    assert refused.returncode == 1
    assert re.search(r"divisionbell validate\.+Failed", refused.stderr)
    assert f"{broken.as_posix()}:224:28: error[HSH001]" in refused.stderr
    assert run("git", "log", "--format=%s").stdout.split() == ["first"]
    run("git", "reset", "--quiet", "--hard")
    with Path("data_sources.yaml").open("a", encoding="utf-8") as sources:
        sources.write("# a remark\n")
    assert committed("good").returncode == 0
    assert run("git", "log", "--format=%s").stdout.split() == ["good", "first"]


def test_what_is_committed_is_checked_not_what_lies_beside_it(committed: Run, broken: Path, run: Run) -> None:
    run("git", "add", broken.as_posix())
    broken.write_text(run("git", "show", "HEAD:" + broken.as_posix()).stdout, encoding="utf-8")
    assert run("git", "commit", "--message", "staged only").returncode == 1


def test_a_commit_without_bank_files_goes_through(committed: Run) -> None:
    Path("README.md").write_text("x\n", encoding="utf-8")
    told = committed("readme")
    assert told.returncode == 0
    assert re.search(r"divisionbell validate\.+Passed", told.stderr)
    assert re.search(r"divisionbell fmt\.+\(no files to check\)Skipped", told.stderr)


@pytest.mark.parametrize("beside", [True, False])
def test_a_commit_that_deletes_a_file_is_refused(committed: Run, copied_bank: Path, beside: bool) -> None:
    (copied_bank / "analysis_plan.yaml").unlink()
    if beside:
        Path("README.md").write_text("x\n", encoding="utf-8")
    refused = committed("deleted")
    assert refused.returncode == 1
    assert "bank/analysis_plan.yaml:1:1: error[SCH001]" in refused.stderr


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("bank/bank.yaml", True),
        ("bank/dossiers/social/x/1-y.yml", True),
        ("data_sources.yaml", True),
        ("sub/bank/bank.yaml", True),
        ("sub/data_sources.yaml", True),
        ("src/bank.py", False),
        ("riverbank/a.yaml", False),
        ("data_sources.yaml.orig", False),
        ("bank/CODEBOOK.md", False),
        ("bank/freeze/1.0.0.json", False),
        ("bank/notes.txt", False),
    ],
)
def test_the_files_that_start_the_hook_for_their_form(path: str, wanted: bool, repository: Path) -> None:
    hooks = _hooks(repository)
    assert (re.search(str(hooks["divisionbell-fmt"]["files"]), path) is not None) == wanted
    assert "files" not in hooks["divisionbell-validate"]


def test_a_file_out_of_form_is_refused(copied_bank: Path, committed: Run) -> None:
    settings = copied_bank / "bank.yaml"
    settings.write_text(settings.read_text(encoding="utf-8").replace("bank_id: ", "bank_id:    "), encoding="utf-8")
    refused = committed("out of form")
    assert refused.returncode == 1
    assert re.search(r"divisionbell validate\.+Passed", refused.stderr)
    assert re.search(r"divisionbell fmt\.+Failed", refused.stderr)
