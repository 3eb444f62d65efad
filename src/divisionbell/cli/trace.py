"""divisionbell trace"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from divisionbell.cli.json_text import json_text
from divisionbell.cli.options import bank_option
from divisionbell.cli.stdout import put
from divisionbell.diagnostics import UsageProblem, shown_path, visible

NAMES_FORMAT = "divisionbell-trace-names/1"
NEAREST = 5
NAMED_WITH = ("constrained", "demonstration")
OF_A_COMPARISON = re.compile(r"difference\.[a-z]+\.[0-9]|rank\.")


@click.command("trace", short_help="Walk from a figure to its replies, items, reviews and divisions.")
@click.argument("folder", metavar="RUN", type=click.Path(file_okay=False, path_type=Path))
@click.argument("name", metavar="[NAME]", required=False)
@click.option(
    "--with",
    "others",
    multiple=True,
    metavar="RUN",
    type=click.Path(file_okay=False, path_type=Path),
    help="Trace a figure of the comparison of RUN with this one; again for each further run, in the order compared.",
)
@click.option("--item", metavar="ID", help="Show one item alone, by its id or its readable name.")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
@bank_option
def command(
    folder: Path, name: str | None, others: tuple[Path, ...], item: str | None, style: str, bank_folder: str | None
) -> None:
    """Walk from NAME, any figure of the score document of RUN, back to everything that it rests on.

    That is: the estimate, its families and dossiers, each item with its place in the bank and every reply with its line
    in the journal, the reviews, the division and its official address, and the weight with which each unit enters.
    Without NAME all names are listed. --with RUN names a further run, and NAME is then a figure of what `compare` tells
    of the runs in this order. Every reply is read again first, as by `score`; nothing is written.
    """
    from divisionbell.report.trace import only_item
    from divisionbell.report.trace_text import lines

    traced = _Compared([folder, *others], bank_folder) if others else _Scored(folder, bank_folder)
    figures = {one["name"]: one for one in traced.document["estimates"]}
    if name is None:
        if item is not None:
            raise UsageProblem("--item needs the NAME of a figure", f"divisionbell trace {traced.words} lists them")
        put(json_text(traced.names()) + "\n" if style == "json" else _listed(traced))
        return
    if name not in figures:
        raise UsageProblem(f"{cut_name(name)} is no figure of this {traced.kind}", _nearest(name, figures, traced))
    told = traced.trace(figures[name])
    if item is not None:
        narrowed = only_item(told, item)
        if narrowed is None:
            known = [
                one[slot] for dossier in told["dossiers"] for one in dossier["items"] for slot in ("item_id", "alias")
            ]
            near = get_close_matches(item[:100], known, n=NEAREST)
            raise UsageProblem(
                f"no item {cut_name(item)} is behind {name}",
                f"nearest: {', '.join(near)}" if near else "leave out --item",
            )
        told = narrowed
    put(json_text(told) + "\n" if style == "json" else "".join(f"{visible(line)}\n" for line in lines(told)))


class _Scored:
    """One run whose figures are traced."""

    kind = "run"

    def __init__(self, folder: Path, bank_folder: str | None) -> None:
        from divisionbell.cli.scoring import checked, document_of

        self._folder, self._bank_folder = folder, bank_folder
        self._bank, self._run = checked(folder, bank_folder)
        self.document = document_of(self._bank, self._run)
        self.words = shown_path(folder)
        self.of = f"{self.words}: {self.document['respondent']}"

    def trace(self, figure: Mapping[str, Any]) -> dict[str, Any]:
        """Everything behind a figure, and what score.json says of it."""
        from divisionbell.bank.load import find_bank, load
        from divisionbell.report.trace import trace

        told = trace(self._bank, load(find_bank(self._bank_folder)), self._run, self.document, figure)
        return {**told, "score_file": _score_file(self._folder, figure)}

    def names(self) -> dict[str, Any]:
        """Every name, as JSON."""
        carried = {"run_id": self.document["scored_run"], **{slot: self.document[slot] for slot in NAMED_WITH}}
        return {"format": NAMES_FORMAT, **carried, "figures": self.document["estimates"]}


class _Compared:
    """Runs whose comparison is traced."""

    kind = "comparison"

    def __init__(self, folders: list[Path], bank_folder: str | None) -> None:
        from divisionbell.cli.scoring import runs_to_compare
        from divisionbell.estimate.comparison import compare_runs

        self._bank_folder = bank_folder
        self._bank, read = runs_to_compare(folders, bank_folder)
        self._runs = [run for run, _ in read]
        self.document = compare_runs(self._bank, [compared for _, compared in read])
        self.words = " --with ".join(map(shown_path, folders))
        self.of = ", ".join(
            f"{number} {run['respondent']} ({shown_path(folder)})"
            for number, (folder, run) in enumerate(zip(folders, self.document["compared"], strict=True), start=1)
        )

    def trace(self, figure: Mapping[str, Any]) -> dict[str, Any]:
        """Everything behind a figure of the comparison."""
        from divisionbell.bank.load import find_bank, load
        from divisionbell.report.trace import trace_comparison

        return trace_comparison(self._bank, load(find_bank(self._bank_folder)), self._runs, self.document, figure)

    def names(self) -> dict[str, Any]:
        """Every name, as JSON."""
        carried = {slot: self.document[slot] for slot in ("compared", *NAMED_WITH)}
        return {"format": NAMES_FORMAT, **carried, "figures": self.document["estimates"]}


def cut_name(name: str) -> str:
    """A name from the command line as it is told back."""
    return name if len(name) <= 100 else f"{name[:100]}..."


def _nearest(name: str, known: Iterable[str], traced: _Scored | _Compared) -> str:
    names = list(known)
    begun = [one for one in names if one.startswith(name)] if name else []
    near = [*dict.fromkeys([*get_close_matches(name[:100], names, n=NEAREST), *begun])][:NEAREST]
    every = f"divisionbell trace {traced.words} lists all names"
    if traced.kind == "run" and OF_A_COMPARISON.match(name):
        every = f"divisionbell trace {traced.words} --with RUN traces figures of a comparison; {every}"
    return f"nearest: {', '.join(near)}; {every}" if near else every


def _listed(traced: _Scored | _Compared) -> str:
    from divisionbell.report.trace_text import shown

    figures = traced.document["estimates"]
    wide = max(len(one["name"]) for one in figures)
    told = [f"{len(figures)} figures of {traced.of}"]
    told += [f"{one['name']:<{wide}}  {shown(one)}" for one in figures]
    return "".join(f"{visible(line)}\n" for line in told)


def _score_file(folder: Path, figure: Mapping[str, Any]) -> str:
    """Whether score.json, which anybody can have changed, says the same of the figure."""
    import json

    from divisionbell.run.journal import SCORE
    from divisionbell.run.regular import open_regular

    try:
        with open_regular(folder / SCORE) as file:
            stored = json.loads(file.read())
        same = any(one == figure for one in stored["estimates"])
    except FileNotFoundError:
        return "not there; divisionbell score writes it"
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return "cannot be read; divisionbell score writes it anew"
    return "says the same" if same else "says something else of this figure; divisionbell score writes it anew"
