"""divisionbell explain"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from difflib import get_close_matches
from itertools import groupby
from textwrap import indent
from typing import TYPE_CHECKING

import click

from divisionbell.cli.json_text import json_text
from divisionbell.diagnostics import UsageProblem
from divisionbell.validate.page import FAMILIES, Page, page
from divisionbell.validate.rule import Rule
from divisionbell.validate.rules import BY_ID, RULES

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

PLACES = "The places are those of the bank of the tests (tests/pilot in the repository)."
TABLE_NAMES = {"instrument": "Instrument", "codebook": "Codebook", "added": "Added"}


def _ids(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The rules whose id begins so, for completion in a shell."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(rule.id, help=rule.name) for rule in RULES if rule.id.startswith(incomplete.upper())]


@click.command("explain", short_help="Say what a rule protects and how to mend what it finds.")
@click.argument("rule_ids", nargs=-1, metavar="[ID]...", shell_complete=_ids)
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(rule_ids: tuple[str, ...], style: str) -> None:
    """Say what a rule protects, show a mistake that it finds and what it says to it, and how to mend it.

    ID is a rule or a family such as FRZ, whose rules are listed. Without ID, list all rules by family; with --format
    json all of them in full.
    """
    asked = list(dict.fromkeys(rule_id.upper() for rule_id in rule_ids))
    wanted = list(dict.fromkeys(rule for name in asked for rule in _rules(name)))
    if style == "json":
        pages = [asdict(page(rule)) for rule in wanted or RULES]
        told = {"format": "divisionbell-explain/1", "rules": pages}
        click.echo(json_text(told))
    elif wanted and not all(name in FAMILIES for name in asked):
        click.echo("\n\n\n".join("\n".join(_text(page(rule))) for rule in wanted))
        click.echo(f"\n{PLACES}")
    else:
        click.echo("\n".join(_listed(wanted or RULES)))


def _rules(name: str) -> list[Rule]:
    """The rule of an id, or those of a family in their order."""
    if name in FAMILIES:
        return [rule for rule in RULES if rule.id.startswith(name)]
    if name in BY_ID:
        return [BY_ID[name]]
    near = get_close_matches(name, [*BY_ID, *FAMILIES], n=4, cutoff=0.5)
    fix = f"the nearest are {', '.join(near)}; " if near else ""
    raise UsageProblem(f"there is no rule {name}", f"{fix}divisionbell explain lists them all")


def _listed(listed: Iterable[Rule]) -> Iterator[str]:
    for family, rules in groupby(listed, key=lambda rule: rule.id[:3]):
        yield f"{family}  {FAMILIES[family]}"
        yield from (f"  {rule.id}  {rule.name}" for rule in rules)


def _text(shown: Page) -> Iterator[str]:
    yield f"{shown.id}  {shown.name}"
    yield from ("", "What it protects", indent(shown.protects, "  "))
    yield from (f"  {TABLE_NAMES[held.table]} {held.number}: {held.says}" for held in shown.holds)
    for title, lines in (("Wrong", shown.wrong), ("Right", shown.right), ("What validate says", shown.says)):
        yield from ("", title, indent(lines, "  "))
    if shown.also:
        yield f"  The same mistake is found by {' and '.join(shown.also)} as well."
    yield from ("", "How to mend it", indent(shown.fix, "  "))
    yield from ("", "Waiver")
    yield (
        f"  for {shown.waiver}, as waived_text of a reviewed waiver in the dossier"
        if shown.waiver
        else "  none is granted"
    )
