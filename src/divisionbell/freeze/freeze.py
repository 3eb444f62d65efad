"""Write a valid bank out as a frozen version."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from divisionbell import __version__
from divisionbell.bank.canonical import sha256_hex
from divisionbell.bank.frozen_file import FrozenFileProblem, frozen_paths
from divisionbell.bank.load import Bank
from divisionbell.bank.manifest import record_file, records, statement, statement_file
from divisionbell.diagnostics import Findings, UsageProblem, shown_path
from divisionbell.freeze.frozen_bank import frozen_from
from divisionbell.freeze.whole_file import alone as alone
from divisionbell.freeze.whole_file import name_new as _name_new
from divisionbell.freeze.whole_file import remove_left, temporary_of
from divisionbell.freeze.whole_file import write_synced as _write_synced
from divisionbell.freeze.whole_file import write_whole as write_whole
from divisionbell.validate.engine import ValidBank

NEW_VERSION = "a frozen version never changes: name a new version in bank.yaml and freeze that"


def freeze(valid: ValidBank, version: str, now: datetime | None = None) -> tuple[Path, Path]:
    """Write the record file and the in-toto statement of `version` and change nothing else.

    What is written is the bank as it was read and validated, whatever became of its files since; it is read back by the
    reader that runs use before it gets its name. Raises UsageProblem where bank.yaml names another version, the version
    is frozen already or the folder cannot be written, Findings where it could not be read back.
    """
    bank = valid.bank
    paths = must_be_new(bank.freeze_folder, version)
    if bank.version != version:
        raise UsageProblem(
            f"bank.yaml names version {bank.version}, not {version}", f"write version: '{version}' in bank.yaml first"
        )
    made = records(bank)
    data = record_file(made)
    frozen_at = (now or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%SZ")
    told = statement_file(statement(made, sha256_hex(data), version, frozen_at, f"divisionbell {__version__}"))
    try:
        frozen_from(data, told, version, *paths)
    except Findings as problem:
        raise Findings(f"nothing was frozen, since it could not be read back: {problem.message}") from None
    try:
        bank.freeze_folder.mkdir(exist_ok=True)
        with alone(bank.folder):
            must_be_new(bank.freeze_folder, version)
            _finish_only_the_same(paths[0], data)
            _publish(paths, (data, told))
    except OSError as error:
        raise _cannot_be_written(bank.freeze_folder, error) from None
    return paths


def _cannot_be_written(folder: Path, error: OSError) -> UsageProblem:
    return UsageProblem(
        f"{shown_path(folder)} cannot be written: {error.strerror}; nothing was frozen",
        "make it a folder that can be written",
    )


def must_be_new(folder: Path, version: str, finishing: bool = False) -> tuple[Path, Path]:
    """The two files of a version, neither of which exists; `finishing`, the record file alone may.

    Raises UsageProblem where one does, or it is no version.
    """
    try:
        paths = frozen_paths(folder, version)
    except FrozenFileProblem as problem:
        raise UsageProblem(problem.message, "name one of three numbers, for example 1.0.0") from None
    for file in paths[finishing:]:
        if os.path.lexists(file):
            raise UsageProblem(f"version {version} is frozen already: {shown_path(file)} exists", NEW_VERSION)
    return paths


@contextmanager
def interrupted_freeze_set_aside(bank: Bank, version: str) -> Iterator[bool]:
    """Set the record file of an interrupted freeze aside while the bank is validated; yields whether there was one.

    A freeze that was killed between its two files leaves a record file without statement, which nothing can have used.
    `freeze` finishes it where the working files still give the same records. Where they do not, or where the bank is
    not valid, the file is put back. Raises UsageProblem where a registered run used the version: then the statement was
    lost, and only version control has it.
    """
    path, statement_path = frozen_paths(bank.freeze_folder, version)
    aside = _aside(path)
    _must_be_a_file(aside)
    if os.path.lexists(path) and not os.path.lexists(statement_path):
        _must_be_a_file(path)
        if version in _registered(bank):
            raise UsageProblem(
                f"{shown_path(statement_path)} is missing, and a registered run used version {version}",
                "restore it from version control",
            )
        try:
            with alone(bank.folder):
                if os.path.lexists(path) and not os.path.lexists(statement_path):
                    path.replace(aside)
        except OSError as error:
            raise _cannot_be_written(bank.freeze_folder, error) from None
    if not os.path.lexists(aside):
        yield False
        return
    try:
        yield True
    finally:
        if os.path.lexists(path):
            aside.unlink(missing_ok=True)
        else:
            aside.replace(path)


def _aside(path: Path) -> Path:
    return path.with_name(f".{path.name}.interrupted")


def _must_be_a_file(path: Path) -> None:
    """Raises UsageProblem where something else than a file stands there: a freeze leaves files alone, and no links."""
    if os.path.lexists(path) and not stat.S_ISREG(os.lstat(path).st_mode):
        raise UsageProblem(f"{shown_path(path)} is no file, so no freeze left it", "move it away; nothing was frozen")


def _registered(bank: Bank) -> set[str]:
    """The versions that the register names, as far as it can be read."""
    value = bank.evaluations.value if bank.evaluations is not None else None
    entries = value.get("evaluations") if isinstance(value, dict) else None
    return {
        str(entry.get("evaluated_version"))
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict)
    }


def _finish_only_the_same(path: Path, data: bytes) -> None:
    """Raises UsageProblem where an interrupted freeze had written other records than these."""
    aside = _aside(path)
    _must_be_a_file(aside)
    if os.path.lexists(aside) and (aside.stat().st_size != len(data) or aside.read_bytes() != data):
        raise UsageProblem(
            f"{shown_path(path)} without a statement is of an interrupted freeze, and the working files give others",
            "undo what changed since, or remove that file: nothing can have used it",
        )


def _publish(paths: tuple[Path, Path], contents: tuple[bytes, bytes]) -> None:
    """Give both files their names, the statement last: a version is there once its statement is.

    Both are whole on disk before either has its name, and neither name is ever taken from another file.
    """
    folder = paths[0].parent
    version = paths[1].name.removesuffix(".json")
    for path in paths:
        remove_left(path)
    named: list[Path] = []
    temporary = [temporary_of(path) for path in paths]
    try:
        for file, data in zip(temporary, contents, strict=True):
            _write_synced(file, data)
        for file, path in zip(temporary, paths, strict=True):
            _name_new(file, path)
            named.append(path)
        _sync_folder(folder)
    except FileExistsError:
        _unlink(named)
        raise UsageProblem(f"version {version} was frozen by somebody else meanwhile", NEW_VERSION) from None
    except BaseException:
        _unlink(named)
        raise
    finally:
        _unlink(temporary)


def _unlink(files: list[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
