"""`validate PATH…`: what may be named, and which findings are shown."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def test_findings_elsewhere_are_counted_and_not_shown(broken: Path, divisionbell: Callable[..., Any]) -> None:
    for style in ("text", "github", "sarif", "junit"):
        ended = divisionbell("validate", "bank/dossiers/economic", "--format", style)
        assert ended.code == 0
        assert broken.name not in ended.text
    told = json.loads(divisionbell("validate", "bank/dossiers/economic", "data_sources.yaml", "--format", "json").text)
    assert told["clean"] is True
    assert told["findings"] == []
    assert told["paths"] == ["bank/dossiers/economic", "data_sources.yaml"]
    assert told["summary"] == {"findings": 0, "findings_elsewhere": 1, "files": 0, "rules": {}}


def test_a_related_place_does_not_count(dossier: Path, divisionbell: Callable[..., Any]) -> None:
    copy = dossier.with_name("1541-again.yaml")
    copy.write_bytes(dossier.read_bytes())
    whole = json.loads(divisionbell("validate", "--format", "json").text)["findings"]
    about = [f for f in whole if copy.as_posix() in {r["path"] for r in f["related"]} and f["path"] != copy.as_posix()]
    assert about
    told = json.loads(divisionbell("validate", "--format", "json", copy.as_posix()).text)
    assert told["findings"] == [f for f in whole if f["path"] == copy.as_posix()]
    assert told["summary"]["findings_elsewhere"] == len(whole) - len(told["findings"]) >= len(about)


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize("path", ["bank", ".", "../" + "{here}", "bank/dossiers/../dossiers/social", "{absolute}"])
def test_ways_to_name_a_part_of_the_bank(path: str, divisionbell: Callable[..., Any]) -> None:
    named = path.format(here=Path.cwd().name, absolute=Path.cwd() / "bank")
    ended = divisionbell("validate", named)
    assert ended.code == 1
    assert ended.text.splitlines()[-1].endswith(" · 1 finding")


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("bank/nowhere", "bank/nowhere does not exist"),
        ("a" * 300, "does not exist"),
        ("bank/bank.yaml/a", "does not exist"),
        ("elsewhere.yaml", "elsewhere.yaml does not lie in the bank bank"),
        ("/", "/ does not lie"),
        ("bank/DATA_CARD.md", "no rule looks at anything in bank/DATA_CARD.md"),
        ("bank/empty", "no rule looks at anything in bank/empty"),
        ("out", "out does not lie in the bank bank"),
    ],
)
def test_what_is_no_part_of_the_bank_is_wrong_usage(
    path: str, told: str, copied_bank: Path, divisionbell: Callable[..., Any]
) -> None:
    Path("elsewhere.yaml").write_text("a: 1\n", encoding="utf-8")
    Path("out").symlink_to("/usr")
    (copied_bank / "empty").mkdir()
    for style in ("text", "json"):
        ended = divisionbell("validate", path, "--format", style)
        if path == "/":  # it holds the bank
            assert ended.code == 0
            continue
        assert (ended.code, ended.out) == (2, b"")
        assert told in ended.err
        assert "  fix: " in ended.err


def test_a_link_that_leads_out_is_found_in_the_bank_and_never_shown(
    copied_bank: Path, divisionbell: Callable[..., Any]
) -> None:
    secret = Path("secret.yaml").resolve()
    secret.write_text("one: hidden\ntwo: hidden\n", encoding="utf-8")
    link = copied_bank / "dossiers" / "link.yaml"
    link.symlink_to(secret)
    for path in ("bank", "bank/dossiers", link.as_posix()):
        for style in ("text", "json", "github", "sarif", "junit"):
            ended = divisionbell("validate", path, "--format", style)
            assert ended.code == 1
            assert "leads out of the bank folder" in ended.text
            assert "hidden" not in ended.text


def test_a_linked_bank_is_the_bank(broken: Path, divisionbell: Callable[..., Any]) -> None:
    os.symlink("bank", "other")
    for path in (broken.as_posix(), broken.as_posix().replace("bank/", "other/", 1)):
        for bank in ("bank", "other"):
            ended = divisionbell("validate", "--bank", bank, path)
            assert ended.code == 1
            assert "error[HSH001]" in ended.text


def test_frozen_files_and_the_codebook_may_be_named(frozen_bank: Path, divisionbell: Callable[..., Any]) -> None:
    for path in ("bank/CODEBOOK.md", "bank/freeze", "bank/freeze/0.1.0.json"):
        assert divisionbell("validate", path).code == 0
    (frozen_bank / "CODEBOOK.md").write_text("other\n", encoding="utf-8")
    assert divisionbell("validate", "bank/CODEBOOK.md").code == 1
    assert divisionbell("validate", "bank/dossiers").code == 0
