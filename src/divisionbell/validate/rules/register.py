"""FRZ003: the register of runs fits the versions that it names."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, partial
from pathlib import Path
from typing import Any

import orjson

from divisionbell.diagnostics import Diagnostic, Location, Related, shown_path
from divisionbell.validate.rule import Context, Example, Rule


def _forms(context: Context, path: Path) -> list[str] | None:
    """The forms of a frozen version; None where its record file cannot be read, which is another rule's finding."""
    try:
        lines = (line for line in context.whole.frozen_file(path).split(b"\n") if b'"kind":"bank"' in line)
        found = [record["value"] for record in map(orjson.loads, lines) if record["kind"] == "bank"]
        return [form["form_id"] for form in found[0]["forms"]]
    except (OSError, ValueError, KeyError, IndexError, TypeError):
        return None


def _frozen_at(context: Context, path: Path) -> str | None:
    try:
        at: Any = orjson.loads(context.whole.frozen_file(path))["predicate"]["frozen_at"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return at if isinstance(at, str) else None


def _fits(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    register = context.bank.evaluations
    if context.evaluations is None or register is None:
        return
    forms, frozen_at = cache(partial(_forms, context)), cache(partial(_frozen_at, context))
    folder, latest, listed = context.bank.freeze_folder, "", 0
    for number, entry in enumerate(context.evaluations["evaluations"]):
        records, statement = (folder / f"{entry['evaluated_version']}.{end}" for end in ("records.jsonl", "json"))
        known, since = forms(records), frozen_at(statement)
        when = entry["registered_at"]
        if known is not None and entry["asked_form"] not in known:
            yield rule.found(
                register.at("evaluations", number, "asked_form"),
                f"version {entry['evaluated_version']} has no form {entry['asked_form']}",
                Related(Location(shown_path(records)), f"its forms are {', '.join(known)}"),
                fix="restore the entry as it was registered",
            )
        if since is not None and when[:19] < since[:19]:
            yield rule.found(
                register.at("evaluations", number, "registered_at"),
                f"the run was registered at {when}, before its version was frozen",
                Related(Location(shown_path(statement)), f"it was frozen at {since}"),
            )
        if when[:19] < latest[:19]:
            place, above = (register.at("evaluations", n, "registered_at") for n in (number, listed))
            told = Related(above, f"this one was registered at {latest}")
            yield rule.found(place, f"the run was registered at {when}, before the one listed above it", told)
        latest, listed = when, number


FITS = Rule(
    "FRZ003",
    "the register fits the versions that it names",
    "Nothing is ever taken out of the register: it grows at its end, by runs of a form that their version has.",
    "restore the register from version control",
    across=_fits,
    example=Example(
        "form that the version does not have",
        bad="""
- {evaluated_run: one, evaluated_version: '0.1.0', … asked_form: long, …}
""",
        good="""
- {evaluated_run: one, evaluated_version: '0.1.0', … asked_form: short, …}
""",
        good_case="registered in the second of the freeze",
    ),
)
