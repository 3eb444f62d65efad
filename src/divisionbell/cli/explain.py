"""divisionbell explain"""

from __future__ import annotations

from collections.abc import Iterator
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

    Without ID, list all rules by family; with --format json all of them in full.
    """
    wanted = [_rule(name) for name in dict.fromkeys(rule_id.upper() for rule_id in rule_ids)]
    if style == "json":
        pages = [asdict(page(rule)) for rule in wanted or RULES]
        told = {"format": "divisionbell-explain/1", "rules": pages}
        click.echo(json_text(told))
    elif wanted:
        click.echo("\n\n\n".join("\n".join(_text(page(rule))) for rule in wanted))
    else:
        click.echo("\n".join(_listed()))


def _rule(name: str) -> Rule:
    if name in BY_ID:
        return BY_ID[name]
    near = get_close_matches(name, BY_ID, n=4, cutoff=0.5)
    fix = f"the nearest are {', '.join(near)}; " if near else ""
    raise UsageProblem(f"there is no rule {name}", f"{fix}divisionbell explain lists them all")


def _listed() -> Iterator[str]:
    for family, rules in groupby(RULES, key=lambda rule: rule.id[:3]):
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
