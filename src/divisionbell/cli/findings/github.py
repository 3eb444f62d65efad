"""Findings as workflow commands, which GitHub shows beside the changed lines of a pull request."""

from __future__ import annotations

from divisionbell.cli.findings.outcome import NOTHING_CHECKED, Outcome
from divisionbell.cli.findings.places import repository_path
from divisionbell.diagnostics import Diagnostic, visible
from divisionbell.validate.rules import BY_ID


def rendered(outcome: Outcome, quiet: bool = False) -> bytes:
    """One command a finding; then, unless quiet, what was checked as a notice."""
    lines = [_error(diagnostic) for diagnostic in outcome.found]
    if outcome.nothing_checked:
        lines.append(f"::error title=divisionbell::{_data(NOTHING_CHECKED)}")
    if not quiet:
        lines.append(f"::notice title=divisionbell::{_data(*outcome.closing_lines())}")
    return "".join(f"{line}\n" for line in lines).encode()


def _error(diagnostic: Diagnostic) -> str:
    place = diagnostic.location
    told = [visible(diagnostic.message)]
    told += [f"{visible(str(r.location))}: note: {visible(r.message)}" for r in diagnostic.related]
    told.append(f"fix: {visible(diagnostic.fix)}")
    title = f"{diagnostic.rule}: {BY_ID[diagnostic.rule].name}"
    properties = f"file={_property(repository_path(place.path))},line={place.line},col={place.column}"
    return f"::error {properties},title={_property(title)}::{_data(*told)}"


def _data(*lines: str) -> str:
    """Text of a command: a line feed in it would end the command, and the next line could be another one."""
    text = "\n".join(lines)
    return visible(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return visible(escaped.replace(":", "%3A").replace(",", "%2C"))
