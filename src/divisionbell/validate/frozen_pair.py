"""The two files of a frozen version against each other: each place where they differ, with expected and found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from divisionbell.bank.canonical import sha256_hex
from divisionbell.bank.document import Document
from divisionbell.bank.frozen_file import MAX_RECORDS, FrozenFileProblem, listing_must_hold, stated_listing
from divisionbell.bank.manifest import ABSENT, Record, differences, parse_record_file, statement, statement_problem
from divisionbell.bank.read import read_bytes
from divisionbell.diagnostics import Diagnostic, Location, Related, shown_path
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
        yield rule.found(Location(shown_path(statement_path)), f"is no freeze statement: {problem!r:.200}", *related)
        return
    if data.count(b"\n") > MAX_RECORDS:
        yield rule.found(Location(shown_path(path)), f"holds more than {MAX_RECORDS:,} records", *related)
        return
    found = sha256_hex(data)
    if expected != found:
        yield rule.found(
            Location(shown_path(path)),
            f"the record file changed: expected sha256 {shown_value(expected)}, found {found}",
            Related(Location(shown_path(statement_path)), "the statement is here"),
            *related,
        )
        changed = _changed_records(lines, data)
        for line, message in islice(changed, MOST):
            yield rule.found(Location(shown_path(path), line), message)
        more = sum(1 for _ in changed)
        if more:
            yield rule.found(Location(shown_path(path)), f"{more} more lines are not what was frozen")
        return
    wrong = statement_problem(data, told, version, own)
    if wrong is not None:
        for place, message in _changed_statement(version, data, statement_path, told, wrong):
            yield rule.found(place, message, *related)
        return
    try:  # the statement lists the records as the file has them
        listing_must_hold(stated_listing(stated))
    except FrozenFileProblem as problem:
        yield rule.found(Location(shown_path(path), problem.line), problem.message, *related)


def shown_value(value: Any) -> str:
    """A JSON value in at most 80 characters; a missing one is "nothing"."""
    if value is ABSENT:
        return "nothing"
    try:
        text = value if isinstance(value, str) else orjson.dumps(value).decode()
    except TypeError:  # nested deeper than it can be written
        text = "a value nested too deep to show"
    return text if len(text) <= 80 else text[:77] + "..."


def _changed_records(stated: Stated, data: bytes) -> Iterator[tuple[int, str]]:
    """Each line that is not the record that the statement lists, and each record listed that no line is."""
    left = dict(stated)
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
        found = sha256_hex(line)
        if expected is None:
            again = "stands here again" if key in stated else "is not among the records that were frozen"
            yield line_count, f"{name} {again}"
        elif expected != found:
            yield (
                line_count,
                f"{name} is not the record that was frozen: expected sha256 {shown_value(expected)}, found {found}",
            )
    if left:
        names = [f"{shown_value(kind)} {shown_value(name)}" for kind, name in islice(left, 3)]
        more = f" and {len(left) - 3} more" if len(left) > 3 else ""
        yield line_count, f"missing of what was frozen: {', '.join(names)}{more}"


def _changed_statement(
    version: str, data: bytes, path: Path, told: bytes, wrong: str
) -> Iterator[tuple[Location, str]]:
    """Each place where a statement is not what the records give. `wrong` says it where no place can be named."""
    try:
        stated: Mapping[str, Any] = orjson.loads(told)
        predicate = stated["predicate"]
        made = statement(parse_record_file(data), version, predicate["frozen_at"], predicate["frozen_by"])
        changes = list(islice(differences(made, stated), MOST))
    except (ValueError, KeyError, TypeError) as problem:
        line = getattr(problem, "line", 1)
        yield Location(shown_path(path), line), wrong
        return
    document = read_bytes(told, Document(path))  # a statement is JSON, which the bank's reader gives places for
    for change in changes:
        where = ".".join(str(step) for step in change.path)
        place = document.at(*change.path) if not document.problems else Location(shown_path(path))
        yield (
            place,
            f"{shown_value(where)} is not what the records give: expected {shown_value(change.frozen)}, "
            f"found {shown_value(change.working)}",
        )
    if not changes:
        yield Location(shown_path(path)), wrong
