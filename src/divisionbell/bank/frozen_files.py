"""Where the two files of a frozen version are not what a freeze writes, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import orjson

from divisionbell.bank.canonical import sha256_hex
from divisionbell.bank.manifest import Record, differences, parse_record_file, statement, statement_file

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_PROGRAM = re.compile(r"divisionbell \d+(\.[0-9A-Za-z]+)*", re.ASCII)


@dataclass(frozen=True)
class Fault:
    """What is wrong in a frozen file, and the first line that shows it."""

    line: int
    message: str


def statement_problem(data: bytes, told: bytes, version: str, made: Sequence[Record] | None = None) -> Fault | None:
    """What is wrong with a statement file beside a record file, or None where it is the one that a freeze writes.

    `made` are the records of the file where they are known already. The time and the program's name are what nothing
    else repeats: of those only the form can be checked.
    """
    at, by = (_written(told, slot) for slot in ("frozen_at", "frozen_by"))
    try:
        expected = statement(list(made or parse_record_file(data)), version, at, by)
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        return Fault(1, f"is no freeze statement: {problem!r}")
    whole = statement_file(expected)
    line = _first_difference(told, whole)
    if not _TIME.fullmatch(at) or not _PROGRAM.fullmatch(by):
        wrong = "frozen_by" if _TIME.fullmatch(at) else "frozen_at"
        return Fault(line_with(told, f'"{wrong}"') or line, "frozen_at or frozen_by is not what a freeze writes")
    if told == whole:
        return None
    try:
        for change in differences(expected, orjson.loads(told)):
            return Fault(line, f"{'.'.join(map(str, change.path))} is not what the records give")
    except orjson.JSONDecodeError as problem:
        return Fault(line, f"is no freeze statement: {problem!r}")
    return Fault(line, "is not written as a freeze writes it")


def _written(told: bytes, slot: str) -> str:
    """The value of a slot of the predicate; empty where the file has none that can be read."""
    try:
        value = orjson.loads(told)["predicate"][slot]
    except (ValueError, KeyError, TypeError):
        found = re.search(rb'"%s": "([^"\n]*)"' % slot.encode(), told)
        value = found.group(1).decode("utf-8", errors="replace") if found else ""
    return value if isinstance(value, str) else ""


def _first_difference(told: bytes, whole: bytes) -> int:
    """The number of the first line that is not the same in both, or of the last where the file ends too early."""
    pairs = zip_longest(told.split(b"\n"), whole.split(b"\n"))
    first = next((number for number, (one, other) in enumerate(pairs, start=1) if one != other), 1)
    return max(1, min(first, len(told.splitlines())))


def line_with(told: bytes, text: str) -> int | None:
    """The number of the first line of a file that holds a text."""
    return next((number for number, line in enumerate(told.split(b"\n"), 1) if text.encode() in line), None)


def record_faults(data: bytes, digests: Sequence[Mapping[str, Any]]) -> Iterator[Fault]:
    """The lines of a record file that are not the ones which a statement gives the digests of, in its order."""
    wanted = {(entry["kind"], entry["id"]): (number, entry["sha256"]) for number, entry in enumerate(digests)}
    lines = data.split(b"\n")
    if lines.pop():
        yield Fault(len(lines) + 1, "the line has no end")
        lines = data.split(b"\n")
    last = -1
    before: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines, start=1):
        name = _name(line)
        place, sha256 = wanted.get(name, (-1, "")) if name else (-1, "")
        if sha256 != sha256_hex(line):
            yield Fault(number, "this record is not the one that was frozen")
        elif name in before:
            yield Fault(number, f"this record stands twice, first in line {before[name]}")
        elif place < last:
            yield Fault(number, "this record stands out of its order")
        if name in wanted and name is not None:
            before.setdefault(name, number)
            last = max(last, place)
    there = [wanted[name][0] for name in before]
    missing: dict[int, list[str]] = {}
    for name, (place, _) in wanted.items():
        if name not in before:
            at = min(1 + sum(other < place for other in there), max(len(lines), 1))
            missing.setdefault(at, []).append(" ".join(name))
    for at, names in missing.items():
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield Fault(at, f"{names[0]}{more}, frozen here, {'are' if more else 'is'} missing")


def _name(line: bytes) -> tuple[str, str] | None:
    try:
        record = orjson.loads(line)
        return str(record["kind"]), str(record["id"])
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return None
