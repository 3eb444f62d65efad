"""Write a file whole or not at all, and only where it is meant to stand; every writer of the program does it so."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from divisionbell.bank.files import NotRead, read_file
from divisionbell.diagnostics import UsageProblem, shown_path


class NotWritten(UsageProblem):
    """A file was not written, and is what it was. Exit code 2."""


class ChangedOnDisk(NotWritten):
    """A file is no longer what it was when it was read."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{shown_path(path)} was not written: it changed while the command ran", "run the command again"
        )


def write_whole(path: Path, data: bytes, instead_of: bytes | None = None) -> None:
    """Write a file whole or not at all: a temporary file beside it, synced, then renamed. An existing file keeps its
    mode and, as far as the system lets it, its owner.

    Raises NotWritten where a link, a folder or a read-only file stands there or the system does not take it, and
    ChangedOnDisk where `instead_of` is given and the file holds other bytes just before it is replaced.
    """
    try:
        had = must_be_writable(path)
        with _beside(path, data) as temporary:
            if had is not None:
                _as_it_was(temporary, had)
            if instead_of is not None:
                _must_still_be(path, instead_of)
            os.replace(temporary, path)  # noqa: PTH105
    except OSError as error:
        raise _refused(path, error) from None


def write_new(path: Path, data: bytes) -> None:
    """Write a file that is not there yet, whole or not at all. Raises NotWritten, also where the name is taken."""
    try:
        with _beside(path, data) as temporary:
            name_new(temporary, path)
    except FileExistsError:
        raise NotWritten(f"{shown_path(path)} was not written: it exists", "remove it, or edit that file") from None
    except OSError as error:
        raise _refused(path, error) from None


def must_be_writable(path: Path) -> os.stat_result | None:
    """The state of the file that is to be replaced; None where there is none yet. Raises NotWritten, or OSError."""
    try:
        had = os.lstat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(had.st_mode):
        raise NotWritten(f"{shown_path(path)} was not written: it is a link", "put the file itself there")
    if not stat.S_ISREG(had.st_mode):
        raise NotWritten(f"{shown_path(path)} was not written: it is no file", "move away what is there")
    # Renaming asks only the folder, and root may write anything: what its owner made read-only stays as it is.
    if not had.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(path, os.W_OK):
        raise NotWritten(f"{shown_path(path)} was not written: it is read-only", "make the file writable")
    return had


def _refused(path: Path, error: OSError) -> NotWritten:
    return NotWritten(
        f"{shown_path(path)} cannot be written: {error.strerror}", "make the file and its folder writable"
    )


def _must_still_be(path: Path, expected: bytes) -> None:
    try:
        same = read_file(path, len(expected)) == expected
    except NotRead:
        same = False
    if not same:
        raise ChangedOnDisk(path)


def _as_it_was(temporary: Path, had: os.stat_result) -> None:
    made = os.lstat(temporary)
    if (made.st_uid, made.st_gid) != (had.st_uid, had.st_gid):
        with contextlib.suppress(OSError):  # only root may give files away
            os.chown(temporary, had.st_uid, had.st_gid)
    os.chmod(temporary, stat.S_IMODE(had.st_mode))  # noqa: PTH101


@contextmanager
def _beside(path: Path, data: bytes) -> Iterator[Path]:
    """A synced temporary file with the data; it is gone afterwards, unless it was renamed."""
    remove_left(path)
    temporary = temporary_of(path)
    temporary.unlink(missing_ok=True)  # whatever has the name of this process, a link too: it is not written through
    try:
        write_synced(temporary, data)
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def temporary_of(path: Path) -> Path:
    """The name under which this process writes what is to become a file."""
    return path.with_name(f".{path.name}.{os.getpid()}.part")


def remove_left(path: Path) -> None:
    """Remove what processes that are no more left of the same file: temporary files, and nothing that only looks so."""
    name = re.compile(rf"\.{re.escape(path.name)}\.([1-9][0-9]{{0,9}})\.part")
    with os.scandir(path.parent) as entries:
        left = [(entry.path, told) for entry in entries if (told := name.fullmatch(entry.name))]
    for file, told in left:
        if stat.S_ISREG(os.lstat(file).st_mode) and not _is_alive(int(told.group(1))):
            Path(file).unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    """Whether another process than this one has the number."""
    if process == os.getpid():
        return False
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it is somebody else's
        return True
    return True


def name_new(temporary: Path, path: Path) -> None:
    """Give a file its name. Raises FileExistsError where the name is taken."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if os.path.lexists(path):
            raise FileExistsError(path) from None
        temporary.rename(path)


def write_synced(path: Path, data: bytes) -> None:
    """Write a file that is not there yet, and wait until it is on disk."""
    with path.open("xb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


@contextmanager
def alone(folder: Path, patience: float = 0.0) -> Iterator[None]:
    """Hold the bank folder against other freezes and registrations; one under way is waited for so many seconds.

    Raises UsageProblem where it is under way still.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        end = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= end:
                    raise UsageProblem(
                        f"another freeze of {shown_path(folder)} is under way", "wait for it to end"
                    ) from None
                time.sleep(0.02)
            except OSError as error:  # some network file systems lock no folders; no file is overwritten unseen anyway
                if error.errno not in {errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL, errno.EBADF}:
                    raise
                break
        yield
    finally:
        os.close(descriptor)
