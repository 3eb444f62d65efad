"""divisionbell score"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from divisionbell.cli.json_text import json_text
from divisionbell.cli.options import bank_option
from divisionbell.diagnostics import percent, signed, visible

# What is shown of a scale and an axis, in order, and what it is where neither an interval nor a gap says so.
SHOWN = {
    "": "",
    ".observed": "complete pairs alone, no score: bounds are over all families and answers, so it can lie outside them",
    ".bounds": "all missing answers negative, and all positive: the score over all families lies between",
    ".imbens_manski": "the interval that takes account of the missing answers",
    ".tipping_point": "mean of the missing answers at which the score would be 0",
    ".order_negative_at_a": "answers with the negative option at A",
    ".order_positive_at_a": "answers with the positive option at A",
    ".flip": "askings that got different poles in the two orders",
    ".a_lock": "askings that got the letter A in both orders",
    ".b_lock": "askings that got the letter B in both orders",
    ".consistent_only": "askings that got the same pole in both orders alone",
    ".consistent_coverage": "askings that got the same pole in both orders",
    ".smallest_detectable_difference": "difference that is found with a power of 80 %",
}
ONLY_WHERE_MISSING = {".observed", ".bounds", ".imbens_manski", ".tipping_point"}


@click.command("score", short_help="Compute every estimate of a run from its stored replies.")
@click.argument("runs", nargs=-1, required=True, type=click.Path(file_okay=False, path_type=Path))
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
@bank_option
def command(runs: tuple[Path, ...], style: str, bank_folder: str | None) -> None:
    """Compute every estimate of each of RUNS from its stored replies; no model is called.

    The document with all estimates by name is written to score.json in the run folder. --format json prints it (one
    run: an object; several: a list), text first what warns of the run (!), then the headline, then what else a reader
    needs (·).
    """
    from divisionbell.cli.scoring import score

    documents = [score(folder, bank_folder) for folder in runs]
    if style == "json":
        click.echo(json_text(documents[0] if len(documents) == 1 else documents))
        return
    for folder, document in zip(runs, documents, strict=True):
        click.echo("\n".join(visible(line) for line in _lines(folder, document)))


def _cells(estimate: dict[str, Any]) -> tuple[str, str, str, str, str]:
    """Name, value, interval, what was counted, and what it is or why there is no value."""
    value, name = estimate.get("value"), estimate["name"]
    told = "" if "low" in estimate else "undefined"
    if value is not None:
        told = {"share": percent(value), "count": f"{value:.0f}"}.get(estimate["unit"], signed(value))
    between = f"[{signed(estimate['low'])}, {signed(estimate['high'])}]" if "low" in estimate else ""
    why = estimate.get("undefined_because") or (estimate.get("interval_kind", "") if between else "")
    counted = f"{estimate['n']} {estimate['n_of']}" if "n" in estimate and "n_of" in estimate else ""
    return name, told, between, counted, why or SHOWN.get("." + name.rpartition(".")[2], "")


def _table(estimates: list[dict[str, Any]]) -> list[str]:
    """Rows whose columns are as wide as what stands in them."""
    rows = [_cells(estimate) for estimate in estimates]
    name, told, between, counted = (max((len(row[column]) for row in rows), default=0) for column in range(4))
    return [f"  {r[0]:<{name}}  {r[1]:>{told}}  {r[2]:<{between}}  {r[3]:<{counted}}  {r[4]}".rstrip() for r in rows]


def _lines(folder: Path, document: dict[str, Any]) -> list[str]:
    """What warns of this run, then the numbers, then what holds of any run."""
    from divisionbell.estimate.note_kinds import warnings_and_rest
    from divisionbell.run.instrument import instrument

    warnings, rest = warnings_and_rest(document["notes"])
    named = {estimate["name"]: estimate for estimate in document["estimates"]}
    how = instrument(document["respondent"], document["constrained"])
    lines = [
        f"{folder}: {document['respondent']}{how}, bank {document['bank_version']}, form {document['form']}",
        *(f"  ! {note}" for note in warnings),
    ]
    rows: list[dict[str, Any]] = []
    for scale in ("concrete", "implicit"):
        for axis in ("economic", "social"):
            whole = "low" not in named.get(f"{scale}.{axis}.bounds", {})
            ends = [end for end in SHOWN if not (whole and end in ONLY_WHERE_MISSING)]
            rows += [named[f"{scale}.{axis}{end}"] for end in ends if f"{scale}.{axis}{end}" in named]
    rows += [named[name] for name in ("parse.asked", "parse.initial_rate", "parse.final_rate") if name in named]
    lines += _table(rows)
    reasons = ", ".join(
        f"{e['value']:.0f} {name.removeprefix('parse.reason.')}"
        for name, e in named.items()
        if name.startswith("parse.reason.")
    )
    if reasons:
        lines.append(f"  first replies read as: {reasons}")
    lines += [f"  · {note}" for note in rest]
    lines.append(f"  {len(document['estimates'])} estimates, each with its definition, in {folder}/score.json")
    return lines
