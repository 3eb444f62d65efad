"""divisionbell parties"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from divisionbell.cli.json_text import json_text
from divisionbell.cli.options import bank_option, ches_option, version_option
from divisionbell.diagnostics import UsageProblem, shown_path, signed


@click.command("parties", short_help="Audit the keys with the parties' real votes.")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option(
    "--members",
    "members_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Votes of members: a CSV with division_id, member, party and vote (aye or no).",
)
@ches_option
@bank_option
@version_option
def command(
    style: str, members_file: Path | None, ches: Path | None, bank_folder: str | None, version: str | None
) -> None:
    """Audit the keys with the parties' real votes, over the admitted and over all judged divisions.

    A reversed key would show here. The scores follow from the rule that selected the divisions, so they validate
    nothing, and no rank of the parties and no distance between a party and a respondent is meant. A party has a
    position on a division where at least half of its members voted and 60 per cent of those one way.

    With the survey file (--ches) the votes misplaced by the best cut through the parties' order are counted on the
    axis's own field and on the other. With --members each key is held against the other votes of the same members.
    """
    from divisionbell.cli.frozen import frozen_bank
    from divisionbell.estimate.member_audit import member_audit, read_votes
    from divisionbell.estimate.parties import axis_swap_survival, party_audit
    from divisionbell.estimate.party_checks import by_period, classification_errors, described
    from divisionbell.sources.ches import read_survey

    bank = frozen_bank(bank_folder, version)
    rows, swap, periods = party_audit(bank), axis_swap_survival(bank), by_period(bank)
    errors = None
    if ches:
        survey = read_survey(ches)
        named = [r.value.get("value_sha256") for r in bank.records if (r.kind, r.id) == ("data_source", "ches-2024")]
        if named != [survey.value_sha256]:
            raise UsageProblem(
                f"{shown_path(ches)} does not hold the values that bank {bank.version} was reviewed with",
                "name the file that data_sources.yaml describes",
            )
        errors = classification_errors(bank, survey.values)
    members = member_audit(bank, read_votes(members_file)) if members_file else None
    if style == "json":
        told = {
            "bank_version": bank.version,
            "bank_sha256": bank.sha256,
            "parties": rows,
            "axis_swap_survival": swap,
            "by_period": periods,
            **({"classification_errors": errors} if errors is not None else {}),
            **({"members": members} if members is not None else {}),
        }
        click.echo(json_text(told))
        return
    click.echo(f"bank {bank.version}: parties by their own votes; a key audit, not validity\n")
    click.echo(f"{'party':<36} {'axis':<9} {'divisions':<11} {'score':>7}  {'bounds':<16} positions")
    for row in rows:
        click.echo(_line(row))
    click.echo(
        f"\nWith the survey fields of the two axes exchanged, {swap['survived']} of {swap['reviews']} approved "
        "cross-checks would still pass: they confirm a direction and cannot show the axis.\n"
    )
    for line in described(periods):
        click.echo(line)
    if errors is None:
        click.echo("\nMisplaced votes were not counted: give the survey file with --ches.")
    for row in errors or ():
        click.echo(
            f"\n{row['axis']}: the best cut on {row['own_field']} misplaces fewer votes than on {row['other_field']} "
            f"in {row['own_fewer']} of {row['divisions']} divisions, more in {row['other_fewer']}, as many in "
            f"{row['equal']} ({row['own_votes']} against {row['other_votes']} votes)"
        )
    for row in members or ():
        click.echo(_members(row))


def _line(row: dict[str, Any]) -> str:
    score = signed(row["score"], "+.2f") if "score" in row else "none"
    bounds = f"[{signed(row['low'], '+.2f')}, {signed(row['high'], '+.2f')}]" if "low" in row else ""
    return (
        f"{row['party']:<36} {row['axis']:<9} {row['set']:<11} {score:>7}  {bounds:<16} "
        f"{row['positions']} of {row['divisions']}"
    )


def _members(row: dict[str, Any]) -> str:
    told = [f"\n{row['axis']}: {row['members']} members with 5 divisions or more, of {row['divisions']} voted on"]
    told += [
        f"  {party['party']:<36} {party['members']:>4} members, mean {signed(party['mean'], '+.2f')}, "
        f"5th to 95th percentile {signed(party['low'], '+.2f')} to {signed(party['high'], '+.2f')}"
        for party in row["parties"]
    ]
    against = ", ".join(row["against"]) or "none"
    told.append(f"  divisions that stand against the rest (negative item-rest correlation): {against}")
    return "\n".join(told)
