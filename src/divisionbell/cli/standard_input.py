"""A bank file from standard input: told by its content, and put in the place of the file that it is a version of."""

from __future__ import annotations

import sys
from functools import cached_property
from pathlib import Path
from typing import Any

import click

from divisionbell.bank.load import Bank, Root
from divisionbell.bank.read import MAX_BYTES, Document, read_bytes
from divisionbell.diagnostics import Diagnostic, Location, UsageProblem
from divisionbell.validate.shape import class_slots

SHOWN = "<stdin>"
# Where two classes hold equally many of a file's slots, the earlier one is taken.
ROOTS: tuple[Root, ...] = (
    "Dossier",
    "ExcludedDossier",
    "Bank",
    "AnalysisPlan",
    "DataSources",
    "EvaluationRegister",
    "ProspectiveRegister",
)


class StandardInputDocument(Document):
    """A document whose findings are shown at <stdin>; its path is only where it would lie in the bank."""

    @cached_property
    def shown(self) -> str:
        return SHOWN


def read_standard_input() -> bytes:
    """At most one byte more than a bank file may have. Raises UsageProblem where there is nothing to read from."""
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise UsageProblem("standard input is closed", "pipe a bank file in, or name it")
    if sys.stdin.isatty():
        click.echo("reading one bank file from the terminal: end it with Ctrl-D, give up with Ctrl-C", err=True)
    try:
        data: bytes = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageProblem(f"standard input cannot be read: {error.strerror}", "pipe a bank file in") from None
    return data


def document_of(data: bytes, folder: Path) -> StandardInputDocument:
    """The bytes as a document; what is wrong with them is in its problems."""
    document = StandardInputDocument(folder / SHOWN)
    read_bytes(data, document)
    return document


def root_of(value: Any) -> Root | None:
    """The class of a bank file: the one that has most of the slots at its top."""
    if not isinstance(value, dict):
        return None
    known = {root: len(value.keys() & set(class_slots(root))) for root in ROOTS}
    best = max(ROOTS, key=lambda root: known[root])
    return best if known[best] else None


def no_class(document: Document) -> Diagnostic:
    """The finding where nothing at the top of a readable file is a slot of any kind of bank file."""
    return Diagnostic(
        Location(document.shown, document.root.line, document.root.column),
        "SCH001",
        "is no file of a bank: nothing at its top is a slot of one",
        "give a dossier, an excluded dossier, the settings, the plan, the data sources or a register",
    )


def put_in(bank: Bank, root: Root, document: Document) -> Document | None:
    """Put the document into the bank, last among its kind, so that what it repeats is found in it and not elsewhere.

    Returns the document whose place it takes: the dossier of the same id, the register that shares most divisions, the
    one file of its kind; None where it stands beside the others.
    """
    replaced = _take_out(bank, root, document)
    if replaced is not None:
        document.path = replaced.path
    elif root in {"Dossier", "ExcludedDossier"}:
        # The rule about places is not asked about this file, but it must lie somewhere in the bank.
        document.path = bank.folder / ("dossiers" if root == "Dossier" else "excluded") / SHOWN
    if root == "Dossier":
        bank.dossiers.append(document)
    elif root == "ExcludedDossier":
        bank.excluded.append(document)
    elif root == "ProspectiveRegister":
        bank.prospective.append(document)
    else:
        setattr(bank, _SINGLE[root], document)
    return replaced


_SINGLE: dict[Root, str] = {
    "Bank": "settings",
    "AnalysisPlan": "plan",
    "DataSources": "sources",
    "EvaluationRegister": "evaluations",
}


def _take_out(bank: Bank, root: Root, document: Document) -> Document | None:
    if root in _SINGLE:
        single: Document | None = getattr(bank, _SINGLE[root])
        return single
    if root == "ProspectiveRegister":
        return _taken(bank.prospective, _nearest_register(bank.prospective, document))
    wanted = _id(document)
    for documents in (bank.dossiers, bank.excluded):
        for other in documents:
            if wanted is not None and _id(other) == wanted:
                return _taken(documents, other)
    return None


def _taken(documents: list[Document], other: Document | None) -> Document | None:
    if other is not None:
        documents[:] = [document for document in documents if document is not other]
    return other


def _id(document: Document) -> str | None:
    name = document.value.get("dossier_id") if isinstance(document.value, dict) else None
    return name if isinstance(name, str) else None


def _nearest_register(registers: list[Document], document: Document) -> Document | None:
    if len(registers) == 1:
        return registers[0]
    own = _divisions(document)
    shared = [(len(own & _divisions(other)), other) for other in registers]
    count, nearest = max(shared, key=lambda entry: entry[0], default=(0, None))
    return nearest if count else None


def _divisions(document: Document) -> set[str]:
    codes = document.value.get("prospective_codes") if isinstance(document.value, dict) else None
    return {repr(c.get("division_id")) for c in codes if isinstance(c, dict)} if isinstance(codes, list) else set()
