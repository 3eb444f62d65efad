"""Find and read every file of a bank folder."""

from __future__ import annotations

import gc
import os
import re
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from divisionbell.bank.files import NotRead, leads_inside, read_file
from divisionbell.bank.read import MAX_BYTES, Document, read
from divisionbell.bank.signs import place_behind
from divisionbell.bank.two_processes import in_two
from divisionbell.diagnostics import Diagnostic, Location, Related, UsageProblem, shown_path

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

    def frozen_versions(self) -> set[str]:
        """The versions of which a record file lies in the freeze folder."""
        try:
            names = [path.name for path in self.freeze_folder.iterdir()]
        except OSError:
            return set()
        end = ".records.jsonl"
        return {name.removesuffix(end) for name in names if name.endswith(end) and not name.startswith(".")}

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
        if os.path.isfile(candidate / "bank.yaml"):  # noqa: PTH113 - False also where the path cannot be looked at
            return candidate
    lacks = "is no file" if os.path.lexists(candidates[0] / "bank.yaml") else "does not exist"
    raise UsageProblem(
        f"no bank found: {candidates[0]}/bank.yaml {lacks}",
        "name the bank folder with --bank DIR, or run from the folder that holds bank/",
    )


def load(folder: Path, meanwhile: Callable[[], object] | None = None) -> Bank:
    """Read every file of the bank below `folder`, and data_sources.yaml beside it. Never raises for file contents.

    `meanwhile` is done as soon as a second process reads, where there is one.
    """
    with without_collection():
        return _load(folder, meanwhile)


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


def read_in(folder: Path, name: str) -> Document:
    """One of the files that stand in the bank folder itself; what a link out of the folder leads to is not read."""
    return _read_in(folder / name, os.path.realpath(folder))


def _read_in(path: Path, inside: str) -> Document:
    return _leading_out(path) if _is_foreign_link(path, inside) else read(path)


def _is_foreign_link(path: Path, inside: str) -> bool:
    return os.path.islink(path) and not leads_inside(path, inside)  # noqa: PTH114 - False where it cannot be looked at


def _leading_out(path: Path) -> Document:
    document = Document(path)
    document.problems.append(_problem(path, "leads out of the bank folder", "put the file itself there"))
    return document


def _problem(path: Path, message: str, fix: str) -> Diagnostic:
    return Diagnostic(Location(shown_path(path)), "SCH001", message, fix)


def _load(folder: Path, meanwhile: Callable[[], object] | None) -> Bank:
    inside = os.path.realpath(folder)
    bank = Bank(
        folder=folder,
        settings=_read_in(folder / "bank.yaml", inside),
        plan=_read_in(folder / "analysis_plan.yaml", inside),
        sources=_read_in(Path(inside).parent / "data_sources.yaml", inside),
        evaluations=_read_in(folder / "evaluations.yaml", inside),
    )
    known = {("bank.yaml",), ("analysis_plan.yaml",), ("evaluations.yaml",)}
    folders = {"dossiers": bank.dossiers, "excluded": bank.excluded, "prospective": bank.prospective}
    wanted: list[tuple[Path, list[Document]]] = []
    unread: list[tuple[Path, str]] = []
    names = _Names()
    strays: list[tuple[str, ...]] = []
    for parts, is_link in yaml_files(folder, unread, strays):
        path = folder.joinpath(*parts)
        if parts in known:
            continue
        if is_link and _is_foreign_link(path, inside):
            bank.problems.extend(_leading_out(path).problems)
        elif parts[0] in folders and len(parts) > 1:
            wanted.append((path, folders[parts[0]]))
            bank.problems.extend(names.told(path, parts))
        else:
            fix = "move it under dossiers/, excluded/ or prospective/, or out of the bank"
            bank.problems.append(_problem(path, "is no part of a bank", fix))
    for parts in strays:
        told = "is no part of a bank: no rule and no freeze would look at it"
        bank.problems.append(_problem(folder.joinpath(*parts), told, "move it out of the bank"))
    for path, reason in unread:
        bank.problems.append(_problem(path, f"cannot be read: {reason}", "make the folder readable"))
    read_all = in_two([path for path, _ in wanted], read, pays=len(wanted) >= MANY, meanwhile=meanwhile)
    for (_, kept), document in zip(wanted, read_all, strict=True):
        kept.append(document)
    bank.codebook, problems = _codebook(bank.codebook_path, inside)
    bank.problems.extend(problems)
    return bank


def _codebook(path: Path, inside: str) -> tuple[str | None, list[Diagnostic]]:
    if _is_foreign_link(path, inside):
        return None, _leading_out(path).problems
    data = b""
    try:
        data = read_file(path, MAX_BYTES)
        return data.decode("utf-8"), []
    except NotRead as problem:
        return None, [_problem(path, problem.message, "restore CODEBOOK.md")]
    except UnicodeDecodeError as error:
        place = Location(shown_path(path), *place_behind(data[: error.start].decode("latin-1")))
        return None, [Diagnostic(place, "SCH001", f"byte {error.start} is not UTF-8", "restore CODEBOOK.md")]


class _Names:
    """The names of files, as systems see them that ignore case and the way in which accents are written."""

    def __init__(self) -> None:
        self.known: dict[str, Path] = {}

    def told(self, path: Path, parts: tuple[str, ...]) -> list[Diagnostic]:
        name = "/".join(parts)
        folded = name.lower() if name.isascii() else unicodedata.normalize("NFC", name).casefold()
        first = self.known.setdefault(folded, path)
        if first is path:
            return []
        told = "has the name of another file, but for case or accents: some systems keep only one of the two"
        related = (Related(Location(shown_path(first)), "the other file is here"),)
        return [Diagnostic(Location(shown_path(path)), "SCH001", told, "rename one of the two", related)]


OWN_FOLDERS = frozenset({"dossiers", "excluded", "prospective", "freeze"})
# What else may stand in those: notes for people, and what editors and systems put beside the files.
_NOTES = re.compile(r"[.#].*|.*~|README.*|.*\.md|Thumbs\.db|desktop\.ini", re.IGNORECASE | re.DOTALL)
_FROZEN = re.compile(r".+\.(json|records\.jsonl|intoto\.jsonl|json\.sig)", re.DOTALL)


def _is_stray(parts: tuple[str, ...]) -> bool:
    """Whether a file that is no YAML has no business in a folder that belongs to the bank."""
    if parts[0] not in OWN_FOLDERS or len(parts) == 1 or any(part.startswith(".") for part in parts):
        return False
    frozen = parts[0] == "freeze" and len(parts) == 2 and _FROZEN.fullmatch(parts[1])
    return not (frozen or _NOTES.fullmatch(parts[-1]))


def yaml_files(
    folder: Path, unread: list[tuple[Path, str]] | None = None, strays: list[tuple[str, ...]] | None = None
) -> list[tuple[tuple[str, ...], bool]]:
    """The parts below the folder of every YAML file, in order, and whether it is a link. A link to a folder counts as a
    file, so that what lies behind it is not passed over unseen. Folders that cannot be read are added to `unread`, and
    files of other kinds that stand in the bank's own folders to `strays`."""
    found: list[tuple[tuple[str, ...], bool]] = []
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        parts = waiting.pop()
        try:
            with os.scandir(os.path.join(folder, *parts)) as entries:  # noqa: PTH118
                for entry in entries:
                    below, is_link = (*parts, entry.name), entry.is_symlink()
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(below)
                    elif entry.name.lower().endswith((".yaml", ".yml")) or (is_link and os.path.isdir(entry.path)):  # noqa: PTH112
                        found.append((below, is_link))
                    elif strays is not None and _is_stray(below):
                        strays.append(below)
        except OSError as error:
            if unread is not None:
                unread.append((folder.joinpath(*parts), str(error.strerror)))
    return sorted(found)


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
