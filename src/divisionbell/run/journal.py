"""The run folder: run.json, written once, and journal.jsonl, to which one line a unit is appended and synced."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import orjson

from divisionbell.diagnostics import Findings, Incomplete, UsageProblem, shown_path, visible
from divisionbell.freeze.whole_file import write_whole
from divisionbell.run.fits import fits_unit, misfit
from divisionbell.run.regular import open_regular, open_to_append

HEADER, JOURNAL, SCORE = "run.json", "journal.jsonl", "score.json"


def line_of(unit: Mapping[str, Any]) -> bytes:
    """One journal line. Only ASCII is written, so that no reply can break a line or a reader."""
    return json.dumps(unit, ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode("ascii") + b"\n"


def header_text(header: Mapping[str, Any]) -> bytes:
    """The bytes of run.json."""
    return (json.dumps(header, indent=1, ensure_ascii=True) + "\n").encode("ascii")


def read_header(folder: Path) -> dict[str, Any] | None:
    """The header of a run, None where the folder has none. Raises Findings where it cannot be read."""
    path = folder / HEADER
    try:
        with open_regular(path) as file:
            header = json.loads(file.read())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Findings(f"{shown_path(path)} cannot be read: {error.strerror}", fix="restore it") from None
    except (ValueError, RecursionError) as problem:
        raise Findings(f"{shown_path(path)} cannot be read: {problem}", fix="restore it, or start a new run") from None
    wrong = misfit("RunHeader", header)
    if wrong is not None or not isinstance(header, dict):
        raise Findings(f"{shown_path(path)} is no run header: {wrong}", fix="restore it, or start a new run")
    return header


def each_unit(path: Path) -> Iterator[tuple[dict[str, Any], int]]:
    """Every whole line of a journal, one at a time, with the number of bytes up to its end; what a torn last line holds
    is left out. Nothing where there is no file.

    Raises Findings where a line before the last cannot be read, or the last is whole and no unit: nobody tore that.
    """
    end = 0
    try:
        with open_regular(path) as file:
            line, following = file.readline(), file.readline()
            number = 1
            while line.endswith(b"\n"):
                try:
                    unit = _unit(line)
                except (ValueError, RecursionError) as problem:
                    if not following and not isinstance(problem, _NoUnit):
                        return
                    raise Findings(
                        f"{shown_path(path)}:{number}: cannot be read: {problem}", fix="restore the journal"
                    ) from None
                end += len(line)
                yield unit, end
                number, line, following = number + 1, following, file.readline()
    except FileNotFoundError:
        return
    except OSError as error:
        raise Findings(f"{shown_path(path)} cannot be read: {error.strerror}", fix="restore the journal") from None


class _NoUnit(ValueError):
    """A line is JSON and no unit."""


def _unit(line: bytes) -> dict[str, Any]:
    """The unit of a line. Raises ValueError or RecursionError where it is none."""
    try:
        unit: dict[str, Any] = orjson.loads(line)
        if fits_unit(unit):
            return unit
    except orjson.JSONDecodeError:  # a lone surrogate, which a reply can hold, or worse
        pass
    unit = json.loads(line)
    wrong = misfit("Unit", unit)
    if wrong is not None:
        raise _NoUnit(wrong)
    return unit


def parse_journal(path: Path) -> tuple[list[dict[str, Any]], int]:
    """Every whole line of a journal at once, and the number of bytes they fill. Raises Findings as `each_unit` does."""
    units: list[dict[str, Any]] = []
    whole = 0
    for unit, whole in each_unit(path):  # noqa: B007
        units.append(unit)
    return units, whole


def latest(units: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The standing line of each unit key. A transport failure gives way to what was obtained later.

    Raises Findings where a unit that was obtained stands twice.
    """
    standing: dict[str, dict[str, Any]] = {}
    for unit in units:
        before = standing.get(unit["unit_key"])
        _refuse_twice(unit, before["outcome"] if before is not None else None)
        standing[unit["unit_key"]] = unit
    return standing


def _refuse_twice(unit: Mapping[str, Any], before: str | None) -> None:
    if before is not None and before != "transport_failed":
        raise Findings(f"unit {unit['unit_key']} stands twice in the journal", fix="restore the journal")


def journal_sha256(folder: Path) -> str:
    """SHA-256 of the journal's bytes. Raises Findings where it cannot be read."""
    try:
        with open_regular(folder / JOURNAL) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise Findings(f"{shown_path(folder / JOURNAL)} cannot be read: {error.strerror}") from None


class JournalBusy(UsageProblem):
    """Another process is writing the journal."""


class Journal:
    """An open journal. One process writes it; a unit is on disk before `append` returns.

    `standing` is the outcome of each unit key that the journal holds. The units themselves stay on disk: a run can have
    millions.
    """

    def __init__(self, folder: Path, header: Mapping[str, Any]) -> None:
        """Open the journal of a run, writing the header where there is none yet, and cut off a torn last line.

        Raises UsageProblem where the folder cannot be written or holds a journal without a header, JournalBusy where
        another process is writing it, Findings where a line cannot be read or a unit that was obtained stands twice.
        """
        self.path = folder / JOURNAL
        self.standing: dict[str, str] = {}
        self._whole = 0
        self._broken: Incomplete | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = open_to_append(self.path)
        except OSError as error:
            raise _unwritable(folder, error) from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise JournalBusy(
                f"another process is writing {shown_path(self.path)}", "wait for it, or stop it"
            ) from None
        try:
            self._open(folder, header)
        except OSError as error:
            self._file.close()
            raise _unwritable(folder, error) from None
        except BaseException:
            self._file.close()
            raise

    def _open(self, folder: Path, header: Mapping[str, Any]) -> None:
        if not (folder / HEADER).exists():
            if os.fstat(self._file.fileno()).st_size:
                raise UsageProblem(
                    f"{shown_path(self.path)} is there, and no {HEADER} that says what it is of",
                    "restore run.json, or name another --out",
                )
            wrong = misfit("RunHeader", header)
            if wrong is not None:  # it could never be read again, and no answer either
                raise UsageProblem(f"{shown_path(folder)} is not begun: its header is none: {visible(wrong)}")
            write_whole(folder / HEADER, header_text(header))
        for unit, end in each_unit(self.path):
            _refuse_twice(unit, self.standing.get(unit["unit_key"]))
            self._stands(unit)
            self._whole = end
        self._file.truncate(self._whole)
        # The names of new files are on disk as well, else a power cut could take the whole journal.
        for path in (folder, folder.parent):
            _sync_folder(path)

    def append(self, unit: Mapping[str, Any]) -> None:
        """Write one unit and wait until it is on disk. Raises Incomplete where the disk does not take it."""
        _, problem = self.write([unit])
        if problem is not None:
            raise problem

    def write(self, units: Sequence[Mapping[str, Any]]) -> tuple[int, Incomplete | None]:
        """Write units with one sync for all of them: how many are on disk now, and what kept the others out.

        Units are kept from the first on; a line that went in by half is taken out again. After a failure nothing more
        is written: what the disk holds is no longer certain, and resuming reads it anew.
        """
        if self._broken is not None:
            return 0, self._broken
        lines = [line_of(unit) for unit in units]
        data, written, failed = memoryview(b"".join(lines)), 0, None
        try:
            while written < len(data):
                written += self._file.write(data[written:]) or 0
        except OSError as error:
            failed = error
        kept, size = 0, 0
        while kept < len(lines) and size + len(lines[kept]) <= written:
            size += len(lines[kept])
            kept += 1
        try:
            if failed is not None:
                with suppress(OSError):  # a torn line that stays is cut off when the journal is opened again
                    self._file.truncate(self._whole + size)
            os.fsync(self._file.fileno())
        except OSError as error:
            kept, size, failed = 0, 0, failed or error
        self._whole += size
        for unit in units[:kept]:
            self._stands(unit)
        if failed is not None:
            self._broken = Incomplete(
                f"{shown_path(self.path)} cannot be written: {failed.strerror}",
                "free some space; what was written stays",
            )
        return kept, self._broken

    def _stands(self, unit: Mapping[str, Any]) -> None:
        self.standing[unit["unit_key"]] = sys.intern(unit["outcome"])

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):
            self._file.close()


def _unwritable(folder: Path, error: OSError) -> UsageProblem:
    return UsageProblem(f"{shown_path(folder)} cannot be written: {error.strerror}", "name another --out")


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network file systems sync no folders
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
