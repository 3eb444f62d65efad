"""divisionbell batch"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from divisionbell.cli.asking_options import SAMPLING, asking_options
from divisionbell.cli.options import bank_option, version_option
from divisionbell.cli.shard_option import batch_shard_option, chosen_shard, shard_folder, units_of
from divisionbell.diagnostics import Findings, Incomplete, UsageProblem, real_path, shown_path, visible

if TYPE_CHECKING:
    from divisionbell.freeze.frozen_bank import FrozenBank
    from divisionbell.run.administer import Planned
    from divisionbell.run.find_runs import Run
    from divisionbell.run.respondents.sampling import Sampling

MOST_TOLD = 20
SAID_BY_THE_RUN = ("run_folder", "form", "repeats", "base_url", "key_file", "without", "shard_text", "version")


@click.group("batch", short_help="Ask by a provider's batch files: write them, read their results.")
def command() -> None:
    """Ask by a provider's batch files. `export` writes requests that you hand to the provider's batch service, `import`
    reads what it gives back into a run as `run` would have written it.

    The run folder keeps what is between: batch.json names the requests that are out and holds malformed first replies.
    Their reminder goes out as a second batch: `batch export --resume RUN`.
    """


@command.command("export", short_help="Write the requests to a file.")
@click.argument("respondent", required=False)
@click.option(
    "--out", required=True, type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="The requests, new."
)
@click.option(
    "--run",
    "run_folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="RUN",
    help="The run folder to begin, with --shard the folder of its shards; otherwise below ./runs, as run does.",
)
@click.option(
    "--resume",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="RUN",
    help="Go on with this run: the retries of malformed replies, and what was never sent.",
)
@click.option("--failed", is_flag=True, help="With --resume: send again what came back as an error or expired.")
@click.option("--missing", is_flag=True, help="With --resume: send again what no result was imported for.")
@click.option("--form", default="full", show_default=True, help="The form to ask, as bank.yaml names it.")
@click.option(
    "--repeats", type=click.IntRange(1, 1000), default=1, show_default=True, help="How often each order is asked."
)
@asking_options
@click.option(
    "--without",
    type=click.Choice(["temperature"]),
    multiple=True,
    help="Leave a parameter out that the model refuses; each reply records it as dropped.",
)
@batch_shard_option
@bank_option
@version_option
def export(
    respondent: str | None,
    out: Path,
    run_folder: Path | None,
    resume: Path | None,
    failed: bool,
    missing: bool,
    form: str,
    repeats: int,
    base_url: str | None,
    key_file: Path | None,
    without: tuple[str, ...],
    sampling: Sampling,
    shard_text: str | None,
    bank_folder: str | None,
    version: str | None,
) -> int:
    """Write the requests to FILE for openai:MODEL (a file for /v1/batches) or anthropic:MODEL (one object of `requests`
    a line). Each request is known by its custom_id: unit key and attempt. The settings, and so the unit keys, are those
    of `run` with the same options; no key is needed to write them.
    """
    from divisionbell.cli.output import must_be_writable
    from divisionbell.run.batch_requests import Wanted

    if (respondent is None) == (resume is None):
        raise UsageProblem("name a respondent for a new run, or a run with --resume", "give one of the two")
    if resume is None and (failed or missing):
        raise UsageProblem("--failed and --missing go with --resume", "add --resume RUN")
    must_be_writable(out)
    if out.exists():
        raise UsageProblem(f"{shown_path(out)} exists", "write the requests to a new file")
    if resume is not None:
        context = click.get_current_context()
        for name in (*SAID_BY_THE_RUN, *SAMPLING):
            if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
                flag = next(p.opts[0] for p in context.command.params if p.name == name)
                raise UsageProblem(f"{flag} does not go with --resume: the run has it already", "leave it out")
        bank, header, units = _stored(resume, bank_folder)
        return _send(bank, resume, header, units, out, Wanted(failed, missing), None)
    folder, bank, header, units = _new(
        str(respondent), form, repeats, base_url, key_file, sampling, run_folder, shard_text, bank_folder, version
    )
    if not units:
        click.echo("the shard holds no unit of this run: nothing is to be asked")
        return 0
    return _send(bank, folder, header, units, out, Wanted(), without)


def _new(
    respondent: str,
    form: str,
    repeats: int,
    base_url: str | None,
    key_file: Path | None,
    sampling: Sampling,
    run_folder: Path | None,
    shard_text: str | None,
    bank_folder: str | None,
    version: str | None,
) -> tuple[Path, FrozenBank, dict[str, Any], list[Planned]]:
    from divisionbell.bank.load import find_bank
    from divisionbell.cli.frozen import frozen_bank
    from divisionbell.run.administer import header, plan
    from divisionbell.run.batch_formats import format_of
    from divisionbell.run.find_runs import new_run
    from divisionbell.run.journal import read_header
    from divisionbell.run.respondents.choose import choose
    from divisionbell.run.way_on import on_or_elsewhere

    shard = chosen_shard(shard_text)
    format_of(respondent)
    bank = frozen_bank(bank_folder, version)
    chosen = choose(respondent, bank, base_url, key_file, sampling)
    units = units_of(shard, plan(bank, chosen, form, repeats))
    named = run_folder if shard is None else shard_folder(run_folder, shard, "--run")
    folder, run_id = new_run(bank.version, respondent, named)
    if real_path(folder).is_relative_to(real_path(find_bank(bank_folder))):
        raise UsageProblem(f"{shown_path(folder)} lies in the bank", "name a folder outside it with --run")
    if folder.is_dir() and read_header(folder) is not None:
        raise UsageProblem(f"{shown_path(folder)} holds a run", on_or_elsewhere(folder, "--run"))
    head = {**header(bank, chosen, form, repeats, run_id, units), **(shard.header if shard else {})}
    return folder, bank, head, units


def _stored(folder: Path, bank_folder: str | None) -> tuple[FrozenBank, dict[str, Any], list[Planned]]:
    """A run that is gone on with. Raises UsageProblem where it was asked from other records."""
    from divisionbell.cli.frozen import frozen_bank
    from divisionbell.run.administer import plan
    from divisionbell.run.batch_formats import format_of
    from divisionbell.run.batch_replay import Stored
    from divisionbell.run.journal import read_header
    from divisionbell.run.shard import shard_in

    header = read_header(folder) if folder.is_dir() else None
    if header is None:
        raise UsageProblem(f"{shown_path(folder)} is no run: it has no run.json", "name a run that was exported")
    format_of(str(header["respondent"]))
    bank = frozen_bank(bank_folder, str(header["bank_version"]))
    if header["bank_sha256"] != bank.sha256:
        raise UsageProblem(
            f"{shown_path(folder)} was asked from records {header['bank_sha256']}, this bank's are {bank.sha256}",
            "name the bank that was asked: --bank DIR",
        )
    units = plan(bank, Stored(header), str(header["form"]), int(header["repeats"]))
    return bank, header, units_of(shard_in(header), units)


def _send(
    bank: FrozenBank,
    folder: Path,
    header: dict[str, Any],
    units: list[Planned],
    out: Path,
    wanted: Any,
    without: tuple[str, ...] | None,
) -> int:
    from divisionbell.cli.output import write_out
    from divisionbell.run.batch_requests import due, lines
    from divisionbell.run.batch_state import BatchState, read_state
    from divisionbell.run.find_runs import Run
    from divisionbell.run.journal import JOURNAL, Journal, latest, parse_journal

    state = BatchState(without) if without is not None else read_state(folder) or BatchState()
    if without is not None:
        lines(bank, header, due(units, {}, state, wanted), state)  # a run that no batch can hold is never begun
    with Journal(folder, header):
        standing = latest(parse_journal(folder / JOURNAL)[0])
        requests = due(units, standing, state, wanted)
        made = lines(bank, header, requests, state)
        if not made:
            raise _nothing_due(Run(folder, header, tuple(standing.values())))
        before = set(state.sent)
        state.sent |= set(made)
        _keep(state, folder)  # first, so that a request that is out is never taken for one that is not
        try:
            write_out(out, b"".join(made.values()))
        except UsageProblem:
            state.sent = before
            _keep(state, folder)
            raise
    retries = sum(attempt == 2 for _, attempt in requests)
    click.echo(
        f"{shown_path(out)}: {len(made)} request{'' if len(made) == 1 else 's'}, {retries} of them retries; "
        f"run {shown_path(folder)}"
    )
    click.echo(f"  when the results are there: divisionbell batch import RESULTS --out {shown_path(folder)}", err=True)
    return 0


def _nothing_due(run: Run) -> UsageProblem:
    from divisionbell.run.way_on import left, way_on

    folder = shown_path(run.folder)
    if not run.missing:
        return UsageProblem(f"{folder} is complete: nothing is to be sent", f"divisionbell score {shlex.quote(folder)}")
    return UsageProblem(f"{folder}: nothing is due; {left(run)}", way_on(run))


def _keep(state: Any, folder: Path) -> None:
    try:
        state.write(folder)
    except OSError as error:
        raise UsageProblem(f"{shown_path(folder)} cannot be written: {error.strerror}", "free some space") from None


@command.command("import", short_help="Read a file of results into the run.")
@click.argument("results", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--out",
    "folder",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    metavar="RUN",
    help="The run folder that the batch was exported from.",
)
@bank_option
def import_results(results: Path, folder: Path, bank_folder: str | None) -> int:
    """Read FILE, the results that the provider gave, in any order, into the journal of RUN. Errors and expired requests
    count as not reached. The same results may be imported twice; a line that is of no unit of this run, is broken, or
    answers anew what was answered already is named, and then nothing of FILE is imported.

    Exit code 0 where the run is complete, 1 where something is still to be sent or to come.
    """
    from divisionbell.run.batch_results import take
    from divisionbell.run.batch_state import BatchState, read_state
    from divisionbell.run.find_runs import Run
    from divisionbell.run.journal import JOURNAL, Journal, latest, parse_journal
    from divisionbell.run.way_on import left, way_on

    bank, header, units = _stored(folder, bank_folder)
    with Journal(folder, header) as journal:
        standing = latest(parse_journal(folder / JOURNAL)[0])
        state = read_state(folder) or BatchState()
        made = take(bank, header, units, standing, state, results)
        for problem in made.problems[:MOST_TOLD]:
            click.echo(visible(problem))
        if made.problems:
            raise Findings(
                f"nothing was imported: {len(made.problems)} of the lines of {shown_path(results)} cannot stand",
                fix="import each batch's own results, whole, into the run that it was exported from",
            )
        _, broken = journal.write(made.units)
        if broken is not None:
            raise Incomplete(broken.message, "free some space, then import the same file again; what is there stays")
        standing |= {unit["unit_key"]: unit for unit in made.units}
        _keep(made.state, folder)
    told = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(made.counts.items()))
    click.echo(f"{shown_path(folder)}: imported {told or 'nothing'}")
    run = Run(folder, header, tuple(standing.values()))
    if run.missing:
        raise Incomplete(f"the run is incomplete: {left(run)}", way_on(run))
    return 0
