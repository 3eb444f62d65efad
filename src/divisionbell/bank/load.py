"""Find and read every file of a bank folder."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from divisionbell.bank.read import Document, read
from divisionbell.bank.two_processes import in_two
from divisionbell.diagnostics import Diagnostic, Location, UsageProblem, shown_path

Root = Literal[
    "Bank", "AnalysisPlan", "Dossier", "ExcludedDossier", "ProspectiveRegister", "EvaluationRegister", "DataSources"
]

# From this many files on, a second process is worth its start.
MANY = 100


@dataclass
class Bank:
    """A bank folder as read, before any judgement. Documents that could not be read keep their problems."""

    folder: Path
    settings: Document
    plan: Document
    sources: Document
    evaluations: Document | None = None
    dossiers: list[Document] = field(default_factory=list)
    excluded: list[Document] = field(default_factory=list)
    prospective: list[Document] = field(default_factory=list)
    codebook: str | None = None
    problems: list[Diagnostic] = field(default_factory=list)

    @property
    def codebook_path(self) -> Path:
        return self.folder / "CODEBOOK.md"

    @property
    def freeze_folder(self) -> Path:
        return self.folder / "freeze"

    def documents(self) -> Iterator[tuple[Root, Document]]:
        """Every document with the class of the schema that it must fit."""
        yield "Bank", self.settings
        yield "AnalysisPlan", self.plan
        yield "DataSources", self.sources
        if self.evaluations is not None:
            yield "EvaluationRegister", self.evaluations
        for document in self.dossiers:
            yield "Dossier", document
        for document in self.excluded:
            yield "ExcludedDossier", document
        for document in self.prospective:
            yield "ProspectiveRegister", document

    @property
    def version(self) -> str | None:
        """The version that bank.yaml names, where it can be read."""
        value = self.settings.value
        version = value.get("version") if isinstance(value, dict) else None
        return version if isinstance(version, str) else None


def find_bank(given: str | None) -> Path:
    """The bank folder: the one given, else DIVISIONBELL_BANK, else ./bank, else the working folder itself.

    Raises UsageProblem where there is no bank.yaml.
    """
    named = given or os.environ.get("DIVISIONBELL_BANK")
    candidates = [Path(named)] if named else [Path("bank"), Path()]
    for candidate in candidates:
        if (candidate / "bank.yaml").is_file():
            return candidate
    raise UsageProblem(
        f"no bank found: {candidates[0]}/bank.yaml does not exist",
        "name the bank folder with --bank DIR, or run from the folder that holds bank/",
    )


def load(folder: Path) -> Bank:
    """Read every file of the bank below `folder`, and data_sources.yaml beside it. Never raises for file contents."""
    with without_collection():
        return _load(folder)


@contextmanager
def without_collection() -> Iterator[None]:
    """Reading and checking make many small objects and no rubbish: a pass of the collector would only cost time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _load(folder: Path) -> Bank:
    bank = Bank(
        folder=folder,
        settings=read(folder / "bank.yaml"),
        plan=read(folder / "analysis_plan.yaml"),
        sources=read(folder.resolve().parent / "data_sources.yaml"),
    )
    bank.evaluations = read(folder / "evaluations.yaml")
    known = {("bank.yaml",), ("analysis_plan.yaml",), ("evaluations.yaml",)}
    inside = os.path.realpath(folder)
    folders = {"dossiers": bank.dossiers, "excluded": bank.excluded, "prospective": bank.prospective}
    wanted: list[tuple[Path, list[Document]]] = []
    for parts, is_link in yaml_files(folder):
        path = folder.joinpath(*parts)
        if is_link and not leads_inside(str(path), inside):
            place = Location(shown_path(path))
            bank.problems.append(
                Diagnostic(place, "SCH001", "leads out of the bank folder", "put the file itself there")
            )
        elif parts in known:
            continue
        elif parts[0] in folders and len(parts) > 1:
            wanted.append((path, folders[parts[0]]))
        else:
            bank.problems.append(
                Diagnostic(
                    Location(shown_path(path)),
                    "SCH001",
                    "is no part of a bank",
                    "move it under dossiers/, excluded/ or prospective/, or out of the bank",
                )
            )
    read_all = in_two([path for path, _ in wanted], read, pays=len(wanted) >= MANY)
    for (_, kept), document in zip(wanted, read_all, strict=True):
        kept.append(document)
    try:
        bank.codebook = bank.codebook_path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        bank.problems.append(
            Diagnostic(
                Location(shown_path(bank.codebook_path)),
                "SCH001",
                "cannot be read as UTF-8 text",
                "restore CODEBOOK.md",
            )
        )
    return bank


def leads_inside(path: str, inside: str) -> bool:
    """Whether a link leads to something in the bank folder; a loop of links leads nowhere."""
    real = Path(os.path.realpath(path))
    return real.is_relative_to(inside) and not real.is_symlink()


def yaml_files(folder: Path) -> list[tuple[tuple[str, ...], bool]]:
    """The parts below the folder of every YAML file, in order, and whether it is a link. A link to a folder counts as a
    file, so that what lies behind it is not passed over unseen."""
    found: list[tuple[tuple[str, ...], bool]] = []
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        parts = waiting.pop()
        try:
            entries = list(os.scandir(os.path.join(folder, *parts)))  # noqa: PTH118
        except OSError:
            continue  # as it is with a folder that may not be read
        for entry in entries:
            below = (*parts, entry.name)
            if entry.is_dir(follow_symlinks=False):
                waiting.append(below)
            elif entry.name.endswith((".yaml", ".yml")) or (entry.is_symlink() and _leads_to_folder(entry)):
                found.append((below, entry.is_symlink()))
    return sorted(found)


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a loop of links
        return False


def item_ids(bank: Bank) -> set[str]:
    """Every item id that can be read, also in dossiers that do not fit the schema."""
    found: set[str] = set()
    for document in bank.dossiers:
        items = document.value.get("items") if isinstance(document.value, dict) else None
        for item in items if isinstance(items, list) else []:
            if isinstance(item, dict) and isinstance(item.get("item_id"), str):
                found.add(item["item_id"])
    return found


def alias(dossier: dict[str, Any], item: dict[str, Any]) -> str:
    """The readable name of an item beside its id, for example 1541/concrete-mirror."""
    kind = str(item.get("kind", "item")).removesuffix("_action")
    return f"{dossier['dossier_id'].removeprefix('commons-')}/{kind}{'-mirror' if 'mirror_of' in item else ''}"
