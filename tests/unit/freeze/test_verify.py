"""verify says what was expected and found, at its place; which run locks a version; and what it cannot know."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from divisionbell.author.write_back import emit
from divisionbell.bank.load import load
from divisionbell.diagnostics import Diagnostic
from divisionbell.freeze.freeze import freeze
from divisionbell.freeze.verify import Verification, closing_line, lines, verify
from divisionbell.validate.engine import ValidBank, check, validate

VERSION = "0.1.0"


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def paths(folder: Path) -> tuple[Path, Path]:
    return folder / "freeze" / f"{VERSION}.records.jsonl", folder / "freeze" / f"{VERSION}.json"


def verified(folder: Path, version: str | None = None) -> Verification:
    return verify(load(folder), version)


def messages(folder: Path) -> list[str]:
    return [d.message for d in verified(folder).all_findings]


def test_a_whole_version(frozen_bank: Path) -> None:
    result = verified(frozen_bank)
    assert result.all_findings == []
    (one,) = result.versions
    path, statement = paths(frozen_bank)
    assert (one.version, one.item_count) == (VERSION, 48)
    assert one.records_sha256 == sha(path.read_bytes())
    assert one.statement_sha256 == sha(statement.read_bytes())
    assert (one.frozen_at, one.runs, one.signed_by) == ("2026-01-02T03:04:05Z", [], [])
    told = "\n".join(lines(result))
    assert f"sha256 {one.records_sha256}" in told
    assert f"statement sha256 {one.statement_sha256}" in told
    assert closing_line(result) == "1 version · 48 items · 0 findings"


def test_it_says_what_it_did_not_check(frozen_bank: Path) -> None:
    told = "\n".join(lines(verified(frozen_bank)))
    assert "not checked: when and by which program it was frozen" in told
    assert "not checked: whether a version was deleted that no registered run used" in told
    assert "bank.yaml names" not in told
    settings = frozen_bank / "bank.yaml"
    text = settings.read_text(encoding="utf-8").replace("version: '0.1.0'", "version: '0.2.0'", 1)
    settings.write_text(text, encoding="utf-8")
    assert "bank.yaml names 0.2.0, which is not frozen" in "\n".join(lines(verified(frozen_bank)))
    for file in paths(frozen_bank):
        file.unlink()
    assert verified(frozen_bank).versions == []


def test_the_shipped_versions_hold(repository: Path) -> None:
    result = verify(load(repository / "bank"), None)
    assert result.all_findings == []
    old, new = result.versions[:2]
    assert [one.version for one in result.versions] == ["0.1.0", "1.0.0", "1.1.0"]
    # 0.1.0 was frozen under an earlier schema, which this program does not have: it says so.
    assert any("another schema" in what for what in old.not_checked)
    assert not any("another schema" in what for what in new.not_checked)


def test_one_record_that_differs_is_told_with_its_path(frozen_bank: Path) -> None:
    path, statement = paths(frozen_bank)
    data = path.read_bytes()
    number = next(n for n, line in enumerate(data.splitlines()) if b"commons-1541" in line and b'"stem"' in line)
    record = data.splitlines()[number]
    path.write_bytes(data.replace(b"Since last autumn", b"Since lost autumn"))
    changed = path.read_bytes().splitlines()[number]
    found = verified(frozen_bank).all_findings
    told = {(d.location.path, d.location.line): d for d in found}
    whole = told[path.as_posix(), 1]
    assert f"expected sha256 {sha(data)}, found {sha(path.read_bytes())}" in whole.message
    assert whole.related[0].location.path == statement.as_posix()
    of_record = [d for d in found if (d.location.path, d.location.line) == (path.as_posix(), number + 1)]
    text = "\n".join(d.text() for d in of_record)
    assert f"dossier commons-1541 is not the record that was frozen: expected sha256 {sha(record)}" in text
    assert f"found {sha(changed)}" in text
    assert re.search(r'items\.q\w{7}\.stem differs from what was frozen: expected "Since last autumn', text)
    assert 'found "Since lost autumn' in text
    file = next(frozen_bank.glob("dossiers/*/*/1541-*.yaml"))
    assert f"{file.as_posix()}:" in text


def test_a_record_whose_original_is_nowhere_has_no_path(frozen_bank: Path) -> None:
    path, _ = paths(frozen_bank)
    path.write_bytes(path.read_bytes().replace(b"Since last autumn", b"Since lost autumn"))
    file = next(frozen_bank.glob("dossiers/*/*/1541-*.yaml"))
    file.unlink()
    text = "\n".join(messages(frozen_bank))
    assert "dossier commons-1541 is not the record that was frozen" in text
    assert "items.0.stem" not in text


def test_the_original_is_found_in_another_version(frozen_bank: Path) -> None:
    settings = frozen_bank / "bank.yaml"
    text = settings.read_text(encoding="utf-8").replace("version: '0.1.0'", "version: '0.2.0'", 1)
    settings.write_text(text, encoding="utf-8")
    valid = validate(load(frozen_bank))
    assert isinstance(valid, ValidBank)
    freeze(valid, "0.2.0")
    path, _ = paths(frozen_bank)
    path.write_bytes(path.read_bytes().replace(b"Since last autumn", b"Since lost autumn"))
    file = next(frozen_bank.glob("dossiers/*/*/1541-*.yaml"))
    file.unlink()
    found = verified(frozen_bank).all_findings
    (told,) = [d for d in found if ".stem differs" in d.message]
    assert told.related[0].location.path == "bank/freeze/0.2.0.records.jsonl"
    assert {Path(d.location.path).name for d in found} == {f"{VERSION}.records.jsonl"}


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            '"item_count": 48',
            '"item_count": 47',
            'predicate.item_count differs from what the records give: expected "48", found "47"',
        ),
        ('"frozen_version": "0.1.0"', '"frozen_version": "0.2.0"', 'expected "0.1.0", found "0.2.0"'),
        ('"parser_name": "strict_json_v1"', '"parser_name": "x"', 'expected "strict_json_v1", found "x"'),
    ],
)
def test_a_statement_that_differs_is_told_at_its_place(frozen_bank: Path, old: str, new: str, told: str) -> None:
    _, statement = paths(frozen_bank)
    text = statement.read_text()
    statement.write_text(text.replace(old, new, 1))
    (found,) = verified(frozen_bank).all_findings
    assert told in found.message
    assert found.location.path == statement.as_posix()
    line = text.splitlines()[found.location.line - 1]
    assert old in line
    assert line[found.location.column - 1 :].startswith(old.split(": ")[1])


# Registered runs.


def entry(folder: Path, **changed: str) -> dict[str, str]:
    path, statement = paths(folder)
    made = {"evaluated_run": "run-1", "evaluated_version": VERSION, "records_sha256": sha(path.read_bytes())}
    made |= {"statement_sha256": sha(statement.read_bytes()), "journal_sha256": "c" * 64, "respondent_name": "coin"}
    return {**made, "asked_form": "full", "registered_at": "2026-01-02T03:04:05Z", **changed}


def register(folder: Path, *entries: dict[str, str]) -> None:
    (folder / "evaluations.yaml").write_text(emit({"evaluations": list(entries)}), encoding="utf-8")


@pytest.fixture
def registered(frozen_bank: Path) -> Path:
    register(frozen_bank, entry(frozen_bank))
    return frozen_bank


def test_a_registered_run_binds_the_statement(registered: Path) -> None:
    assert check(load(registered)).clean
    result = verified(registered)
    assert result.all_findings == []
    assert result.versions[0].runs == ["run-1"]
    told = "\n".join(lines(result))
    assert "used by run run-1" in told
    assert "when and by which program" not in told


def edit_time(folder: Path) -> None:
    _, statement = paths(folder)
    data = statement.read_bytes()
    assert b"2026-01-02T03:04:05Z" in data
    statement.write_bytes(data.replace(b"2026-01-02T03:04:05Z", b"2026-01-02T03:04:06Z"))


def edit_program(folder: Path) -> None:
    _, statement = paths(folder)
    statement.write_bytes(re.sub(rb'"divisionbell [0-9.]+"', b'"divisionbell 9.9"', statement.read_bytes()))


def edit_both(folder: Path) -> None:
    """Another bank frozen under the same version, whole and consistent in itself."""
    for file in paths(folder):
        file.unlink()
    plan = folder / "analysis_plan.yaml"
    plan.write_text(plan.read_text().replace("equivalence_margin: 0.25", "equivalence_margin: 0.3"))
    held = (folder / "evaluations.yaml").read_bytes()
    (folder / "evaluations.yaml").write_text("evaluations: []\n")
    valid = validate(load(folder))
    assert isinstance(valid, ValidBank)
    freeze(valid, VERSION)
    (folder / "evaluations.yaml").write_bytes(held)


def lose(which: int) -> Callable[[Path], None]:
    return lambda folder: paths(folder)[which].unlink()


def lose_all(folder: Path) -> None:
    shutil.rmtree(folder / "freeze")


def change_entry(**changed: str) -> Callable[[Path], None]:
    return lambda folder: register(folder, entry(folder, **changed))


def second_entry(**changed: str) -> Callable[[Path], None]:
    return lambda folder: register(folder, entry(folder), entry(folder, evaluated_run="run-2", **changed))


def break_register(folder: Path) -> None:
    (folder / "evaluations.yaml").write_text("evaluations: [")


def misspell_register(folder: Path) -> None:
    register(folder, {**entry(folder), "journal": "x"})


def lose_register(folder: Path) -> None:
    (folder / "evaluations.yaml").unlink()


@pytest.mark.parametrize(
    ("edit", "file"),
    [
        (edit_time, "0.1.0.json"),
        (edit_program, "0.1.0.json"),
        (edit_both, "0.1.0.records.jsonl"),
        (lose(0), "0.1.0.records.jsonl"),
        (lose(1), "0.1.0.json"),
        (lose_all, "0.1.0.json"),
        (change_entry(records_sha256="a" * 64), "0.1.0.records.jsonl"),
        (change_entry(statement_sha256="a" * 64), "0.1.0.json"),
        (change_entry(evaluated_version="0.0.9"), "0.0.9.json"),
        (second_entry(statement_sha256="a" * 64), "0.1.0.json"),
        (second_entry(evaluated_version="7.0.0"), "7.0.0.records.jsonl"),
        (break_register, "evaluations.yaml"),
        (misspell_register, "evaluations.yaml"),
        (lose_register, "evaluations.yaml"),
    ],
)
def test_what_a_registered_run_used_is_locked(registered: Path, edit: Callable[[Path], None], file: str) -> None:
    edit(registered)
    bank = load(registered)
    by_verify, by_validate = verify(bank, None).all_findings, check(bank).diagnostics
    for found in (by_verify, by_validate):
        assert file in {Path(d.location.path).name for d in found}, [d.text() for d in found]
    told: list[Diagnostic] = [d for d in by_verify if Path(d.location.path).name == file]
    if file.startswith("0.1.0") and edit not in {lose_all}:
        notes = [note.message for d in told for note in d.related]
        assert any("was made against it" in note for note in notes)


@pytest.mark.parametrize("slot", ["journal_sha256", "respondent_name", "asked_form", "evaluated_run"])
def test_what_only_the_run_itself_can_tell(registered: Path, slot: str) -> None:
    """These say which run it was, not which version: `runs verify RUN` holds the run to them."""
    register(registered, entry(registered, **{slot: "d" * 64}))
    assert messages(registered) == []


def test_an_entry_that_was_taken_out_leaves_no_trace_and_verify_says_so(registered: Path) -> None:
    register(registered)
    result = verified(registered)
    assert result.all_findings == []
    assert any("no registered run" in what for one in result.versions for what in one.not_checked)


def test_only_the_version_asked_for(frozen_bank: Path) -> None:
    for end in ("records.jsonl", "json"):
        (frozen_bank / "freeze" / f"0.0.9.{end}").write_bytes(b"{}\n")
    assert verified(frozen_bank, VERSION).all_findings == []
    assert verified(frozen_bank, "0.0.9").all_findings
    assert verified(frozen_bank).all_findings
    assert verified(frozen_bank, "9.9.9").versions == []


def test_names_that_only_look_alike_are_another_version(frozen_bank: Path) -> None:
    """10.1.0 is not 0.1.0, though one name ends in the other."""
    for end in ("records.jsonl", "json"):
        (frozen_bank / "freeze" / f"10.1.0.{end}").write_bytes(b"{}\n")
    assert verified(frozen_bank, VERSION).all_findings == []


def test_text_from_a_file_cannot_write_to_the_terminal(frozen_bank: Path) -> None:
    path, _ = paths(frozen_bank)
    hostile: dict[str, Any] = {"id": "\x1b[2J\u202e", "kind": "agent\n", "value": 1}
    path.write_bytes(path.read_bytes() + json.dumps(hostile).encode() + b"\n")
    for diagnostic in verified(frozen_bank).all_findings:
        assert all(line.isprintable() for line in diagnostic.text().splitlines())
