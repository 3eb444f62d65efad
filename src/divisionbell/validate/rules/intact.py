"""FRZ: the files of a frozen version never change, and registered runs are bound to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from divisionbell.bank.canonical import sha256_hex
from divisionbell.bank.frozen_files import line_with, record_faults, statement_problem
from divisionbell.bank.manifest import record_file
from divisionbell.bank.read import Document
from divisionbell.diagnostics import Diagnostic, Location, Related, shown_path
from divisionbell.validate.rule import Context, Rule
from divisionbell.validate.rules.freeze import frozen_paths


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
        held = [
            orjson.loads(line)["value"]["forms"] for line in data.split(b"\n") if b'"kind":"bank","value":{' in line
        ]
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
        Related(
            Location(shown_path(statement_path), line_with(told, str(expected)) or 1), "the statement says so here"
        ),
        *related,
    )
    for fault in faults:
        yield rule.found(Location(shown_path(path), fault.line), fault.message)


INTACT = Rule(
    "FRZ002",
    "frozen files never change",
    "A run is bound to the bytes that it was asked from.",
    "restore the file from version control",
    across=_intact,
)
