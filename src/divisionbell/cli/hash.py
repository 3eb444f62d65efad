"""divisionbell hash"""

from __future__ import annotations

from pathlib import Path

import click

from divisionbell.bank.load import find_bank, load
from divisionbell.cli.options import bank_option
from divisionbell.cli.stdout import say
from divisionbell.diagnostics import real_path


@click.command("hash", short_help="Fill in the digests that the bank's records must carry.")
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--check", is_flag=True, help="Write nothing; exit 1 where a digest is missing or stale.")
@bank_option
def command(paths: tuple[Path, ...], check: bool, bank_folder: str | None) -> int:
    """Fill in the transformation and extract digests of dossiers, each at its place; nothing else changes.

    With PATHS (files or folders) only those; otherwise every dossier of the bank. A file that is a link or read-only,
    or was saved meanwhile, is left as it is and the others are still filled in: then the exit code is 2.
    """
    from divisionbell.author.fill_hashes import fill, stale_digests
    from divisionbell.freeze.whole_file import NotWritten

    bank = load(find_bank(bank_folder))
    wanted = [real_path(path) for path in paths]
    stale, left = 0, 0
    for document in [*bank.dossiers, *bank.excluded]:
        if wanted and not any(real_path(document.path).is_relative_to(path) for path in wanted):
            continue
        try:
            changed = stale_digests(document) if check else fill(document)
        except NotWritten as problem:
            left += 1
            say(f"error: {problem.message}", err=True)
            say(f"  fix: {problem.fix}", err=True)
            continue
        stale += len(changed)
        for path in changed:
            say(f"{document.at_key(*path)}: {'is stale' if check else 'filled'}: {path[-1]}")
    told = f"{stale} digest{'' if stale == 1 else 's'} {'stale' if check else 'filled'}"
    say(told + (f", {left} file{' was' if left == 1 else 's were'} not written" if left else ""))
    return 2 if left else int(check and stale > 0)
