"""Start the command line and turn every error into a line and an exit code."""

from __future__ import annotations

import os
import sys


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
    from divisionbell.diagnostics import DivisionBellError, Findings, visible

    try:
        code = root.main(prog_name="divisionbell", standalone_mode=False)
    except click.exceptions.Abort:
        click.echo("interrupted", err=True)
        sys.exit(130)
    except click.ClickException as problem:
        problem.show()
        sys.exit(2)
    except DivisionBellError as problem:
        if isinstance(problem, Findings):
            for diagnostic in problem.diagnostics:
                click.echo(diagnostic.text())
        click.echo(f"error: {visible(problem.message)}", err=True)
        if problem.fix:
            click.echo(f"  fix: {visible(problem.fix)}", err=True)
        sys.exit(problem.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except Exception:  # anything else is a fault of this program: it is logged whole and named as that
        sys.exit(_fault())
    sys.exit(code if isinstance(code, int) else 0)


def _fault() -> int:
    import tempfile
    import traceback

    import click

    with tempfile.NamedTemporaryFile(
        "w", prefix="divisionbell-", suffix=".log", delete=False, encoding="utf-8", errors="backslashreplace"
    ) as log:
        log.write(traceback.format_exc())
    click.echo(f"error: this is a fault of divisionbell, not of your files; please report it with {log.name}", err=True)
    return 3


if __name__ == "__main__":
    program()
