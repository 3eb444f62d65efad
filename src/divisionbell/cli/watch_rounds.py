"""The rounds of `validate --watch`: what stands around each, and what ends none of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import NoReturn

from divisionbell.bank.load import find_bank
from divisionbell.cli.stdout import put
from divisionbell.cli.watch import watch
from divisionbell.diagnostics import DivisionBellError, real_path, shown_path, visible

NAMED = 3


def watch_rounds(folder: Path, ches: Path | None, check: Callable[[], None]) -> NoReturn:
    """Check now and after every save, until KeyboardInterrupt. A bank that is not there for a while is waited for."""

    def round_(changed: list[str]) -> None:
        started = time.monotonic()
        apart = "\n" if changed else ""
        put(f"{apart}--- {datetime.now():%H:%M:%S} {visible(_what(changed, folder))} ---\n")
        try:
            find_bank(str(folder))
            check()
        except DivisionBellError as problem:
            put(f"error: {visible(problem.message)}\n")
        except BrokenPipeError:
            raise
        except OSError as problem:  # a file went away between being listed and being read: the next round sees that
            put(f"error: the bank changed while it was read: {visible(str(problem))}\n")
        put(f"--- {time.monotonic() - started:.1f} s; waiting for the next save, end with Ctrl-C ---\n")

    sources = real_path(folder).parent / "data_sources.yaml"
    watch(folder, (sources, *([ches] if ches else [])), round_)
    raise AssertionError("watch ends by an exception only")


def _what(changed: list[str], folder: Path) -> str:
    if not changed:
        return f"checking {shown_path(folder)}/"
    named = ", ".join(shown_path(Path(name)) for name in changed[:NAMED])
    more = len(changed) - NAMED
    return f"{named}{f' and {more} more' if more > 0 else ''} changed"
