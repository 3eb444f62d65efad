"""Respondents of other packages: the worked example installed and run by the real command, and broken ones."""

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

EXAMPLE = Path("examples/respondent-plugin")
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def command(bank_folder: Path, tmp_path: Path, repository: Path) -> Run:
    """The real command in a working folder with a frozen bank; `tmp_path / "site"` is among its packages."""
    kept = {key: value for key, value in os.environ.items() if not key.endswith("_API_KEY")}
    environment = {**kept, "PYTHONPATH": os.pathsep.join([str(repository / "src"), str(tmp_path / "site")])}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "divisionbell", *arguments],
            cwd=bank_folder.parent,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return run


def register(site: Path, name: str, value: str, package: str = "plug") -> None:
    """A package's metadata as an installer leaves it, with one entry point."""
    info = site / f"{package}-1.2.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(f"[divisionbell.respondents]\n{name} = {value}\n")


def module(site: Path, name: str, text: str) -> None:
    (site / f"{name}.py").write_text("from divisionbell.run.respondents.respondent import *\n" + text)


def test_the_worked_example_is_installed_and_asked(command: Run, tmp_path: Path, repository: Path) -> None:
    shutil.copytree(repository / EXAMPLE, tmp_path / "example")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    site = tmp_path / "site"
    installed = subprocess.run(
        [*install, "--disable-pip-version-check", "--target", str(site), str(tmp_path / "example")],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert installed.returncode == 0, installed.stderr
    out = tmp_path / "run"
    done = command("run", "longest:words", "--form", "short", "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert "preflight" not in done.stderr
    header = json.loads((out / "run.json").read_text())
    plugin = {"package": "divisionbell-longest", "version": "1.0.0"}
    assert header["respondent"] == "longest:words"
    assert header["settings"] == {"measure": "words", "plugin": plugin}
    units = [json.loads(line) for line in (out / "journal.jsonl").read_text().splitlines()]
    for unit in units:
        prompt = unit["attempts"][0]["turns"][1]["content"]
        of_a, of_b = (re.search(rf"^{letter}: (.*)$", prompt, re.MULTILINE) for letter in "AB")
        assert of_a and of_b
        assert unit["answer"] == ("B" if len(of_b[1].split()) > len(of_a[1].split()) else "A")
    assert {unit["answer"] for unit in units} == {"A", "B"}
    assert command("runs", "verify", str(out)).returncode == 0
    assert command("score", str(out)).returncode == 0
    refused = command("run", "longest:pages", "--form", "short")
    assert (refused.returncode, "there is no measure pages" in refused.stderr) == (2, True)
    refused = command("run", "longest", "--temperature", "0.5", "--form", "short")
    assert (refused.returncode, "--temperature does not go with longest" in refused.stderr) == (2, True)
    told = json.loads(command("models", "--format", "json").stdout)["respondents"]
    assert ("longest", True) in [(row["name"], row["usable"]) for row in told]


def test_the_page_shows_the_example_as_it_is(repository: Path) -> None:
    page = (repository / "docs/how-to/add-a-respondent.md").read_text(encoding="utf-8")
    for name, language in (("pyproject.toml", "toml"), ("divisionbell_longest.py", "python")):
        text = (repository / EXAMPLE / name).read_text(encoding="utf-8")
        assert f"```{language}\n{text}```" in page


@pytest.mark.parametrize(
    ("value", "text", "told"),
    [
        ("nowhere_to_be_found:make", "", "cannot be loaded: ModuleNotFoundError"),
        ("plug:make", "raise RuntimeError('no\\nluck')", "cannot be loaded: RuntimeError: no luck"),
        ("plug:make", "raise SystemExit(4)", "cannot be loaded: SystemExit: 4"),
        ("plug:make", "def make(:", "cannot be loaded: SyntaxError"),
        ("plug:missing", "", "cannot be loaded: AttributeError"),
        ("plug:make", "make = 7", "is broken: plug:make cannot be called"),
        ("plug:make", "def make(): ...", "failed: TypeError"),
        ("plug:make", "def make(wanted): 1 / 0", "failed: ZeroDivisionError"),
        ("plug:make", "def make(wanted): return 7", "is no respondent: AttributeError"),
        ("plug:make", "def make(wanted): raise RespondentRefused('no licence')", "error: no licence"),
        (
            "plug:make",
            "class R:\n settings = {'a': float('nan')}\n async def answer(self, ask): ...\ndef make(w): return R()",
            "is no respondent: ValueError",
        ),
        (
            "plug:make",
            "class R:\n settings = {}\n def answer(self, ask): ...\ndef make(w): return R()",
            "is no respondent: TypeError: answer is no coroutine function",
        ),
    ],
)
def test_a_broken_plug_in_is_told_in_one_line(command: Run, tmp_path: Path, value: str, text: str, told: str) -> None:
    register(tmp_path / "site", "odd", value)
    module(tmp_path / "site", "plug", text)
    done = command("run", "odd:x", "--form", "short", "--out", str(tmp_path / "run"))
    assert done.returncode == 2
    assert told in done.stderr.splitlines()[0]
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("return 'A'", "answer gave back str, not a Reply"),
        ("raise KeyError('x')", "failed: KeyError: 'x' (plug.py:5)"),
        ("raise SystemExit(0)", "failed: SystemExit: 0"),
        ("import asyncio; raise asyncio.CancelledError", "failed: CancelledError"),
        ("return Reply(text=b'x')", "text of the reply is bytes, not text"),
        ("return Reply(text='x', latency_seconds=float('nan'))", "latency_seconds of the reply is no number"),
        ("return Reply(text='x', usage=Usage(-5))", "input_tokens of the reply is no number of tokens"),
    ],
)
def test_a_plug_in_that_fails_when_asked_ends_the_run(command: Run, tmp_path: Path, body: str, told: str) -> None:
    register(tmp_path / "site", "odd", "plug:make")
    module(
        tmp_path / "site",
        "plug",
        f"class R:\n settings = {{}}\n async def answer(self, ask):\n  {body}\ndef make(wanted): return R()",
    )
    done = command("run", "odd", "--form", "short", "--out", str(tmp_path / "run"))
    assert done.returncode == 1
    assert told in done.stderr and "plug 1.2" in done.stderr
    assert command("runs", "verify", str(tmp_path / "run")).returncode == 0


@pytest.mark.parametrize("tags", ["('', '')", "'ab'", "(1, 2)", "('a', 'b', 'c')"])
def test_tags_that_are_no_two_texts_are_refused(command: Run, tmp_path: Path, tags: str) -> None:
    register(tmp_path / "site", "odd", "plug:make")
    members = f" settings = {{}}\n reasoning_tags = {tags}\n async def answer(self, ask): ...\n"
    text = f"class R:\n{members}def make(wanted): return R()"
    module(tmp_path / "site", "plug", text)
    done = command("run", "odd", "--form", "short", "--out", str(tmp_path / "run"))
    assert done.returncode == 2
    assert "is no respondent: TypeError: reasoning_tags is neither None nor two texts" in done.stderr


def test_settings_are_what_the_header_says_so_that_the_run_can_be_resumed(command: Run, tmp_path: Path) -> None:
    register(tmp_path / "site", "odd", "plug:make")
    body = '  return Reply(text=\'{"item_id":"%s","answer":"A"}\' % ask.item_id)'
    text = (
        f"class R:\n settings = {{'t': (1, 2), 3: 4}}\n async def answer(self, ask):\n{body}\ndef make(w): return R()"
    )
    module(tmp_path / "site", "plug", text)
    arguments = ("run", "odd", "--form", "short", "--out", str(tmp_path / "run"))
    assert command(*arguments).returncode == 0
    done = command(*arguments, "--resume")
    assert (done.returncode, done.stderr) == (0, "")


def test_an_option_that_is_in_no_setting_of_a_plug_in_is_refused(command: Run, tmp_path: Path) -> None:
    register(tmp_path / "site", "odd", "plug:make")
    module(
        tmp_path / "site",
        "plug",
        "class R:\n"
        " def __init__(self, t): self.settings = {'temperature': t}\n"
        " async def answer(self, ask): return Reply('no')\n"
        "def make(wanted): return R(wanted.sampling.temperature)",
    )
    for option in ("--max-tokens", "--reasoning-tokens"):
        done = command("run", "odd", "--form", "short", option, "7", "--out", str(tmp_path / "run"))
        assert done.returncode == 2 and f"{option} does not go with odd" in done.stderr
    assert not (tmp_path / "run").exists()
    done = command("run", "odd", "--form", "short", "--temperature", "0.5", "--out", str(tmp_path / "run"))
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "run" / "run.json").read_text())["settings"]["temperature"] == 0.5


def test_built_in_names_are_not_overridden(command: Run, tmp_path: Path) -> None:
    register(tmp_path / "site", "scripted", "plug:make")
    module(tmp_path / "site", "plug", "raise RuntimeError('loaded')")
    done = command("run", "scripted:always-a", "--form", "short", "--out", str(tmp_path / "run"))
    assert done.returncode == 0, done.stderr
    rows = json.loads(command("models", "--format", "json").stdout)["respondents"]
    (row,) = [row for row in rows if row["name"] == "scripted"]
    assert not row["usable"] and "built in" in row["says"]


def test_a_name_that_two_packages_take_is_refused(command: Run, tmp_path: Path) -> None:
    register(tmp_path / "site", "odd", "plug:make")
    register(tmp_path / "site", "odd", "other:make", package="other")
    done = command("run", "odd", "--form", "short")
    assert done.returncode == 2 and "other 1.2" in done.stderr and "plug 1.2" in done.stderr


def test_a_plug_in_is_loaded_only_when_its_name_is_asked_for(command: Run, tmp_path: Path) -> None:
    register(tmp_path / "site", "odd", "plug:make")
    module(tmp_path / "site", "plug", f"open({str(tmp_path / 'loaded')!r}, 'w').close()\ndef make(wanted): return 7")
    assert command("run", "scripted:coin", "--form", "short", "--out", str(tmp_path / "run")).returncode == 0
    assert command("run", "even", "--form", "short").returncode == 2
    assert not (tmp_path / "loaded").exists()
    assert command("run", "odd", "--form", "short").returncode == 2
    assert (tmp_path / "loaded").exists()


def test_a_plugin_of_the_llm_package_is_asked_by_the_real_command(command: Run, tmp_path: Path) -> None:
    pytest.importorskip("llm", reason="pip install 'divisionbell[llm]'")
    info = tmp_path / "site" / "llm_of_this_test-1.2.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: llm-of-this-test\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text("[llm]\nof_this_test = llm_of_this_test\n")
    (tmp_path / "site" / "llm_of_this_test.py").write_text(
        "import re\nimport llm\n"
        "class Always(llm.AsyncModel):\n"
        " model_id = 'always-b'\n"
        " async def execute(self, prompt, stream, response, conversation=None):\n"
        '  item = re.search(r\'"item_id":"(q[a-z0-9]+)"\', prompt.prompt)\n'
        '  yield \'{"item_id":"%s","answer":"B"}\' % item[1]\n'
        "class Twin(llm.Model):\n"
        " model_id = 'always-b'\n"
        " def execute(self, prompt, stream, response, conversation=None): yield 'A'\n"
        "@llm.hookimpl\ndef register_models(register):\n register(Twin(), Always())\n"
    )
    out = tmp_path / "run"
    done = command("run", "llm:always-b", "--form", "short", "--out", str(out))
    assert done.returncode == 0, done.stderr
    units = [json.loads(line) for line in (out / "journal.jsonl").read_text().splitlines()]
    assert {(unit["outcome"], unit["answer"]) for unit in units} == {("valid_at_first", "B")}
    header = json.loads((out / "run.json").read_text())
    assert header["settings"]["plugin"] == "llm-of-this-test 1.2" and header["preflight"]["reading"] == "ok"
