"""Standard output: written soundly whatever stands behind it, and coloured only where a person looks at it."""

from __future__ import annotations

import errno
import os
import sys

from divisionbell.diagnostics import UsageProblem, visible


def make_sound() -> None:
    """Let a stream that is closed take everything, and write a character that its encoding lacks as an escape."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        reconfigure = getattr(getattr(sys, name), "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def put(told: str | bytes) -> None:
    """Write to standard output and flush; bytes go out as they are.

    Raises BrokenPipeError where the reader has gone, UsageProblem where it cannot be written otherwise (a full disk).
    """
    stream = sys.stdout
    try:
        if isinstance(told, bytes):
            stream.flush()
            stream.buffer.write(told)
        else:
            stream.write(told)
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise lost(error) from None


def say(line: str, err: bool = False) -> None:
    """Write one line. What it quotes from names and files can begin no other line and command no terminal."""
    stream = sys.stderr if err else sys.stdout
    stream.write(f"{visible(line)}\n")
    stream.flush()


def hint(line: str, end: str = "\n") -> None:
    """Write to standard error what work that goes on need not be heard to say; where nobody takes it, it is lost."""
    try:
        sys.stderr.write(line + end)
        sys.stderr.flush()
    except (OSError, ValueError):
        give_up("stderr")


def is_lost(error: OSError) -> bool:
    """Whether the error is of a device that takes no more; one that concerns a path names the path."""
    return error.filename is None and error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}


def lost(error: OSError) -> UsageProblem:
    """The problem to tell where output cannot be written."""
    give_up()
    return UsageProblem(f"the output cannot be written: {error.strerror}", "write it elsewhere")


def give_up(name: str = "stdout") -> None:
    """Point a standard stream at nothing, so that what is left in its buffer raises no second error at the end."""
    try:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, getattr(sys, name).fileno())
        os.close(nothing)
    except (OSError, ValueError, AttributeError):  # closed, or no stream of the system
        return


def colour_wanted() -> bool:
    """Whether standard output shall have colour: NO_COLOR, then FORCE_COLOR (each where not empty), then a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
