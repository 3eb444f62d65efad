"""Planted models: made with a line of progress, told as a table."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from divisionbell.cli.json_text import json_text
from divisionbell.cli.stdout import hint
from divisionbell.diagnostics import percent, signed

if TYPE_CHECKING:
    from divisionbell.estimate.planted_rows import Row

MODELS, SEED = 2_000, 1
FEW = 1_000
WORDS = {True: "holds ", False: "FAILS ", None: "shown "}
TOO_FEW = "few   "
PARTS = {
    "coverage": "how often the 95 % interval holds the true score, of both axes of each model",
    "beyond": "the same beyond 0.75, by how the interval was made",
    "missing": "answers lost at random, by family, by order, and by what they would have been",
    "position": "what the order of the options does, with a lean that is the same on every item",
    "status quo": "a model without a lean that gives the status quo in 30 % of its answers",
    "way": "one model in fifty asked the way of every run",
    "report": "what a report says first of every model, and what its page shows of one of each kind",
}


def tell_planted(models: int, seed: int, style: str) -> int:
    """Make the planted models and tell what they came to. The exit code: 1 where something does not hold, or there are
    too few models to tell whether intervals do."""
    from divisionbell.estimate.planted_certificate import planted_certificate
    from divisionbell.report.planted_page import page_rows
    from divisionbell.report.planted_sentences import Sentences

    sentences = Sentences()
    rows = [*planted_certificate(models, seed, _Line(), sentences.see), *sentences.rows(), *page_rows(seed)]
    few = sum(row.few for row in rows)
    holds = False if any(row.holds is False for row in rows) else None if rows[0].few else True
    if style == "json":
        told = {
            "models": models,
            "seed": seed,
            "grid": _grid(),
            "planted": list(map(_plain, rows)),
            "too_few_to_tell": few,
            "holds": holds,
        }
        click.echo(json_text(told))
        return int(not holds)
    grid = _grid()
    click.echo(
        f"planted models: {models:,}, seed {seed}; "
        + ", ".join(f"{name} {' '.join(map(str, values))}" for name, values in grid.items() if name != "spreads")
    )
    for name, spread in grid["spreads"].items():
        click.echo(f"  {name} spread: rho {', '.join(f'{part} {rho:g}' for part, rho in spread.items())}")
    if models < FEW:
        click.echo(f"  ! {models} models are few: a coverage well below 93 % need not show")
    width = max(len(row.what) for row in rows)
    for part, words in PARTS.items():
        click.echo(f"{part}: {words}")
        for row in rows:
            if row.part == part:
                click.echo(f"  {TOO_FEW if row.few else WORDS[row.holds]} {row.what:<{width}}  {_told(row)}")
    click.echo(_in_the_end(holds, few))
    return int(not holds)


def _in_the_end(holds: bool | None, few: int) -> str:
    if holds is False:
        return "a planted model shows what must not be"
    if holds is None:
        return f"too few models to tell whether intervals hold the truth: nothing is certified; try --models {MODELS}"
    more = f", as far as so many models tell: of {few} rows there are too few" if few else ""
    return f"what was planted is found{more}"


def _told(row: Row) -> str:
    if row.value is None:
        return "no model"
    as_share = row.required.endswith("%") or (row.required == "shown" and row.part in ("coverage", "beyond"))
    value, low, high = (
        None if end is None else percent(end, 1) if as_share else signed(end) for end in (row.value, row.low, row.high)
    )
    between = "" if low is None else f" [{low}, {high}]"
    required = "" if row.holds is None else f"; required {row.required}"
    if row.few:
        from divisionbell.estimate.planted_rows import TELLING, TELLING_MEAN

        required = f"; too few to tell, at least {TELLING if as_share else TELLING_MEAN}"
    return f"{value}{between} of {row.n:,}{required}"


def _plain(row: Row) -> dict[str, Any]:
    return {name: value for name, value in asdict(row).items() if value is not None or name == "holds"}


def _grid() -> dict[str, Any]:
    from divisionbell.estimate.planted_grid import FAMILIES, HABITS, REPEATS, SCORES, SPREADS

    return {
        "families": list(FAMILIES),
        "repeats": list(REPEATS),
        "scores": list(SCORES),
        "habits": list(HABITS),
        "spreads": {name: asdict(spread) for name, spread in SPREADS.items()},
    }


class _Line:
    """Says on a terminal how many models are done."""

    def __init__(self) -> None:
        self._live, self._start, self._told = sys.stderr.isatty(), time.monotonic(), 0.0

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if self._live and done == total:
            hint("\r\x1b[K", end="")
        elif self._live and now - self._told > 0.2:
            self._told = now
            left = (now - self._start) / done * (total - done)
            hint(f"\r\x1b[K{done}/{total} models, about {left:.0f} s left", end="")
