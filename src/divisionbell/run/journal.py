"""The run folder: run.json, written once, and journal.jsonl, to which one line a unit is appended and synced."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from divisionbell.bank.canonical import sha256_hex
from divisionbell.diagnostics import Findings, Incomplete, UsageProblem, shown_path
from divisionbell.freeze.freeze import write_whole
from divisionbell.run.fits import misfit

HEADER, JOURNAL, SCORE = "run.json", "journal.jsonl", "score.json"


def line_of(unit: Mapping[str, Any]) -> bytes:
    """One journal line. Only ASCII is written, so that no reply can break a line or a reader."""
    return json.dumps(unit, ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode("ascii") + b"\n"


def read_header(folder: Path) -> dict[str, Any] | None:
    """The header of a run, None where the folder has none. Raises Findings where it cannot be read."""
    path = folder / HEADER
    try:
        header = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as problem:
        raise Findings(f"{shown_path(path)} cannot be read: {problem}", fix="restore it, or start a new run") from None
    wrong = misfit("RunHeader", header)
    if wrong is not None or not isinstance(header, dict):
        raise Findings(f"{shown_path(path)} is no run header: {wrong}", fix="restore it, or start a new run")
    return header


def parse_journal(path: Path) -> tuple[list[dict[str, Any]], int]:
    """Every whole line of a journal, and the number of bytes they fill; what a torn last line holds is left out.

    Raises Findings where a line before the last cannot be read.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return [], 0
    except OSError as error:
        raise Findings(f"{shown_path(path)} cannot be read: {error.strerror}", fix="restore the journal") from None
    lines = data.split(b"\n")
    units: list[dict[str, Any]] = []
    whole = 0
    for number, line in enumerate(lines[:-1], start=1):
        try:
            unit = json.loads(line)
            wrong = misfit("Unit", unit)
            if wrong is not None:
                raise ValueError(wrong)
        except (ValueError, RecursionError) as problem:
            if number == len(lines) - 1 and lines[-1] == b"":
                break
            raise Findings(
                f"{shown_path(path)}:{number}: cannot be read: {problem}", fix="restore the journal"
            ) from None
        units.append(unit)
        whole += len(line) + 1
    return units, whole


def latest(units: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The standing line of each unit key. A transport failure gives way to what was obtained later.

    Raises Findings where a unit that was obtained stands twice.
    """
    standing: dict[str, dict[str, Any]] = {}
    for unit in units:
        before = standing.get(unit["unit_key"])
        if before is not None and before["outcome"] != "transport_failed":
            raise Findings(f"unit {unit['unit_key']} stands twice in the journal", fix="restore the journal")
        standing[unit["unit_key"]] = unit
    return standing


def journal_sha256(folder: Path) -> str:
    """SHA-256 of the journal's bytes. Raises Findings where it cannot be read."""
    try:
        return sha256_hex((folder / JOURNAL).read_bytes())
    except OSError as error:
        raise Findings(f"{shown_path(folder / JOURNAL)} cannot be read: {error.strerror}") from None


class Journal:
    """An open journal. One process writes it; a unit is on disk before `append` returns."""

    def __init__(self, folder: Path, header: Mapping[str, Any]) -> None:
        """Open the journal of a run, writing the header where there is none yet, and cut off a torn last line.

        Raises UsageProblem where another process is writing it.
        """
        self.path = folder / JOURNAL
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("ab")
        except OSError as error:
            raise UsageProblem(
                f"{shown_path(folder)} cannot be written: {error.strerror}", "name another --out"
            ) from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise UsageProblem(
                f"another process is writing {shown_path(self.path)}", "wait for it, or stop it"
            ) from None
        if not (folder / HEADER).exists():
            text = json.dumps(header, indent=1, ensure_ascii=True) + "\n"
            write_whole(folder / HEADER, text.encode("ascii"))
        self.units, whole = parse_journal(self.path)
        self._file.truncate(whole)

    def append(self, unit: Mapping[str, Any]) -> None:
        """Write one unit and wait until it is on disk. Raises Incomplete where the disk does not take it."""
        line = line_of(unit)
        try:
            self._file.write(line)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise Incomplete(
                f"{shown_path(self.path)} cannot be written: {error.strerror}",
                "free some space, then go on with --resume; what was written stays",
            ) from None
        self.units.append(dict(unit))

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # What could not be flushed was reported by append already.
        with suppress(OSError):
            self._file.close()
