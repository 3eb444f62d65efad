"""Read a file that somebody else may have put there: a regular one, up to a limit, without waiting for anybody."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from divisionbell.diagnostics import UsageProblem, shown_path


class NotRead(Exception):
    """A file cannot be read: why, and the way to mend it."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.message, self.fix = message, fix


def read_file(path: Path, limit: int) -> bytes:
    """The bytes of a file as they are at this moment. Raises NotRead.

    A pipe, a device or a socket is not waited for, and of a larger file no more than the limit is read, whatever its
    size says. What is written while it is read is neither the file before nor the file behind.
    """
    try:
        _must_be_regular(path.stat())  # opening a device can do something by itself
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        try:
            state = os.fstat(descriptor)
            _must_be_regular(state)
            data = read_up_to(descriptor, state.st_size, limit + 1)
            now = os.fstat(descriptor)
            if (now.st_size, now.st_mtime_ns) != (state.st_size, state.st_mtime_ns):
                raise NotRead("changed while it was read", "wait until it is saved, then try again")
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:  # ValueError: NUL in its name
        lost = isinstance(error, FileNotFoundError)
        fix = "restore the file from version control" if lost else "make the file readable"
        raise NotRead(f"cannot be read: {getattr(error, 'strerror', error)}", fix) from None
    if len(data) > limit:
        raise NotRead(f"is larger than {limit:,} bytes", "split the file")
    return data


def read_given(path: Path, limit: int, fix: str) -> bytes:
    """The bytes of a file that a person named. Raises UsageProblem as `read_file` raises NotRead."""
    try:
        return read_file(path, limit)
    except NotRead as problem:
        raise UsageProblem(f"{shown_path(path)} {problem.message}", fix) from None


def read_up_to(descriptor: int, size: int, limit: int) -> bytes:
    """The bytes up to the end of the file, and no more than the limit, whatever size it was said to have: the size only
    tells for how much there need be room at first."""
    found = os.read(descriptor, min(size + 1, limit))
    pieces = [found]
    left = limit - len(found)
    while found and left:
        found = os.read(descriptor, min(left, 1 << 16))
        pieces.append(found)
        left -= len(found)
    return b"".join(pieces)


def _must_be_regular(state: os.stat_result) -> None:
    if not stat.S_ISREG(state.st_mode):
        raise NotRead("is not a file", "put a file there")


def leads_inside(path: Path | str, inside: str) -> bool:
    """Whether a link leads to something in the folder of this real path; a loop of links leads nowhere."""
    real = Path(os.path.realpath(path))
    return real.is_relative_to(inside) and not real.is_symlink()
