"""divisionbell compare"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from divisionbell.cli.json_text import json_text
from divisionbell.cli.options import bank_option
from divisionbell.diagnostics import signed, visible


@click.command("compare", short_help="Test the differences between the respondents of two or more runs.")
@click.argument("runs", nargs=-1, required=True, type=click.Path(file_okay=False, path_type=Path))
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
@bank_option
def command(runs: tuple[Path, ...], style: str, bank_folder: str | None) -> None:
    """Test the differences between the respondents of two or more RUNS of one bank, form and way of decoding.

    Each run is read and checked as `score` does. Differences are first less second, over the items and orders that both
    answered. All pairs and both axes are one family of tests: intervals hold together, and depend on which runs are
    compared at once. Two are told apart only where the interval over all families, which takes missing answers into
    account, leaves out 0 too. Ranks are told as intervals. Beside each difference stands the p of that pair alone and
    the smallest p that so many differing families can reach. A copy of a run is that run, and refused.
    `trace RUN NAME --with RUN` walks back from any figure.
    """
    from divisionbell.cli.scoring import answers_of_runs
    from divisionbell.estimate.comparison import compare_runs

    bank, compared = answers_of_runs(runs, bank_folder)
    document = compare_runs(bank, compared)
    if style == "json":
        click.echo(json_text(document))
        return
    click.echo("\n".join(visible(line) for line in _lines(runs, document)))


def _lines(folders: tuple[Path, ...], document: dict[str, Any]) -> list[str]:
    named = {one["name"]: one for one in document["estimates"]}
    decoding = ", constrained decoding, another instrument" if document["constrained"] else ""
    lines = [f"bank {document['bank_version']}, form {document['form']}{decoding}"]
    for number, (folder, run) in enumerate(zip(folders, document["compared"], strict=True), start=1):
        lines.append(f"  {number}  {run['respondent']}, started {run['started_at']} ({folder})")
    lines += [f"  ! {note}" for note in document["notes"]]
    for axis in ("economic", "social"):
        lines.append(f"{axis}: first less second, with the interval that holds together with all others")
        pairs = [name for name in named if name.startswith(f"difference.{axis}.") and name.count(".") == 2]
        lines += [f"  {_difference(name, named)}" for name in pairs]
        ranks = [named[f"rank.{axis}.{number}"] for number in range(1, len(folders) + 1)]
        told = ", ".join(f"{number}: {_ends(rank)}" for number, rank in enumerate(ranks, start=1))
        lines.append(f"  ranks, 1 the most positive: {told}")
    return lines


def _difference(name: str, named: dict[str, dict[str, Any]]) -> str:
    found, bounds = named[name], named[f"{name}.bounds"]
    first, second = name.rpartition(".")[2].split("-")
    if "value" not in found:
        parts = [f"undefined: {found['undefined_because']}"]
    else:
        parts = [f"{signed(found['value'])} {_ends_of(found) or 'no interval'}"]
    parts.append(_told_apart(first, second, named.get(f"{name}.told_apart", {}).get("value", 0)))
    if "value" in found:
        alone = f"alone {_p(named[f'{name}.sign_flip_p'])}, least possible {_p(named[f'{name}.smallest_p'])}"
        parts += [f"{found['n']} families", f"p over all pairs and axes {_p(named[f'{name}.max_t_p'])} ({alone})"]
    if "low" in bounds:
        over_all = _ends_of(named[f"{name}.imbens_manski"])
        wide = f"interval over all families {over_all}" if over_all else "no interval over all families"
        parts.append(f"with missing answers bounds {_ends_of(bounds)}, {wide}")
    return f"{first} − {second}  {'; '.join(parts)}"


def _told_apart(first: str, second: str, sign: float) -> str:
    if not sign:
        return "not told apart"
    return f"told apart, {first if sign > 0 else second} more positive"


def _ends_of(estimate: dict[str, Any]) -> str:
    return f"[{signed(estimate['low'])}, {signed(estimate['high'])}]" if "low" in estimate else ""


def _p(estimate: dict[str, Any]) -> str:
    """Two digits that count, never in powers of ten."""
    if "value" not in estimate:
        return "none"
    p = float(estimate["value"])
    if p < 1e-6:
        return "under 0.000001"
    return f"{p:.2g}" if p >= 1e-4 else f"{p:.6f}".rstrip("0")


def _ends(rank: dict[str, Any]) -> str:
    low, high = int(rank["low"]), int(rank["high"])
    return str(low) if low == high else f"{low} to {high}"
