"""`run --on ray`: each shard is the same `run --shard K/N`, called on a node of the cluster."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from divisionbell.diagnostics import DivisionBellError, Incomplete, UsageProblem, shown_path, visible

if TYPE_CHECKING:
    from divisionbell.run.ray_cluster import Ended
    from divisionbell.run.shard import Shard

MERGED = "merged"
OWN = {"engine", "shards", "ray_address", "shard_text", "resume", "out", "bank_folder"}
# A process that was killed, or its node, can hold its journal a little longer than the cluster takes to begin again.
LONGEST_WAIT_SECONDS = 180.0


def run_on_ray(context: click.Context) -> int:
    """Spread the shards, follow their journals, merge at the end. The options are those that `run` was given."""
    from divisionbell.bank.load import find_bank
    from divisionbell.cli.frozen import frozen_bank
    from divisionbell.cli.merge import merge_folders
    from divisionbell.run.journal import HEADER
    from divisionbell.run.ray_cluster import spread
    from divisionbell.run.shard import Shard, refuse_other_counts

    given = context.params
    out, count = given["out"], given["shards"]
    if given["engine"] is None or count is None or out is None:
        raise UsageProblem("spreading a run takes --on ray, --shards N and --out DIR", "give all three")
    if given["shard_text"] is not None:
        raise UsageProblem("--shard and --on do not go together", "leave --shard out: every shard is asked")
    shards = [Shard(index, count) for index in range(1, count + 1)]
    refuse_other_counts(out, shards[0])
    if (out / HEADER).exists():
        raise UsageProblem(f"{shown_path(out)} holds a whole run", "name another --out for its shards")
    if (out / MERGED / HEADER).exists() and given["resume"]:
        click.echo(f"{shown_path(out / MERGED)} is there: nothing is to be asked")
        return 0
    if not given["resume"] and any(out.glob("shard-*")):
        raise UsageProblem(f"{shown_path(out)} holds shards", "go on with them: --resume; or choose another --out")
    bank_folder = find_bank(given["bank_folder"]).resolve()
    frozen_bank(str(bank_folder), given["version"])  # what no shard could begin with is said before any is
    whole = out.resolve()
    common = [*arguments_of(context), "--bank", str(bank_folder), "--out", str(whole)]
    parts = {
        str(shard): [str(whole / shard.folder_name), "--shard", f"{shard.index}/{count}", *common] for shard in shards
    }
    follow = Follow(out, shards)
    click.echo(f"{count} shards on Ray; each node reads {bank_folder} and writes below {whole}", err=True)
    ended = spread(ask_shard, parts, given["ray_address"], follow.told)
    failed = {name: end for name, end in ended.items() if end.code != 0}
    for name, end in failed.items():
        click.echo(visible(f"{name}: {end.message or f'ended with {end.code}'}"), err=True)
    if failed:
        raise Incomplete(
            f"{len(failed)} of {count} shards are incomplete", "go on with the same command and --resume [--failed]"
        )
    done = [out / shard.folder_name for shard in shards if (out / shard.folder_name / HEADER).exists()]
    merge_folders(done, out / MERGED, False, str(bank_folder))
    return 0


def arguments_of(context: click.Context) -> list[str]:
    """The options that were given, for another process with another working folder: paths are made absolute."""
    options: list[str] = []
    named: list[str] = []
    for parameter in context.command.params:
        name = str(parameter.name)
        source = context.get_parameter_source(name)
        if name in OWN or source in (None, click.core.ParameterSource.DEFAULT):
            continue
        value = context.params[name]
        if isinstance(parameter, click.Argument):
            named.append(_text(value))
        elif isinstance(parameter, click.Option) and parameter.is_flag:
            options.append(parameter.opts[0] if value else parameter.secondary_opts[0])
        else:
            for one in value if parameter.multiple else [value]:
                options += [parameter.opts[0], *(map(_text, one) if isinstance(one, tuple) else [_text(one)])]
    return [*named, *options]


def _text(value: Any) -> str:
    return str(value.resolve()) if isinstance(value, Path) else str(value)


def ask_shard(told: list[str]) -> tuple[int, str, str]:
    """One task, on a node: `run` with these arguments, of which the first is the shard's folder; where that was begun
    it is gone on with. Exit code, message and fix, whatever it ends with."""
    from divisionbell.cli.run import command
    from divisionbell.run.journal import HEADER, JournalBusy

    folder, *given = told

    until = time.monotonic() + LONGEST_WAIT_SECONDS
    while True:
        begun = Path(folder, HEADER).exists() or "--failed" in given
        arguments = [*given, "--resume"] if begun else list(given)
        try:
            code = command.main(arguments, prog_name="divisionbell run", standalone_mode=False)
            return (code if isinstance(code, int) else 0), "", ""
        except JournalBusy as problem:
            if time.monotonic() > until:
                return problem.exit_code, problem.message, problem.fix
            time.sleep(1.0)
        except DivisionBellError as problem:
            return problem.exit_code, problem.message, problem.fix
        except click.ClickException as problem:
            return 2, problem.format_message(), ""


class Follow:
    """Says now and then how far each shard is, from the journals that they write to shared storage."""

    def __init__(self, out: Path, shards: list[Shard]) -> None:
        self._journals = {str(shard): out / shard.folder_name / "journal.jsonl" for shard in shards}
        self._lines = dict.fromkeys(self._journals, 0)
        self._read = dict.fromkeys(self._journals, 0)
        self._ended: set[str] = set()
        for name in self._journals:
            self._count(name)
        self._at_start = sum(self._lines.values())
        self._start = time.monotonic()
        self._next = self._start + 5.0

    def told(self, ended: Mapping[str, Ended]) -> None:
        """Called about once a second."""
        for name in sorted(set(ended) - self._ended):
            self._count(name)
            click.echo(f"{name}: {'complete' if ended[name].code == 0 else 'incomplete'}, {self._lines[name]} units")
        self._ended |= set(ended)
        if time.monotonic() < self._next or len(self._ended) == len(self._journals):
            return
        self._next = time.monotonic() + 10.0
        running = [name for name in self._journals if name not in self._ended]
        for name in running:
            self._count(name)
        begun = [f"{name.removeprefix('shard ')}: {self._lines[name]}" for name in running if self._lines[name]]
        rate = (sum(self._lines.values()) - self._at_start) / (time.monotonic() - self._start)
        so_far = ", ".join(begun[:12]) + (" …" if len(begun) > 12 else "")
        head = f"{len(self._ended)} of {len(self._journals)} shards ended, {rate:.1f} units/s"
        click.echo(f"{head}; units in the others: {so_far or 'none'}", err=True)

    def _count(self, name: str) -> None:
        try:
            with self._journals[name].open("rb") as file:
                file.seek(self._read[name])
                while piece := file.read(1 << 20):
                    self._lines[name] += piece.count(b"\n")
                    self._read[name] += len(piece)
        except OSError:
            return  # not begun yet, or not to be seen from here
