"""divisionbell merge"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from divisionbell.cli.options import bank_option
from divisionbell.diagnostics import Incomplete, UsageProblem, real_path, shown_path

if TYPE_CHECKING:
    from divisionbell.run.find_runs import Run

MOST_WAYS = 3


@click.command("merge", short_help="Put shards, or parts of a run, together.")
@click.argument("folders", metavar="DIR…", nargs=-1, required=True, type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help="The new run folder."
)
@click.option("--incomplete", is_flag=True, help="Write the run though units are missing; run --resume can go on.")
@bank_option
def command(folders: tuple[Path, ...], out: Path, incomplete: bool, bank_folder: str | None) -> None:
    """Put the parts of one run together as a new run. Each DIR is a run folder, or holds folders shard-K-of-N.

    A unit that stands in several parts alike is kept once; one that was not reached gives way to its answer. Parts
    that were asked under different configurations, and units that were obtained twice and not alike, are refused.
    Where units are missing their shards are named, nothing is written and the exit code is 1.
    """
    merge_folders(shard_folders(folders), out, incomplete, bank_folder)


def shard_folders(named: tuple[Path, ...]) -> list[Path]:
    """The run folders that are meant, each once. Raises UsageProblem where a folder holds none."""
    from divisionbell.run.journal import HEADER

    found: dict[Path, Path] = {}
    for folder in named:
        inside = [folder] if (folder / HEADER).exists() else [p.parent for p in folder.glob(f"shard-*-of-*/{HEADER}")]
        if not inside:
            raise UsageProblem(
                f"{shown_path(folder)} is no run and holds no shard", "name run folders, or the folder of the shards"
            )
        found |= {one.resolve(): one for one in sorted(inside)}
    return list(found.values())


def merge_folders(folders: list[Path], out: Path, incomplete: bool, bank_folder: str | None) -> None:
    """Merge run folders and say what came of it. Raises Incomplete where units are missing, and Findings or
    UsageProblem where the parts do not belong together."""
    from divisionbell.bank.load import find_bank
    from divisionbell.cli.frozen import frozen_bank
    from divisionbell.run.find_runs import Run
    from divisionbell.run.journal import latest
    from divisionbell.run.merge import holes, merge, read_part, refuse_mixed, write_run

    if real_path(out).is_relative_to(real_path(find_bank(bank_folder))):
        raise UsageProblem(f"{shown_path(out)} lies in the bank", "name a folder outside it with --out")
    parts = [read_part(folder) for folder in folders]
    refuse_mixed(parts)
    merged = merge(frozen_bank(bank_folder, str(parts[0].header["bank_version"])), parts)
    told = f"{len(merged.missing)} of {merged.header['unit_count']} units are missing: {holes(merged)}"
    if merged.missing:
        runs = [Run(part.folder, part.header, tuple(latest(part.units).values())) for part in parts]
        _refuse_batches(runs, merged.missing)
        if not incomplete:
            raise Incomplete(f"nothing was written: {told}", f"{_ways_on(runs)}; or write what is there: --incomplete")
    write_run(merged, out)
    click.echo(
        f"{shown_path(out)}: {merged.header['respondent']}, {len(merged.units)} units from {len(parts)} "
        f"part{'s' if len(parts) > 1 else ''}"
    )
    if merged.missing:
        click.echo(told, err=True)


def _refuse_batches(runs: list[Run], missing: tuple[str, ...]) -> None:
    """Raises Incomplete where a batch is to obtain a missing unit: a merged run has no place for what waits of it."""
    from divisionbell.run.way_on import held_by_batch, left, way_on

    for run in runs:
        if not held_by_batch(run.folder).isdisjoint(missing):
            raise Incomplete(
                f"nothing was written: {shown_path(run.folder)} is asked by batches: {left(run)}", way_on(run)
            )


def _ways_on(runs: list[Run]) -> str:
    """How to go on with the parts that are incomplete; the first of them where they are many."""
    from divisionbell.run.way_on import way_on

    open_ = [run for run in runs if run.missing]
    ways = [way_on(run) for run in open_[:MOST_WAYS]] or ["ask the shards that are not there: run … --shard K/N"]
    return "; ".join([*ways, *([f"and {len(open_) - MOST_WAYS} parts more"] if len(open_) > MOST_WAYS else [])])
