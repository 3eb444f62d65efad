"""divisionbell trace"""

from __future__ import annotations

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


@click.command("trace", short_help="Walk from a figure to its replies, items, reviews and divisions.")
@click.argument("folder", metavar="RUN", type=click.Path(file_okay=False, path_type=Path))
@click.argument("name", metavar="[NAME]", required=False)
@click.option("--item", metavar="ID", help="Show one item alone, by its id or its readable name.")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
@bank_option
def command(folder: Path, name: str | None, item: str | None, style: str, bank_folder: str | None) -> None:
    """Walk from NAME, any figure of the score document of RUN, back to everything that it rests on.

    That is: the estimate, its families and dossiers, each item with its place in the bank and every reply with its line
    in the journal, the reviews, the division and its official address, and the weight with which each unit enters.
    Without NAME all names are listed. Every reply is read again first, as by `score`; nothing is written.
    """
    from divisionbell.bank.load import find_bank, load
    from divisionbell.cli.scoring import checked, document_of
    from divisionbell.report.trace import only_item, trace
    from divisionbell.report.trace_text import lines

    bank, run = checked(folder, bank_folder)
    document = document_of(bank, run)
    figures = {one["name"]: one for one in document["estimates"]}
    if name is None:
        if item is not None:
            raise UsageProblem(
                "--item needs the NAME of a figure", f"divisionbell trace {shown_path(folder)} lists them"
            )
        put(json_text(_names(document)) + "\n" if style == "json" else _listed(folder, document))
        return
    if name not in figures:
        raise UsageProblem(f"{cut_name(name)} is no figure of this run", _nearest(name, figures, folder))
    told = trace(bank, load(find_bank(bank_folder)), run, document, figures[name])
    told["score_file"] = _score_file(folder, figures[name])
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


def cut_name(name: str) -> str:
    """A name from the command line as it is told back."""
    return name if len(name) <= 100 else f"{name[:100]}..."


def _nearest(name: str, known: Iterable[str], folder: Path) -> str:
    names = list(known)
    begun = [one for one in names if one.startswith(name)] if name else []
    near = [*dict.fromkeys([*get_close_matches(name[:100], names, n=NEAREST), *begun])][:NEAREST]
    every = f"divisionbell trace {shown_path(folder)} lists all names"
    return f"nearest: {', '.join(near)}; {every}" if near else every


def _names(document: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "format": NAMES_FORMAT,
        "run_id": document["scored_run"],
        "constrained": document["constrained"],
        "demonstration": document["demonstration"],
        "figures": document["estimates"],
    }


def _listed(folder: Path, document: Mapping[str, Any]) -> str:
    from divisionbell.report.trace_text import shown

    figures = document["estimates"]
    wide = max(len(one["name"]) for one in figures)
    told = [f"{len(figures)} figures of {shown_path(folder)}: {document['respondent']}"]
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
