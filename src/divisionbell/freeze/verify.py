"""Check frozen versions: the two files against each other, their digests, and what registered runs were bound to.

What cannot be checked is said as well: nothing in a folder can prove that nobody who can write there changed all of it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from divisionbell.bank.canonical import sha256_hex
from divisionbell.bank.differences import differences
from divisionbell.bank.frozen_file import is_version
from divisionbell.bank.load import Bank
from divisionbell.bank.manifest import statement_file
from divisionbell.diagnostics import Diagnostic, DivisionBellError, Location, Related, shown_path
from divisionbell.freeze.frozen_bank import FrozenBank, read_frozen
from divisionbell.freeze.origin import origins
from divisionbell.freeze.signature_files import enveloped_statement, signature_paths
from divisionbell.freeze.whole_bank import shape_known
from divisionbell.validate.rule import Context
from divisionbell.validate.rules.freeze import INTACT, locked_versions
from divisionbell.validate.shape import validator

if TYPE_CHECKING:
    from divisionbell.freeze.keys import PublicKey


@dataclass
class Verified:
    """What was found of one version. Digests are there where the version is whole."""

    version: str
    findings: list[Diagnostic] = field(default_factory=list)
    records_sha256: str | None = None
    statement_sha256: str | None = None
    record_count: int = 0
    item_count: int = 0
    frozen_at: str | None = None
    frozen_by: str | None = None
    runs: list[str] = field(default_factory=list)
    signed_by: list[str] = field(default_factory=list)
    not_checked: list[str] = field(default_factory=list)


@dataclass
class Verification:
    """What was found of every version asked about, and of the register."""

    versions: list[Verified]
    findings: list[Diagnostic]
    not_checked: list[str]

    @property
    def all_findings(self) -> list[Diagnostic]:
        found = [*self.findings, *(one for version in self.versions for one in version.findings)]
        return sorted(found, key=Diagnostic.sort_key)


def verify(bank: Bank, version: str | None, key: PublicKey | None = None) -> Verification:
    """Check every frozen version, or only `version`; with a key, also that it signed each."""
    register = bank.evaluations
    sound = register is not None and not register.problems
    fits = sound and register is not None and validator("EvaluationRegister").is_valid(register.value)
    context = Context(bank, [("EvaluationRegister", register)] if register is not None and fits else [])
    found = list(INTACT.run(context))
    locked = locked_versions(context)
    names = {path.name.removesuffix(end) for end in (".json", ".records.jsonl") for path in _named(bank, end)}
    result = Verification([], [], [])
    for name in sorted((names | set(locked)) if version is None else (names | set(locked)) & {version}):
        result.versions.append(_verified(bank, name, [d for d in found if _is_about(d, name)], context, key))
    if not fits:
        place = Location(shown_path(bank.folder / "evaluations.yaml"))
        message = "the register of runs cannot be read, so no version is known to be locked"
        result.findings.append(INTACT.found(place, message, fix="divisionbell validate says what is wrong with it"))
    result.not_checked = _never_checked(bank, names, version)
    return result


def _named(bank: Bank, end: str) -> list[Path]:
    return list(bank.freeze_folder.glob(f"*{end}"))


def _is_about(diagnostic: Diagnostic, version: str) -> bool:
    return Path(diagnostic.location.path).name in {f"{version}.json", f"{version}.records.jsonl"}


def _verified(bank: Bank, name: str, found: list[Diagnostic], context: Context, key: PublicKey | None) -> Verified:
    verified = Verified(name, found)
    entries = context.evaluations["evaluations"] if context.evaluations is not None else []
    verified.runs = [entry["evaluated_run"] for entry in entries if entry["evaluated_version"] == name]
    try:
        frozen = read_frozen(bank.freeze_folder, name)
    except DivisionBellError as problem:
        if not verified.findings:
            verified.findings.append(_unreadable(bank, name, problem.message))
        verified.findings += origins(bank, name)
        return verified
    if not found:
        _describe(verified, frozen)
    changed = _not_what_was_signed(bank, name, frozen)
    if changed is not None:
        verified.findings.append(changed)
    else:
        _signatures(bank, verified, statement_file(dict(frozen.statement)), key)
    if not verified.runs and not verified.signed_by:
        verified.not_checked.append(
            "when and by which program it was frozen: no registered run and no signature checked binds its statement"
        )
    if not shape_known(frozen.records):
        verified.not_checked.append("the shape of its records: it was frozen under another schema than this program's")
    return verified


def _unreadable(bank: Bank, name: str, message: str) -> Diagnostic:
    path = shown_path(bank.freeze_folder / f"{name}.records.jsonl")
    head, _, rest = message.partition(":1: ")
    line = head.rsplit(":", 1)[-1]
    if head.startswith(path) and line.isdigit():
        return INTACT.found(Location(path, int(line)), rest)
    return INTACT.found(Location(path), message)


def _describe(verified: Verified, frozen: FrozenBank) -> None:
    predicate: dict[str, Any] = frozen.statement["predicate"]
    verified.records_sha256 = frozen.sha256
    verified.statement_sha256 = sha256_hex(statement_file(dict(frozen.statement)))
    verified.record_count, verified.item_count = predicate["record_count"], predicate["item_count"]
    verified.frozen_at, verified.frozen_by = predicate["frozen_at"], predicate["frozen_by"]


def _not_what_was_signed(bank: Bank, version: str, frozen: FrozenBank) -> Diagnostic | None:
    """The statement is another than its envelope holds: one of the two was changed, and neither may be signed anew."""
    signed = enveloped_statement(bank.freeze_folder, version)
    if signed is None:
        return None
    found = list(differences(signed, dict(frozen.statement)))
    if not found:
        return None
    path, first = bank.freeze_folder / f"{version}.json", found[0]
    envelope = Location(shown_path(signature_paths(bank.freeze_folder, version)[0]))
    told = f"{'.'.join(first.steps)} is {first.working!s:.60}, signed was {first.frozen!s:.60}"
    return INTACT.found(
        Location(shown_path(path)),
        f"is not the statement that was signed: {told}" + (f", and {len(found) - 1} more" if len(found) > 1 else ""),
        Related(envelope, "this envelope holds what was signed"),
        fix="restore both files from version control; sign nothing before it is known which of the two was changed",
    )


def _signatures(bank: Bank, verified: Verified, told: bytes, key: PublicKey | None) -> None:
    files = [path for path in signature_paths(bank.freeze_folder, verified.version) if os.path.lexists(path)]
    if key is None:
        for path in files:
            verified.not_checked.append(f"the signature {shown_path(path)}: no --key was given")
        return
    from divisionbell.freeze.sign import check_signatures

    checked = check_signatures(bank.freeze_folder, verified.version, told, key)
    for one in checked:
        if one.problem is not None:
            both = f"restore it and {verified.version}.json from version control"
            fix = f"{both}; sign nothing before it is known which was changed"
            verified.findings.append(INTACT.found(Location(shown_path(one.path)), one.problem, fix=fix))
        elif key.fingerprint in one.by:
            verified.signed_by.append(shown_path(one.path))
    if not verified.signed_by and not any(one.problem for one in checked):
        others = sorted({name for one in checked for name in one.by})
        told_others = f"the signatures there name {', '.join(others)}" if others else "there is no signature"
        place = Location(shown_path(bank.freeze_folder / f"{verified.version}.json"))
        message = f"is not signed by {key.fingerprint}: {told_others}"
        fix = f"divisionbell freeze {verified.version} --sign KEY, or name the key that signed it"
        verified.findings.append(INTACT.found(place, message, fix=fix))


def _never_checked(bank: Bank, names: set[str], version: str | None) -> list[str]:
    told = []
    current = bank.version
    if version is None and current is not None and current not in names and is_version(current):
        told.append(f"the working files against a freeze: bank.yaml names {current}, which is not frozen")
    if version is None:
        told.append("whether a version was deleted that no registered run used: that leaves no trace here")
    told.append(
        "whether an entry of the register was taken out, or what it says of its run was changed: only the run's own "
        "folder tells that (divisionbell runs verify RUN)"
    )
    told.append(
        "whether the records are true, or keep the bank's rules: divisionbell validate checks the working files"
    )
    return told


def closing_line(result: Verification) -> str:
    """One line that counts what was checked."""
    findings = len(result.all_findings)
    versions = len(result.versions)
    items = sum(one.item_count for one in result.versions)
    return " · ".join(
        (
            f"{versions} version{'' if versions == 1 else 's'}",
            f"{items} items",
            f"{findings} finding{'' if findings == 1 else 's'}",
        )
    )


def lines(result: Verification) -> Sequence[str]:
    """What holds and what was not checked, a line each."""
    told = []
    for one in result.versions:
        if one.records_sha256 is not None and not one.findings:
            told.append(
                f"{one.version}: sha256 {one.records_sha256}, {one.record_count} records, "
                "every transformation digest holds" + (f", used by run {', '.join(one.runs)}" if one.runs else "")
            )
            told.append(f"  statement sha256 {one.statement_sha256}, frozen {one.frozen_at} by {one.frozen_by}")
            told += [f"  signed: {path}" for path in one.signed_by]
        else:
            told.append(f"{one.version}: {len(one.findings)} finding{'' if len(one.findings) == 1 else 's'}")
        told += [f"  not checked: {what}" for what in one.not_checked]
    return [*told, *(f"not checked: {what}" for what in result.not_checked)]
