"""Older frozen versions are held to their statements beside the dossiers, and told of as if they were not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from divisionbell.bank import two_processes
from divisionbell.bank.load import load
from divisionbell.validate.engine import check

SPOILED = (
    ("1.0.0.records.jsonl", b'"ayes":', b'"ayes" :'),
    ("1.0.0.json", b'"item_count": 500', b'"item_count": 501'),
    ("0.1.0.records.jsonl", b"commons-1541", b"commons-1542"),
    ("0.1.0.json", b'"frozen_at"', b'"frozen_At"'),
)


@pytest.fixture(scope="module")
def shipped(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shipped")
    shutil.copytree(repository / "bank", folder / "bank")
    shutil.copy(repository / "data_sources.yaml", folder)
    return folder / "bank"


@pytest.mark.parametrize("two", [True, False])
@pytest.mark.parametrize(("name", "old", "new"), [(None, b"", b""), *SPOILED])
def test_what_is_found_of_an_older_version_is_the_same_on_one_process_and_on_two(
    shipped: Path, monkeypatch: pytest.MonkeyPatch, name: str | None, old: bytes, new: bytes, two: bool
) -> None:
    if not two:
        monkeypatch.setattr(two_processes, "_two", lambda: False)
    if name is None:
        assert check(load(shipped)).clean
        return
    file = shipped / "freeze" / name
    whole = file.read_bytes()
    assert old in whole
    try:
        file.write_bytes(whole.replace(old, new, 1))
        found = check(load(shipped)).diagnostics
    finally:
        file.write_bytes(whole)
    assert {one.rule for one in found} == {"FRZ002"}
    assert {Path(one.location.path).name for one in found} <= {name, name.replace(".json", ".records.jsonl")} | {
        name.replace(".records.jsonl", ".json")
    }
