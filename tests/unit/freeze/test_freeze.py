"""A frozen version: written once, read back from its two files alone, and any change in either is found."""

from __future__ import annotations

import errno
import hashlib
import json
import random
import shutil
from pathlib import Path

import pytest

from divisionbell.bank.load import Bank, load
from divisionbell.diagnostics import Findings, UsageProblem
from divisionbell.freeze import freeze as module
from divisionbell.freeze.freeze import freeze
from divisionbell.freeze.frozen_bank import read_frozen
from divisionbell.freeze.verify import verify
from divisionbell.run.administer import plan
from divisionbell.run.respondents.scripted import Scripted
from divisionbell.validate.engine import Report, ValidBank, check, validate


def files(folder: Path) -> dict[str, bytes]:
    return {path.as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def valid(folder: Path) -> ValidBank:
    found = validate(load(folder))
    assert isinstance(found, ValidBank)
    return found


def version_of(bank: Bank) -> str:
    assert bank.version is not None
    return bank.version


def test_freeze_writes_two_files_and_edits_none(copied_bank: Path) -> None:
    before = files(copied_bank)
    bank = valid(copied_bank)
    version = version_of(bank.bank)
    written = freeze(bank, version)
    after = files(copied_bank)
    assert set(after) - set(before) == {path.as_posix() for path in written}
    assert {name: after[name] for name in before} == before
    statement = json.loads(written[1].read_bytes())
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    expected = hashlib.sha256(written[0].read_bytes()).hexdigest()
    assert statement["subject"] == [{"name": written[0].name, "digest": {"sha256": expected}}]
    lines = written[0].read_bytes().splitlines()
    digests = [entry["sha256"] for entry in statement["predicate"]["record_digests"]]
    assert digests == [hashlib.sha256(line).hexdigest() for line in lines]
    assert statement["predicate"]["record_count"] == len(lines)


def test_two_freezes_of_one_bank_have_the_same_records(copied_bank: Path) -> None:
    bank = valid(copied_bank)
    path, statement = freeze(bank, version_of(bank.bank))
    first = path.read_bytes()
    path.unlink()
    statement.unlink()
    again, _ = freeze(valid(copied_bank), version_of(bank.bank))
    assert again.read_bytes() == first


def test_read_back_from_the_two_files_alone(frozen_bank: Path, tmp_path: Path) -> None:
    bank = load(frozen_bank)
    version = version_of(bank)
    alone = tmp_path / "alone"
    shutil.copytree(frozen_bank / "freeze", alone)
    shutil.rmtree(frozen_bank)
    frozen = read_frozen(alone, version)
    assert sorted(d.dossier_id for d in frozen.dossiers) == sorted(d.value["dossier_id"] for d in bank.dossiers)
    assert len(frozen.form("full")) == sum(len(d.value["items"]) for d in bank.dossiers)
    assert frozen.settings.response_seed == bank.settings.value["response_seed"]
    assert frozen.settings.prompt_template == bank.settings.value["prompt_template"]
    items = {item["item_id"]: item for d in bank.dossiers for item in d.value["items"]}
    for asked in frozen.form("full"):
        item = items[asked.item.item_id]
        assert (asked.item.stem, asked.is_mirror) == (item["stem"], "mirror_of" in item)
        assert asked.text(asked.pole_at_a) == item["options"]["text_a"]
    with pytest.raises(UsageProblem):
        frozen.form("nothing")
    with pytest.raises(UsageProblem):
        read_frozen(alone, "9.9.9")


def found_by_all(folder: Path, version: str) -> None:
    with pytest.raises(Findings):
        read_frozen(folder / "freeze", version)


def test_a_bank_without_its_lines_asks_the_same(frozen_bank: Path) -> None:
    whole = read_frozen(frozen_bank / "freeze", "0.1.0")
    lean = whole.without_record_lines()
    assert {record.kind for record in whole.records} - {record.kind for record in lean.records} == {
        *("dossier", "excluded", "prospective", "data_source"),
    }
    assert lean.form("full") == whole.form("full") != ()
    coin = Scripted("coin")
    assert plan(lean, coin, "full", 2) == plan(whole, coin, "full", 2)
    assert (lean.sha256, lean.template_sha256, lean.settings, lean.plan) == (
        *(whole.sha256, whole.template_sha256, whole.settings, whole.plan),
    )


@pytest.mark.parametrize("which", ["records.jsonl", "json"])
def test_any_byte_changed_is_found(frozen_bank: Path, which: str) -> None:
    version = version_of(load(frozen_bank))
    file = frozen_bank / "freeze" / f"{version}.{which}"
    data = file.read_bytes()
    # The time and the program's version stand nowhere else: within their form they are bound once a run is registered.
    free: set[int] = set()
    for slot in (b'"frozen_at": "', b'"frozen_by": "divisionbell ') if which == "json" else ():
        start = data.index(slot) + len(slot)
        free.update(range(start, data.index(b'"', start)))
    draw = random.Random(which)
    for index in draw.sample([n for n in range(len(data)) if n not in free], 60 if which == "json" else 25):
        new = draw.choice([byte for byte in range(256) if byte != data[index]])
        file.write_bytes(data[:index] + bytes([new]) + data[index + 1 :])
        found_by_all(frozen_bank, version)
    for changed in (data[:-1], data + b"\n", b"", data.replace(b"\n", b"\r\n", 1), b"\xef\xbb\xbf" + data):
        file.write_bytes(changed)
        found_by_all(frozen_bank, version)
    bank = load(frozen_bank)
    assert "FRZ002" in {d.rule for d in check(bank).diagnostics}
    assert verify(bank, None).all_findings
    file.write_bytes(data)
    assert verify(bank, version).all_findings == []
    assert check(load(frozen_bank)).clean


def test_records_and_statement_changed_together(frozen_bank: Path) -> None:
    """Where somebody makes both files agree, the transformation digests still tell, and a registered run does."""
    version = version_of(load(frozen_bank))
    path, told = (frozen_bank / "freeze" / f"{version}.{end}" for end in ("records.jsonl", "json"))
    data = path.read_bytes()
    registered = {"records_sha256": hashlib.sha256(data).hexdigest()}
    registered["statement_sha256"] = hashlib.sha256(told.read_bytes()).hexdigest()
    word = load(frozen_bank).dossiers[0].value["items"][0]["stem"].split()[0].encode()
    lines = data.splitlines(keepends=True)
    number = next(n for n, line in enumerate(lines) if b'"kind":"dossier"' in line and b'"stem":"' + word in line)
    old = lines[number]
    lines[number] = old.replace(b'"stem":"' + word, b'"stem":"X' + word)
    path.write_bytes(b"".join(lines))
    text = told.read_text()
    for before, after in ((old.rstrip(), lines[number].rstrip()), (data, path.read_bytes())):
        text = text.replace(hashlib.sha256(before).hexdigest(), hashlib.sha256(after).hexdigest())
    told.write_text(text)
    with pytest.raises(Findings, match="is not what was hashed"):
        read_frozen(frozen_bank / "freeze", version)
    entry = {"evaluated_run": "run-1", "evaluated_version": version, **registered, "journal_sha256": "c" * 64}
    entry |= {"respondent_name": "coin", "asked_form": "full", "registered_at": "2026-01-02T03:04:05Z"}
    other = {**entry, "evaluated_run": "run-0", "records_sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    (frozen_bank / "evaluations.yaml").write_text(json.dumps({"evaluations": [other, entry]}))
    messages = [d.message for d in check(load(frozen_bank)).diagnostics if d.rule == "FRZ002"]
    assert any(registered["records_sha256"] in message for message in messages)


def test_an_invalid_bank_cannot_be_frozen(copied_bank: Path) -> None:
    file = next(copied_bank.glob("dossiers/*/*/*.yaml"))
    file.write_text(file.read_text(encoding="utf-8").replace("axis: ", "axis: x", 1), encoding="utf-8")
    assert isinstance(validate(load(copied_bank)), Report)
    assert not (copied_bank / "freeze").exists()


def test_another_version_is_refused(copied_bank: Path) -> None:
    with pytest.raises(UsageProblem, match="names version"):
        freeze(valid(copied_bank), "9.9.9")
    assert not (copied_bank / "freeze").exists()


def test_an_existing_version_is_refused(frozen_bank: Path) -> None:
    before = files(frozen_bank)
    bank = valid(frozen_bank)
    with pytest.raises(UsageProblem, match="frozen already"):
        freeze(bank, version_of(bank.bank))
    assert files(frozen_bank) == before


@pytest.mark.parametrize("fails", ["_write_synced", "_name_new", "_sync_folder"])
@pytest.mark.parametrize("which", [".json", ".jsonl"])
def test_a_write_that_fails_leaves_nothing_behind(
    copied_bank: Path, monkeypatch: pytest.MonkeyPatch, fails: str, which: str
) -> None:
    real = getattr(module, fails)

    def failing(path: Path, *rest: object) -> None:
        if fails == "_sync_folder" or f"{which}." in f"{path.name}.":
            raise OSError(errno.ENOSPC, "No space left on device")
        real(path, *rest)

    monkeypatch.setattr(module, fails, failing)
    bank = valid(copied_bank)
    with pytest.raises(UsageProblem, match="No space left on device; nothing was frozen"):
        freeze(bank, version_of(bank.bank))
    assert list((copied_bank / "freeze").iterdir()) == []


def test_a_number_written_another_way_is_no_change(frozen_bank: Path) -> None:
    file = next(frozen_bank.glob("dossiers/*/*/*.yaml"))
    text = file.read_text(encoding="utf-8")
    assert "aye_coordinate: -1\n" in text or "aye_coordinate: 1\n" in text
    file.write_text(text.replace("economic: 0\n", "economic: 0.0\n", 1), encoding="utf-8")
    assert check(load(frozen_bank)).clean
