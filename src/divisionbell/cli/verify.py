"""divisionbell verify"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from divisionbell.bank.load import find_bank, load
from divisionbell.cli.json_text import json_text
from divisionbell.cli.options import bank_option
from divisionbell.diagnostics import Diagnostic, Location, UsageProblem, shown_path, visible

if TYPE_CHECKING:
    from divisionbell.freeze.verify import Verification


@click.command("verify", short_help="Check that frozen versions are what they were.")
@click.argument("version", required=False)
@click.option(
    "--key",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="PUBLICKEY",
    help="Hold the signatures to this Ed25519 public key (OpenSSH or PEM) too; a version it did not sign is a finding.",
)
@bank_option
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(version: str | None, key: Path | None, bank_folder: str | None, style: str) -> int:
    """Check that frozen versions are what they were: the record file against its statement, every line and its order,
    every transformation digest, and every version that a registered run used against the digests it was registered
    with.

    With VERSION only that one. Each finding says where, what was expected and what was found; lines with "not checked"
    say what no check here can show.

    Exit code 0 when nothing was found, 1 otherwise, 2 where nothing is frozen.
    """
    from divisionbell.freeze.frozen_bank import frozen_here
    from divisionbell.freeze.verify import closing_line, lines, verify

    public = None
    if key is not None:
        from divisionbell.freeze.keys import load_public_key

        public = load_public_key(key)
    folder = find_bank(bank_folder)
    result = verify(load(folder), version, public)
    if not result.versions:
        raise UsageProblem(
            f"version {version} is not frozen" if version else "nothing is frozen", frozen_here(folder / "freeze")
        )
    found = result.all_findings
    if style == "json":
        told = _json(result, shown_path(folder), public.fingerprint if public else None)
        click.echo(json_text(told))
        return 1 if found else 0
    for diagnostic in found:
        click.echo(diagnostic.text())
    for line in lines(result):
        click.echo(visible(line))
    click.echo(closing_line(result))
    return 1 if found else 0


def _place(location: Location) -> dict[str, Any]:
    return {"path": location.path, "line": location.line, "column": location.column}


def _finding(diagnostic: Diagnostic) -> dict[str, Any]:
    return {
        "rule": diagnostic.rule,
        **_place(diagnostic.location),
        "message": diagnostic.message,
        "fix": diagnostic.fix,
        "related": [{**_place(one.location), "message": one.message} for one in diagnostic.related],
    }


def _json(result: Verification, folder: str, fingerprint: str | None) -> dict[str, Any]:
    return {
        "format": "divisionbell-verify/1",
        "bank": folder,
        "clean": not result.all_findings,
        "key": fingerprint,
        "versions": [
            {
                "version": one.version,
                "clean": not one.findings,
                "records_sha256": one.records_sha256,
                "statement_sha256": one.statement_sha256,
                "record_count": one.record_count,
                "item_count": one.item_count,
                "frozen_at": one.frozen_at,
                "frozen_by": one.frozen_by,
                "registered_runs": one.runs,
                "signed": one.signed_by,
                "not_checked": one.not_checked,
            }
            for one in result.versions
        ],
        "findings": [_finding(one) for one in result.all_findings],
        "not_checked": result.not_checked,
    }
