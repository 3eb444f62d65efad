"""divisionbell review"""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from divisionbell.bank.load import find_bank, load
from divisionbell.bank.order import Pole
from divisionbell.cli.options import bank_option
from divisionbell.diagnostics import Findings, UsageProblem


@click.group("review", short_help="Compute the party-space cross-check of a dossier.")
def command() -> None:
    """Compute the party-space cross-check of a dossier."""


@command.command("party-space")
@click.argument("dossier")
@click.option("--ches", required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE")
@bank_option
def party_space(dossier: str, ches: Path, bank_folder: str | None) -> int:
    """Compute party_space_crosscheck_v1 of DOSSIER (commons-1905 or 1905) from its party counts and the survey.

    The review in the file is replaced; nothing else changes. Exit code 1 where it is not approved.
    """
    from divisionbell.author.new_dossier import Wanted, party_space_review
    from divisionbell.author.write_back import replace_block, write_checked
    from divisionbell.sources.ches import read_survey

    bank = load(find_bank(bank_folder))
    name = dossier if dossier.startswith("commons-") else f"commons-{dossier}"
    for document in [*bank.dossiers, *bank.excluded]:
        value = document.value
        if not isinstance(value, dict) or value.get("dossier_id") != name:
            continue
        try:
            old = value["reviews"]["party_space_crosscheck_v1"]
            aye: Pole = "negative" if value["source"]["aye_coordinate"] < 0 else "positive"
            by = old["reviewed_by"]
            wanted = Wanted(value["axis"], value.get("issue_family"), aye, False, by, by, date.today())
            made = party_space_review(name, value["source"], wanted, old.get("covers", []), read_survey(ches))
        except (KeyError, TypeError) as problem:
            raise Findings(
                f"{document.shown} does not fit the schema: {problem!r}", fix="divisionbell validate"
            ) from None
        write_checked(document.path, replace_block(document, ("reviews", "party_space_crosscheck_v1"), made))
        space = made["party_space"]
        click.echo(f"{document.shown}: {made['status']}, difference {space.get('difference')}; {made['rationale']}")
        return 0 if made["status"] == "approved" else 1
    raise UsageProblem(f"there is no dossier {name}", "name it by its division")
