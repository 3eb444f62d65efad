"""What the how-to pages show can be typed: their YAML parses, and their commands have options that exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
import yaml

from divisionbell.cli import root

PAGES = ("docs/how-to/validate-in-ci.md", "docs/how-to/shell-completion.md")


def blocks(repository: Path, language: str) -> list[str]:
    text = (repository / PAGES[0]).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_yaml_parses_and_runs_what_it_says(repository: Path) -> None:
    found = [yaml.safe_load(block) for block in blocks(repository, "yaml")]
    hook, more, workflow, pipeline = found
    known = yaml.safe_load((repository / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook["repos"][0]["hooks"] == [{"id": each["id"]} for each in known]
    assert [each["id"] for each in more] == [each["id"] for each in known]
    assert [set(each) & set(own) for each, own in zip(more, known, strict=True)] == [{"id"}, {"id", "files"}]
    assert all(set(each) <= {"id", "args", "files"} for each in more)
    steps = workflow["jobs"]["validate"]["steps"]
    assert [step["uses"].split("@")[0] for step in steps if "uses" in step] == [
        "actions/checkout",
        "actions/setup-python",
        "github/codeql-action/upload-sarif",
    ]
    (upload,) = [step for step in steps if "codeql-action" in step.get("uses", "")]
    assert any(f"> {upload['with']['sarif_file']} " in step.get("run", "") for step in steps)
    (told,) = [line for line in pipeline["validate"]["script"] if "divisionbell validate" in line]
    assert told.endswith("> " + pipeline["validate"]["artifacts"]["reports"]["junit"])


@pytest.mark.parametrize("page", PAGES)
def test_every_command_shown_is_one(repository: Path, page: str) -> None:
    text = (repository / page).read_text(encoding="utf-8")
    shown = re.findall(r"divisionbell (validate|explain)((?: [^\s`|&>]+)*)", text)
    assert shown
    for verb, rest in shown:
        arguments = [word for word in shlex.split(rest.partition(" < ")[0]) if not word.startswith("<")]
        command = root.get_command(click.Context(root), verb)
        assert command is not None
        command.make_context(verb, [re.sub("<Tab>.*", "", word) for word in arguments])
