"""A frozen bank, read back from its two files alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from divisionbell.bank.canonical import digest, sha256_hex, transformation_sha256
from divisionbell.bank.frozen_files import statement_problem
from divisionbell.bank.manifest import Record, parse_record_file
from divisionbell.diagnostics import Findings, UsageProblem
from divisionbell.model.classes import AnalysisPlan, Bank, Dossier, ExcludedDossier, Item, ProspectiveCode


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
    path, statement_path = folder / f"{version}.records.jsonl", folder / f"{version}.json"
    for file in (path, statement_path):
        if not file.is_file():
            raise UsageProblem(f"version {version} is not frozen: {file} is no file", f"divisionbell freeze {version}")
    try:
        data, told = path.read_bytes(), statement_path.read_bytes()
    except OSError as error:
        raise UsageProblem(
            f"version {version} cannot be read: {error.filename}: {error.strerror}", "make the file readable"
        ) from None
    try:
        statement = orjson.loads(told)
        expected = statement["subject"][0]["digest"]["sha256"]
        named = statement["predicate"]["frozen_version"]
    except (ValueError, KeyError, IndexError, TypeError) as problem:
        raise Findings(f"version {version} cannot be read: {problem}", fix="restore the frozen files") from None
    found = sha256_hex(data)
    if expected != found:
        raise Findings(
            f"{path} is not what was frozen: expected sha256 {expected}, found {found}", fix="restore the frozen files"
        )
    if named != version:
        raise Findings(f"{statement_path} is about version {named}, not {version}", fix="restore the frozen files")
    wrong = statement_problem(data, told, version)
    if wrong is not None:
        raise Findings(f"{statement_path}:{wrong.line}: {wrong.message}", fix="restore the frozen files")
    bank = FrozenBank(version, found, statement, tuple(parse_record_file(data)))
    try:
        # Building the typed records holds each to its class, and each single kind to being there.
        _ = (bank.settings, bank.plan, bank.dossiers, bank.excluded, bank.prospective, bank.template_sha256)
        for record in bank.records:
            if record.kind == "dossier":
                for item in record.value["items"]:
                    if transformation_sha256(record.value, item) != item["transformation_sha256"]:
                        raise Findings(f"{path}: item {item['item_id']} is not what was hashed")
    except (ValueError, KeyError, TypeError, StopIteration) as problem:
        raise Findings(f"{path} holds no whole bank: {problem!r}"[:400], fix="restore the frozen files") from None
    return bank
