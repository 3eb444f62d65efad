"""The script on the page is run as it stands there: it holds for what is shipped, and fails for everything else."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rfc8785

from divisionbell.bank.canonical import jcs, transformation_payload, transformation_sha256

PAGE = Path(__file__).resolve().parents[3] / "docs" / "verify-by-hand.md"
SHIPPED = PAGE.parent.parent / "bank" / "freeze"
VERSION = "1.0.0"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script in a folder of its own, with a copy of the one package that it needs."""
    (text,) = blocks("python")
    home = tmp_path_factory.mktemp("by-hand")
    (home / "check_freeze.py").write_text(text, encoding="utf-8")
    shutil.copytree(Path(rfc8785.__file__).parent, home / "packages" / "rfc8785")
    return home / "check_freeze.py"


# Isolated, without site-packages: only the standard library and the copy can be imported.
STARTED = """
import runpy, sys
sys.path.insert(0, sys.argv[1])
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run(script: Path, folder: Path, version: str = VERSION) -> subprocess.CompletedProcess[str]:
    arguments = [str(script.parent / "packages"), str(script), str(folder), version]
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", STARTED, *arguments], capture_output=True, text=True, check=False
    )


def test_it_is_short_and_needs_one_package() -> None:
    (text,) = blocks("python")
    assert len(text.splitlines()) <= 40
    assert max(map(len, text.splitlines())) <= 120
    assert re.findall(r"^ *(?:import|from) (.*)$", text, re.MULTILINE) == ["hashlib, json, sys", "rfc8785"]


def test_nothing_else_can_be_imported(script: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", "import orjson"], capture_output=True, text=True, check=False
    )
    assert "ModuleNotFoundError" in done.stderr


def test_the_shipped_version_gives_what_the_page_says(script: Path) -> None:
    done = run(script, SHIPPED)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"```\n{done.stdout}```" in PAGE.read_text(encoding="utf-8")
    assert run(script, SHIPPED, "0.1.0").stdout.startswith("HOLDS: 0.1.0, 30 records, 48 items\n")


def test_the_vectors() -> None:
    value, dossier = (json.loads(text) for text in blocks("json"))
    digests = [text.strip() for text in blocks("sha256")]
    canonical = bytes.fromhex(blocks("hex")[0])
    assert rfc8785.dumps(value) == jcs(value) == canonical
    assert canonical != json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert sha(canonical) == digests[0]
    (item,) = dossier["items"]
    payload = blocks("canonical")[0].removesuffix("\n").encode()
    assert jcs(transformation_payload(dossier, item)) == payload
    assert sha(b"divisionbell/transformation/v1\n" + payload) == transformation_sha256(dossier, item) == digests[1]


Lines = list[bytes]


def stem(lines: Lines) -> Lines:
    number = next(n for n, line in enumerate(lines) if b'"kind":"dossier"' in line)
    return [*lines[:number], re.sub(rb'"stem":"(.)', rb'"stem":"\1x', lines[number], count=1), *lines[number + 1 :]]


def item_hash(lines: Lines) -> Lines:
    return b"\n".join(lines).replace(b'"transformation_sha256":"', b'"transformation_sha256":"0', 1).split(b"\n")


def review(lines: Lines) -> Lines:
    return b"\n".join(lines).replace(b'"status":"approved"', b'"status":"rejected"', 1).split(b"\n")


def exchanged(lines: Lines) -> Lines:
    return [lines[1], lines[0], *lines[2:]]


def lost(lines: Lines) -> Lines:
    return lines[1:]


def spaced(lines: Lines) -> Lines:
    return [lines[0].replace(b":", b": ", 1), *lines[1:]]


def twice(lines: Lines) -> Lines:
    return [re.sub(rb'"id":"([^"]+)"', rb'"id":"other","id":"\1"', lines[0], count=1), *lines[1:]]


def not_a_number(lines: Lines) -> Lines:
    return [lines[0].replace(b'"value":{', b'"value":{"a":NaN,', 1), *lines[1:]]


def garbage(lines: Lines) -> Lines:
    return [*lines, b"garbage"]


def nothing(lines: Lines) -> Lines:
    return lines


def tampered(folder: Path, edit: Callable[[Lines], Lines], fix: str, **predicate: Any) -> None:
    """A copy of the shipped version, its records edited, and the statement's digests mended as far as `fix` says."""
    data = (SHIPPED / f"{VERSION}.records.jsonl").read_bytes()
    told = json.loads((SHIPPED / f"{VERSION}.json").read_bytes())
    lines = edit(data.removesuffix(b"\n").split(b"\n"))
    data = b"\n".join(lines) + b"\n"
    if fix in {"file", "all"}:
        told["subject"][0]["digest"]["sha256"] = sha(data)
    if fix == "all":
        records = [json.loads(line) for line in lines if line != b"garbage"]
        told["predicate"]["record_digests"] = [
            {"id": record["id"], "kind": record["kind"], "sha256": sha(line)}
            for record, line in zip(records, lines, strict=False)
        ]
    told["predicate"] |= predicate
    (folder / f"{VERSION}.records.jsonl").write_bytes(data)
    (folder / f"{VERSION}.json").write_text(json.dumps(told))


@pytest.mark.parametrize(
    ("edit", "fix", "predicate", "told"),
    [
        (stem, "nothing", {}, "the record file is not the one stated"),
        (stem, "file", {}, "is not what was hashed"),
        (stem, "all", {}, "is not what was hashed"),
        (item_hash, "all", {}, "is not what was hashed"),
        (review, "file", {}, "the records are not those listed in the statement"),
        (exchanged, "nothing", {}, "the record file is not the one stated"),
        (exchanged, "file", {}, "the records are not those listed in the statement"),
        (exchanged, "all", {}, "the records are out of order"),
        (lost, "file", {}, "the records are not those listed in the statement"),
        (lost, "all", {}, "records or items are missing"),
        (spaced, "all", {}, "line 1 is not in canonical form"),
        (twice, "all", {}, "line 1 is not in canonical form"),
        (not_a_number, "file", {}, "Error"),
        (garbage, "all", {}, "JSONDecodeError"),
        (nothing, "nothing", {"item_count": 499}, "records or items are missing"),
        (nothing, "nothing", {"frozen_version": "1.0.1"}, "the statement is about another version"),
    ],
)
def test_what_was_tampered_with_fails(
    script: Path, tmp_path: Path, edit: Callable[[Lines], Lines], fix: str, predicate: dict[str, Any], told: str
) -> None:
    tampered(tmp_path, edit, fix, **predicate)
    done = run(script, tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("FAILED: ")
    assert told in line


def test_the_helper_alone_changes_nothing_that_is_checked(script: Path, tmp_path: Path) -> None:
    tampered(tmp_path, nothing, "all")
    assert run(script, tmp_path).returncode == 0


def test_what_the_page_says_is_not_shown(script: Path, tmp_path: Path) -> None:
    """Outside of what an item's digest covers, a change that was carried into the statement is not seen."""
    tampered(tmp_path, review, "all", frozen_at="1999-01-01T00:00:00Z")
    assert run(script, tmp_path).returncode == 0


def test_files_that_are_not_there(script: Path, tmp_path: Path) -> None:
    done = run(script, tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("FAILED: FileNotFoundError")
