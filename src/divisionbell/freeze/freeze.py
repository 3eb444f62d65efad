"""Write a valid bank out as a frozen version."""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime
from pathlib import Path

from divisionbell import __version__
from divisionbell.bank.manifest import record_file, records, statement, statement_file
from divisionbell.diagnostics import UsageProblem, shown_path
from divisionbell.validate.engine import ValidBank


def freeze(valid: ValidBank, version: str, now: datetime | None = None) -> tuple[Path, Path]:
    """Write the record file and the in-toto statement of `version` and change nothing else.

    Raises UsageProblem where bank.yaml names another version, or the version is frozen already.
    """
    bank = valid.bank
    folder = bank.freeze_folder
    path, statement_path = folder / f"{version}.records.jsonl", folder / f"{version}.json"
    for file in (path, statement_path):
        if file.exists():
            raise UsageProblem(
                f"version {version} is frozen already: {shown_path(file)} exists",
                "a frozen version never changes: name a new version in bank.yaml and freeze that",
            )
    if bank.version != version:
        raise UsageProblem(
            f"bank.yaml names version {bank.version}, not {version}", f"write version: '{version}' in bank.yaml first"
        )
    made = records(bank)
    data = record_file(made)
    frozen_at = (now or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%SZ")
    told = statement_file(statement(made, version, frozen_at, f"divisionbell {__version__}"))
    try:
        folder.mkdir(exist_ok=True)
        write_whole(path, data)
    except OSError as error:
        raise UsageProblem(f"{shown_path(folder)} cannot be written: {error.strerror}", "make it a folder") from None
    try:
        write_whole(statement_path, told)
    except BaseException:
        path.unlink()
        raise
    return path, statement_path


class ChangedOnDisk(Exception):
    """A file is no longer what it was when it was read."""


def write_whole(path: Path, data: bytes, instead_of: bytes | None = None) -> None:
    """Write a file whole or not at all: a temporary file beside it, synced, then renamed. An existing file's mode is
    kept. Raises ChangedOnDisk where `instead_of` is given and the file holds other bytes just before it is replaced.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    temporary.unlink(missing_ok=True)
    try:
        with temporary.open("xb") as stream:  # a new file: never through a link that lies in wait
            if path.exists():
                temporary.chmod(stat.S_IMODE(path.stat().st_mode))
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if instead_of is not None and path.read_bytes() != instead_of:
            raise ChangedOnDisk(str(path))
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
