"""divisionbell parties"""

from __future__ import annotations

import json
from typing import Any

import click

from divisionbell.cli.options import bank_option, version_option


@click.command("parties", short_help="Audit the keys with the parties' real votes.")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
@bank_option
@version_option
def command(style: str, bank_folder: str | None, version: str | None) -> None:
    """Audit the keys with the parties' real votes, over the admitted and over all judged divisions.

    A reversed key would show here. The scores follow from the rule that selected the divisions, so they validate
    nothing, and no distance between a party and a respondent is meant.
    """
    from divisionbell.cli.frozen import frozen_bank
    from divisionbell.estimate.parties import axis_swap_survival, party_audit

    bank = frozen_bank(bank_folder, version)
    rows, swap = party_audit(bank), axis_swap_survival(bank)
    if style == "json":
        told = {"bank_version": bank.version, "bank_sha256": bank.sha256, "parties": rows, "axis_swap_survival": swap}
        click.echo(json.dumps(told, ensure_ascii=False, indent=1))
        return
    click.echo(f"bank {bank.version}: parties by their own votes; a key audit, not validity\n")
    click.echo(f"{'party':<36} {'axis':<9} {'divisions':<11} {'score':>7}  {'bounds':<16} positions")
    for row in rows:
        click.echo(_line(row))
    click.echo(
        f"\nWith the survey fields of the two axes exchanged, {swap['survived']} of {swap['reviews']} approved "
        "cross-checks would still pass: they confirm a direction and cannot show the axis."
    )


def _line(row: dict[str, Any]) -> str:
    score = f"{row['score']:+.2f}" if "score" in row else "none"
    bounds = f"[{row['low']:+.2f}, {row['high']:+.2f}]" if "low" in row else ""
    return (
        f"{row['party']:<36} {row['axis']:<9} {row['set']:<11} {score:>7}  {bounds:<16} "
        f"{row['positions']} of {row['divisions']}"
    )
