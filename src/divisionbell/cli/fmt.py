"""divisionbell fmt"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from divisionbell.bank.load import find_bank
from divisionbell.bank.read import Document, read_bytes
from divisionbell.cli.json_text import json_text
from divisionbell.cli.options import bank_option
from divisionbell.cli.stdout import put
from divisionbell.diagnostics import Diagnostic, Findings, UsageProblem, real_path, shown_path, visible

if TYPE_CHECKING:
    from divisionbell.author.format_bank import FormatFault, Formatted


@dataclass
class _Outcome:
    """What was found in the files and what became of them."""

    folder: Path | None
    files: list[Formatted]
    findings: list[Diagnostic]
    written: set[Path] = field(default_factory=set)
    failures: list[Findings] = field(default_factory=list)
    faults: list[FormatFault] = field(default_factory=list)

    def __post_init__(self) -> None:
        for file in self.files:
            self.findings += file.problems
            if isinstance(file.failure, Findings):
                self.failures.append(file.failure)
            elif file.failure is not None:
                self.faults.append(file.failure)
        self.changed = [file for file in self.files if file.changed]

    def write(self) -> None:
        from divisionbell.author.format_bank import rewrite

        for file in self.changed:
            try:
                rewrite(file)
            except Findings as problem:
                self.failures.append(problem)
            else:
                self.written.add(file.path)

    @property
    def clean(self) -> bool:
        return not (self.findings or self.failures or self.faults) and len(self.written) == len(self.changed)


@click.command("fmt", short_help="Rewrite bank files in their canonical form.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, allow_dash=True))
@click.option("--check", is_flag=True, help="Write nothing; exit 1 where a file would change.")
@click.option("--diff", "as_diff", is_flag=True, help="Write nothing; show each change as a unified diff.")
@bank_option
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(paths: tuple[Path, ...], check: bool, as_diff: bool, bank_folder: str | None, style: str) -> int:
    """Rewrite bank files in their canonical form, comments kept; no value changes, so no digest does.

    With PATHS (files or folders) only those; otherwise every YAML file of the bank and data_sources.yaml beside it.
    What is frozen is never touched, and a file that is in its form already is not written. A file that cannot be read
    is a finding, and the others are still formatted. With - standard input is formatted to standard output.

    Exit code 0 when all is in its form, 1 where a file cannot be read or written or, with --check or --diff, would
    change, 2 where there is no bank or a PATH is not part of it.
    """
    dry = check or as_diff
    if Path("-") in paths:
        if len(paths) > 1:
            raise UsageProblem("- goes with no other path", "give - alone, or files and folders of the bank")
        if style == "json" and not dry:
            raise UsageProblem("standard output holds the formatted text", "use --format json with --check or --diff")
        outcome = _from_standard_input()
        if not dry:
            return _to_standard_output(outcome)
    else:
        outcome = _from_files(find_bank(bank_folder), paths)
        if not dry:
            outcome.write()
    if style == "json":
        click.echo(json_text(_as_json(outcome, as_diff)))
    else:
        _tell(outcome, dry, as_diff)
    if outcome.faults:
        raise outcome.faults[0]
    return 0 if outcome.clean else 1


def _from_standard_input() -> _Outcome:
    from divisionbell.author.format_bank import format_document
    from divisionbell.cli.standard_input import read_standard_input

    data = read_standard_input()
    return _Outcome(None, [format_document(read_bytes(data, Document(Path("<stdin>"))))], [])


def _from_files(folder: Path, paths: tuple[Path, ...]) -> _Outcome:
    from divisionbell.author.format_bank import bank_yaml, format_files

    for path in paths:
        if not os.path.lexists(path):
            raise UsageProblem(f"{shown_path(path)} does not exist", "name a file or folder of the bank")
    wanted = [real_path(path) for path in paths]

    def asked_for(path: Path) -> bool:
        return not wanted or any(real_path(path).is_relative_to(given) for given in wanted)

    found, problems = bank_yaml(folder)
    chosen = [path for path in found if asked_for(path)]
    findings = [problem for problem in problems if asked_for(Path(problem.location.path))]
    if not chosen and not findings:
        raise UsageProblem(
            f"no YAML file of {shown_path(folder)}/ lies there", "name a file or folder of the bank, or another --bank"
        )
    return _Outcome(folder, format_files(chosen), findings)


def _to_standard_output(outcome: _Outcome) -> int:
    for diagnostic in outcome.findings:
        click.echo(diagnostic.text(), err=True)
    for failure in [*outcome.failures, *outcome.faults]:
        raise failure
    if outcome.findings:
        return 1
    put(outcome.files[0].after.encode("utf-8"))
    return 0


def _tell(outcome: _Outcome, dry: bool, as_diff: bool) -> None:
    from divisionbell.author.format_bank import first_difference, unified_diff

    for diagnostic in outcome.findings:
        click.echo(diagnostic.text())
    for file in outcome.changed:
        line, before, after = first_difference(file.before, file.after)
        place = f"{visible(file.shown)}:{line}:1"
        if as_diff:
            click.echo(unified_diff(file), nl=False)
        elif dry:
            click.echo(f"{place}: {before} would be {after}\n  fix: divisionbell fmt")
        elif file.path in outcome.written:
            click.echo(f"{place}: rewritten from here on")
    for failure in outcome.failures:
        click.echo(f"error: {visible(failure.message)}\n  fix: {visible(failure.fix)}", err=True)
    for fault in outcome.faults:
        click.echo(f"error: {visible(str(fault))}", err=True)
    count = len(outcome.changed) if dry else len(outcome.written)
    told = [f"{count} {'would change' if dry else 'rewritten'}"]
    unread = len({diagnostic.location.path for diagnostic in outcome.findings})
    told += [f"{unread} cannot be read"] if unread else []
    where = "standard input" if outcome.folder is None else f"{shown_path(outcome.folder)}/"
    files = len(outcome.files)
    click.echo(f"{visible(where)}: {files} file{'' if files == 1 else 's'}, {', '.join(told)}")


def _as_json(outcome: _Outcome, as_diff: bool) -> dict[str, Any]:
    from divisionbell.author.format_bank import first_difference, unified_diff

    changed = []
    for file in outcome.changed:
        line, before, after = first_difference(file.before, file.after)
        told = {"path": file.shown, "line": line, "before": before, "after": after}
        told |= {"written": file.path in outcome.written}
        changed.append(told | ({"diff": unified_diff(file)} if as_diff else {}))
    return {
        "format": "divisionbell-fmt/1",
        "bank": None if outcome.folder is None else shown_path(outcome.folder),
        "clean": outcome.clean,
        "files": len(outcome.files),
        "changed": changed,
        "findings": [
            {
                "rule": finding.rule,
                "path": finding.location.path,
                "line": finding.location.line,
                "column": finding.location.column,
                "message": finding.message,
                "fix": finding.fix,
                "related": [
                    {"path": at.path, "line": at.line, "column": at.column, "message": related.message}
                    for related in finding.related
                    for at in [related.location]
                ],
            }
            for finding in outcome.findings
        ],
        "not_written": [{"message": failure.message, "fix": failure.fix} for failure in outcome.failures],
    }
