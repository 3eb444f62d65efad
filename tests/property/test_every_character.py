"""The promise: changing any one character of any value in any dossier makes validate fail, at that line.

Layout is free: comments, blank lines, quoting and the order of keys change nothing. Substitutions are tried one in
each dossier at a time, and each dossier must have a finding at its own changed line; look-alikes, deletions and
insertions are tried alone.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from divisionbell.bank.load import Bank, load
from divisionbell.bank.read import Document, Mark, Path_, read_bytes
from divisionbell.diagnostics import Diagnostic
from divisionbell.validate.engine import check

LETTERS = string.ascii_lowercase + string.digits
LOOK_ALIKES = dict(zip("aceopxyABCEHKMOPTX", "асеорхуАВСЕНКМОРТХ", strict=True))


@dataclass(frozen=True)
class Place:
    """One character of one value in the text of a file, by line and column from 0."""

    path: Path_
    line: int
    column: int


@pytest.fixture
def bank(frozen_bank: Path) -> Bank:
    return load(frozen_bank)


def leaves(mark: Mark, path: Path_ = ()) -> Iterator[tuple[Path_, Mark]]:
    held = mark.children
    if held is None:
        yield path, mark
    else:
        for step, child in held.items() if isinstance(held, dict) else enumerate(held):
            yield from leaves(child, (*path, step))


def characters(document: Document, path: Path_, mark: Mark) -> list[Place]:
    """The letters and digits that a value is written with."""
    found = []
    for number in range(mark.line - 1, mark.end_line):
        line = document.lines[number]
        start = mark.column - 1 if number == mark.line - 1 else 0
        if number == mark.line - 1 and line[start] in ">|":
            continue
        found += [
            Place(path, number, column)
            for column in range(start, len(line))
            if line[column].isalnum() and line[column - 1] != "\\"
        ]
    return found


def edited(document: Document, place: Place, old: int, new: str) -> Document:
    """The document read anew with `old` characters at a place replaced by `new`."""
    lines = list(document.lines)
    line = lines[place.line]
    lines[place.line] = line[: place.column] + new + line[place.column + old :]
    return anew(document, "\n".join(lines) + "\n")


def anew(document: Document, text: str) -> Document:
    return read_bytes(text.encode("utf-8"), Document(document.path))


def with_changed(bank: Bank, changed: list[Document]) -> Bank:
    by_path = {document.path: document for document in changed}
    return replace(
        bank,
        dossiers=[by_path.get(document.path, document) for document in bank.dossiers],
        excluded=[by_path.get(document.path, document) for document in bank.excluded],
    )


def findings(bank: Bank, *changed: Document) -> tuple[Diagnostic, ...]:
    report = check(with_changed(bank, list(changed)))
    assert report.clean == (not report.diagnostics)
    return report.diagnostics


def at_line(found: tuple[Diagnostic, ...], document: Document, line: int) -> bool:
    return any(d.location.path == document.shown and d.location.line == line + 1 for d in found)


def found_at_their_lines(bank: Bank, columns: list[list[tuple[Document, int, str]]]) -> tuple[int, list[str]]:
    """How many edits were tried, and which had no finding at their line; one edit in each dossier at a time.

    Each edit is the document edited, its changed line from 0, and a word on it.
    """
    tried, missed = 0, []
    for row in zip_longest(*columns):
        edits = [edit for edit in row if edit is not None]
        found = findings(bank, *(document for document, _, _ in edits))
        tried += len(edits)
        missed += [
            f"{document.shown}:{line + 1}: {what}"
            for document, line, what in edits
            if not at_line(found, document, line)
        ]
    return tried, missed


def test_every_value_of_every_dossier(bank: Bank) -> None:
    draw = random.Random(20260102)
    columns = []
    for document in [*bank.dossiers, *bank.excluded]:
        edits = []
        for path, mark in leaves(document.root):
            place = draw.choice(characters(document, path, mark))
            old = document.lines[place.line][place.column]
            new = draw.choice([letter for letter in LETTERS if letter != old])
            what = f"{'.'.join(map(str, path))}: {old} -> {new}"
            edits.append((edited(document, place, 1, new), place.line, what))
        assert len(edits) > 100
        columns.append(edits)
    assert found_at_their_lines(bank, columns) == (sum(map(len, columns)), [])


def strange(draw: random.Random, kind: str, document: Document) -> Iterator[tuple[Document, int, str]]:
    """One look-alike, deletion or insertion in ten values of a document."""
    values = [
        [p for p in found if kind != "look-alike" or document.lines[p.line][p.column] in LOOK_ALIKES]
        for path, mark in leaves(document.root)
        if (found := characters(document, path, mark))
    ]
    for found in draw.sample([found for found in values if found], 10):
        place = draw.choice(found)
        old = document.lines[place.line][place.column]
        new = {"look-alike": LOOK_ALIKES.get(old, ""), "deletion": "", "insertion": draw.choice(LETTERS)}[kind]
        yield edited(document, place, 0 if kind == "insertion" else 1, new), place.line, f"{kind} at {place}"


@pytest.mark.parametrize("kind", ["look-alike", "deletion", "insertion"])
def test_look_alikes_deletions_insertions(bank: Bank, kind: str) -> None:
    draw = random.Random(kind)
    columns = [list(strange(draw, kind, document)) for document in [*bank.dossiers, *bank.excluded]]
    assert found_at_their_lines(bank, columns) == (sum(map(len, columns)), [])
    for edit in (draw.choice(column) for column in columns):
        assert found_at_their_lines(bank, [[edit]]) == (1, [])


def keys_of(mark: Mark) -> Iterator[Mark]:
    for child in mark.children.values() if isinstance(mark.children, dict) else mark.children or []:
        if isinstance(mark.children, dict):
            yield child
        yield from keys_of(child)


def without_key(document: Document, mark: Mark) -> Document:
    head = document.lines[mark.key_line - 1][: mark.key_column - 1]
    lines = list(document.lines)
    if head.strip():  # the first key of an item: its dash stays, the next key takes its place
        lines[mark.key_line] = head + lines[mark.key_line][len(head) :]
    del lines[mark.key_line - 1 : mark.end_line]
    return anew(document, "\n".join(lines) + "\n")


def test_every_key_line_of_an_item_is_needed(bank: Bank) -> None:
    keys = [list(keys_of(document.mark(("items",))[0])) for document in bank.dossiers]
    assert min(map(len, keys)) > 60
    for start in range(0, max(map(len, keys)), len(keys)):
        changed = []
        for number, (document, marks) in enumerate(zip(bank.dossiers, keys, strict=True)):
            if start + number < len(marks):
                changed.append(without_key(document, marks[start + number]))
        found = {d.location.path for d in findings(bank, *changed)}
        assert [document.shown for document in changed if document.shown not in found] == []


def block(document: Document, *path: str | int) -> tuple[int, int]:
    """First line and the line after the last of the value at a path, with its key."""
    mark, found = document.mark(path)
    assert found
    return mark.key_line - 1, mark.end_line


def exchanged(document: Document, one: tuple[str | int, ...], other: tuple[str | int, ...]) -> Document:
    """Two values exchanged, each under the other's key."""
    first, second = block(document, *one), block(document, *other)
    here, there = document.lines[slice(*first)], document.lines[slice(*second)]
    keys = [f"{path[-1]}:" for path in (one, other)]
    there[0], here[0] = there[0].replace(keys[1], keys[0]), here[0].replace(keys[0], keys[1])
    lines = document.lines
    text = [*lines[: first[0]], *there, *lines[first[1] : second[0]], *here, *lines[second[1] :]]
    return anew(document, "\n".join(text) + "\n")


def doubled_item(document: Document) -> Document:
    mark, _ = document.mark(("items", 0))
    lines = list(document.lines)
    lines[mark.end_line : mark.end_line] = lines[mark.line - 1 : mark.end_line]
    return anew(document, "\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        *(
            pytest.param(
                lambda d, n=n: exchanged(d, ("items", n, "options", "text_a"), ("items", n, "options", "text_b")),
                "HSH001",
                id=f"option-texts-of-item-{n}",
            )
            for n in range(4)
        ),
        pytest.param(lambda d: exchanged(d, ("items", 0, "stem"), ("items", 2, "stem")), "HSH001", id="stems"),
        pytest.param(doubled_item, "REF001", id="doubled-item"),
    ],
)
def test_exchanges_and_doubles(bank: Bank, change: Callable[[Document], Document], rule: str) -> None:
    changed = [change(document) for document in bank.dossiers]
    assert [document.problems for document in changed] == [[]] * len(changed)
    found = findings(bank, *changed)
    for document in changed:
        assert {rule, "FRZ001"} <= {d.rule for d in found if d.location.path == document.shown}


def layouts(document: Document) -> Iterator[str]:
    lines = document.lines
    values = dict(leaves(document.root))
    last = {mark.end_line for mark in values.values()}
    yield "# a remark\n\n" + "\n".join(lines) + "\n\n# the end"
    spread: list[str] = []
    for number, line in enumerate(lines, start=1):
        spread.append(line)
        if number in last:
            spread += ["", "# a remark"]
    yield "\n".join(spread) + "\n"
    quoted = list(lines)
    for path, mark in values.items():
        value: Any = document.value
        for step in path:
            value = value[step]
        written = lines[mark.line - 1][mark.column - 1 :]
        if isinstance(value, str) and mark.line == mark.end_line and written == value and "'" not in value:
            head = lines[mark.line - 1][: mark.column - 1]
            quoted[mark.line - 1] = head + (f'"{value}"' if mark.line % 2 else f"'{value}'") + "   # quoted"
    assert quoted != lines
    yield "\n".join(quoted) + "\n"
    tops = sorted({mark.key_line for mark in document.root.children.values()})  # type: ignore[union-attr]
    blocks = [
        "\n".join(lines[start - 1 : end]) for start, end in zip(tops, [*(t - 1 for t in tops[1:]), None], strict=True)
    ]
    yield "\n".join(reversed(blocks)) + "\n"
    yield "\r\n".join(lines) + "\r\n"


def test_layout_is_free(bank: Bank) -> None:
    for variants in zip(*(layouts(document) for document in [*bank.dossiers, *bank.excluded]), strict=True):
        changed = [anew(old, text) for old, text in zip([*bank.dossiers, *bank.excluded], variants, strict=True)]
        assert [d.text() for d in findings(bank, *changed)] == []
