"""FRZ: the working files of a frozen version are it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

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


UNCHANGED = Rule(
    "FRZ001",
    "working files of a frozen version are it",
    "Codebook: option order and records are not changed after model outputs exist.",
    "undo the change, or name a new version in bank.yaml and freeze that",
    across=_unchanged,
    gather=_lines,
)
