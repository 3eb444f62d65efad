"""Write bank files: whole new ones, and single values or blocks in place, so that nothing else moves.

What is written is read back by the strict reader before it replaces the file.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from divisionbell.bank.read import Document, Path_, read_bytes
from divisionbell.diagnostics import Findings
from divisionbell.freeze.freeze import write_whole

WIDTH = 118
_NUMBER_LIKE = re.compile(r"[-+]?(\.?[0-9][0-9.]*([eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+)\Z")


class _Dumper(yaml.SafeDumper):
    """Block style, lists indented, long text folded; text that YAML 1.2 would read as a number is quoted."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = None
    if len(value) > 100 and "\n" not in value and value == value.strip() and "  " not in value:
        style = ">"
    elif "\n" in value:
        style = "|"
    elif _NUMBER_LIKE.match(value) or re.match(r"\d{4}-\d\d-\d\d", value):
        style = "'"
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _text)


def emit(value: Any, indent: int = 0) -> str:
    """A JSON value as block YAML, every line indented by `indent` blanks."""
    text = yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH - indent)
    return "".join(" " * indent + line if line.strip() else line for line in text.splitlines(keepends=True))


def schema_line(bank_folder: Path, file: Path, name: str) -> str:
    """The first line of a bank file, which lets an editor complete and check it.

    The folder of the editor's schemas is the one that bank.yaml names in its own first line.
    """
    import os

    first = (bank_folder / "bank.yaml").read_text(encoding="utf-8").split("\n", 1)[0]
    found = re.match(r"# yaml-language-server: \$schema=(\S+)/bank\.schema\.json\Z", first)
    folder = (bank_folder / found.group(1)) if found else Path(__file__).parent.parent / "model" / "editor"
    relative = os.path.relpath(folder.resolve(), file.resolve().parent)
    return f"# yaml-language-server: $schema={relative}/{name}.schema.json\n"


def replace_scalar(document: Document, path: Path_, value: str) -> str:
    """The text of the file with one plain or quoted one-line value replaced. Raises Findings where it is not one."""
    mark, found = document.mark(path)
    lines = "\n".join(document.lines).split("\n")
    line = lines[mark.line - 1]
    head, old = line[: mark.column - 1], line[mark.column - 1 :]
    if not found or mark.end_line != mark.line:
        raise Findings(f"{document.at(*path)}: cannot be replaced in place", fix="write the value on one line")
    quoted = re.match(r"""('[^']*'|"[^"]*"|[^\s#]*)(\s+#.*)?\Z""", old)
    if quoted is None:
        raise Findings(f"{document.at(*path)}: cannot be replaced in place", fix="write the value on one line")
    written = emit(value).strip().removesuffix("\n...").strip()
    lines[mark.line - 1] = f"{head}{written}{quoted.group(2) or ''}"
    return "\n".join(lines) + "\n"


def replace_block(document: Document, path: Path_, value: Any) -> str:
    """The text of the file with the mapping or list at a key replaced by another."""
    mark, found = document.mark(path)
    if not found:
        raise Findings(f"{document.at(*path)}: there is nothing to replace")
    lines = list(document.lines)
    indent = mark.key_column - 1
    end = mark.key_line
    while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > indent):
        end += 1
    block = emit({str(path[-1]): value}, indent).rstrip("\n").split("\n")
    return "\n".join([*lines[: mark.key_line - 1], *block, *lines[end:]]) + "\n"


def append_item(document: Document, path: Path_, value: Any) -> str:
    """The text of the file with one more element at the end of the list at a key."""
    mark, found = document.mark(path)
    if not found or not isinstance(mark.children, list) or not mark.children:
        raise Findings(f"{document.at(*path)}: there is no list to add to")
    indent = mark.key_column - 1
    lines = list(document.lines)
    end = mark.key_line
    while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > indent):
        end += 1
    dash = mark.column - 1
    block = emit([value], dash).rstrip("\n").split("\n")
    if block[0].startswith(" " * (dash + 2) + "-"):  # the dumper indents the dash itself
        block = [line[2:] for line in block]
    return "\n".join([*lines[:end], *block, *lines[end:]]) + "\n"


def write_checked(path: Path, text: str, expected: Any = None) -> None:
    """Write a bank file whole, after the strict reader has read it back.

    Raises Findings where it would not be read, or would not be read as `expected`.
    """
    document = read_bytes(text.encode("utf-8"), Document(path))
    if document.problems:
        raise Findings(f"{path} was not written: it could not be read back", tuple(document.problems))
    if expected is not None and document.value != expected:
        raise Findings(f"{path} was not written: it would not be read as what was meant")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text.encode("utf-8"))
