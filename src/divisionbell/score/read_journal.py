"""Read a journal for scoring by the shortest way: line by line, in two processes, keeping only what is scored.

Every line is held to the run schema and to the frozen bank as `runs verify` does. Whatever is wrong ends the attempt:
the careful way (`read_run`, `verify_run`, `answers_of`) then reads the same file and says what it is. So this gives the
answers that the careful way gives, or none.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from divisionbell.bank.two_processes import in_two
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.fits import fits_unit, misfit
from divisionbell.run.outcomes import ASKED_AGAIN, NOT_ADMINISTERED, OUTCOMES
from divisionbell.run.verify_run import UnitCheck, header_problems
from divisionbell.score.answers import Answers, first_reading, served_by, served_together
from divisionbell.score.apply_key import ORDERS, cells_of

# Bytes of a journal that are read as one part; a second process pays where there are more.
PART = 8_000_000
_LETTERS = ("", "A", "B")


@dataclass
class _Part:
    """What the lines of one part came to: for each line its place in the form, outcome, letter, first reading."""

    sound: bool = True
    places: array[int] = field(default_factory=lambda: array("q"))
    outcomes: array[int] = field(default_factory=lambda: array("b"))
    letters: array[int] = field(default_factory=lambda: array("b"))
    readings: array[int] = field(default_factory=lambda: array("h"))
    names: list[str | None] = field(default_factory=list)
    served: set[tuple[str | None, str | None, tuple[str, ...] | None]] = field(default_factory=set)


def read_answers(
    bank: FrozenBank, header: Mapping[str, Any], journal: Path, meanwhile: Callable[[], object] | None = None
) -> tuple[Answers, str] | None:
    """The answers of a complete run, and the SHA-256 of its journal; None where anything could be wrong.

    `meanwhile` is done as soon as a second process reads, where there is one.
    """
    try:
        # A shard is never scored, and a pipe would never end; the careful way says so.
        if "shard_index" in header or not journal.is_file() or header_problems(bank, header):
            return None
        size = journal.stat().st_size
        check = UnitCheck(bank, header)
        parts: list[tuple[int, int] | None] = [None, *_ranges(journal, size)]

        def work(part: tuple[int, int] | None) -> str | _Part:
            return _sha256(journal) if part is None else _read_part(check, bank, header, journal, part)

        digest, *read = in_two(parts, work, pays=size > 2 * PART, meanwhile=meanwhile)
    except OSError:
        return None
    found = [part for part in read if isinstance(part, _Part)]
    if not isinstance(digest, str) or not all(part.sound for part in found):
        return None
    answers = _together(bank, header, found)
    return None if answers is None else (answers, digest)


def _sha256(journal: Path) -> str:
    with journal.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _ranges(journal: Path, size: int) -> Iterator[tuple[int, int]]:
    """Ranges of bytes that begin and end with lines; what follows the last line end is of a line that was torn."""
    with journal.open("rb") as stream:
        start = 0
        while start < size:
            stream.seek(min(start + PART, size))
            stream.readline()
            end = stream.tell()
            yield start, end
            start = end


def _read_part(
    check: UnitCheck, bank: FrozenBank, header: Mapping[str, Any], journal: Path, part: tuple[int, int]
) -> _Part:
    made = _Part()
    repeats = int(header["repeats"])
    item_place = {asked.item.item_id: number * 2 * repeats for number, asked in enumerate(bank.form(header["form"]))}
    order_place = {order: number * repeats for order, number in ORDERS.items()}
    outcome_code = {outcome: number for number, outcome in enumerate(OUTCOMES)}
    letter_code = {letter or None: number for number, letter in enumerate(_LETTERS)}
    reading_code: dict[str | None, int] = {}
    faults = check.faults
    # The names that each of a million lines would look up.
    place, outcome, letter, reading = (
        column.append for column in (made.places, made.outcomes, made.letters, made.readings)
    )
    serve = made.served.add
    for line in _lines(journal, *part):
        unit = _unit(line)
        if unit is None or faults(unit):
            made.sound = False
            return made
        attempts = unit["attempts"]
        place(item_place[unit["asked_item"]] + order_place[unit["asked_order"]] + int(unit["repeat"]) - 1)
        outcome(outcome_code[unit["outcome"]])
        letter(letter_code[unit.get("answer")])
        first = attempts[0]["reading"] if len(attempts) == 1 else first_reading(attempts)
        reading(reading_code.setdefault(first, len(reading_code)))
        if unit["outcome"] != ASKED_AGAIN:
            for attempt in attempts:
                serve(served_by(attempt))
    made.names = list(reading_code)
    return made


def _unit(line: bytes) -> dict[str, Any] | None:
    """The unit of a line; None where it is none."""
    try:
        unit = orjson.loads(line)
        return unit if fits_unit(unit) else None
    except orjson.JSONDecodeError:  # a lone surrogate, which a reply can hold, or worse
        pass
    try:
        unit = json.loads(line)
        return unit if misfit("Unit", unit) is None else None
    except (ValueError, RecursionError):
        return None


def _lines(journal: Path, start: int, end: int) -> Iterator[bytes]:
    with journal.open("rb", buffering=1 << 20) as stream:
        stream.seek(start)
        while start < end:
            line = stream.readline()
            start += len(line)
            if line.endswith(b"\n"):
                yield line


def _together(bank: FrozenBank, header: Mapping[str, Any], parts: list[_Part]) -> Answers | None:
    """The answers of all parts; None unless every unit was obtained, and once."""
    items = bank.form(header["form"])
    shape = (len(items), len(ORDERS), int(header["repeats"]))
    names = sorted({name for part in parts for name in part.names}, key=str)
    places, outcomes, letters = (
        np.concatenate([np.frombuffer(getattr(part, column), dtype=kind) for part in parts] or [np.empty(0, kind)])
        for column, kind in (("places", np.int64), ("outcomes", np.int8), ("letters", np.int8))
    )
    readings = np.concatenate([_renamed(part, names) for part in parts] or [np.empty(0, np.int64)])
    standing = np.full(np.prod(shape), -1)
    standing[places] = np.arange(len(places))  # of several lines of a unit the last one stands
    obtained = outcomes != OUTCOMES.index(ASKED_AGAIN)
    if (standing < 0).any() or not obtained[standing].all() or obtained.sum() != len(standing):
        return None
    outcome = outcomes[standing].astype(np.int64)
    pairs = np.bincount(outcome * len(names) + readings[standing], minlength=len(OUTCOMES) * len(names))
    counted = {
        (OUTCOMES[pair // len(names)], names[pair % len(names)]): int(pairs[pair]) for pair in np.flatnonzero(pairs)
    }
    told = np.array(OUTCOMES)[outcome].reshape(shape)
    dropped = {
        asked.dossier.dossier_id
        for asked, left_out in zip(items, (told == NOT_ADMINISTERED).any(axis=(1, 2)), strict=True)
        if left_out
    }
    letter = np.array(_LETTERS)[letters[standing]].reshape(shape)
    served = {values for part in parts for values in part.served}
    return Answers(
        cells_of(items, letter, told, tuple(sorted(dropped))),
        counted,
        served_together(served),
    )


def _renamed(part: _Part, names: list[str | None]) -> NDArray[np.int64]:
    """The readings of a part, numbered as all parts number them."""
    new = np.array([names.index(name) for name in part.names], dtype=np.int64)
    return new[np.frombuffer(part.readings, dtype=np.int16)] if part.names else np.empty(0, np.int64)
