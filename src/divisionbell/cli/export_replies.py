"""divisionbell export replies"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from divisionbell.cli.options import bank_option
from divisionbell.cli.output import must_be_writable, write_out
from divisionbell.cli.stdout import say
from divisionbell.diagnostics import Findings, UsageProblem, shown_path

SUFFIX = ".parquet"


@click.command("replies", short_help="Write the replies of runs as one Parquet table.")
@click.argument("runs", nargs=-1, required=True, type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    metavar="FILE",
    help="The file to write, whole or not at all; its name ends in .parquet.",
)
@bank_option
def command(runs: tuple[Path, ...], out: Path, bank_folder: str | None) -> None:
    """Write the replies of RUNS as one table in Apache Parquet, a row a unit, for R, pandas, polars or DuckDB.

    Each run is checked first, as runs verify does; an incomplete one or a shard is written and named as that. An answer
    that is missing is null and never 0; what each column is stands in the file itself, in the metadata of its field. It
    needs the package pyarrow.

    \b
      divisionbell export replies out/runs/*/* --out replies.parquet
      duckdb -c "select respondent, axis, avg(coordinate) from 'replies.parquet' where scale='concrete' group by all"
    """
    if find_spec("pyarrow") is None:
        raise UsageProblem("Parquet needs the package pyarrow", "pip install pyarrow")
    from divisionbell.cli.scoring import bank_of, run_problems
    from divisionbell.estimate.compared import refuse_same_run
    from divisionbell.export.replies import parquet
    from divisionbell.run.find_runs import read_run
    from divisionbell.run.journal import journal_sha256
    from divisionbell.run.shard import shard_in
    from divisionbell.run.way_on import left, way_on

    if out.suffix.lower() != SUFFIX:
        better = out.parent / f"{out.stem or 'replies'}{SUFFIX}"
        raise UsageProblem(
            f"{shown_path(out)} would hold Parquet, which its name does not say",
            f"--out {shown_path(better)}",
        )
    must_be_writable(out)
    read = []
    for folder in runs:
        run = read_run(folder)
        bank = bank_of(run.header, bank_folder)
        problems = run_problems(bank, run, bank_folder)
        if problems:
            raise Findings(f"{shown_path(folder)} was not exported: {problems[0]}", fix="divisionbell runs verify RUN")
        read.append((bank, run))
    refuse_same_run((run.header, journal_sha256(run.folder)) for _, run in read)
    write_out(out, parquet(read))
    for _, run in read:
        if shard_in(run.header):
            say(f"  ! {shown_path(run.folder)} is {shard_in(run.header)}, a part of a run", err=True)
        if run.missing:
            say(f"  ! {shown_path(run.folder)} is incomplete: {left(run)}; go on with: {way_on(run)}", err=True)
    runs_told = f"{len(read)} run{'s' if len(read) > 1 else ''}"
    say(f"wrote {shown_path(out)}: {sum(len(run.units) for _, run in read)} units of {runs_told}")
