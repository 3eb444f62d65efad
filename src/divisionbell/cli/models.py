"""divisionbell models"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from divisionbell.cli.json_text import json_text
from divisionbell.cli.options import bank_option, version_option
from divisionbell.diagnostics import DivisionBellError, visible

if TYPE_CHECKING:
    from divisionbell.freeze.frozen_bank import FrozenBank
    from divisionbell.run.respondents.kinds import Kind


@click.command("models", short_help="Say which respondents are usable here, and why not.")
@click.option("--base-url", metavar="URL", help="An OpenAI-compatible server to ask for its models.")
@click.option(
    "--key-file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A file with the key for openai:MODEL; otherwise OPENAI_API_KEY.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@bank_option
@version_option
def command(
    base_url: str | None, key_file: Path | None, form: str, bank_folder: str | None, version: str | None
) -> int:
    """Say which respondents are usable here, and why not.

    One row for every kind and every plug-in. A server is asked for the models it lists: that of --base-url, else
    OpenAI's where OPENAI_API_KEY is set, and Anthropic's where ANTHROPIC_API_KEY is set. Plug-ins are loaded. Keys are
    never shown. Exit code 0, whatever is usable.
    """
    from divisionbell.run.respondents.kinds import kinds

    found = kinds(_bank(bank_folder, version), base_url, key_file)
    if form == "json":
        click.echo(json_text({"format": "divisionbell-models/1", "respondents": [asdict(kind) for kind in found]}))
        return 0
    width = max(len(kind.name) for kind in found)
    for kind in found:
        for line in _lines(kind, width):
            click.echo(visible(line))
    return 0


def _bank(bank_folder: str | None, version: str | None) -> FrozenBank | None:
    """The frozen bank, for the parties in it; None where there is none and none was named."""
    from divisionbell.cli.frozen import frozen_bank

    try:
        return frozen_bank(bank_folder, version)
    except DivisionBellError:
        if bank_folder is not None or version is not None:
            raise
        return None


def _lines(kind: Kind, width: int) -> list[str]:
    state = "usable    " if kind.usable else "not usable"
    lines = [f"{kind.name:<{width}}  {state}  {kind.says}"]
    if kind.fix:
        lines.append(f"{'':<{width}}  fix: {kind.fix}")
    prefix = kind.name.partition(":")[0]
    return lines + [f"  {prefix}:{choice}" for choice in kind.choices]
