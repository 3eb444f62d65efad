"""Open the files of a run folder: it may come from anywhere, and what stands there need not be a file."""

from __future__ import annotations

import errno
import io
import os
import stat
from pathlib import Path


def open_regular(path: Path) -> io.BufferedReader:
    """A file opened for reading. Raises OSError, also where it is a pipe or a device, which would never end."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    return os.fdopen(_held(descriptor, path), "rb")


def open_to_append(path: Path) -> io.FileIO:
    """A file opened to write at its end, unbuffered, made where there is none. Raises OSError, also where a link, a
    pipe or a device stands there: what a link leads to is no file of this folder."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags, 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, f"{path.name} is a link") from None
        raise
    return os.fdopen(_held(descriptor, path), "ab", buffering=0)


def _held(descriptor: int, path: Path) -> int:
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, f"{path.name} is no file")
