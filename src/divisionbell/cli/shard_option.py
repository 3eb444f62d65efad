"""The options of `run` beyond one machine: a shard of a run, and shards spread over a cluster."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from divisionbell.diagnostics import UsageProblem, shown_path

if TYPE_CHECKING:
    from divisionbell.run.administer import Planned
    from divisionbell.run.shard import Shard

Command = TypeVar("Command", bound=Callable[..., Any])

shard_option = click.option(
    "--shard",
    "shard_text",
    metavar="K/N",
    help="Ask shard K of N only, in --out/shard-K-of-N; auto or auto/N takes K from the environment of a SLURM array "
    "or an indexed job. Put together with divisionbell merge.",
)
batch_shard_option = click.option(
    "--shard",
    "shard_text",
    metavar="K/N",
    help="Write the requests of shard K of N only (or auto, as run takes it); its run folder is shard-K-of-N in the "
    "folder that --run names. Put together with divisionbell merge.",
)
_spread = (
    click.option(
        "--on",
        "engine",
        type=click.Choice(["ray"]),
        help="Spread the run over an existing Ray cluster, with --shards and --out; merged at the end.",
    ),
    click.option("--shards", type=click.IntRange(1, 100_000), help="With --on: how many shards, one task each."),
    click.option(
        "--ray-address", metavar="ADDR", help="With --on ray: the cluster's address; otherwise the one found here."
    ),
)


def spread_options(command: Command) -> Command:
    """--shard, --on, --shards and --ray-address."""
    for option in reversed((shard_option, *_spread)):
        command = option(command)
    return command


def chosen_shard(text: str | None, environment: Mapping[str, str] | None = None) -> Shard | None:
    """The shard that --shard names, None without it. The environment is read for `auto` alone, and what was read is
    said. Raises UsageProblem where that names no shard."""
    from divisionbell.run.shard import new_shard

    if text is None:
        return None
    found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    if found:
        return new_shard(int(found.group(1)), int(found.group(2)))
    found = re.fullmatch(r"auto(?:/([0-9]{1,6}))?", text)
    if found is None:
        raise UsageProblem(f"{text[:40]!r} names no shard", "write --shard 2/8, --shard auto or --shard auto/8")
    given = os.environ if environment is None else environment
    index, count, read = _read(given, int(found.group(1)) if found.group(1) else None)
    shard = new_shard(index, count)
    click.echo(f"{shard}, from {read}", err=True)
    return shard


def _read(environment: Mapping[str, str], count: int | None) -> tuple[int, int, str]:
    """Index, count and what they were read from."""
    slurm, job = "SLURM_ARRAY_TASK_ID" in environment, "JOB_COMPLETION_INDEX" in environment
    if slurm and job:
        raise UsageProblem("both SLURM_ARRAY_TASK_ID and JOB_COMPLETION_INDEX are set", "name the shard: --shard K/N")
    if slurm and count is not None:
        task = _number(environment, "SLURM_ARRAY_TASK_ID")
        return task, count, f"SLURM_ARRAY_TASK_ID={task}"
    if slurm:
        return _whole_array(environment)
    if job and count is None:
        raise UsageProblem("JOB_COMPLETION_INDEX does not say how many there are", "write --shard auto/N")
    if job and count is not None:
        number = _number(environment, "JOB_COMPLETION_INDEX")
        return number + 1, count, f"JOB_COMPLETION_INDEX={number}, which counts from 0"
    raise UsageProblem(
        "--shard auto finds neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX", "name the shard: --shard K/N"
    )


def _whole_array(environment: Mapping[str, str]) -> tuple[int, int, str]:
    """A task's place in its array, wherever the array begins and in whatever steps it counts."""
    names = [f"SLURM_ARRAY_TASK_{end}" for end in ("ID", "MIN", "MAX", "STEP", "COUNT")]
    task, low, high, step, count = (_number(environment, name) for name in names)
    told = ", ".join(f"{name}={environment[name]}" for name in names)
    if step < 1 or (high - low) % step or (high - low) // step + 1 != count or (task - low) % step:
        raise UsageProblem(
            f"the array is no row of equal steps, so that a task has no place of its own: {told}",
            "submit it as 1-N and write --shard auto/N, or name the shard: --shard K/N",
        )
    return (task - low) // step + 1, count, told


def _number(environment: Mapping[str, str], name: str) -> int:
    text = environment.get(name, "")
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise UsageProblem(f"{name} is {text[:40]!r}, no number", "name the shard: --shard K/N")
    return int(text)


def shard_folder(out: Path | None, shard: Shard, option: str = "--out") -> Path:
    """The run folder of a shard in the folder `out`, which `option` names. Raises UsageProblem where it is not named,
    or holds a whole run or shards of another cut."""
    from divisionbell.run.journal import HEADER
    from divisionbell.run.shard import refuse_other_counts

    if out is None:
        raise UsageProblem(
            f"--shard needs {option} DIR: the shards of a run lie side by side in it", f"add {option} DIR"
        )
    if (out / HEADER).exists():
        raise UsageProblem(f"{shown_path(out)} holds a whole run", f"name another {option} for its shards")
    refuse_other_counts(out, shard, option)
    return out / shard.folder_name


def units_of(shard: Shard | None, units: list[Planned]) -> list[Planned]:
    """The units that are to be asked: those of the shard, else all."""
    return units if shard is None else [unit for unit in units if shard.holds(unit.key)]
