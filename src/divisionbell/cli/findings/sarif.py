"""Findings as SARIF 2.1.0 (OASIS, errata 01): the rules, and one result a finding."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any

from divisionbell import __version__
from divisionbell.cli.findings.as_json import well_formed
from divisionbell.cli.findings.outcome import NOTHING_CHECKED, Outcome
from divisionbell.cli.findings.places import repository_path, uri
from divisionbell.cli.json_text import json_text
from divisionbell.diagnostics import Diagnostic, Location, visible
from divisionbell.validate.rule import Rule
from divisionbell.validate.rules import RULES

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
_NUMBERS = {rule.id: number for number, rule in enumerate(RULES)}


def rendered(outcome: Outcome, quiet: bool = False) -> bytes:
    """One log with one run, ended by a line feed. No time and no path of the machine stands in it, unless the bank
    lies outside of the working folder."""
    invocation: dict[str, Any] = {"executionSuccessful": True, "exitCode": outcome.exit_code}
    if outcome.nothing_checked:
        invocation["executionSuccessful"] = False
        invocation["toolExecutionNotifications"] = [{"level": "error", "message": {"text": NOTHING_CHECKED}}]
    run = {
        "tool": {"driver": {"name": "divisionbell", "version": __version__, "rules": [_rule(rule) for rule in RULES]}},
        "invocations": [invocation],
        "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the repository that holds the bank."}}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(diagnostic) for diagnostic in outcome.found],
        "properties": {
            "bankVersion": outcome.report.bank.version,
            "checked": outcome.report.counts,
            "findingsElsewhere": outcome.elsewhere,
        },
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return well_formed(json_text(log)) + b"\n"


def _rule(rule: Rule) -> dict[str, Any]:
    told = f"{rule.protects}\n\nHow to mend it: {rule.fix}."
    return {
        "id": rule.id,
        "name": _identifier(rule.name),
        "shortDescription": _message(f"{rule.name[:1].upper()}{rule.name[1:]}"),
        "fullDescription": _message(rule.protects),
        "help": {**_message(told), "markdown": f"{rule.protects}\n\n**How to mend it:** {rule.fix}."},
        "defaultConfiguration": {"level": "error"},
    }


def _identifier(name: str) -> str:
    """A rule's name as one word in Pascal case, without articles."""
    words = re.findall(r"[a-z0-9]+", name.lower().replace("'", ""))
    return "".join(word.capitalize() for word in words if word not in {"a", "an", "the"})


def _result(diagnostic: Diagnostic) -> dict[str, Any]:
    result = {
        "ruleId": diagnostic.rule,
        "ruleIndex": _NUMBERS[diagnostic.rule],
        "level": "error",
        "message": _message(f"{visible(diagnostic.message)}\nfix: {visible(diagnostic.fix)}"),
        "locations": [{"physicalLocation": _place(diagnostic.location)}],
    }
    if diagnostic.related:
        result["relatedLocations"] = [
            {
                "id": number,
                "physicalLocation": _place(related.location),
                "message": _message(visible(related.message)),
            }
            for number, related in enumerate(diagnostic.related, start=1)
        ]
    return result


def _place(place: Location) -> dict[str, Any]:
    path = repository_path(place.path)
    artifact = {"uri": uri(path), "uriBaseId": ROOT}
    if PurePath(path).is_absolute():
        artifact = {"uri": f"file://{uri(path)}"}
    return {"artifactLocation": artifact, "region": {"startLine": place.line, "startColumn": place.column}}


def _message(text: str) -> dict[str, str]:
    """A message string. `[text](target)` in it would be a link and `{0}` a placeholder (3.11.5, 3.11.6): text that
    holds either is escaped as the standard says, all other text stands as it is."""
    if "](" in text:
        text = re.sub(r"([\\\[\]])", r"\\\1", text)
    if re.search(r"\{\d+\}", text):
        text = text.replace("{", "{{").replace("}", "}}")
    return {"text": text}
