"""Read a bank file: strict YAML 1.2, built from the parser's events.

There is no second reader. Tags, anchors, aliases, merge keys, duplicate keys, several documents, NaN, infinity, text
that is not NFC and bytes that are not UTF-8 are refused; nothing in a file can make an object or run code.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

import yaml

from divisionbell.bank.build import Refused, build, refuse
from divisionbell.bank.document import Document, Mark, Path_
from divisionbell.diagnostics import Location

MAX_BYTES = 4_000_000

__all__ = ["Document", "Mark", "Path_", "read", "read_bytes"]


def read(path: Path) -> Document:
    """Read a file from disk. Never raises for what is in the file: the problems are in the document."""
    document = Document(path)
    try:
        # Without waiting for the other end, should it be a pipe.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            return refuse(document, Location(document.shown), "is not a file", "put a file there")
        with os.fdopen(descriptor, "rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        refuse(document, Location(document.shown), f"cannot be read: {error.strerror}", "make the file readable")
        return document
    return read_bytes(data, document)


def read_bytes(data: bytes, document: Document) -> Document:
    """Read bytes into `document`; its path only names it."""
    if len(data) > MAX_BYTES:
        return refuse(document, Location(document.shown), f"is larger than {MAX_BYTES:,} bytes", "split the file")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
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
        place = _place_of(error, data, document)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "not YAML"
        tab = "tab" in str(problem) or _tab_at(document, place)
        refuse(
            document, place, f"is not YAML: {problem}", "indent with blanks, not tabs" if tab else "correct the YAML"
        )
    except Refused:
        document.value = None
    return document


def _place_of(error: yaml.YAMLError, data: bytes, document: Document) -> Location:
    mark = getattr(error, "problem_mark", None)
    if mark is not None:
        if mark.line >= len(document.lines) > 0:  # the end of the file
            return Location(document.shown, len(document.lines), len(document.lines[-1]) + 1)
        return Location(document.shown, mark.line + 1, mark.column + 1)
    before = data[: getattr(error, "position", 0)]
    line = before.rsplit(b"\n", 1)[-1].decode("utf-8", errors="ignore")
    return Location(document.shown, before.count(b"\n") + 1, len(line) + 1)


def _tab_at(document: Document, place: Location) -> bool:
    return place.line <= len(document.lines) and document.lines[place.line - 1].lstrip(" ").startswith("\t")
