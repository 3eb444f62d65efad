"""Check frozen versions: the two files against each other, their digests, and what registered runs were bound to."""

from __future__ import annotations

from divisionbell.bank.load import Bank
from divisionbell.diagnostics import Diagnostic, DivisionBellError, Location, shown_path
from divisionbell.freeze.frozen_bank import read_frozen
from divisionbell.validate.rule import Context
from divisionbell.validate.rules.intact import INTACT, locked_versions
from divisionbell.validate.shape import validator


def verify(bank: Bank, version: str | None) -> tuple[list[str], list[Diagnostic]]:
    """A line for each version that holds, and what was found of the others. With `version` only that one."""
    register = bank.evaluations
    fits = register and not register.problems and validator("EvaluationRegister").is_valid(register.value)
    context = Context(bank, [("EvaluationRegister", register)] if register and fits else [])
    found = [d for d in INTACT.run(context) if version is None or version in d.location.path]
    versions = {path.name.removesuffix(".json") for path in bank.freeze_folder.glob("*.json")}
    versions |= set(locked_versions(context))
    checked = []
    for name in sorted(versions):
        if version is not None and name != version:
            continue
        line = f"{name}: the record file is the one stated"
        try:
            frozen = read_frozen(bank.freeze_folder, name)
            line = f"{name}: sha256 {frozen.sha256}, {len(frozen.records)} records, every transformation digest holds"
        except DivisionBellError as problem:
            place = Location(shown_path(bank.freeze_folder / f"{name}.records.jsonl"))
            if not any(d.location.path == place.path or name in d.location.path for d in found):
                found.append(INTACT.found(place, problem.message))
        if name in locked_versions(context):
            line += f", used by run {locked_versions(context)[name]['evaluated_run']}"
        checked.append(line)
    return checked, sorted(found, key=Diagnostic.sort_key)
