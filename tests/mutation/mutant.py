"""A mutant: one small change of the text of a file of the bank, or of its set of files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from divisionbell.bank.document import Document, Path_
from divisionbell.bank.load import Bank


@dataclass(frozen=True)
class Touched:
    """What a mutant changed in one file, for the judgement whether a finding stands at the right place.

    `shown` is the file as findings name it. `first` to `last` are the changed lines in the mutated text, from 1 on;
    of a deletion they are the one line that now stands at the cut. `parent` leads to the mapping or list that lost a
    part, where one did.
    """

    shown: str
    path: Path_
    first: int
    last: int
    parent: Path_ | None = None


@dataclass(frozen=True, repr=False)
class Mutant:
    """One change. `names` are the names that no longer stand where they stood; whoever refers to them is left alone."""

    kind: str
    slot: str
    touched: tuple[Touched, ...]
    names: frozenset[str] = field(default_factory=frozenset, kw_only=True)

    def __repr__(self) -> str:
        return self.shown

    @property
    def shown(self) -> str:
        """Where and what, in one line."""
        place = self.touched[0]
        return f"{place.shown}:{place.first}: {self.kind}: {'.'.join(map(str, place.path)) or 'the file'}"


@dataclass(frozen=True)
class Splice:
    """Lines start..end (from 0, end excluded) of a document that others take the place of."""

    document: Document
    start: int
    end: int
    lines: tuple[str, ...]


@dataclass(frozen=True, repr=False)
class TextMutant(Mutant):
    """A change of lines in one document or in several."""

    splices: tuple[Splice, ...]
    ending: str = "\n"

    @cached_property
    def documents(self) -> list[Document]:
        """The documents that are changed, each once."""
        return list({id(splice.document): splice.document for splice in self.splices}.values())

    def text(self, document: Document) -> str:
        """The mutated text of one of them."""
        lines = list(document.lines)
        own = [splice for splice in self.splices if splice.document is document]
        for splice in sorted(own, key=lambda splice: splice.start, reverse=True):
            lines[splice.start : splice.end] = splice.lines
        return self.ending.join(lines) + self.ending


@dataclass(frozen=True, repr=False)
class FileMutant(Mutant):
    """A change of the files themselves: the bank as it then is, and the rules that such a change can concern.

    `frozen` is the part of that bank that is held against the frozen records, where any is. `files` gives the files
    as they then are on disk, None for one that is no longer there; it is asked when they are written.
    """

    bank: Bank
    frozen: Bank | None
    rules: tuple[str, ...]
    files: Callable[[], Mapping[Path, bytes | None]]


def line_edit(document: Document, line: int, text: str) -> Splice:
    """One line (from 0) written anew."""
    return Splice(document, line, line + 1, (text,))


def block(document: Document, start: int, end: int) -> tuple[str, ...]:
    """The lines start..end (from 0, end excluded) of a document."""
    return tuple(document.lines[start:end])


def replaced(document: Document, start: int, end: int, lines: Sequence[str]) -> Splice:
    """Lines start..end (from 0, end excluded) replaced by others."""
    return Splice(document, start, end, tuple(lines))
