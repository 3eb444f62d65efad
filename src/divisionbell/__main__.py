"""Start the command line and turn every error into a line and an exit code."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from divisionbell.diagnostics import DivisionBellError


def program() -> None:
    """The installed command. It ends at once where nothing needs an orderly end: taking the interpreter down piece by
    piece is a twentieth of the time of `validate`."""
    try:
        main()
    except SystemExit as ended:
        if "multiprocessing" in sys.modules or "asyncio" in sys.modules or not isinstance(ended.code, int):
            raise
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not stream.closed:
                stream.flush()
        os._exit(ended.code)


def main() -> None:
    """Run the command line. Never shows a traceback: what is not foreseen goes into a log file, with exit code 3."""
    import click

    from divisionbell.cli import root
    from divisionbell.cli.stdout import give_up, is_lost, lost, make_sound
    from divisionbell.diagnostics import DivisionBellError

    make_sound()
    try:
        code = root.main(prog_name="divisionbell", standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt):
        _tell("interrupted")
        sys.exit(130)
    except click.ClickException as problem:
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
        if not is_lost(problem):
            sys.exit(_fault())
        _say(lost(problem))
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

    with tempfile.NamedTemporaryFile(
        "w", prefix="divisionbell-", suffix=".log", delete=False, encoding="utf-8", errors="backslashreplace"
    ) as log:
        log.write(traceback.format_exc())
    _tell(f"error: this is a fault of divisionbell, not of your files; please report it with {log.name}")
    return 3


if __name__ == "__main__":
    program()
