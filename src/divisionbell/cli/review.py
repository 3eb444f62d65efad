"""divisionbell review"""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path

import click

from divisionbell.bank.load import find_bank, load
from divisionbell.bank.order import Pole
from divisionbell.bank.read import Document
from divisionbell.cli.options import bank_option
from divisionbell.cli.stdout import say
from divisionbell.diagnostics import Findings, UsageProblem, percent, shown_path


@click.group("review", short_help="Compute cross-checks, and gather blind codings.")
def command() -> None:
    """Compute cross-checks, and gather blind codings.

    \b
    party-space   compute the cross-check of a dossier from its counts and the survey
    sheet         write a sheet that shows a coder the items without keys or titles
    code          take a filled-in sheet back into the dossiers
    agreement     say what the blind coders recovered
    """


@command.command("party-space", short_help="Compute the cross-check of a dossier by the survey.")
@click.argument("dossier")
@click.option("--ches", required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE")
@bank_option
def party_space(dossier: str, ches: Path, bank_folder: str | None) -> int:
    """Compute party_space_crosscheck_v1 of DOSSIER (commons-1905 or 1905) from its party counts and the survey.

    The review in the file is replaced; nothing else changes. Exit code 1 where it is not approved.
    """
    from divisionbell.author.new_dossier import Wanted, party_space_review
    from divisionbell.author.write_back import as_read, replace_block, rewrite_checked
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
        as_read(document)
        rewrite_checked(document, replace_block(document, ("reviews", "party_space_crosscheck_v1"), made))
        space = made["party_space"]
        say(f"{document.shown}: {made['status']}, difference {space.get('difference')}; {made['rationale']}")
        return 0 if made["status"] == "approved" else 1
    raise UsageProblem(f"there is no dossier {name}", "name it by its division")


def _sound_dossiers(bank_folder: str | None) -> list[Document]:
    """The dossiers of a bank that fit the schema. Raises Findings where one does not."""
    from divisionbell.validate.shape import shape_problems

    bank = load(find_bank(bank_folder))
    for document in bank.dossiers:
        problems = document.problems or list(shape_problems("Dossier", document))
        if problems:
            raise Findings(f"{document.shown} does not fit the schema", tuple(problems), "divisionbell validate")
    return bank.dossiers


@command.command("sheet", short_help="Write a sheet of the items without keys or titles.")
@click.option("--part", default="1/1", show_default=True, metavar="K/N", help="The K-th of N parts of the items.")
@click.option("--seed", default="1", show_default=True, help="Draws order and parts; give each coder another.")
@click.option(
    "--dossier", "names", multiple=True, metavar="DOSSIER", help="Only these dossiers (commons-1905 or 1905)."
)
@click.option("--stale", is_flag=True, help="Only items with no blind coding of their current wording.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="The file; otherwise standard output.")
@bank_option
def sheet_command(
    part: str, seed: str, names: tuple[str, ...], stale: bool, out: Path | None, bank_folder: str | None
) -> None:
    """Write a coding sheet (CSV) that shows the items without keys, titles or each other's codings.

    A coder fills in axis (economic, social), pole_of_a and pole_of_b (negative, positive, none), the country that the
    text seems to come from if any, the option that the author would seem to prefer if either, and a remark. What the
    poles mean stands in docs/how-to/code-items.md. With four parts, no part holds two items of one dossier.
    """
    from divisionbell.author.coding_sheet import sheet, sheet_items
    from divisionbell.bank.canonical import surface_sha256
    from divisionbell.cli.output import write_out

    found = re.fullmatch(r"([1-9]\d{0,3})/([1-9]\d{0,3})", part)
    if found is None or int(found[1]) > int(found[2]):
        raise UsageProblem(f"{part} is no part", "write --part 1/4 for the first of four")
    dossiers = [document.value for document in _sound_dossiers(bank_folder)]
    wanted = {name if name.startswith("commons-") else f"commons-{name}" for name in names}
    unknown = wanted - {dossier["dossier_id"] for dossier in dossiers}
    if unknown:
        raise UsageProblem(f"there is no dossier {', '.join(sorted(unknown))}", "name it by its division")
    chosen = [dossier for dossier in dossiers if not wanted or dossier["dossier_id"] in wanted]
    items = sheet_items(chosen, seed, int(found[1]), int(found[2]))
    if stale:
        coded = {coding.get("coded_text_sha256") for d in chosen for coding in d.get("codings", []) if coding["blind"]}
        items = [item for item in items if surface_sha256(item) not in coded]
    text = sheet(items)
    if out is None:
        click.echo(text, nl=False)
    else:
        write_out(out, text.encode())
        say(f"{shown_path(out)}: {len(items)} items")


@command.command("code", short_help="Take a filled-in sheet back into the dossiers.")
@click.argument("sheet", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--agent", required=True, metavar="AGENT", help="Who coded it: an agent_id of bank.yaml.")
@click.option("--not-blind", is_flag=True, help="The coder had seen keys, titles or another coding.")
@bank_option
def code_command(sheet: Path, agent: str, not_blind: bool, bank_folder: str | None) -> None:
    """Take a filled-in coding SHEET into the dossiers, beside the reviews.

    Each coding keeps the digest of the text that the coder read, so that one of an earlier wording is told apart. A
    coding is never changed afterwards: another one by the same coder of the same words is refused, and so is a sheet
    whose texts were edited. Rows without axis and poles are passed over.
    """
    from divisionbell.author.coding_sheet import codings, read_sheet, with_codings
    from divisionbell.author.write_back import as_read, checked, rewrite_checked
    from divisionbell.freeze.whole_file import NotWritten
    from divisionbell.validate.shape import validator

    settings = load(find_bank(bank_folder)).settings
    if settings.problems or not validator("Bank").is_valid(settings.value):
        raise UsageProblem(f"{settings.shown} does not fit the schema", "divisionbell validate says why")
    agents = [entry["agent_id"] for entry in settings.value["agents"]]
    if agent not in agents:
        raise UsageProblem(f"there is no agent {agent}", f"add it to bank.yaml; the agents are: {', '.join(agents)}")
    rows = {row.item_id: row for row in read_sheet(sheet)}
    documents = _sound_dossiers(bank_folder)
    known = {item["item_id"] for document in documents for item in document.value["items"]}
    for row in rows.values():
        if row.item_id not in known:
            raise Findings(
                f"{shown_path(sheet)}:{row.line}: {row.item_id} is no item of this bank", fix="correct the id"
            )
    added, had = 0, 0
    texts = []
    for document in documents:
        asked = sum(item["item_id"] in rows for item in document.value["items"])
        made = list(codings(document.value, rows, agent, date.today(), not not_blind, sheet))
        added, had = added + len(made), had + asked - len(made)
        if made:
            as_read(document)
            texts.append((document, with_codings(document, made)))
    for document, text in texts:
        checked(document.path, text)  # all of them before the first is written
    for number, (document, text) in enumerate(texts):
        try:
            rewrite_checked(document, text)
        except NotWritten as problem:
            others = ", ".join(shown_path(other.path) for other, _ in texts[:number])
            told = f"{problem.message}; written before it: {others or 'nothing'}"
            raise UsageProblem(told, f"{problem.fix}: what is written is passed over then") from None
    say(f"{added} codings by {agent} added" + (f", {had} were there already" if had else ""))


@command.command("agreement", short_help="Say what the blind coders recovered.")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
@bank_option
def agreement_command(style: str, bank_folder: str | None) -> None:
    """Say what the blind coders recovered: axis and pole of every option, by coder, axis and kind.

    "First reading" is each coder's first coding of an item; "current wording" its coding of the text as it stands now.
    """
    from divisionbell.estimate.coding_agreement import CURRENT, FIRST, alpha, recovery

    dossiers = [document.value for document in _sound_dossiers(bank_folder)]
    rows = recovery(dossiers)
    alphas = {which: alpha(dossiers, which) for which in (FIRST, CURRENT)}
    if style == "json":
        click.echo(json.dumps({"recovery": rows, "krippendorff_alpha": alphas}, indent=1))
        return
    if not rows:
        click.echo("no blind coding is recorded yet: divisionbell review sheet")
        return
    wide = max(len(row["coder"]) for row in rows)
    for row in rows:
        low, high = (percent(row[end], 1) for end in ("low", "high"))
        say(
            f"{row['reading']:<16} {row['coder']:<{wide}} {row['axis']:<9} {row['kind'].removesuffix('_action'):<9}"
            f"{row['recovered']:>5} of {row['options']:<5} options {percent(row['share'], 1):>6}   "
            f"both right {row['whole']:>4} of {row['readings']:<4} [{low}, {high}]   "
            f"placed {row['placed']:<4} "
            f"wish seen -{row['preferred_negative']} +{row['preferred_positive']}"
        )
    for which, value in alphas.items():
        told = "undefined" if value is None else f"{value:.3f}"
        say(f"Krippendorff's alpha between coders, {which}: {told}")
