"""FRZ: a frozen version never changes, and the working files of a frozen version are it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from divisionbell.bank.canonical import sha256_hex
from divisionbell.bank.frozen_files import line_with, record_faults, statement_problem
from divisionbell.bank.manifest import (
    ABSENT,
    Difference,
    Record,
    differences,
    dossier_record,
    first_difference,
    parse_record_file,
    record_file,
)
from divisionbell.bank.read import Document
from divisionbell.diagnostics import Diagnostic, Location, Related, shown_path
from divisionbell.validate.rule import Context, Rule


def frozen_paths(context: Context, version: str) -> tuple[Path, Path]:
    """The record file and the statement of a version."""
    folder = context.bank.freeze_folder
    return folder / f"{version}.records.jsonl", folder / f"{version}.json"


def _lines(context: Context) -> list[bytes]:
    """The line of every dossier's record, where there is a frozen one to compare it with."""
    version = context.bank.version
    if version is None or not frozen_paths(context, version)[0].exists():
        return []
    return [dossier_record(document).line() for document in [*context.dossiers, *context.excluded]]


def _unchanged(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    version = context.bank.version
    if version is None or not frozen_paths(context, version)[0].exists():
        return
    path, _ = frozen_paths(context, version)
    try:
        data = context.whole.frozen_file(path)
        if data == record_file(context.records):
            return
        frozen = parse_record_file(data)
    except (OSError, ValueError):
        return  # FRZ002 says so
    working = {(r.kind, r.id): r for r in context.records}
    old = {(r.kind, r.id): r for r in frozen}
    file = shown_path(path)
    for key, record in working.items():
        if key not in old:
            yield rule.found(
                _record_place(record, context),
                f"{record.kind} {record.id} is not part of frozen {version}",
                Related(Location(file), f"{version} is frozen here"),
            )
        elif old[key].line() != record.line():
            for change in differences(old[key].value, record.value):
                yield _changed(rule, context, record, change, version)
    for number, (key, record) in enumerate(old.items(), start=1):
        if (
            key not in working
            and not context.unsound
            and (record.kind != "codebook" or context.bank.codebook is not None)
        ):
            here = Location(file, number)
            told = f"{record.kind} {record.id} of frozen {version} is missing from the working files"
            place = _list_of(record.kind, context)
            yield rule.found(place or here, told, *([Related(here, "it is frozen here")] if place else []))


def _list_of(kind: str, context: Context) -> Location | None:
    """The working list that a record of this kind stands in, where it has no file of its own."""
    bank = context.bank
    if kind == "agent":
        return bank.settings.at_key("agents")
    if kind == "data_source":
        return bank.sources.at_key("data_sources")
    if kind == "prospective" and bank.prospective:
        return bank.prospective[0].at_key("prospective_codes")
    return None


def _record_place(record: Record, context: Context) -> Location:
    if record.document is not None:
        return record.document.at(*record.base)
    return Location(shown_path(context.bank.codebook_path))


def _shown(value: Any) -> str:
    if value is ABSENT:
        return "nothing"
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return text if len(text) <= 60 else text[:57] + "..."


def _changed(rule: Rule, context: Context, record: Record, change: Difference, version: str) -> Diagnostic:
    old, new = change.frozen, change.working
    if isinstance(old, str) and isinstance(new, str):
        index = first_difference(old, new)
        start = max(0, index - 20)
        expected, found = _shown(old[start:]), _shown(new[start:])
        if record.document is not None:
            place = record.document.at_character((*record.base, *change.path), new, index)
        else:
            last = max(1, len(new.splitlines()))
            place = Location(shown_path(context.bank.codebook_path), min(last, new.count("\n", 0, index) + 1))
    else:
        expected, found = _shown(old), _shown(new)
        path = (*record.base, *change.path)
        document = record.document
        place = (
            _record_place(record, context)
            if document is None
            else (document.at_key(*path) if new is ABSENT or isinstance(new, dict | list) else document.at(*path))
        )
    where = ".".join(str(step) for step in change.path) or record.id
    return rule.found(
        place,
        f'{record.kind} {record.id}: {where} differs from frozen {version}: expected "{expected}", found "{found}"',
    )


def locked_versions(context: Context) -> dict[str, dict[str, Any]]:
    """Each version that a registered run used, with the first such registration."""
    return {version: entries[0][1] for version, entries in _locked(context).items()}


def _locked(context: Context) -> dict[str, list[tuple[int, dict[str, Any]]]]:
    locked: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    if context.evaluations is not None:
        for number, entry in enumerate(context.evaluations["evaluations"]):
            locked.setdefault(entry["evaluated_version"], []).append((number, entry))
    return locked


def _intact(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    locked = _locked(context)
    register = context.bank.evaluations
    folder = context.bank.freeze_folder
    versions = {p.name.removesuffix(".records.jsonl") for p in folder.glob("*.records.jsonl")}
    versions |= {p.name.removesuffix(".json") for p in folder.glob("*.json")}
    for version in sorted(versions | set(locked)):
        path, statement_path = frozen_paths(context, version)
        runs = [(number, entry) for number, entry in locked.get(version, []) if register is not None]
        related = tuple(_used(register, number, "evaluated_version", entry) for number, entry in runs if register)
        absent = [p for p in (path, statement_path) if not p.is_file()]
        for lost in absent:
            yield rule.found(Location(shown_path(lost)), f"a file of version {version} does not exist", *related)
        if absent:
            continue
        data, told = context.whole.frozen_file(path), statement_path.read_bytes()
        yield from _statement(rule, context, version, data, told, related)
        forms = _forms(data) if runs else set()
        for run, entry in runs:
            if register is not None and forms and entry["asked_form"] not in forms:
                message = f"version {version} has no form {entry['asked_form']}"
                yield rule.found(register.at("evaluations", run, "asked_form"), message, fix="correct the entry")
            for name, content, where in (("records_sha256", data, path), ("statement_sha256", told, statement_path)):
                found = sha256_hex(content)
                if entry[name] != found:
                    message = f"a registered run used {entry[name]}, the file now has {found}"
                    notes = [_used(register, run, slot, entry) for slot in (name, "evaluated_version") if register]
                    yield rule.found(Location(shown_path(where)), message, *notes)


def _forms(data: bytes) -> set[str]:
    """The names of the forms that a record file holds; none where it cannot be read."""
    try:
        held = [orjson.loads(line)["value"]["forms"] for line in data.split(b"\n") if b'"kind":"bank","value":{' in line]
        return {form["form_id"] for forms in held for form in forms}
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return set()


def _used(register: Document, number: int, slot: str, entry: dict[str, Any]) -> Related:
    place = register.at("evaluations", number, slot)
    return Related(place, f"run {entry['evaluated_run']} was made against it")


def _statement(
    rule: Rule,
    context: Context,
    version: str,
    data: bytes,
    told: bytes,
    related: tuple[Related, ...],
) -> Iterator[Diagnostic]:
    path, statement_path = frozen_paths(context, version)
    # Where the working records are the frozen ones, there is no need to read those back.
    own = context.records if context.bank.version == version and data == record_file(context.records) else None
    try:
        statement = orjson.loads(told)
        expected, digests = statement["subject"][0]["digest"]["sha256"], statement["predicate"]["record_digests"]
        faults = [] if expected == sha256_hex(data) else list(record_faults(data, digests))
    except (orjson.JSONDecodeError, KeyError, IndexError, TypeError, AttributeError):
        expected, faults = None, []
    found = sha256_hex(data)
    if expected in {None, found}:
        wrong = statement_problem(data, told, version, own)
        if wrong is not None:
            yield rule.found(Location(shown_path(statement_path), wrong.line), wrong.message, *related)
        return
    yield rule.found(
        Location(shown_path(path)),
        f"the record file changed: expected sha256 {expected}, found {found}",
        Related(Location(shown_path(statement_path), line_with(told, str(expected)) or 1), "the statement says so here"),
        *related,
    )
    for fault in faults:
        yield rule.found(Location(shown_path(path), fault.line), fault.message)


UNCHANGED = Rule(
    "FRZ001",
    "working files of a frozen version are it",
    "Codebook: option order and records are not changed after model outputs exist.",
    "undo the change, or name a new version in bank.yaml and freeze that",
    across=_unchanged,
    gather=_lines,
)
INTACT = Rule(
    "FRZ002",
    "frozen files never change",
    "A run is bound to the bytes that it was asked from.",
    "restore the file from version control",
    across=_intact,
)
