"""divisionbell selftest"""

from __future__ import annotations

from typing import Any

import click

from divisionbell.cli.json_text import json_text
from divisionbell.cli.options import bank_option, version_option
from divisionbell.cli.planted import MODELS, SEED, tell_planted
from divisionbell.diagnostics import Findings, UsageProblem, signed


@click.command("selftest", short_help="Make the certificates: arithmetic and wording, or planted models.")
@click.option("--wording", is_flag=True, help="Only the wording certificate, of the working files as they stand.")
@click.option("--planted", is_flag=True, help="Only planted models, simulated with a known score; about two minutes.")
@click.option(
    "--models", type=click.IntRange(min=1, max=1_000_000), metavar="N", help=f"How many planted models. [{MODELS}]"
)
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help=f"The seed of the planted models. [{SEED}]")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
@bank_option
@version_option
def command(
    wording: bool,
    planted: bool,
    models: int | None,
    seed: int | None,
    style: str,
    bank_folder: str | None,
    version: str | None,
) -> int:
    """Make the certificates: arithmetic and wording, or planted models.

    Arithmetic: scripted respondents (always-a, always-b, negative, positive, refuse, coin) must end where they must,
    which proves the way from a letter to a score. Wording: responders that see only the surface of an item (the longer
    option, words shared with the stem, the status quo, ...) must each end within the bank's limit of 0, on every axis
    and scale; where one does not, the dossiers that carry it are listed. Exit code 1 where a certificate does not hold.

    Both are of the frozen version; with --wording the working files are read, frozen or not.

    --planted asks simulated models on synthetic banks, families drawn anew for each, and holds intervals, bounds and
    corrections to what was planted. Simulations err: a share fails where its exact 99 % interval lies wholly outside
    what is required, a mean where its 99.9 % interval misses it. Too few to tell are fewer than 50 axes for a share and
    10 values for a mean; where that leaves the intervals unjudged, nothing is certified and the exit code is 1.
    """
    if planted:
        if wording or bank_folder is not None or version is not None:
            raise UsageProblem("--planted needs no bank", "leave --wording, --bank and --bank-version out")
        return tell_planted(models or MODELS, SEED if seed is None else seed, style)
    if models is not None or seed is not None:
        raise UsageProblem("--models and --seed are about planted models", "divisionbell selftest --planted")
    from divisionbell.estimate.wording_certificate import DEFAULT_LIMIT, wording_certificate

    arithmetic: list[dict[str, Any]] = []
    if wording:
        dossiers, settings = _working(bank_folder)
        name = "working files"
    else:
        from divisionbell.cli.certificates import arithmetic_certificate
        from divisionbell.cli.frozen import frozen_bank

        bank = frozen_bank(bank_folder, version)
        arithmetic = arithmetic_certificate(bank)
        dossiers = [record.value for record in bank.records if record.kind == "dossier"]
        settings = next(record.value for record in bank.records if record.kind == "bank")
        name = f"bank {bank.version}"
    limit = settings["wording_limits"].get("max_surface_lean", DEFAULT_LIMIT)
    surfaces = wording_certificate(dossiers, limit)
    if not surfaces:
        raise Findings(f"{name}: there is no item to certify", fix="divisionbell new scaffolds a dossier")
    failed = any(row["holds"] is False for row in [*arithmetic, *surfaces])
    if style == "json":
        told = {"of": name, "arithmetic": arithmetic, "wording": surfaces, "holds": not failed}
        click.echo(json_text(told))
        return int(failed)
    if arithmetic:
        click.echo(f"{name}: arithmetic certificate")
        for row in arithmetic:
            click.echo(
                f"  {_verdict(row['holds'])} {row['respondent']:<9} {row['scale']:<9} {row['axis']:<9} {row['found']}"
            )
    click.echo(f"{name}: wording certificate, |score| at most {limit}")
    for row in surfaces:
        click.echo(
            f"  {_verdict(row['holds'])} {row['surface']:<14} {row['scale']:<9} {row['axis']:<9} {signed(row['score'])}"
        )
        if not row["holds"]:
            listed = ", ".join(
                f"{dossier.removeprefix('commons-')} {signed(lean, '+.1f')}" for dossier, lean in row["carried_by"]
            )
            click.echo(f"         carried by {listed}")
    click.echo("a certificate does not hold" if failed else "the certificates hold")
    return int(failed)


def _verdict(holds: bool | None) -> str:
    return {True: "holds ", False: "FAILS ", None: "shown "}[holds]


def _working(bank_folder: str | None) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The dossiers and settings of the working files. Raises UsageProblem where one does not fit the schema."""
    from divisionbell.bank.load import find_bank, load
    from divisionbell.validate.shape import shape_problems

    bank = load(find_bank(bank_folder))
    roots = [("Bank", bank.settings), *(("Dossier", document) for document in bank.dossiers)]
    for root, document in roots:
        if document.problems or any(True for _ in shape_problems(root, document)):
            raise UsageProblem(f"{document.shown} does not fit the schema", "divisionbell validate")
    return [document.value for document in bank.dossiers], bank.settings.value
