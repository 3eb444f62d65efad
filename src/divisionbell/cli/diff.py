"""divisionbell diff"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from divisionbell.bank.load import find_bank, load
from divisionbell.cli.json_text import json_text
from divisionbell.cli.options import bank_option
from divisionbell.diagnostics import Findings, UsageProblem, shown_path

if TYPE_CHECKING:
    from pathlib import Path

    from divisionbell.freeze.diff import Change, Comparison
    from divisionbell.freeze.diff_sides import Side

WORKING = "WORKING"


@click.command("diff", short_help="Say what changed between two versions of the bank.")
@click.argument("old")
@click.argument("new", metavar="NEW|WORKING")
@bank_option
@click.option("--stat", is_flag=True, help="One line a record instead of every change.")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(old: str, new: str, bank_folder: str | None, stat: bool, style: str) -> int:
    """Say what changed between the frozen versions OLD and NEW, or between OLD and the WORKING files, record by record:
    what was added, withdrawn, moved, reworded, re-keyed, re-reviewed, re-coded, and every other difference.

    Texts are compared word by word: [-old-]{+new+}, in colour on a terminal. For WORKING each change has its
    file:line:column; the files need not be valid, and those that cannot be read are named.

    Exit code 0 when nothing differs, 1 when something does or a file could not be read, 2 where a version cannot be
    read.
    """
    from divisionbell.freeze.diff import compare
    from divisionbell.freeze.diff_text import plain, text_lines

    folder = find_bank(bank_folder)
    comparison = compare(_side(folder, old), _side(folder, new, working=True))
    if style == "json":
        click.echo(json_text(_json(comparison, shown_path(folder))))
    else:
        colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        for line in text_lines(comparison, _coloured if colour else plain, stat):
            click.echo(line)
    return 0 if comparison.same else 1


def _coloured(mark: str, text: str) -> str:
    return click.style(text, fg="red" if mark == "-" else "green", strikethrough=True if mark == "-" else None)


def _side(folder: Path, name: str, working: bool = False) -> Side:
    from divisionbell.freeze.diff_sides import frozen_side, working_side
    from divisionbell.freeze.frozen_bank import read_frozen

    if name == WORKING:
        if not working:
            raise UsageProblem("WORKING can only be the second of the two", "divisionbell diff VERSION WORKING")
        return working_side(load(folder))
    if name.upper() == WORKING:
        raise UsageProblem(f"{name} is no version", f"write {WORKING} in capital letters for the working files")
    try:
        return frozen_side(read_frozen(folder / "freeze", name))
    except Findings as problem:  # exit code 1 says that two versions differ, and this says nothing about that
        raise UsageProblem(problem.message, problem.fix) from None


def _json(comparison: Comparison, folder: str) -> dict[str, Any]:
    from divisionbell.freeze.diff import counts

    def side(one: Side) -> dict[str, Any]:
        unread = [{"path": d.location.path, "line": d.location.line, "message": d.message} for d in one.unread]
        return {"name": one.name, "records_sha256": one.sha256, "records": len(one.records), "not_compared": unread}

    return {
        "format": "divisionbell-diff/1",
        "bank": folder,
        "same": comparison.same,
        "old": side(comparison.old),
        "new": side(comparison.new),
        "counts": counts(comparison),
        "changes": [_change(change) for change in comparison.changes],
    }


def _change(change: Change) -> dict[str, Any]:
    """A change; a side that has nothing there has no key, and of a whole record there is only the digest."""
    from divisionbell.bank.differences import ABSENT
    from divisionbell.bank.matching import Order
    from divisionbell.freeze.diff import digest_of

    told: dict[str, Any] = {"category": change.category, "kind": change.kind, "record": change.record}
    if change.item is not None:
        told |= {"item": change.item, "alias": change.alias}
    told["path"] = list(change.steps)
    for name, value in (("old", change.old), ("new", change.new)):
        if value is not ABSENT:
            shown = list(value.names) if isinstance(value, Order) else value
            told |= {f"{name}_sha256": digest_of(value)} if change.whole else {name: shown}
    if change.place is not None:
        told["place"] = {"path": change.place.path, "line": change.place.line, "column": change.place.column}
    return told | ({"note": change.note} if change.note else {})
