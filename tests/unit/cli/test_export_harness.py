"""`divisionbell export inspect`, `lm-eval` and `promptfoo` as commands."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

VERBS = ("inspect", "lm-eval", "promptfoo")
Run = Callable[..., Any]


def held(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("verb", VERBS)
def test_a_folder_is_written_once_and_left_alone(frozen_bank: Path, divisionbell: Run, verb: str) -> None:
    first = divisionbell("export", verb, "--form", "short", "--out", "one")
    assert first.code == 0 and first.text.startswith("wrote one: ")
    again = divisionbell("export", verb, "--form", "short", "--out", "one")
    assert again.code == 0 and again.text.startswith("one is there already, byte for byte")
    assert divisionbell("export", verb, "--form", "short", "--out", "two").code == 0
    assert held(Path("one")) == held(Path("two"))
    other = divisionbell("export", verb, "--form", "full", "--out", "one")
    assert other.code == 2 and "one is there and holds other content" in other.err and "fix: " in other.err
    assert held(Path("one")) == held(Path("two"))


BEGUN_WITH = {
    "inspect": (
        "LOCAL_BASE_URL=",
        "LOCAL_API_KEY=",
        "inspect eval divisionbell_task.py --model openai-api/local/MODEL",
    ),
    "lm-eval": ("--model local-chat-completions", "--apply_chat_template", "--log_samples", "--include_path ."),
    "promptfoo": ("DIVISIONBELL_MODEL=", "OPENAI_BASE_URL=", "OPENAI_API_KEY=", "--no-cache --output results.json"),
}


@pytest.mark.parametrize("verb", VERBS)
def test_what_begins_it_is_whole_and_stands_in_the_folder_too(frozen_bank: Path, divisionbell: Run, verb: str) -> None:
    told = divisionbell("export", verb, "--form", "short", "--out", "one").text
    _, found, begin = told.partition("  begin there with:\n")
    assert found
    for part in BEGUN_WITH[verb]:
        assert part in begin, part
    readme = Path("one/README.md").read_text(encoding="utf-8")
    assert begin in readme
    assert "pip install 'divisionbell" not in readme
    assert subprocess.run(["sh", "-n", "-c", begin], check=False).returncode == 0


@pytest.mark.parametrize("verb", VERBS)
def test_wrong_use_is_told_and_nothing_is_written(frozen_bank: Path, divisionbell: Run, verb: str) -> None:
    before = sorted(Path().rglob("*"))
    told = {
        "this export is a folder": divisionbell("export", verb),
        "lies in the bank": divisionbell("export", verb, "--out", "bank/exported"),
        "there is no form nope": divisionbell("export", verb, "--form", "nope", "--out", "made"),
        "does not exist": divisionbell("export", verb, "--out", "no/such/place"),
        "version 9.9.9 is not frozen": divisionbell("export", verb, "--bank-version", "9.9.9", "--out", "made"),
    }
    for words, ended in told.items():
        assert ended.code == 2 and words in ended.err and "Traceback" not in ended.err, (words, ended.err)
    assert sorted(Path().rglob("*")) == before


def test_no_export_imports_a_harness(frozen_bank: Path, environment: dict[str, str]) -> None:
    code = """
import sys
from divisionbell.__main__ import main
for verb in sys.argv[1:]:
    sys.argv = ["divisionbell", "export", verb, "--form", "short", "--out", f"of-{verb}"]
    try:
        main()
    except SystemExit as ended:
        assert ended.code == 0, ended.code
assert not {"inspect_ai", "lm_eval", "datasets"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code, *VERBS], env=environment, check=True, capture_output=True, timeout=60)
    assert all(Path(f"of-{verb}").is_dir() for verb in VERBS)
