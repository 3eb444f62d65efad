"""Edits of a bank folder, written as data, that a rule's good and bad cases are made of.

An edit names a file by a pattern and does one of:

    {file, path, value}              write a value at a path, as one line of JSON
    {file, path, delete: true}       remove the lines of a key or an element
    {file, path, insert: TEXT}       insert a line after the value at a path, at the column of its key
    {file, path, find, replace}      replace text within the lines of the value at a path (every place)
    {file, find, replace}            replace text in the whole file (every place)
    {file, path, swap: PATH}         exchange two values
    {file, append: TEXT}             add text at the end; {file, text: TEXT} writes the whole file anew
    {file, bytes: LATIN-1}           the same with bytes
    {file, move: TO} {file, copy: TO} {file, link: TO} {file, remove: true} {file, folder: true}
    {uncover: CLASS.SLOT}            the tables of digest and freeze no longer name a slot

A step of a path within `items` may be an alias such as concrete-mirror. In texts, {id:1541/concrete} is that item's id,
{u0301} the character of that number and {sha256:PATH} the digest of that file's bytes.
"""

from __future__ import annotations

import json
import re
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from divisionbell.bank import canonical
from divisionbell.bank.canonical import sha256_hex
from divisionbell.bank.load import alias, load
from divisionbell.bank.read import Document, read


@cache
def ids_by_alias(folder: Path) -> dict[str, str]:
    """Alias to id of every item of a bank."""
    return {
        alias(document.value, item): item["item_id"]
        for document in load(folder).dossiers
        for item in document.value["items"]
    }


def filled(value: Any, ids: dict[str, str]) -> Any:
    if isinstance(value, str):
        value = re.sub(r"\{u([0-9a-f]{4})\}", lambda match: chr(int(match.group(1), 16)), value)
        value = re.sub(r"\{sha256:([^}]+)\}", lambda match: sha256_hex(Path(match.group(1)).read_bytes()), value)
        return re.sub(r"\{id:([^}]+)\}", lambda match: ids[match.group(1)], value)
    if isinstance(value, list):
        return [filled(part, ids) for part in value]
    if isinstance(value, dict):
        return {key: filled(part, ids) for key, part in value.items()}
    return value


def file_of(pattern: str) -> Path:
    if "*" not in pattern:
        return Path(pattern)
    found = sorted(Path().glob(pattern))
    assert len(found) == 1, f"{pattern} names {len(found)} files"
    return found[0]


def resolved(document: Document, path: list[Any]) -> tuple[Any, ...]:
    steps = list(path)
    if len(steps) > 1 and steps[0] == "items" and isinstance(steps[1], str):
        names = [alias(document.value, item).split("/")[1] for item in document.value["items"]]
        steps[1] = names.index(steps[1])
    return tuple(steps)


def value_at(document: Document, path: tuple[Any, ...]) -> Any:
    value = document.value
    for step in path:
        value = value[step]
    return value


def write_value(file: Path, path: tuple[Any, ...], value: Any) -> None:
    document = read(file)
    mark, found = document.mark(path)
    assert found, f"{file} has nothing at {path}"
    lines = list(document.lines)
    head = lines[mark.line - 1][: mark.column - 1]
    if not head.strip():  # a block below its key: the value goes on the key's line
        mark_line, head = mark.key_line, lines[mark.key_line - 1] + " "
    else:
        mark_line = mark.line
    lines[mark_line - 1 : mark.end_line] = [head + json.dumps(value, ensure_ascii=False)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def apply(edit: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Carry out one edit on ./bank and ./data_sources.yaml."""
    if "uncover" in edit:
        owner, slot = edit["uncover"].split(".")
        table = canonical.COVERED if owner in canonical.COVERED else canonical.FROZEN_IN_PARTS
        monkeypatch.setitem(table, owner, tuple(name for name in table[owner] if name != slot))
        return
    file = file_of(edit["file"])
    if "path" in edit:
        _at_path(file, edit)
    elif "find" in edit:
        text = file.read_text(encoding="utf-8")
        assert edit["find"] in text, f"{file} does not hold {edit['find']!r}"
        file.write_text(text.replace(edit["find"], edit["replace"]), encoding="utf-8")
    elif "append" in edit:
        file.write_text(file.read_text(encoding="utf-8") + edit["append"], encoding="utf-8")
    elif "text" in edit or "bytes" in edit:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(edit["text"].encode() if "text" in edit else edit["bytes"].encode("latin-1"))
    elif "move" in edit or "copy" in edit:
        to = Path(edit.get("move") or edit["copy"])
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, to)
        if "move" in edit:
            file.unlink()
    elif "link" in edit:
        file.symlink_to(edit["link"])
    elif "folder" in edit:
        file.mkdir(parents=True)
    else:
        assert edit["remove"] is True
        file.unlink()


def _at_path(file: Path, edit: dict[str, Any]) -> None:
    document = read(file)
    path = resolved(document, edit["path"])
    mark, found = document.mark(path)
    assert found, f"{file} has nothing at {path}"
    lines = list(document.lines)
    if "value" in edit:
        write_value(file, path, edit["value"])
        return
    if "swap" in edit:
        other = resolved(document, edit["swap"])
        here, there = value_at(document, path), value_at(document, other)
        write_value(file, path, there)
        write_value(file, other, here)
        return
    if "insert" in edit:
        first = lines[mark.key_line - 1]
        # An element begins at its dash, which its own column is behind.
        column = len(first) - len(first.lstrip()) if isinstance(path[-1], int) else mark.key_column - 1
        lines.insert(mark.end_line, " " * column + edit["insert"])
    elif "find" in edit:
        part = "\n".join(lines[mark.line - 1 : mark.end_line])
        assert edit["find"] in part, f"{file} does not hold {edit['find']!r} at {path}"
        lines[mark.line - 1 : mark.end_line] = part.replace(edit["find"], edit["replace"]).split("\n")
    else:
        assert edit["delete"] is True
        lines[mark.key_line - 1 : mark.end_line] = []
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
