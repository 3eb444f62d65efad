"""Start the command line and turn every error into a line and an exit code."""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from divisionbell.diagnostics import DivisionBellError


# What the system says of a path that somebody named; no fault of this program.
_OF_THE_SYSTEM = frozenset(
    (
        *(errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR, errno.EISDIR),
        *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ESTALE),
    )
)


def program() -> None:
    """The installed command. It ends at once where nothing needs an orderly end: taking the interpreter down piece by
    piece is a twentieth of the time of `validate`."""
    _end_in_order()
    try:
        main()
    except SystemExit as ended:
        if "multiprocessing" in sys.modules or "asyncio" in sys.modules or not isinstance(ended.code, int):
            raise
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not stream.closed:
                stream.flush()
        os._exit(ended.code)


def _end_in_order() -> None:
    """Let SIGTERM end a command as an error does, so that it takes away what it has half written.

    A verb that has an end of its own for it sets that up instead; a process that was made deaf to it stays so.
    """
    import signal

    def end(number: int, frame: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough, and a second must not stop the tidying
        raise SystemExit(128 + number)

    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, end)


def main() -> None:
    """Run the command line. Never shows a traceback: what is not foreseen goes into a log file, with exit code 3."""
    import click

    from divisionbell.cli import root
    from divisionbell.cli.stdout import give_up, is_lost, lost, make_sound
    from divisionbell.diagnostics import DivisionBellError, visible

    make_sound()
    try:
        code = root.main(prog_name="divisionbell", standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt):
        _tell("interrupted")
        sys.exit(130)
    except click.exceptions.NoArgsIsHelpError as problem:  # its message is a whole help page
        _told(problem.show)
        sys.exit(2)
    except click.ClickException as problem:
        problem.__dict__["message"] = visible(problem.message)  # it quotes what was typed
        _told(problem.show)
        sys.exit(2)
    except DivisionBellError as problem:
        try:
            _say(problem)
        except BrokenPipeError:
            give_up()
        sys.exit(problem.exit_code)
    except BrokenPipeError:
        give_up()
        sys.exit(1)
    except OSError as problem:
        if is_lost(problem):
            _say(lost(problem))
        elif problem.filename is not None and problem.errno in _OF_THE_SYSTEM:
            _tell(f"error: {visible(os.fsdecode(problem.filename))}: {problem.strerror}")
        else:
            sys.exit(_fault())
        sys.exit(2)
    except MemoryError:
        _tell("error: there is not enough memory")
        _tell("  fix: end other programs, allow this one more, or give it less at once")
        sys.exit(2)
    except Exception:  # anything else is a fault of this program: it is logged whole and named as that
        sys.exit(_fault())
    sys.exit(code if isinstance(code, int) else 0)


def _say(problem: DivisionBellError) -> None:
    from divisionbell.cli.findings.excerpt import Sources
    from divisionbell.cli.findings.text import finding
    from divisionbell.cli.stdout import colour_wanted, put
    from divisionbell.diagnostics import Findings, visible

    if isinstance(problem, Findings):
        sources, colour = Sources(), colour_wanted()
        for diagnostic in problem.diagnostics:
            put(finding(diagnostic, sources, colour))
    _tell(f"error: {visible(problem.message)}")
    if problem.fix:
        _tell(f"  fix: {visible(problem.fix)}")


def _tell(line: str) -> None:
    import click

    _told(lambda: click.echo(line, err=True))


def _told(tell: Callable[[], None]) -> None:
    """Write to standard error; where that cannot be written, the exit code alone has to tell."""
    from divisionbell.cli.stdout import give_up

    try:
        tell()
    except OSError:
        give_up("stderr")


def _fault() -> int:
    import tempfile
    import traceback

    from divisionbell.diagnostics import cut, visible

    told = traceback.format_exc()
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="divisionbell-", suffix=".log", delete=False, encoding="utf-8", errors="backslashreplace"
        ) as log:
            log.write(told)
        where = f"please report it with {log.name}"
    except OSError as problem:
        where = f"no log of it can be written ({problem.strerror}): {cut(told.strip().splitlines()[-1])}"
    _tell(visible(f"error: this is a fault of divisionbell, not of your files; {where}"))
    return 3


if __name__ == "__main__":
    program()
