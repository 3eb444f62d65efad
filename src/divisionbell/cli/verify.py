"""divisionbell verify"""

from __future__ import annotations

import click

from divisionbell.bank.load import find_bank, load
from divisionbell.cli.options import bank_option
from divisionbell.diagnostics import Findings, UsageProblem


@click.command("verify", short_help="Check that frozen versions are what they were.")
@click.argument("version", required=False)
@bank_option
def command(version: str | None, bank_folder: str | None) -> None:
    """Check that frozen versions are what they were: the record file against its statement, every transformation
    digest in it, and every version that a registered run used against the digests it was registered with.

    With VERSION only that one. It says for each mismatch what was expected and what was found.
    """
    from divisionbell.freeze.verify import verify

    bank = load(find_bank(bank_folder))
    checked, found = verify(bank, version)
    if not checked:
        raise UsageProblem(
            f"version {version} is not frozen" if version else "nothing is frozen", "divisionbell freeze VERSION"
        )
    if found:
        raise Findings(
            f"{len(found)} finding{'' if len(found) == 1 else 's'}", tuple(found), "restore the frozen files"
        )
    for line in checked:
        click.echo(line)
