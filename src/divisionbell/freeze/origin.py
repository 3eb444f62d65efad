"""Where a record of a frozen version was changed: found by the working files or another version that still hold it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from divisionbell.bank.canonical import sha256_hex
from divisionbell.bank.differences import differences
from divisionbell.bank.frozen_file import (
    MAX_RECORD_BYTES,
    MAX_RECORDS,
    MAX_STATEMENT_BYTES,
    FrozenFileProblem,
    frozen_paths,
    read_frozen_file,
)
from divisionbell.bank.load import Bank
from divisionbell.bank.manifest import records
from divisionbell.diagnostics import Diagnostic, Location, Related, shown_path
from divisionbell.validate.difference_words import told
from divisionbell.validate.frozen_pair import shown_value
from divisionbell.validate.rules.freeze import INTACT
from divisionbell.validate.shape import validator

MOST = 5  # records, and places in each


def origins(bank: Bank, version: str) -> list[Diagnostic]:
    """For each changed record whose original is still at hand: the paths in it that changed, with both values.

    The statement gives only the digest of what was frozen. A record with that digest in the working files, or in
    another frozen version, is what was frozen, so the places can be told; else nothing can, and the list is empty.
    """
    try:
        path, statement_path = frozen_paths(bank.freeze_folder, version)
        data = read_frozen_file(path, MAX_RECORD_BYTES)
        stated = orjson.loads(read_frozen_file(statement_path, MAX_STATEMENT_BYTES))
        listed = stated["predicate"]["record_digests"]
        expected = {(one["kind"], one["id"]): one["sha256"] for one in listed if isinstance(one["sha256"], str)}
    except (FrozenFileProblem, ValueError, KeyError, TypeError):
        return []
    if data.count(b"\n") > MAX_RECORDS:
        return []
    return list(islice(_changed(bank, path, data, expected), MOST * MOST))


def _changed(bank: Bank, path: Path, data: bytes, expected: dict[tuple[str, str], str]) -> Iterator[Diagnostic]:
    originals: dict[str, tuple[Any, Location]] | None = None
    for number, line in enumerate(data.split(b"\n"), start=1):
        record = _record(line)
        wanted = expected.get((record["kind"], record["id"])) if record is not None else None
        if record is None or wanted is None or wanted == sha256_hex(line):
            continue
        if originals is None:
            originals = dict(_originals(bank, path, set(expected.values())))
        if wanted in originals:
            value, place = originals[wanted]
            for change in islice(differences(value, record.get("value")), MOST):
                yield INTACT.found(
                    Location(shown_path(path), number),
                    f"{shown_value(record['kind'])} {shown_value(record['id'])}: {told(change, 'what was frozen')}",
                    Related(place, "the record as it was frozen is here"),
                )


def _record(line: bytes) -> dict[str, Any] | None:
    """The record that a line holds, in canonical form or not; None where it is none that can be worked with."""
    try:
        record = orjson.loads(line)
        orjson.dumps(record)  # raises where it is nested deeper than anything that reads it on bears
    except (ValueError, TypeError):
        return None
    sound = isinstance(record, dict) and isinstance(record.get("kind"), str) and isinstance(record.get("id"), str)
    return record if sound else None


def _originals(bank: Bank, changed: Path, wanted: set[str]) -> Iterator[tuple[str, tuple[Any, Location]]]:
    """Each record at hand that has one of the digests wanted: of other frozen versions, then of the working files."""
    for path in sorted(bank.freeze_folder.glob("*.records.jsonl")):
        if path == changed:
            continue
        try:
            lines = read_frozen_file(path, MAX_RECORD_BYTES).split(b"\n")
        except FrozenFileProblem:
            continue
        for number, line in enumerate(lines, start=1):
            found = sha256_hex(line)
            if found in wanted:
                other = _record(line)  # a line with the digest that a statement lists need not be one
                if other is not None and "value" in other:
                    yield found, (other["value"], Location(shown_path(path), number))
    unsound = [
        document
        for root, document in bank.documents()
        if document.problems or not validator(root).is_valid(document.value)
    ]
    for record in records(bank, unsound):
        found = sha256_hex(record.line())
        if found in wanted:
            document = record.document
            place = document.at(*record.base) if document else Location(shown_path(bank.codebook_path))
            yield found, (record.value, place)
