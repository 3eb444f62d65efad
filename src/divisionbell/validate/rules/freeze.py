"""FRZ: a frozen version never changes, and the working files of a frozen version are it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import Any

import orjson

from divisionbell.bank.canonical import sha256_hex
from divisionbell.bank.differences import ABSENT, Difference, differences, first_difference
from divisionbell.bank.frozen_file import MAX_STATEMENT_BYTES, FrozenFileProblem, is_version, read_frozen_file
from divisionbell.bank.manifest import Record, dossier_record, parse_record_file
from divisionbell.bank.read import Document
from divisionbell.bank.signs import place_behind, split_lines
from divisionbell.diagnostics import Diagnostic, Location, Related, shown_path
from divisionbell.validate.common import SoundVersion, codes_in
from divisionbell.validate.difference_words import told
from divisionbell.validate.frozen_pair import pair_findings
from divisionbell.validate.rule import Context, Example, Rule


def frozen_paths(context: Context, version: str) -> tuple[Path, Path]:
    """The record file and the statement of a version."""
    folder = context.bank.freeze_folder
    return folder / f"{version}.records.jsonl", folder / f"{version}.json"


def _frozen_version(context: Context) -> str | None:
    """The version that bank.yaml names, where there is a record file of it; what is no version names no file."""
    version = context.bank.version
    if version is None or not is_version(version):
        return None
    return version if frozen_paths(context, version)[0].name in context.whole.frozen_names else None


def _lines(context: Context) -> list[bytes]:
    """The line of every dossier's record, where there is a frozen one to compare it with."""
    if _frozen_version(context) is None:
        return []
    return [dossier_record(document).line() for document in [*context.dossiers, *context.excluded]]


def _unchanged(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    version = _frozen_version(context)
    if version is None:
        return
    path, _ = frozen_paths(context, version)
    try:
        data = context.whole.frozen_file(path)
        if data == context.record_data:
            return
        frozen = parse_record_file(data)
    except ValueError:
        return  # FRZ002 says so
    damaged = _damaged(context, version, data, frozen)
    working = {(r.kind, r.id): r for r in context.records if (r.kind, r.id) not in damaged}
    old = {(r.kind, r.id): r for r in frozen}
    file = shown_path(path)
    for key, record in working.items():
        if key not in old:
            yield rule.found(
                _record_place(record, context),
                f"{record.kind} {record.id} is not part of frozen {version}",
                Related(Location(file), f"{version} is frozen here"),
            )
        elif old[key].line() != record.line():
            for change in differences(old[key].value, record.value):
                yield _changed(rule, context, record, change, version)
    for number, (key, record) in enumerate(old.items(), start=1):
        if (
            key not in working
            and key not in damaged
            and not context.unsound
            and (record.kind != "codebook" or context.bank.codebook is not None)
        ):
            here, place = Location(file, number), _list_of(record.kind, context)
            message = f"{record.kind} {record.id} of frozen {version} is missing from the working files"
            yield rule.found(place or here, message, *([Related(here, "it is frozen here")] if place else []))


def _damaged(context: Context, version: str, data: bytes, frozen: list[Record]) -> set[tuple[str, str]]:
    """The records that a changed record file does not hold as its statement lists them: FRZ002 speaks of those, and
    what the working files hold in their place is not to be blamed."""
    try:
        stated = orjson.loads(_statement(frozen_paths(context, version)[1]))
        if stated["subject"][0]["digest"]["sha256"] == sha256_hex(data):
            return set()
        listed = {(one["kind"], one["id"]): one["sha256"] for one in stated["predicate"]["record_digests"]}
    except (ValueError, KeyError, IndexError, TypeError):
        return set()  # without a statement that can be read, the record file is all there is to compare with
    found = {(record.kind, record.id): sha256_hex(record.line()) for record in frozen}
    return {key for key in {**listed, **found} if listed.get(key) != found.get(key)}


def _list_of(kind: str, context: Context) -> Location | None:
    """The working list that records of this kind stand in, where they have no file of their own."""
    bank = context.bank
    if kind == "agent":
        return bank.settings.at_key("agents")
    if kind == "data_source":
        return bank.sources.at_key("data_sources")
    if kind == "prospective" and bank.prospective:
        return bank.prospective[0].at_key("prospective_codes")
    return None


def _record_place(record: Record, context: Context) -> Location:
    if record.document is not None:
        return record.document.at(*record.base)
    return Location(shown_path(context.bank.codebook_path))


def _changed(rule: Rule, context: Context, record: Record, change: Difference, version: str) -> Diagnostic:
    message = f"{record.kind} {record.id}: {told(change, f'frozen {version}', record.id)}"
    return rule.found(_change_place(context, record, change), message)


def _change_place(context: Context, record: Record, change: Difference) -> Location:
    old, new, document = change.frozen, change.working, record.document
    path = (*record.base, *change.path)
    if document is None:
        if not isinstance(old, str) or not isinstance(new, str):
            return _record_place(record, context)
        index = first_difference(old, new)
        line = min(place_behind(new[:index])[0], max(1, len(split_lines(new))))
        return Location(shown_path(context.bank.codebook_path), line)
    if isinstance(old, str) and isinstance(new, str):
        return document.at_character(path, new, first_difference(old, new))
    if new is ABSENT:  # of an element that is missing, the list
        return document.at_key(*(path[:-1] if change.element else path))
    return document.at_key(*path) if isinstance(new, dict | list) else document.at(*path)


def locked_versions(context: Context) -> dict[str, dict[str, Any]]:
    """Each version that a registered run used, with the first such registration."""
    return {version: entries[0][1] for version, entries in _locked(context).items()}


def _locked(context: Context) -> dict[str, list[tuple[int, dict[str, Any]]]]:
    locked: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    if context.evaluations is not None:
        for number, entry in enumerate(context.evaluations["evaluations"]):
            locked.setdefault(entry["evaluated_version"], []).append((number, entry))
    return locked


def _statement(path: Path) -> bytes:
    return read_frozen_file(path, MAX_STATEMENT_BYTES)


def _content(path: Path, version: str, context: Context, read: Callable[[Path], bytes]) -> bytes | str:
    """The bytes of a frozen file, or what is wrong with it."""
    try:
        known = path.name in context.whole.frozen_names
        return read(path) if known else f"a file of version {version} does not exist"
    except FrozenFileProblem as problem:
        return problem.message


def _intact(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    locked = _locked(context)
    register = context.bank.evaluations
    for version in sorted({*context.whole.frozen_versions(), *locked}):
        path, statement_path = frozen_paths(context, version)
        runs = locked.get(version, []) if register is not None else []
        related = tuple(_used(register, number, "evaluated_version", entry) for number, entry in runs if register)
        digests = yield from _digests(rule, context, version, related)
        for number, entry in runs if digests else ():
            for name, found, where in zip(_DIGESTS, digests, (path, statement_path), strict=True):
                if entry[name] != found:
                    message = f"a registered run used {entry[name]}, the file now has {found}"
                    notes = [_used(register, number, slot, entry) for slot in (name, "evaluated_version") if register]
                    yield rule.found(Location(shown_path(where)), message, *notes)


_DIGESTS = ("records_sha256", "statement_sha256")


def _digests(
    rule: Rule, context: Context, version: str, related: tuple[Related, ...]
) -> Generator[Diagnostic, None, tuple[str, ...]]:
    """What is wrong with the two files of a version, and their digests where both can be read and a run used them."""
    sound = context.whole.sound_versions.get(version)
    if sound is not None:
        return sound.records_sha256, sound.statement_sha256
    path, statement_path = frozen_paths(context, version)
    contents = []
    for file, read in ((path, context.whole.frozen_file), (statement_path, _statement)):
        content = _content(file, version, context, read)
        contents.append(content)
        if isinstance(content, str):
            yield rule.found(Location(shown_path(file)), content, *related)
    data, stated = contents
    if isinstance(data, str) or isinstance(stated, str):
        return ()
    # Where the working records are the frozen ones, there is no need to read those back.
    own = context.records if context.bank.version == version and data == context.record_data else None
    yield from pair_findings(rule, version, (path, data), (statement_path, stated), related, own)
    return (sha256_hex(data), sha256_hex(stated)) if related else ()


def sound_version(context: Context, version: str) -> SoundVersion | None:
    """A version where its two files are there and in order, else None; what is wrong is told by the rule."""
    path, statement_path = frozen_paths(context, version)
    data = _content(path, version, context, context.whole.frozen_file)
    stated = _content(statement_path, version, context, _statement)
    if isinstance(data, str) or isinstance(stated, str):
        return None
    if any(True for _ in pair_findings(INTACT, version, (path, data), (statement_path, stated), ())):
        return None
    return SoundVersion(sha256_hex(data), sha256_hex(stated), codes_in(data))


def _used(register: Document, number: int, slot: str, entry: dict[str, Any]) -> Related:
    place = register.at("evaluations", number, slot)
    return Related(place, f"run {entry['evaluated_run']} was made against it")


UNCHANGED = Rule(
    "FRZ001",
    "working files of a frozen version are it",
    "Codebook: option order and records are not changed after model outputs exist.",
    "undo the change, or name a new version in bank.yaml and freeze that",
    across=_unchanged,
    gather=_lines,
    example=Example(
        "one letter of a stem",
        bad="""
stem: >-
  Since lost autumn, street officers in Veldrassow …
""",
        good="""
stem: >-
  Since last autumn, street officers in Veldrassow …
""",
        also=("HSH001",),
    ),
)
INTACT = Rule(
    "FRZ002",
    "frozen files never change",
    "A run is bound to the bytes that it was asked from.",
    "restore the file from version control",
    across=_intact,
    example=Example(
        "one letter of a record",
        bad="""
{"id":"commons-1541","kind":"dossier",…Since last autumn, street officers in Veldrassov have …}
""",
        good="""
{"id":"commons-1541","kind":"dossier",…Since last autumn, street officers in Veldrassow have …}
""",
    ),
)
