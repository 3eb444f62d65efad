"""divisionbell hash"""

from __future__ import annotations

from pathlib import Path

import click

from divisionbell.bank.load import find_bank, load
from divisionbell.cli.options import bank_option


@click.command("hash", short_help="Fill in the digests that the bank's records must carry.")
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--check", is_flag=True, help="Write nothing; exit 1 where a digest is missing or stale.")
@bank_option
def command(paths: tuple[Path, ...], check: bool, bank_folder: str | None) -> int:
    """Fill in the transformation and extract digests of dossiers, each at its place; nothing else changes.

    With PATHS (files or folders) only those; otherwise every dossier of the bank.
    """
    from divisionbell.author.fill_hashes import fill, stale_digests

    bank = load(find_bank(bank_folder))
    wanted = [path.resolve() for path in paths]
    stale = 0
    for document in [*bank.dossiers, *bank.excluded]:
        if wanted and not any(document.path.resolve().is_relative_to(path) for path in wanted):
            continue
        changed = stale_digests(document) if check else fill(document)
        stale += len(changed)
        for path in changed:
            click.echo(f"{document.at_key(*path)}: {'is stale' if check else 'filled'}: {path[-1]}")
    click.echo(f"{stale} digest{'' if stale == 1 else 's'} {'stale' if check else 'filled'}")
    return 1 if check and stale else 0
