"""The two files of a frozen version against each other: each place where they differ, with expected and found."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import orjson

from divisionbell.bank.canonical import sha256_hex
from divisionbell.bank.differences import ABSENT, differences
from divisionbell.bank.document import Document
from divisionbell.bank.frozen_file import MAX_RECORDS, FrozenFileProblem, listing_must_hold, stated_listing
from divisionbell.bank.manifest import Record, parse_record_file, statement, statement_problem
from divisionbell.bank.manifest import statement_file as statement_bytes
from divisionbell.bank.read import read_bytes
from divisionbell.diagnostics import Diagnostic, Location, Related, shown_path
from divisionbell.validate.difference_words import told as difference
from divisionbell.validate.rule import Rule

MOST = 10  # places told a file; the rest is counted

Stated = dict[tuple[str, str], str]


def pair_findings(
    rule: Rule,
    version: str,
    record_file: tuple[Path, bytes],
    statement_file: tuple[Path, bytes],
    related: tuple[Related, ...],
    own: list[Record] | None = None,
) -> Iterator[Diagnostic]:
    """What does not hold between a record file and its statement, each a path with its bytes.

    `own` are the records of the file where they are known already.
    """
    (path, data), (statement_path, told) = record_file, statement_file
    try:
        stated = orjson.loads(told)
        expected = stated["subject"][0]["digest"]["sha256"]
        lines = {(entry["kind"], entry["id"]): entry["sha256"] for entry in stated["predicate"]["record_digests"]}
    except (orjson.JSONDecodeError, KeyError, IndexError, TypeError) as problem:
        place = Location(shown_path(statement_path), _first_difference(version, data, told))
        yield rule.found(place, f"is no freeze statement: {problem!r:.200}", *related)
        return
    if data.count(b"\n") > MAX_RECORDS:
        yield rule.found(Location(shown_path(path)), f"holds more than {MAX_RECORDS:,} records", *related)
        return
    found = sha256_hex(data)
    if expected != found:
        yield rule.found(
            Location(shown_path(path)),
            f"the record file changed: expected sha256 {shown_value(expected)}, found {found}",
            Related(Location(shown_path(statement_path), _line_with(told, str(expected))), "the statement says so"),
            *related,
        )
        changed = _changed_records(lines, data)
        for line, message in islice(changed, MOST):
            yield rule.found(Location(shown_path(path), line), message)
        more = sum(1 for _ in changed)
        if more:
            yield rule.found(Location(shown_path(path)), f"{more} more lines are not what was frozen")
        return
    wrong = statement_problem(data, told, version, own, found)
    if wrong is not None:
        for place, message in _changed_statement(version, data, statement_path, told, wrong):
            yield rule.found(place, message, *related)
        return
    try:  # the statement lists the records as the file has them
        listing_must_hold(stated_listing(stated))
    except FrozenFileProblem as problem:
        yield rule.found(Location(shown_path(path), problem.line), problem.message, *related)


def shown_value(value: Any) -> str:
    """A JSON value in at most 80 characters."""
    try:
        text = value if isinstance(value, str) else orjson.dumps(value).decode()
    except TypeError:  # nested deeper than it can be written
        text = "a value nested too deep to show"
    return text if len(text) <= 80 else text[:77] + "..."


def _changed_records(stated: Stated, data: bytes) -> Iterator[tuple[int, str]]:
    """Each line that is not the record that the statement lists, and each record listed that no line is."""
    left = dict(stated)
    order = {key: number for number, key in enumerate(stated)}
    there: list[int] = []
    last = -1
    line_count = 0
    for line_count, line in enumerate(data.removesuffix(b"\n").split(b"\n"), start=1):
        try:
            record = orjson.loads(line)
            key = record["kind"], record["id"]
            expected = left.pop(key, None)
        except (orjson.JSONDecodeError, KeyError, TypeError):
            yield line_count, "this line is no record"
            continue
        name = f"{shown_value(key[0])} {shown_value(key[1])}"
        if expected is not None:
            if order[key] < last:
                yield line_count, f"{name} stands out of its order"
            last = max(last, order[key])
            there.append(order[key])
        found = sha256_hex(line)
        if expected is None:
            again = "stands here again" if key in stated else "is not among the records that were frozen"
            yield line_count, f"{name} {again}"
        elif expected != found:
            yield (
                line_count,
                f"{name} is not the record that was frozen: expected sha256 {shown_value(expected)}, found {found}",
            )
    if not data.endswith(b"\n"):
        yield line_count, "the last line has no end"
    # What is missing is told at the line that stands where it stood.
    there.sort()
    missing: dict[int, list[str]] = {}
    for key in left:
        line_number = min(1 + bisect_left(there, order[key]), line_count)
        missing.setdefault(line_number, []).append(f"{shown_value(key[0])} {shown_value(key[1])}")
    for line_number, names in missing.items():
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        yield line_number, f"missing of what was frozen: {', '.join(names[:3])}{more}"


def _changed_statement(
    version: str, data: bytes, path: Path, told: bytes, wrong: str
) -> Iterator[tuple[Location, str]]:
    """Each place where a statement is not what the records give. `wrong` says it where no place can be named."""
    try:
        stated: Mapping[str, Any] = orjson.loads(told)
        predicate = stated["predicate"]
        made = statement(
            parse_record_file(data), sha256_hex(data), version, predicate["frozen_at"], predicate["frozen_by"]
        )
        changes = list(islice(differences(made, stated), MOST))
    except (ValueError, KeyError, TypeError) as problem:
        line = getattr(problem, "line", None) or _first_difference(version, data, told)
        yield Location(shown_path(path), line), wrong
        return
    document = read_bytes(told, Document(path))  # a statement is JSON, which the bank's reader gives places for
    placed = [not document.problems and change.working is not ABSENT for change in changes]
    first = 1 if all(placed) else _first_difference(version, data, told)  # all the records are gone through for it
    for change, has_place in zip(changes, placed, strict=True):
        place = document.at(*change.path) if has_place else Location(shown_path(path), first)
        yield place, difference(change, "what the records give")
    if not changes:
        about = next((slot for slot in ("frozen_at", "frozen_by") if slot in wrong), None)
        line = _line_with(told, f'"{about}"') if about else _first_difference(version, data, told)
        yield Location(shown_path(path), line), wrong


def _line_with(told: bytes, text: str) -> int:
    """The number of the first line that holds a text, or 1."""
    return next((number for number, line in enumerate(told.split(b"\n"), 1) if text.encode() in line), 1)


def _first_difference(version: str, data: bytes, told: bytes) -> int:
    """The first line of a statement that a freeze would write otherwise; the last where it ends too early."""
    at, by = (re.search(rb'"%s": "([^"\n]*)"' % slot, told) for slot in (b"frozen_at", b"frozen_by"))
    written = [found.group(1).decode("utf-8", errors="replace") if found else "" for found in (at, by)]
    try:
        whole = statement_bytes(statement(parse_record_file(data), sha256_hex(data), version, *written))
    except (ValueError, KeyError, TypeError):
        return 1
    pairs = enumerate(zip_longest(told.split(b"\n"), whole.split(b"\n")), start=1)
    first = next((number for number, (one, other) in pairs if one != other), 1)
    return max(1, min(first, len(told.splitlines())))
