"""Read a bank file: strict YAML 1.2, built from the parser's events.

There is no second reader. Tags, anchors, aliases, merge keys, duplicate keys, several documents, NaN, infinity, text
that is not NFC and bytes that are not UTF-8 are refused; nothing in a file can make an object or run code.
"""

from __future__ import annotations

from pathlib import Path

import yaml

from divisionbell.bank.build import Refused, build, refuse
from divisionbell.bank.document import MAX_BYTES, Document, Mark, Path_
from divisionbell.bank.files import NotRead, read_file
from divisionbell.bank.signs import place_behind
from divisionbell.bank.yaml_faults import not_yaml
from divisionbell.diagnostics import Location

__all__ = ["MAX_BYTES", "Document", "Mark", "Path_", "read", "read_bytes"]


def read(path: Path) -> Document:
    """Read a file from disk. Never raises for what is in the file: the problems are in the document."""
    document = Document(path)
    try:
        data = read_file(path, MAX_BYTES)
    except NotRead as problem:
        return refuse(document, Location(document.shown), problem.message, problem.fix)
    return read_bytes(data, document)


def read_bytes(data: bytes, document: Document) -> Document:
    """Read bytes into `document`; its path only names it."""
    if len(data) > MAX_BYTES:
        return refuse(document, Location(document.shown), f"is larger than {MAX_BYTES:,} bytes", "split the file")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = place_behind(data[: error.start].decode("latin-1"))  # a column for each byte
        return refuse(
            document,
            Location(document.shown, line, column),
            f"byte {error.start} is not UTF-8",
            "save the file as UTF-8",
        )
    document.text = text
    try:
        build(document)
    except yaml.YAMLError as error:
        document.value = None
        refuse(document, *not_yaml(error, document))
    except Refused:
        document.value = None
    return document
