"""divisionbell hash"""

from __future__ import annotations

from pathlib import Path

import click

from divisionbell.bank.load import find_bank, load
from divisionbell.cli.options import bank_option
from divisionbell.cli.stdout import say
from divisionbell.diagnostics import UsageProblem, real_path, shown_path


@click.command("hash", short_help="Fill in the digests that the bank's records must carry.")
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--check", is_flag=True, help="Write nothing; exit 1 where a digest is missing or stale.")
@click.option(
    "--extracts", is_flag=True, help="Also where figures differ from those of the copy: first compare them with it."
)
@bank_option
def command(paths: tuple[Path, ...], check: bool, extracts: bool, bank_folder: str | None) -> int:
    """Fill in the transformation and extract digests of dossiers, each at its place; nothing else changes.

    With PATHS (files or folders) only those; otherwise every dossier of the bank. An extract digest that is there
    and is not of the figures is kept, so that a slip of a figure is found: then the exit code is 1. A file that is
    a link or read-only, or was saved meanwhile, is left as it is and the others are still filled in: then it is 2.
    """
    from divisionbell.author.fill_hashes import fill, kept_extracts, stale_digests
    from divisionbell.freeze.whole_file import NotWritten

    bank = load(find_bank(bank_folder))
    wanted = [real_path(path) for path in paths]
    documents = [*bank.dossiers, *bank.excluded]
    for path, place in zip(paths, wanted, strict=True):
        if not any(real_path(document.path).is_relative_to(place) for document in documents):
            told = f"no dossier of {shown_path(bank.folder)}/ lies in {shown_path(path)}"
            raise UsageProblem(told, "name a dossier or a folder of them, or none for all of the bank")
    stale, left, kept = 0, 0, 0
    for document in documents:
        if wanted and not any(real_path(document.path).is_relative_to(path) for path in wanted):
            continue
        try:
            other = [] if check or extracts else kept_extracts(document)
            changed = stale_digests(document) if check else fill(document, extracts)
        except NotWritten as problem:
            left += 1
            say(f"error: {problem.message}", err=True)
            say(f"  fix: {problem.fix}", err=True)
            continue
        stale += len(changed)
        for changed_path in changed:
            say(f"{document.at_key(*changed_path)}: {'is stale' if check else 'filled'}: {changed_path[-1]}")
        for kept_path in other:
            say(f"{document.at_key(*kept_path)}: kept: extract_sha256 is of other figures", err=True)
            say(
                "  fix: restore the figures; or compare them with the copy, then: divisionbell hash --extracts",
                err=True,
            )
        kept += len(other)
    told = f"{stale} digest{'' if stale == 1 else 's'} {'stale' if check else 'filled'}"
    told += f", {kept} kept" if kept else ""
    say(told + (f", {left} file{' was' if left == 1 else 's were'} not written" if left else ""))
    return 2 if left else int(kept > 0 or (check and stale > 0))
