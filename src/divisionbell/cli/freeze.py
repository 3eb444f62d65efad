"""divisionbell freeze"""

from __future__ import annotations

from pathlib import Path

import click

from divisionbell.bank.load import find_bank, load
from divisionbell.cli.options import bank_option, ches_option
from divisionbell.diagnostics import Findings, UsageProblem, shown_path
from divisionbell.validate.engine import ValidBank, closing_line, validate


@click.command("freeze", short_help="Write the working bank out as a frozen version.")
@click.argument("version")
@bank_option
@ches_option
def command(version: str, bank_folder: str | None, ches: Path | None) -> None:
    """Write the working bank out as frozen VERSION: freeze/VERSION.records.jsonl and freeze/VERSION.json.

    The bank must be valid and bank.yaml must name VERSION. No other file is changed. A frozen version never changes:
    later changes need a new version.
    """
    from divisionbell.freeze.freeze import freeze

    bank = load(find_bank(bank_folder))
    if (bank.freeze_folder / f"{version}.records.jsonl").exists():
        raise UsageProblem(
            f"version {version} is frozen already",
            "a frozen version never changes: name a new version in bank.yaml and freeze that",
        )
    valid = validate(bank, ches)
    if not isinstance(valid, ValidBank):
        raise Findings(f"nothing was frozen: {closing_line(valid)}", valid.diagnostics, "mend the findings first")
    for path in freeze(valid, version):
        click.echo(f"wrote {shown_path(path)}")
