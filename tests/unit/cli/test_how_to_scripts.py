"""The scripts of the how-to pages are run as they stand there; what they install can be had."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def first_replies(repository: Path, frozen_bank: Path, environment: dict[str, str]) -> Callable[[str], Any]:
    """The script of other-harnesses.md that scores first replies, for a form."""
    page = (repository / "docs/how-to/other-harnesses.md").read_text(encoding="utf-8")
    section = page.partition("## Score first replies")[2]
    line, script = re.findall(r"^```\n(.*?)\n(.*?)^END\n```$", section, re.MULTILINE | re.DOTALL)[0]
    assert line == "FORM=full python - <<'END'"

    def run(form: str) -> Any:
        given = {**environment, "FORM": form, "DIVISIONBELL_BANK": str(frozen_bank)}
        return subprocess.run(
            [sys.executable, "-"], input=script, text=True, env=given, capture_output=True, timeout=60, check=False
        )

    return run


def test_first_replies_are_scored_and_the_wrong_form_is_told_the_right_one(
    first_replies: Callable[[str], Any], divisionbell: Callable[..., Any]
) -> None:
    assert divisionbell("export", "promptfoo", "--form", "short", "--out", "folder").code == 0
    results = [
        {
            "provider": {"id": "openai:chat:m"},
            "vars": {"question": name},
            "response": {"output": json.dumps({"item_id": name.split(".")[0], "answer": "A"}), "finishReason": "stop"},
        }
        for name in json.loads(Path("folder/questions.json").read_bytes())
    ]
    Path("results.json").write_text(json.dumps({"results": {"results": results}}), encoding="utf-8")
    right = first_replies("short")
    assert right.returncode == 0, right.stderr
    assert re.search(r"^concrete\.economic 0\.0 ", right.stdout, re.MULTILINE)
    wrong = first_replies("full")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert wrong.stderr == (
        "there are replies to 32 of 96 questions of form full; they are the 32 questions of form short: name that one\n"
    )


def test_no_page_installs_this_program_from_an_index(repository: Path) -> None:
    """It is on none: a page names a clone, as in pip install -e '.[ray]'."""
    pages = [repository / "README.md", *(repository / "docs").rglob("*.md")]
    assert len(pages) > 20
    told = [page.name for page in pages if re.search(r"install\s+'?divisionbell\b", page.read_text(encoding="utf-8"))]
    assert told == []
