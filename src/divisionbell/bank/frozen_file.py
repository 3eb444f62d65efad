"""The files of a frozen version as untrusted input: their names, reading them within limits, the order of records.

Whoever can write the bank folder can put anything under these names. Reading takes bounded time and memory, and what
is not exactly what a freeze writes is a problem with a place.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from divisionbell.bank.files import leads_inside, read_up_to
from divisionbell.bank.manifest import Record, parse_record_file

MAX_RECORD_BYTES = 200_000_000
MAX_STATEMENT_BYTES = 40_000_000
MAX_RECORDS = 100_000
# Commas and opening brackets: each part of a value costs memory, however short it is. A dossier has 620 on average; a
# file has room for as many dossiers as its bytes have, 10,000, and a record for as many values as a bank file.
MAX_PARTS = 6_500_000
MAX_RECORD_PARTS = 200_000
# The kinds of record, and which of them a version holds exactly once.
SINGLE_KINDS = frozenset({"bank", "codebook", "parser", "plan", "reminder", "schema", "template"})
KINDS = SINGLE_KINDS | {"agent", "data_source", "dossier", "excluded", "prospective"}

_VERSION = re.compile(r"(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)")
_HEAD = re.compile(rb'\{"id":"(?:[^"\\]|\\.)*","kind":"([a-z_]*)",')
_LINE = re.compile(r"line (\d+) ")


class FrozenFileProblem(ValueError):
    """A frozen file cannot be read, or is not what a freeze writes. `line` counts from 1."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.message, self.line = message, line


def is_version(text: object) -> bool:
    """Whether a text is a version of three numbers, and so safe as the name of a file."""
    return isinstance(text, str) and len(text) <= 60 and _VERSION.fullmatch(text) is not None


def frozen_paths(folder: Path, version: str) -> tuple[Path, Path]:
    """The record file and the statement of a version. Raises FrozenFileProblem where it is no version."""
    if not is_version(version):
        raise FrozenFileProblem(f"{version!r:.80} is no version")
    return folder / f"{version}.records.jsonl", folder / f"{version}.json"


def read_frozen_file(path: Path, limit: int) -> bytes:
    """The bytes of a frozen file. Raises FrozenFileProblem where it is no file, too large, or elsewhere by a link."""
    if not leads_inside(path, os.path.realpath(path.parent)):
        loops = os.path.islink(os.path.realpath(path))  # noqa: PTH114 - False where it cannot be looked at
        told = "cannot be read: a loop of links" if loops else "leads out of the folder of frozen versions"
        raise FrozenFileProblem(told)
    data = read_given_file(path, limit)
    must_be_bounded(data)
    return data


def must_be_bounded(data: bytes) -> None:
    """Raises FrozenFileProblem where a file, or one line of it, holds more values than may be made of it."""
    if _more_parts(data, MAX_PARTS):
        raise FrozenFileProblem(f"holds more than {MAX_PARTS:,} values")
    if len(data) > MAX_RECORD_PARTS:
        for number, line in enumerate(data.split(b"\n"), start=1):
            if _more_parts(line, MAX_RECORD_PARTS):
                raise FrozenFileProblem(f"line {number} holds more than {MAX_RECORD_PARTS:,} values", number)


def _more_parts(data: bytes, most: int) -> bool:
    """Whether there are more; what has no more bytes is not counted."""
    return len(data) > most and sum(map(data.count, (b",", b"[", b"{"))) > most


def read_given_file(path: Path, limit: int) -> bytes:
    """The bytes of a file that a person named, wherever it is. Raises FrozenFileProblem as `read_frozen_file` does."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # not to wait where somebody put a pipe there
        try:
            about = os.fstat(descriptor)
            if not stat.S_ISREG(about.st_mode):
                raise FrozenFileProblem("is no file")
            data = read_up_to(descriptor, about.st_size, limit + 1) if about.st_size <= limit else b""
        finally:
            os.close(descriptor)
    except OSError as error:
        raise FrozenFileProblem(f"cannot be read: {error.strerror}") from None
    if about.st_size > limit or len(data) > limit:
        raise FrozenFileProblem(f"is larger than {limit:,} bytes")
    return data


def frozen_records(data: bytes) -> list[Record]:
    """The records of a record file. Raises FrozenFileProblem where a line is not canonical, or out of its order."""
    if data.count(b"\n") > MAX_RECORDS:
        raise FrozenFileProblem(f"holds more than {MAX_RECORDS:,} records")
    if not data.endswith(b"\n"):
        raise FrozenFileProblem("does not end with a line feed", data.count(b"\n") + 1)
    must_be_bounded(data)
    for number, line in enumerate(data.split(b"\n"), start=1):
        head = _HEAD.match(line)
        if head is not None and head.group(1).decode() not in KINDS:
            raise FrozenFileProblem(f"line {number} is a record of no known kind", number)
    try:
        made = parse_record_file(data)
    except ValueError as problem:
        told = _LINE.match(str(problem))
        raise FrozenFileProblem(str(problem), int(told.group(1)) if told else 1) from None
    listing_must_hold((record.kind, record.id) for record in made)
    return made


def listing_must_hold(listed: Iterable[tuple[Any, Any]]) -> None:
    """Raises FrozenFileProblem, at the line of the record, where kinds and ids are not those of one whole version.

    They are sorted by kind and id, none stands twice, and each single kind is there once.
    """
    before: tuple[str, str] = ("", "")
    seen: dict[str, int] = {}
    line = 0
    for line, (kind, name) in enumerate(listed, start=1):
        if not isinstance(kind, str) or not isinstance(name, str) or kind not in KINDS:
            raise FrozenFileProblem(f"line {line} is a record of no known kind", line)
        if (kind, name) == before:
            raise FrozenFileProblem(f"line {line}: {kind} {name} stands twice", line)
        if (kind, name) < before:
            raise FrozenFileProblem(f"line {line}: {kind} {name} is out of order", line)
        seen[kind] = seen.get(kind, 0) + 1
        if kind in SINGLE_KINDS and seen[kind] > 1:
            raise FrozenFileProblem(f"line {line}: there is more than one {kind}", line)
        before = (kind, name)
    missing = sorted(SINGLE_KINDS - set(seen))
    if missing:
        raise FrozenFileProblem(f"there is no record of kind {missing[0]}", max(line, 1))


def stated_listing(statement: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    """Kind and id of each record that a statement lists, in its order."""
    return [(entry["kind"], entry["id"]) for entry in statement["predicate"]["record_digests"]]
