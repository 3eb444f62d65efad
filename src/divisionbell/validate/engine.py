"""Run every rule over a bank and collect what was found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from divisionbell.bank.load import MANY, Bank, Root, without_collection
from divisionbell.bank.read import Document
from divisionbell.bank.two_processes import in_two
from divisionbell.diagnostics import Diagnostic
from divisionbell.validate.common import Common, SoundVersion
from divisionbell.validate.rule import Context
from divisionbell.validate.rules import RULES
from divisionbell.validate.rules.freeze import sound_version
from divisionbell.validate.shape import fits


@dataclass(frozen=True)
class Report:
    """What was checked and what was found, sorted by place."""

    bank: Bank
    diagnostics: tuple[Diagnostic, ...]
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def clean(self) -> bool:
        return not self.diagnostics and self.counts["items"] > 0


@dataclass(frozen=True)
class ValidBank:
    """A bank in which every rule holds. Only `validate` makes one."""

    bank: Bank


# Dossiers are checked in parts of this many, so that what is computed about their texts is not kept for all of them.
PART = 8


@dataclass
class _Checked:
    """What a part of the dossiers gave: which fit the schema, what was found, and what was counted."""

    sound: list[bool]
    found: list[Diagnostic]
    counts: Counter[str]
    gathered: dict[str, list[Any]]


def check(bank: Bank, ches: Path | None = None) -> Report:
    """Every rule over the whole bank, all faults in one pass."""
    documents = list(bank.documents())
    dossiers = [at for at in documents if at[0] in {"Dossier", "ExcludedDossier"}]
    singles = [at for at in documents if at[0] not in {"Dossier", "ExcludedDossier"} and fits(*at)]
    common = Common(bank, ches)

    def work(part: list[tuple[Root, Document]] | str) -> _Checked | SoundVersion | None:
        if isinstance(part, str):
            return sound_version(Context(bank, [], common=common), part)
        return of_part(part)

    def of_part(part: list[tuple[Root, Document]]) -> _Checked:
        sound = [fits(root, document) for root, document in part]
        kept = [at for at, fitting in zip(part, sound, strict=True) if fitting]
        context = Context(bank, [*singles, *kept], ches, common=common)
        found = [d for rule in RULES for d in rule.of_part(context)]
        gathered = {rule.id: rule.gathered(context) for rule in RULES if rule.gather is not None}
        return _Checked(sound, found, context.counts, gathered)

    common.collect()
    parts = [dossiers[first : first + PART] for first in range(0, len(dossiers), PART)]
    with without_collection():
        # Older versions are large parts: they stand where the second process begins. With one process the rule itself
        # sees to them.
        pays = len(dossiers) >= MANY
        older = [version for version in common.frozen_versions() if pays and version != bank.version]
        tasks: list[list[tuple[Root, Document]] | str] = [*parts, *older]
        found_in = in_two(tasks, work, pays=pays)
        common.sound_versions.update(
            (version, found)
            for version, found in zip(older, found_in[len(parts) :], strict=True)
            if isinstance(found, SoundVersion)
        )
        done = [part for part in found_in if isinstance(part, _Checked)]
        flags = [flag for part in done for flag in part.sound]
        sound = [*singles, *(at for at, flag in zip(dossiers, flags, strict=True) if flag)]
        fitting = {id(document) for _, document in sound}
        unsound = [(root, document) for root, document in documents if id(document) not in fitting]
        context = Context(bank, sound, ches, unsound, common=common)
        told = {diagnostic for part in done for diagnostic in part.found}
        for rule in RULES:
            if rule.gather is not None:
                context.gathered[rule.id] = [one for part in done for one in part.gathered[rule.id]]
            told.update(rule.of_all(context))
    for part in done:
        context.counts.update(part.counts)
    return Report(bank, tuple(sorted(told, key=Diagnostic.sort_key)), _counts(context))


def _counts(context: Context) -> dict[str, int]:
    kinds = Counter(item["kind"] for document in context.dossiers for item in document.value["items"])
    bank = context.bank
    return {
        "dossiers": len(bank.dossiers),
        "excluded": len(bank.excluded),
        "items": kinds.total(),
        "mirrors": sum("mirror_of" in item for document in context.dossiers for item in document.value["items"]),
        "mirrors exact": context.counts["mirrors exact"],
        "hashes": context.counts["hashes"],
        "reviews": 2 * len(bank.dossiers),
        "reviews approved": sum(
            review["status"] == "approved"
            for document in context.dossiers
            for review in document.value["reviews"].values()
        ),
        "recomputed": context.counts["recomputed"],
        "files not checked": len(context.unsound),
        **{f"items {kind}": count for kind, count in sorted(kinds.items())},
    }


def validate(bank: Bank, ches: Path | None = None) -> ValidBank | Report:
    """A valid bank, or the report of what does not hold."""
    report = check(bank, ches)
    return ValidBank(bank) if report.clean else report


def closing_line(report: Report, elsewhere: str = "") -> str:
    """One line that counts what was checked; `elsewhere` says what was found and is not among the findings."""
    c = report.counts
    findings = len(report.diagnostics)
    exact = c["mirrors"] if c["mirrors exact"] == c["mirrors"] else f"{c['mirrors exact']}/{c['mirrors']}"
    parts = [
        f"{c['dossiers']} dossiers",
        f"{c['items']} items",
        f"{exact} mirrors exact",
        f"{c['hashes']}/{c['items']} hashes",
        f"{c['reviews approved']}/{c['reviews']} reviews",
        f"{findings} finding{'' if findings == 1 else 's'}{elsewhere}",
    ]
    if unsound := c.get("files not checked"):
        parts.insert(-1, f"{unsound} file{'' if unsound == 1 else 's'} not checked further")
    return " · ".join(parts)
