"""divisionbell runs"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from divisionbell.cli.json_text import json_text
from divisionbell.cli.options import bank_option
from divisionbell.cli.stdout import say
from divisionbell.diagnostics import Findings, UsageProblem, shown_path

run_argument = click.argument("run", type=click.Path(file_okay=False, path_type=Path))


@click.group("runs", short_help="List, show, check and register runs.")
def command() -> None:
    """List, show, check and register runs. A run is a folder with run.json and journal.jsonl."""


style_option = click.option(
    "--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True, help="For whom."
)


@command.command("list", short_help="List the runs below a folder.")
@click.argument("root", type=click.Path(file_okay=False, path_type=Path), required=False)
@style_option
def list_runs(root: Path | None, style: str) -> None:
    """List the runs below ROOT (by default ./runs and ./out): folder, respondent, form, units."""
    from divisionbell.run.find_runs import find_runs, read_run

    roots = [root] if root is not None else [Path("runs"), Path("out")]
    rows = []
    for folder in (folder for one in roots for folder in find_runs(one)):
        row: dict[str, Any] = {"folder": shown_path(folder)}
        try:
            run = read_run(folder)
        except Findings as problem:
            rows.append(row | {"problem": problem.message})
            continue
        shown: tuple[str, ...] = (
            "run_id",
            "respondent",
            "constrained",
            "bank_version",
            "form",
            "repeats",
            "unit_count",
        )
        shown += ("shard_index", "shard_count")
        rows.append(row | {name: run.header[name] for name in shown if name in run.header} | {"missing": run.missing})
    if style == "json":
        click.echo(json_text(rows))
    elif not rows:
        say(f"no runs below {' or '.join(map(shown_path, roots))}", err=True)
    else:
        for row in rows:
            say(_row(row))


def _row(row: dict[str, Any]) -> str:
    if "problem" in row:
        return f"{row['folder']}: {row['problem']}"
    state = "complete" if row["missing"] == 0 else f"{row['missing']} missing"
    shard = f", shard {row['shard_index']} of {row['shard_count']}" if "shard_index" in row else ""
    asked = f"bank {row['bank_version']}, form {row['form']}{shard}"
    instrument = " (constrained decoding)" if row["constrained"] else ""
    return f"{row['folder']}: {row['respondent']}{instrument}, {asked}, {row['unit_count']} units, {state}"


@command.command("show", short_help="Show what a run came to, and how it is gone on with.")
@run_argument
@style_option
def show(run: Path, style: str) -> None:
    """Show what RUN came to: outcomes, parse rates, calls, tokens and what served it; as JSON with its header. Of an
    incomplete run it says with which command to go on."""
    from divisionbell.run.find_runs import read_run
    from divisionbell.run.run_summary import run_summary, summary_lines

    told = run_summary(read_run(run))
    if style == "json":
        click.echo(json_text(told))
        return
    for line in summary_lines(told):
        say(line)


@command.command("verify", short_help="Check a run against its frozen bank.")
@run_argument
@bank_option
def verify(run: Path, bank_folder: str | None) -> None:
    """Check RUN: the journal fits the schema, every unit belongs to it and stands once, every reply reads as recorded,
    and the frozen bank that it was asked from is the one named."""
    from divisionbell.cli.scoring import bank_of, is_registered, run_problems
    from divisionbell.run.find_runs import read_run

    read = read_run(run)
    problems = run_problems(bank_of(read.header, bank_folder), read, bank_folder)
    for problem in problems:
        say(f"{shown_path(run)}: {problem}")
    if problems:
        raise Findings(f"{len(problems)} findings in {shown_path(run)}", fix="do not score this run")
    state = "complete" if read.missing == 0 else f"{read.missing} units missing"
    entered = "registered" if is_registered(read.header, bank_folder) else "not registered"
    say(f"{shown_path(run)}: {len(read.units)} units hold, {state}, {entered}")


@command.command("register", short_help="Enter a run in the bank's register for good.")
@run_argument
@bank_option
def register(run: Path, bank_folder: str | None) -> None:
    """Register RUN in evaluations.yaml. From then on the frozen version that it used must exist unchanged for good."""
    from divisionbell.author.register import register_run
    from divisionbell.bank.canonical import sha256_hex
    from divisionbell.bank.load import find_bank
    from divisionbell.bank.manifest import statement_file
    from divisionbell.cli.frozen import frozen_bank
    from divisionbell.run.find_runs import read_run
    from divisionbell.run.journal import journal_sha256
    from divisionbell.run.shard import shard_in
    from divisionbell.run.verify_run import verify_run
    from divisionbell.run.way_on import left, way_on

    read = read_run(run)
    folder = find_bank(bank_folder)
    frozen = frozen_bank(bank_folder, str(read.header.get("bank_version")))
    problems = verify_run(frozen, read)
    if problems:
        raise UsageProblem(
            f"{shown_path(run)} cannot be registered: {problems[0]}", "divisionbell runs verify RUN lists what is wrong"
        )
    if shard_in(read.header):
        raise UsageProblem(f"{shown_path(run)} is {shard_in(read.header)}", "divisionbell merge, then register that")
    if read.missing:
        raise UsageProblem(
            f"{shown_path(run)} cannot be registered: {left(read)}", f"complete the run first: {way_on(read)}"
        )
    told = {
        "evaluated_run": read.header["run_id"],
        "evaluated_version": frozen.version,
        "records_sha256": frozen.sha256,
        "statement_sha256": sha256_hex(statement_file(dict(frozen.statement))),
        "journal_sha256": journal_sha256(run),
        "respondent_name": read.header["respondent"],
        "asked_form": read.header["form"],
        "registered_at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    shown = register_run(folder, told)
    say(f"registered {read.header['run_id']} against {frozen.version} in {shown}")
