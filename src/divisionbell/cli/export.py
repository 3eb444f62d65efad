"""divisionbell export"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from divisionbell.cli import export_replies
from divisionbell.cli.export_harness import HARNESSES
from divisionbell.cli.options import bank_option
from divisionbell.cli.output import must_be_writable, write_out
from divisionbell.cli.stdout import say
from divisionbell.diagnostics import Findings, UsageProblem, shown_path

if TYPE_CHECKING:
    from divisionbell.freeze.frozen_bank import FrozenBank
    from divisionbell.run.find_runs import Run

# Written out here so that --help needs no RDF library; a test holds it to what the export can write.
FORMATS = ("turtle", "ntriples", "nquads", "trig", "jsonld", "rdfxml")


@click.group("export", short_help="Write the bank or runs in other formats, or for other harnesses.")
def command() -> None:
    """Write the bank or runs in other formats, or the bank for other harnesses."""


for _other in (export_replies.command, *HARNESSES):
    command.add_command(_other)


@command.command("rdf", short_help="Write a frozen version, or a run, as RDF.")
@bank_option
@click.option(
    "--version",
    "--bank-version",
    "version",
    metavar="VERSION",
    help="The frozen version; otherwise the one that bank.yaml names.",
)
@click.option("--format", "format_", type=click.Choice(FORMATS), default="turtle", show_default=True)
@click.option(
    "--run",
    "run_folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="RUN",
    help="A run folder: run.json, journal.jsonl and, where it is there, score.json.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="PATH",
    help="The file to write, whole or not at all; otherwise standard output.",
)
def rdf(bank_folder: str | None, version: str | None, format_: str, run_folder: Path | None, out: Path | None) -> None:
    """Write a frozen version of the bank as RDF with its provenance (PROV-O), and with --run the run as well.

    The frozen files are read and not the working ones, so that the version must be frozen first. The same bank and run
    give the same bytes. A torn last line of the journal is left out. A run is refused where it was asked from other
    records than those of the version.

    \b
      divisionbell export rdf --out bank.ttl
      divisionbell export rdf --run runs/… --format nquads | sort | head
    """
    from divisionbell.cli.frozen import frozen_bank

    if out is not None:
        must_be_writable(out)
    bank = frozen_bank(bank_folder, version)
    run = score = None
    if run_folder is not None:
        run = _run_of(bank, run_folder)
        score = _score_of(run)
        _must_hold(bank, run, score, bank_folder)

    from divisionbell.export.prov import bank_triples, run_triples, serialise

    records = [{"id": record.id, "kind": record.kind, "value": record.value} for record in bank.records]
    triples = bank_triples(records, bank.statement)
    if run is not None:
        base = next(str(record.value["base_iri"]) for record in bank.records if record.kind == "bank")
        triples += run_triples(base, run.header, run.units, score)
    data = serialise(triples, format_)
    if out is None:
        click.echo(data, nl=False)
        return
    write_out(out, data)
    say(f"wrote {shown_path(out)}: {len(set(triples))} triples")


def _run_of(bank: FrozenBank, folder: Path) -> Run:
    """The run in a folder. Raises UsageProblem where it was asked from other records than those of the bank."""
    from divisionbell.run.find_runs import read_run

    run = read_run(folder)
    asked, version = run.header.get("bank_sha256"), run.header.get("bank_version")
    if asked != bank.sha256 or version != bank.version:
        raise UsageProblem(
            f"{shown_path(folder)} was asked from version {version} with sha256 {asked}; "
            f"version {bank.version} here has {bank.sha256}",
            "name the bank and the version that it was asked from, with --bank and --version",
        )
    return run


def _must_hold(bank: FrozenBank, run: Run, score: Mapping[str, Any] | None, bank_folder: str | None) -> None:
    """Refuse a run that is not what its replies come to, and scores that are not what the run gives."""
    from divisionbell.cli.scoring import run_problems
    from divisionbell.estimate.document import score_run
    from divisionbell.run.journal import journal_sha256

    problems = run_problems(bank, run, bank_folder)
    if problems:
        raise Findings(f"{shown_path(run.folder)} was not exported: {problems[0]}", fix="divisionbell runs verify RUN")
    if score is not None and score != score_run(bank, run.header, run.units, journal_sha256(run.folder)):
        raise Findings(
            f"{shown_path(run.folder)}/score.json is not what the run gives",
            fix=f"compute it again: divisionbell score {shown_path(run.folder)}",
        )


def _score_of(run: Run) -> Mapping[str, Any] | None:
    """The score document of a run, None where there is none.

    Raises Findings where it cannot be read, UsageProblem where it was computed from another journal than the run's.
    """
    from divisionbell.run.journal import JOURNAL, SCORE, journal_sha256

    path = run.folder / SCORE
    again = f"compute it again: divisionbell score {shown_path(run.folder)}"
    try:
        score = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as problem:
        raise Findings(f"{shown_path(path)} cannot be read: {problem}", fix=again) from None
    if not isinstance(score, dict):
        raise Findings(f"{shown_path(path)} is no score document", fix=again)
    found = journal_sha256(run.folder) if (run.folder / JOURNAL).is_file() else None
    if score.get("scored_journal_sha256") != found:
        raise UsageProblem(
            f"{shown_path(path)} was computed from a journal with sha256 {score.get('scored_journal_sha256')}; "
            f"the journal there has {found}",
            again,
        )
    return score
