"""divisionbell new"""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path
from typing import Literal

import click

from divisionbell.bank.load import find_bank, item_ids, load
from divisionbell.bank.read import read
from divisionbell.cli.options import bank_option
from divisionbell.cli.stdout import say
from divisionbell.diagnostics import UsageProblem, shown_path

REASONS = (
    "procedures_disagree",
    "ambiguous",
    "both_axes",
    "party_space_too_weak",
    "same_question",
    "not_a_policy",
    "direction_unproved",
)


@click.command("new", short_help="Scaffold a dossier from the figures of a division.")
@click.argument("division_id", type=click.IntRange(min=1))
@click.option(
    "--from",
    "figures_file",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A saved file of the official service, or a copy of the figures as JSON lines.",
)
@click.option(
    "--ches",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The 2024 survey file, for the party-space review.",
)
@click.option("--family", help="The issue family, as bank.yaml lists it; it gives the axis.")
@click.option(
    "--axis", "named_axis", type=click.Choice(["economic", "social"]), help="The axis, for an excluded division."
)
@click.option("--aye", required=True, type=click.Choice(["negative", "positive"]), help="The pole of an Aye.")
@click.option("--slug", required=True, help="Two to four words for the file name, joined by hyphens.")
@click.option("--reversed", "is_reversed", is_flag=True, help="An Aye undoes what the title names.")
@click.option("--agent", required=True, help="The agent who writes and reviews it, as bank.yaml lists it.")
@click.option("--computed-by", default="divisionbell", show_default=True, help="The agent of the party-space review.")
@click.option("--exclude", type=click.Choice(REASONS), help="Scaffold it among the excluded, for this reason.")
@bank_option
def command(
    division_id: int,
    figures_file: Path,
    ches: Path,
    family: str | None,
    named_axis: str | None,
    aye: Literal["negative", "positive"],
    slug: str,
    is_reversed: bool,
    agent: str,
    computed_by: str,
    exclude: str | None,
    bank_folder: str | None,
) -> None:
    """Scaffold a dossier from the figures of a division.

    Everything that can be computed is filled in: source record, digest of the extract, party-space review, four item
    ids, the stored order by the seed, the scoring keys. What only an author can write is left empty with a comment
    that says what goes there; validate finds each empty place. Then: write, divisionbell hash, divisionbell validate.

    \b
      divisionbell new 1905 --from division-1905.json --ches CHES_2024_final_v2.csv \\
        --family private-renting --aye negative --slug ending-a-letting --agent drafting-software
    """
    import re

    from divisionbell.author.new_dossier import Wanted, scaffold
    from divisionbell.author.write_back import schema_line, write_checked
    from divisionbell.sources.ches import read_survey
    from divisionbell.sources.commons import read_figures
    from divisionbell.validate.shape import validator

    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug):
        raise UsageProblem(f"{slug!r} is no slug", "write lower-case words joined by hyphens")
    folder = find_bank(bank_folder)
    bank = load(folder)
    settings = bank.settings.value
    if bank.settings.problems or not validator("Bank").is_valid(settings):
        raise UsageProblem(f"{bank.settings.shown} does not fit the schema", "divisionbell validate says why")
    families = {entry["family_id"]: entry for entry in settings.get("issue_families", [])}
    if exclude:
        if named_axis is None or family is not None:
            raise UsageProblem("an excluded division has an axis and no family", "give --axis and leave out --family")
    elif family not in families:
        raise UsageProblem(f"there is no issue family {family}", "bank.yaml has: " + ", ".join(sorted(families)))
    elif named_axis is not None and named_axis != families[family]["axis"]:
        raise UsageProblem(f"{family} is a family of the {families[family]['axis']} axis", "leave out --axis")
    agents = {entry["agent_id"] for entry in settings.get("agents", [])}
    for name in (agent, computed_by):
        if name not in agents:
            raise UsageProblem(f"there is no agent {name}", "bank.yaml has: " + ", ".join(sorted(agents)))
    for document in [*bank.dossiers, *bank.excluded]:
        if isinstance(document.value, dict) and document.value.get("dossier_id") == f"commons-{division_id}":
            raise UsageProblem(f"division {division_id} has a dossier: {document.shown}", "edit that one")
    axis = named_axis if exclude and named_axis else families[family]["axis"]
    place = folder / "excluded" / axis if exclude else folder / "dossiers" / axis / str(family)
    path = place / f"{division_id}-{slug}.yaml"
    if os.path.lexists(path):
        raise UsageProblem(f"{shown_path(path)} exists", "give another --slug, or edit that file")
    taken = item_ids(bank)
    wanted = Wanted(axis, family, aye, is_reversed, agent, computed_by, date.today(), exclude)
    text = scaffold(
        read_figures(figures_file, division_id), wanted, settings["response_seed"], taken, read_survey(ches)
    )
    name = "excluded_dossier" if exclude else "dossier"
    write_checked(path, schema_line(folder, path, name) + text)
    review = read(path).value["reviews"]["party_space_crosscheck_v1"]
    say(f"party-space cross-check: {review['status']}; {review['rationale']}")
    if review["status"] != "approved" and not exclude:
        say("  it cannot enter the bank so: look at --aye again, or scaffold it with --exclude", err=True)
    say(f"wrote {shown_path(path)}; fill in what is empty, then: divisionbell hash, divisionbell validate")
