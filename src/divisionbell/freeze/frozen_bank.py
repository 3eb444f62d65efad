"""A frozen bank, read back from its two files alone."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from divisionbell.bank.canonical import digest, sha256_hex
from divisionbell.bank.frozen_file import (
    MAX_RECORD_BYTES,
    MAX_STATEMENT_BYTES,
    SINGLE_KINDS,
    FrozenFileProblem,
    frozen_paths,
    frozen_records,
    is_version,
    read_frozen_file,
)
from divisionbell.bank.manifest import Record, statement_problem
from divisionbell.diagnostics import Findings, UsageProblem, shown_path
from divisionbell.freeze.whole_bank import must_be_whole
from divisionbell.model.classes import AnalysisPlan, Bank, Dossier, ExcludedDossier, Item, ProspectiveCode

RESTORE = "restore the frozen files from version control"


@dataclass(frozen=True)
class Asked:
    """One item with the dossier that it stands in."""

    dossier: Dossier
    item: Item

    @property
    def is_mirror(self) -> bool:
        return self.item.mirror_of is not None

    @property
    def alias(self) -> str:
        """The readable name beside the id, for example 1541/concrete-mirror."""
        kind = str(self.item.kind).removesuffix("_action")
        return f"{self.dossier.dossier_id.removeprefix('commons-')}/{kind}{'-mirror' if self.is_mirror else ''}"

    @property
    def pole_at_a(self) -> str:
        """The pole that stands at A in the stored order."""
        return "negative" if self.coordinate("key_a") < 0 else "positive"

    def coordinate(self, key: str) -> float:
        """The coordinate of one key slot (key_a or key_b, stored order) on the dossier's axis."""
        return float(getattr(getattr(self.item.scoring_key, key), self.dossier.axis))

    def text(self, pole: str) -> str:
        """The option text that carries a pole."""
        return self.item.options.text_a if pole == self.pole_at_a else self.item.options.text_b


@dataclass(frozen=True)
class FrozenBank:
    """One frozen version: everything that a run and its scores need, bound by `sha256` of the record file."""

    version: str
    sha256: str
    statement: Mapping[str, Any]
    records: tuple[Record, ...]

    def _only(self, kind: str) -> Any:
        return next(record.value for record in self.records if record.kind == kind)

    def _all(self, kind: str) -> Iterator[Any]:
        return (record.value for record in self.records if record.kind == kind)

    @cached_property
    def settings(self) -> Bank:
        agents = list(self._all("agent"))
        return Bank.model_validate({**self._only("bank"), "agents": agents, "parser": self._only("parser")})

    @cached_property
    def plan(self) -> AnalysisPlan:
        return AnalysisPlan.model_validate(self._only("plan"))

    @cached_property
    def dossiers(self) -> tuple[Dossier, ...]:
        return tuple(Dossier.model_validate(value) for value in self._all("dossier"))

    @cached_property
    def excluded(self) -> tuple[ExcludedDossier, ...]:
        return tuple(ExcludedDossier.model_validate(value) for value in self._all("excluded"))

    @cached_property
    def prospective(self) -> tuple[ProspectiveCode, ...]:
        return tuple(ProspectiveCode.model_validate(value) for value in self._all("prospective"))

    def without_record_lines(self) -> FrozenBank:
        """The same bank for asking: settings, plan and typed dossiers, without the lines that they were read from.

        A process that asks for hours has no use for them. What is excluded, prospective or a source is not there.
        """
        kept = tuple(record for record in self.records if record.kind in SINGLE_KINDS or record.kind == "agent")
        lean = replace(self, records=kept)
        lean.__dict__["dossiers"] = self.dossiers
        return lean

    @property
    def template_sha256(self) -> str:
        """Digest of template, system message and reminder together."""
        return digest({**self._only("template"), **self._only("reminder")})

    def form(self, name: str) -> tuple[Asked, ...]:
        """The items of a form, in the order of dossiers and items. Raises UsageProblem for an unknown form."""
        for form in self.settings.forms:
            if form.form_id == name:
                break
        else:
            known = ", ".join(form.form_id for form in self.settings.forms)
            raise UsageProblem(f"there is no form {name}", f"the forms are: {known}")
        chosen = form.form_dossiers
        return tuple(
            Asked(dossier, item)
            for dossier in self.dossiers
            if not chosen or dossier.dossier_id in chosen
            for item in dossier.items
            if form.form_scope == "all_items" or item.kind == "concrete_action"
        )


def read_frozen(folder: Path, version: str) -> FrozenBank:
    """Read a version back from `folder` (bank/freeze): record file and statement, and nothing else.

    Raises UsageProblem where the version is not there, Findings where the two files do not belong together.
    """
    try:
        path, statement_path = frozen_paths(folder, version)
    except FrozenFileProblem as problem:
        raise UsageProblem(problem.message, frozen_here(folder)) from None
    for file in (path, statement_path):
        if not os.path.lexists(file):
            raise UsageProblem(f"version {version} is not frozen: {shown_path(file)} is no file", frozen_here(folder))
    data, told = _bytes(path, MAX_RECORD_BYTES), _bytes(statement_path, MAX_STATEMENT_BYTES)
    return frozen_from(data, told, version, path, statement_path)


def frozen_here(folder: Path) -> str:
    """Which versions can be named, in a clause."""
    names = {path.name.removesuffix(".json") for path in folder.glob("*.json")}
    versions = sorted(filter(is_version, names), key=lambda name: tuple(map(int, name.split("."))))
    if not versions:
        return "nothing is frozen here: divisionbell freeze VERSION"
    return f"frozen here: {', '.join(versions)}"


def _bytes(path: Path, limit: int) -> bytes:
    try:
        return read_frozen_file(path, limit)
    except FrozenFileProblem as problem:
        raise Findings(f"{shown_path(path)} {problem.message}", fix=RESTORE) from None


def frozen_from(data: bytes, told: bytes, version: str, path: Path, statement_path: Path) -> FrozenBank:
    """The frozen bank that the bytes of a record file and its statement are; the paths only name them.

    Raises Findings where they are not exactly what a freeze of a whole bank writes.
    """
    try:
        statement = orjson.loads(told)
        expected = statement["subject"][0]["digest"]["sha256"]
        named = statement["predicate"]["frozen_version"]
    except (ValueError, KeyError, IndexError, TypeError) as problem:
        raise Findings(f"version {version} cannot be read: {problem!r:.200}", fix=RESTORE) from None
    found = sha256_hex(data)
    if expected != found:
        raise Findings(
            f"{shown_path(path)} is not what was frozen: expected sha256 {expected!s:.80}, found {found}", fix=RESTORE
        )
    if named != version:
        raise Findings(f"{shown_path(statement_path)} is about version {named!s:.80}, not {version}", fix=RESTORE)
    try:
        records = frozen_records(data)
        must_be_whole(records, version)
    except FrozenFileProblem as problem:
        raise Findings(f"{shown_path(path)}:{problem.line}:1: {problem.message}", fix=RESTORE) from None
    wrong = statement_problem(data, told, version, records)
    if wrong is not None:
        raise Findings(f"{shown_path(statement_path)}: {wrong}", fix=RESTORE)
    bank = FrozenBank(version, found, statement, tuple(records))
    try:
        # Building the typed records holds each to its class. Those that are not asked are not kept.
        _ = (bank.settings, bank.plan, bank.dossiers, bank.template_sha256)
        for kind, held_to in (("excluded", ExcludedDossier), ("prospective", ProspectiveCode)):
            for value in bank._all(kind):
                held_to.model_validate(value)
    except (ValueError, KeyError, TypeError, StopIteration) as problem:
        raise Findings(f"{shown_path(path)} holds no whole bank: {problem!r}"[:400], fix=RESTORE) from None
    return bank
