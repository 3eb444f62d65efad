"""divisionbell validate"""

from __future__ import annotations

import json
from pathlib import Path

import click

from divisionbell.bank.load import find_bank, load
from divisionbell.cli.options import bank_option, ches_option
from divisionbell.diagnostics import UsageProblem, shown_path
from divisionbell.validate.engine import check, closing_line


@click.command(
    "validate",
    short_help="Check a bank: shape, reviews, keys, mirrors, hashes, freeze.",
)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@bank_option
@ches_option
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--quiet", is_flag=True, help="Print findings only.")
def command(paths: tuple[Path, ...], bank_folder: str | None, ches: Path | None, style: str, quiet: bool) -> int:
    """Check a bank and print every finding as file:line:column with the way to mend it.

    The whole bank is always read; with PATHS (files or folders) only findings in those are shown and counted. With
    --ches every figure of the party-space reviews is computed again from the survey; without it what is stored is
    checked for consistency. The last line says which bank was checked and what was counted.

    Exit code 0 when nothing was found, 1 otherwise, 2 where there is no bank.
    """
    for path in paths:
        if not path.exists():
            raise UsageProblem(f"{path} does not exist", "name a file or folder of the bank")
    folder = find_bank(bank_folder)
    report = check(load(folder), ches)
    found = report.diagnostics
    if paths:
        wanted = [path.resolve() for path in paths]
        found = tuple(d for d in found if any(Path(d.location.path).resolve().is_relative_to(path) for path in wanted))
        report = type(report)(report.bank, found, report.counts)
    clean = not found and report.counts["items"] > 0
    if style == "json":
        click.echo(
            json.dumps(
                {
                    "format": "divisionbell-validate/1",
                    "bank": shown_path(folder),
                    "version": report.bank.version,
                    "clean": clean,
                    "counts": report.counts,
                    "survey_recomputed": ches is not None,
                    "findings": [
                        {
                            "rule": d.rule,
                            "path": d.location.path,
                            "line": d.location.line,
                            "column": d.location.column,
                            "message": d.message,
                            "fix": d.fix,
                            "related": [
                                {
                                    "path": r.location.path,
                                    "line": r.location.line,
                                    "column": r.location.column,
                                    "message": r.message,
                                }
                                for r in d.related
                            ],
                        }
                        for d in found
                    ],
                },
                ensure_ascii=False,
                indent=1,
            )
        )
        return 0 if clean else 1
    for diagnostic in found:
        click.echo(diagnostic.text())
    if report.counts["items"] == 0 and not found:
        click.echo("error: 0 items checked, which is never success", err=True)
    if not quiet:
        survey = (
            f"party space recomputed from the survey for {report.counts['recomputed']} records"
            if ches
            else "party space checked for consistency (no survey file given)"
        )
        excluded = f"{report.counts['excluded']} excluded divisions"
        click.echo(f"{shown_path(folder)}/ version {report.bank.version or 'unknown'}: {excluded}; {survey}")
        click.echo(closing_line(report))
    return 0 if clean else 1
