"""divisionbell run"""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from divisionbell.cli.asking_options import asking_options
from divisionbell.cli.options import bank_option, version_option
from divisionbell.cli.shard_option import chosen_shard, same_place, shard_folder, spread_options, units_of
from divisionbell.cli.stdout import say
from divisionbell.diagnostics import Incomplete, UsageProblem, shown_path

if TYPE_CHECKING:
    from divisionbell.freeze.frozen_bank import FrozenBank
    from divisionbell.run.administer import Planned
    from divisionbell.run.journal import Journal
    from divisionbell.run.respondents.respondent import Respondent
    from divisionbell.run.respondents.sampling import Sampling


@click.command("run", short_help="Ask a respondent the items of a frozen bank, in both orders.")
@click.argument("respondent")
@click.option("--form", default="full", show_default=True, help="The form to ask, as bank.yaml names it.")
@click.option(
    "--repeats", type=click.IntRange(1, 1000), default=1, show_default=True, help="How often each order is asked."
)
@click.option(
    "--concurrency", type=click.IntRange(1, 1024), default=16, show_default=True, help="Calls in flight at most."
)
@asking_options
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help="The run folder.")
@click.option("--resume", is_flag=True, help="Go on with the run in --out: ask only what is missing.")
@click.option("--failed", is_flag=True, help="With --resume: ask again what was not reached; never a malformed answer.")
@click.option("--dry-run", is_flag=True, help="Ask nothing: print every prompt, then calls and tokens of the run.")
@click.option("--no-preflight", is_flag=True, help="Leave out the one call that is made to a server before the run.")
@spread_options
@bank_option
@version_option
def command(
    respondent: str,
    form: str,
    repeats: int,
    concurrency: int,
    base_url: str | None,
    key_file: Path | None,
    out: Path | None,
    resume: bool,
    failed: bool,
    dry_run: bool,
    no_preflight: bool,
    sampling: Sampling,
    shard_text: str | None,
    engine: str | None,
    shards: int | None,
    ray_address: str | None,
    bank_folder: str | None,
    version: str | None,
) -> int:
    """Ask RESPONDENT the items of a frozen bank, each in both orders and each in a fresh conversation.

    \b
    RESPONDENT is one of
      scripted:always-a|always-b|negative|positive|coin|refuse|malformed
      party:NAME       a party, by its votes (for example "party:Labour")
      embedded         SmolLM2-135M under a grammar, in this process
      openai:MODEL     any OpenAI-compatible server, with --base-url
      anthropic:MODEL  Anthropic's Messages API
      llm:MODEL        a model of the llm package and its plugins
    or a plug-in's name; `divisionbell models` says what is usable here.

    A server is first asked once whether it is there and what it takes (a preflight), before anything is written.
    The run folder holds run.json and journal.jsonl, one unit a line, synced as it is finished. A run that was broken
    off goes on with --resume --out DIR. Exit code 0 complete, 1 incomplete, 2 refused, 130 interrupted.
    """
    from divisionbell.bank.load import find_bank
    from divisionbell.cli.before_run import checked_before, show_plan
    from divisionbell.cli.frozen import frozen_bank
    from divisionbell.run.administer import configuration, header, plan
    from divisionbell.run.find_runs import new_run
    from divisionbell.run.journal import Journal, read_header
    from divisionbell.run.respondents.choose import choose

    if failed and not resume:
        raise UsageProblem("--failed goes with --resume", "add --resume --out DIR")
    if resume and out is None:
        raise UsageProblem("--resume needs the run folder", "name it with --out DIR")
    if (engine or shards or ray_address) and not dry_run:
        from divisionbell.cli.on_ray import run_on_ray

        return run_on_ray(click.get_current_context())
    shard = chosen_shard(shard_text)
    bank = frozen_bank(bank_folder, version).without_record_lines()
    chosen = choose(respondent, bank, base_url, key_file, sampling)
    units = units_of(shard, plan(bank, chosen, form, repeats))
    if shard and not units:
        say(f"{shard} holds no unit of this run: nothing is to be asked")
        return 0
    if dry_run:
        return show_plan(bank, chosen, form, repeats, units)
    folder, run_id = new_run(bank.version, respondent, out if shard is None else shard_folder(out, shard))
    if folder.resolve().is_relative_to(find_bank(bank_folder).resolve()):
        raise UsageProblem(f"{shown_path(folder)} lies in the bank", "name a folder outside it with --out")
    had = read_header(folder) if folder.is_dir() else None
    if had is not None and not resume:
        raise UsageProblem(f"{shown_path(folder)} holds a run", "go on with it: --resume; or choose another --out")
    if had is not None:
        _same(had, {**configuration(bank, chosen, form, repeats), **(shard.header if shard else {})})
    before = checked_before(bank, chosen, units, concurrency, skip=no_preflight or resume)
    head = {**header(bank, chosen, form, repeats, run_id, units), **(shard.header if shard else {}), **before}
    with Journal(folder, had or head) as journal:
        standing = journal.standing
        unknown = set(standing) - {unit.key for unit in units}
        if unknown:
            raise UsageProblem(
                f"the journal holds {len(unknown)} units that are not of this run", "restore the journal"
            )
        wanted = [u for u in units if u.key not in standing or (failed and standing[u.key] == "transport_failed")]
        if resume and wanted:
            click.echo(f"{len(units) - len(wanted)} of {len(units)} units are there; asking {len(wanted)}", err=True)
        interrupted = _ask(bank, chosen, wanted, journal, concurrency, len(units))
    outcomes = Counter(journal.standing.values())
    return _summary(folder, respondent, len(units), outcomes, interrupted, same_place(folder, shard))


def _same(had: dict[str, Any], now: dict[str, Any]) -> None:
    """Refuse to go on under another configuration, naming what differs."""
    for name in sorted({*now, "reasoning_tags", "shard_index", "shard_count"}):
        there, here = had.get(name), now.get(name)
        if there != here and isinstance(there, dict) and isinstance(here, dict):
            name, there, here = next(
                (part, there.get(part), here.get(part))
                for part in sorted({*there, *here})
                if there.get(part) != here.get(part)
            )
        if there != here:
            raise UsageProblem(
                f"the run was started with another {name}: {there} there, {here} now",
                "give the same options, or start a new run",
            )


def _ask(
    bank: FrozenBank, chosen: Respondent, wanted: list[Planned], journal: Journal, concurrency: int, total: int
) -> bool:
    """Ask what is wanted; True where the user interrupted it."""
    from divisionbell.cli.progress import Progress
    from divisionbell.run.administer import administer
    from divisionbell.run.group_commit import GroupCommit

    progress = Progress(chosen.name, total, total - len(wanted))

    async def ask_all() -> None:
        async with GroupCommit(journal) as commit:

            async def sink(unit: Any) -> None:
                await commit.put(unit)
                progress.unit(unit)

            await administer(bank, chosen, wanted, sink, concurrency)

    async def work() -> bool:
        task = asyncio.ensure_future(ask_all())
        loop = asyncio.get_running_loop()

        def stop() -> None:
            if not task.cancelling():
                progress.close()
                click.echo("interrupted: what was answered is kept", err=True)
                task.cancel()

        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop)
        try:
            await task
        except asyncio.CancelledError:
            return True
        finally:
            await chosen.close()
        return False

    try:
        return asyncio.run(work())
    finally:
        progress.close()


def _summary(folder: Path, respondent: str, total: int, outcomes: Counter[str], interrupted: bool, same: str) -> int:
    told = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(outcomes.items()))
    there = outcomes.total()
    say(f"{shown_path(folder)}: {respondent}, {there} of {total} units: {told or 'none'}")
    if interrupted:
        say(f"  go on with: divisionbell run '{respondent}' … --resume {same}", err=True)
        return 130
    failed = outcomes["transport_failed"]
    if there < total or failed:
        raise Incomplete(
            f"the run is incomplete: {total - there} units missing, {failed} not reached",
            f"go on with --resume --failed {same}",
        )
    return 0
