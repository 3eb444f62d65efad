"""divisionbell run"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from divisionbell.cli.ask_units import ask_units, told_at_the_end
from divisionbell.cli.asking_options import asking_options
from divisionbell.cli.options import bank_option, version_option
from divisionbell.cli.resuming import (
    as_started,
    holds_a_run,
    is_due,
    left_to_ask,
    must_be_same,
    must_go_with_others,
    nothing_there,
    with_first_replies,
)
from divisionbell.cli.shard_option import chosen_shard, shard_folder, spread_options, units_of
from divisionbell.cli.stdout import hint, say
from divisionbell.diagnostics import UsageProblem, real_path, shown_path

if TYPE_CHECKING:
    from divisionbell.run.respondents.sampling import Sampling


@click.command("run", short_help="Ask a respondent the items of a frozen bank, in both orders.")
@click.argument("respondent", required=False)
@click.option(
    "--form",
    default="full",
    show_default=True,
    help="The form to ask, as bank.yaml names it; --dry-run says what it is good for.",
)
@click.option(
    "--repeats", type=click.IntRange(1, 1000), default=1, show_default=True, help="How often each order is asked."
)
@click.option(
    "--concurrency", type=click.IntRange(1, 1024), default=16, show_default=True, help="Calls in flight at most."
)
@asking_options
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help="The run folder.")
@click.option("--resume", is_flag=True, help="Go on with the run in --out, as it was started.")
@click.option("--failed", is_flag=True, help="With --resume: ask again what was not reached; never a malformed answer.")
@click.option(
    "--dry-run",
    is_flag=True,
    help="Ask nothing: print every prompt, and before and after them calls and tokens of the run.",
)
@click.option("--no-preflight", is_flag=True, help="Leave out the one call that is made to a server before the run.")
@spread_options
@bank_option
@version_option
def command(
    respondent: str | None,
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
    off goes on with --resume --out DIR alone: what it was started with stands in run.json. A shard that is not there
    is begun, so that a job can be started again. Exit code 0 complete, 1 incomplete, 2 refused, 130 interrupted.
    """
    from divisionbell.bank.load import find_bank
    from divisionbell.cli.before_run import checked_before, show_plan
    from divisionbell.cli.frozen import frozen_bank
    from divisionbell.run.administer import configuration, header, plan
    from divisionbell.run.find_runs import new_run
    from divisionbell.run.journal import Journal, read_header
    from divisionbell.run.respondents.choose import choose
    from divisionbell.run.shard import shard_in
    from divisionbell.run.way_on import refuse_live

    if failed and not resume:
        raise UsageProblem("--failed goes with --resume", "add --resume --out DIR")
    if resume and out is None:
        raise UsageProblem("--resume needs the run folder", "name it with --out DIR")
    if respondent is None and (not resume or engine):
        raise UsageProblem(
            "no respondent is named",
            "divisionbell models says which are usable; --resume --out DIR goes on with a run without naming it",
        )
    context = click.get_current_context()
    if (engine or shards or ray_address) and not dry_run:
        from divisionbell.cli.on_ray import run_on_ray

        return run_on_ray(context)
    shard = chosen_shard(shard_text)
    folder = out if shard is None or (out is None and dry_run) else shard_folder(out, shard)
    had = read_header(folder) if folder is not None and folder.is_dir() else None
    if folder is not None and had is not None and not (resume or dry_run):
        raise holds_a_run(folder)
    if had is None and resume and shard is None:
        raise nothing_there(out)
    if had is not None and resume:
        asked = as_started(context, had)
        respondent, form, repeats, version = asked.respondent, asked.form, asked.repeats, asked.version
        base_url, sampling, shard = asked.base_url, asked.sampling, shard or shard_in(had)
    if respondent is None:
        raise UsageProblem(f"{shown_path(folder or Path())} is not begun: no respondent is named", "name one")
    bank = frozen_bank(bank_folder, version).without_record_lines()
    chosen = choose(respondent, bank, base_url, key_file, sampling)
    units = units_of(shard, plan(bank, chosen, form, repeats))
    if shard and not units:
        say(f"{shard} holds no unit of this run: nothing is to be asked")
        return 0
    now = {**configuration(bank, chosen, form, repeats), **(shard.header if shard else {})}
    if had is not None and resume:
        must_be_same(had, now)
    elif shard is not None and out is not None:
        must_go_with_others(out, now)
    if dry_run:
        left = left_to_ask(folder, units, failed) if folder is not None and resume else units
        if folder is not None and had is not None and failed:
            left = with_first_replies(folder, left, bank, had)
        return show_plan(bank, chosen, form, repeats, left)
    folder, run_id = new_run(bank.version, respondent, folder)
    if real_path(folder).is_relative_to(real_path(find_bank(bank_folder))):
        raise UsageProblem(f"{shown_path(folder)} lies in the bank", "name a folder outside it with --out")
    before = checked_before(bank, chosen, form, units, concurrency, skip=no_preflight or had is not None)
    head = {**header(bank, chosen, form, repeats, run_id, units), **(shard.header if shard else {}), **before}
    with Journal(folder, had or head) as journal:
        standing = journal.standing
        unknown = set(standing) - {unit.key for unit in units}
        if unknown:
            raise UsageProblem(
                f"the journal holds {len(unknown)} units that are not of this run", "restore the journal"
            )
        wanted = [unit for unit in units if is_due(standing.get(unit.key), failed)]
        refuse_live(folder, (unit.key for unit in wanted))
        if failed and had is not None:
            wanted = with_first_replies(folder, wanted, bank, had)
        if resume and wanted:
            hint(f"{len(units) - len(wanted)} of {len(units)} units are there; asking {len(wanted)}")
        ended = ask_units(bank, chosen, wanted, journal, concurrency, len(units))
    return told_at_the_end(folder, had or head, len(units), Counter(standing.values()), ended)
