"""divisionbell explain"""

from __future__ import annotations

import click

from divisionbell.diagnostics import UsageProblem
from divisionbell.validate.rules import RULES


@click.command("explain", short_help="Say what a rule protects and how to mend what it finds.")
@click.argument("rule_id", required=False, metavar="[ID]")
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
