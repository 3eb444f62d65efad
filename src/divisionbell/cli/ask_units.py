"""Ask the units of a run, say how far it is, and what it came to."""

from __future__ import annotations

import asyncio
import shlex
import signal
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from divisionbell.cli.stdout import give_up, hint, say
from divisionbell.diagnostics import DivisionBellError, Incomplete, cut, shown_path, visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from divisionbell.freeze.frozen_bank import FrozenBank
    from divisionbell.run.administer import Planned
    from divisionbell.run.journal import Journal
    from divisionbell.run.respondents.respondent import Respondent

# So many different reasons why units were not reached are told.
MOST_REASONS = 5


@dataclass
class Ended:
    """How asking ended: interrupted, stopped by what made going on pointless, or neither. `reasons` counts why units
    were not reached."""

    interrupted: bool = False
    stopped: DivisionBellError | None = None
    reasons: Counter[str] = field(default_factory=Counter)


def ask_units(
    bank: FrozenBank, chosen: Respondent, wanted: list[Planned], journal: Journal, concurrency: int, total: int
) -> Ended:
    """Ask what is wanted, and keep each unit as it is finished."""
    from divisionbell.cli.progress import Progress
    from divisionbell.run.administer import administer
    from divisionbell.run.group_commit import GroupCommit

    progress = Progress(chosen.name, total, total - len(wanted))
    ended = Ended()
    begun = {unit.key for unit in wanted if unit.first is not None}

    async def ask_all() -> None:
        async with GroupCommit(journal) as commit:

            async def sink(unit: Any) -> None:
                await commit.put(unit)
                progress.unit(unit, paid_before=int(unit["unit_key"] in begun))
                if unit["outcome"] == "transport_failed":
                    ended.reasons[unit["attempts"][-1].get("transport_error", "no reason given")] += 1

            await administer(bank, chosen, wanted, sink, concurrency)

    async def work() -> None:
        task = asyncio.ensure_future(ask_all())
        loop = asyncio.get_running_loop()

        def stop() -> None:
            if not task.cancelling():
                task.cancel()  # first: whoever should read the line may be gone
                progress.close()
                hint("interrupted: what was answered is kept")

        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop)
        try:
            await task
        except asyncio.CancelledError:
            ended.interrupted = True
        except Incomplete as problem:
            ended.stopped = problem
        finally:
            await chosen.close()

    try:
        asyncio.run(work())
    finally:
        progress.close()
    return ended


def told_at_the_end(folder: Path, header: Mapping[str, Any], total: int, outcomes: Counter[str], ended: Ended) -> int:
    """Say what the run came to and how it goes on. Raises Incomplete where something is missing."""
    from divisionbell.run.go_on import go_on_command
    from divisionbell.run.shard import shard_in

    told = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(outcomes.items()))
    there, failed = outcomes.total(), outcomes["transport_failed"]
    command = go_on_command(header, folder, failed=failed > 0)
    try:
        say(f"{shown_path(folder)}: {header['respondent']}, {there} of {total} units: {told or 'none'}")
        for reason, count in ended.reasons.most_common(MOST_REASONS):
            say(f"  not reached: {visible(cut(reason))} ({count})", err=True)
        if ended.interrupted:
            say(f"  go on with: {command}", err=True)
    except OSError:
        if not ended.interrupted:
            raise
        give_up()  # who reads the output was interrupted as well
        give_up("stderr")
    if ended.interrupted:
        return 130
    if ended.stopped is not None:
        first = f"{ended.stopped.fix}; then " if ended.stopped.fix else ""
        raise Incomplete(ended.stopped.message, f"{first}go on with: {command}")
    if there < total or failed:
        raise Incomplete(
            f"the run is incomplete: {total - there} units missing, {failed} not reached", f"go on with: {command}"
        )
    if sys.stderr.isatty():
        shown = shlex.quote(shown_path(folder))
        following = "merge DIR… --out DIR" if shard_in(header) else f"score {shown}"
        click.echo(f"  next: divisionbell {following}", err=True)
    return 0
