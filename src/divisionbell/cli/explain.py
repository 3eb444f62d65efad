"""divisionbell explain"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from divisionbell.diagnostics import UsageProblem
from divisionbell.validate.rules import RULES

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def _ids(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The rules whose id begins so, for completion in a shell."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(rule.id, help=rule.name) for rule in RULES if rule.id.startswith(incomplete.upper())]


@click.command("explain", short_help="Say what a rule protects and how to mend what it finds.")
@click.argument("rule_id", required=False, metavar="[ID]", shell_complete=_ids)
def command(rule_id: str | None) -> None:
    """Say what a rule protects and how to mend what it finds; without ID, list all rules."""
    if rule_id is None:
        for rule in RULES:
            click.echo(f"{rule.id}  {rule.name}")
        return
    for rule in RULES:
        if rule.id == rule_id.upper():
            click.echo(f"{rule.id}  {rule.name}\n\nWhat it protects\n  {rule.protects}\n\nHow to mend it\n  {rule.fix}")
            return
    raise UsageProblem(f"there is no rule {rule_id}", "divisionbell explain lists them all")
