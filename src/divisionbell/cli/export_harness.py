"""divisionbell export inspect, lm-eval and promptfoo"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

import click

from divisionbell.cli.options import bank_option, version_option
from divisionbell.diagnostics import UsageProblem, real_path, shown_path

form_option = click.option("--form", default="full", show_default=True, help="The form, as bank.yaml names it.")
out_option = click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder to write, whole or not at all; what is there already is never changed.",
)


@click.command("inspect", short_help="Write a folder for Inspect.")
@bank_option
@version_option
@form_option
@out_option
def inspect(bank_folder: str | None, version: str | None, form: str, out: Path | None) -> None:
    """Write a folder with a task of Inspect and the frozen files that it asks from.

    Where the bank is at hand, no folder is needed: `inspect eval divisionbell/bank`. Prompts, parser, the reminder and
    the scores are those of this program. docs/how-to/other-harnesses.md has the whole of it.
    """
    folder = _folder(out, bank_folder)
    from divisionbell.export.harness.inspect import BEGIN, inspect_files
    from divisionbell.freeze.named_version import frozen_bank

    _write(folder, inspect_files(frozen_bank(bank_folder, version), form), BEGIN)


@click.command("lm-eval", short_help="Write a folder for lm-evaluation-harness.")
@bank_option
@version_option
@form_option
@out_option
def lm_eval(bank_folder: str | None, version: str | None, form: str, out: Path | None) -> None:
    """Write a task folder of lm-evaluation-harness: first replies, read by our parser.

    It knows no reminder and no finish reasons; README.md in the folder says what else is lost. A missing reply is left
    out of its scores and never counted as 0.
    """
    folder = _folder(out, bank_folder)
    from divisionbell import __version__
    from divisionbell.export.harness.lm_eval import BEGIN, lm_eval_files, task_name
    from divisionbell.freeze.named_version import frozen_bank

    bank = frozen_bank(bank_folder, version)
    files = lm_eval_files(bank, form, __version__)
    _write(folder, files, BEGIN.format(task=task_name(bank, form)))


@click.command("promptfoo", short_help="Write a folder for promptfoo.")
@bank_option
@version_option
@form_option
@out_option
def promptfoo(bank_folder: str | None, version: str | None, form: str, out: Path | None) -> None:
    """Write a folder that promptfoo evaluates: first replies, valid or not, with the outcome of each.

    It knows no reminder, and its score is the share of valid replies; README.md in the folder says what is lost and how
    the position is computed from its results.
    """
    folder = _folder(out, bank_folder)
    from divisionbell.export.harness.promptfoo import BEGIN, promptfoo_files
    from divisionbell.freeze.named_version import frozen_bank

    _write(folder, promptfoo_files(frozen_bank(bank_folder, version), form), BEGIN)


HARNESSES = (inspect, lm_eval, promptfoo)


def _folder(out: Path | None, bank_folder: str | None) -> Path:
    from divisionbell.bank.load import find_bank

    if out is None:
        raise UsageProblem("this export is a folder, not one file", "name the folder to write: --out DIR")
    if real_path(out).is_relative_to(real_path(find_bank(bank_folder))):
        raise UsageProblem(f"{shown_path(out)} lies in the bank", "name a folder outside it with --out")
    return out


def _write(folder: Path, files: Mapping[str, bytes], begin: str) -> None:
    from divisionbell.export.harness.folder import write_folder

    if write_folder(folder, files):
        click.echo(f"wrote {shown_path(folder)}: {len(files)} files; README.md there says what is lost")
    else:
        click.echo(f"{shown_path(folder)} is there already, byte for byte")
    click.echo("  begin there with:\n" + textwrap.indent(begin, "    "), nl=False)
