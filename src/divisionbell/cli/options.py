"""Options that several verbs share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def _folders(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Leaves the completion of a folder to the shell."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="dir")]


bank_option = click.option(
    "--bank",
    "bank_folder",
    metavar="DIR",
    shell_complete=_folders,
    help="The bank folder; otherwise DIVISIONBELL_BANK, else ./bank.",
)
ches_option = click.option(
    "--ches",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The 2024 survey file (see data_sources.yaml); it is read and never copied.",
)
version_option = click.option(
    "--bank-version",
    "version",
    metavar="VERSION",
    help="The frozen version; otherwise the one that bank.yaml names.",
)
