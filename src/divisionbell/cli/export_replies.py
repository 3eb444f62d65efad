"""divisionbell export replies"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from divisionbell.cli.options import bank_option
from divisionbell.cli.output import must_be_writable, write_out
from divisionbell.cli.stdout import say
from divisionbell.diagnostics import Findings, UsageProblem, shown_path


@click.command("replies")
@click.argument("runs", nargs=-1, required=True, type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    metavar="FILE",
    help="The file to write, whole or not at all.",
)
@bank_option
def command(runs: tuple[Path, ...], out: Path, bank_folder: str | None) -> None:
    """Write the replies of RUNS as one table in Apache Parquet, a row a unit, for R, pandas, polars or DuckDB.

    Each run is checked first, as runs verify does. An answer that is missing is null and never 0; what each column is
    stands in the file itself, in the metadata of its field. It needs the package pyarrow.

    \b
      divisionbell export replies out/runs/*/* --out replies.parquet
      duckdb -c "select respondent, axis, avg(coordinate) from 'replies.parquet' where scale='concrete' group by all"
    """
    if find_spec("pyarrow") is None:
        raise UsageProblem("Parquet needs the package pyarrow", "pip install pyarrow")
    from divisionbell.cli.scoring import bank_of, run_problems
    from divisionbell.export.replies import parquet
    from divisionbell.run.find_runs import read_run

    must_be_writable(out)
    read = []
    for folder in runs:
        run = read_run(folder)
        bank = bank_of(run.header, bank_folder)
        problems = run_problems(bank, run, bank_folder)
        if problems:
            raise Findings(f"{shown_path(folder)} was not exported: {problems[0]}", fix="divisionbell runs verify RUN")
        read.append((bank, run))
    names = [run.header["run_id"] for _, run in read]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageProblem(f"run {twice} is named twice", "name every run once")
    write_out(out, parquet(read))
    say(f"wrote {shown_path(out)}: {sum(len(run.units) for _, run in read)} units of {len(read)} runs")
