"""The parts of a table, and how an estimate becomes a cell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from divisionbell.model.run_classes import Estimate
from divisionbell.report.evidence import ReportInput, RunEvidence
from divisionbell.report.words import Shown, shown, shown_span


@dataclass(frozen=True)
class Bar:
    """A small picture of a score: places from 0 (coordinate −1) to 100 (coordinate 1)."""

    point: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Cell:
    """One cell. `lines` stand small below the text; `mark` is the letter of a footnote."""

    text: str
    lines: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    mark: str = ""
    numeric: bool = False
    heading: bool = False
    muted: bool = False
    rows: int = 1
    bar: Bar | None = None
    name: str = ""


@dataclass
class Table:
    """A table with its caption; `groups` are bodies of rows, `notes` stand below it."""

    caption: str
    head: tuple[str, ...]
    numeric: frozenset[int] = frozenset()
    groups: list[list[list[Cell]]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _marks: dict[str, str] = field(default_factory=dict)

    def mark(self, kind: str) -> str:
        """The footnote letter of an interval's kind."""
        if not kind:
            return ""
        return self._marks.setdefault(kind, chr(ord("a") + len(self._marks) % 26))

    @property
    def footnotes(self) -> list[tuple[str, str]]:
        return [(letter, kind) for kind, letter in self._marks.items()]


def text(words: str, *lines: str, heading: bool = False) -> Cell:
    return Cell(words, lines=lines, heading=heading)


def respondent(given: ReportInput, run: RunEvidence, rows: int = 1) -> Cell:
    """The respondent's name with what must be said wherever it stands."""
    tags = []
    if run.header.constrained:
        tags.append("constrained decoding")
    family = given.drafted_by(run)
    if family is not None:
        tags.append(f"family of the drafting software ({family})")
    return Cell(run.title, tags=tuple(tags), heading=True, rows=rows)


def value(table: Table, estimate: Estimate | None, *, interval: bool = True, n: bool = False) -> Cell:
    """A value with its interval small below it; an undefined one says so with the reason."""
    made = shown(estimate)
    lines = []
    if made.because:
        lines.append(made.because)
    if interval and made.span:
        lines.append(made.span)
    if n and made.n:
        lines.append(made.n)
    mark = table.mark(made.kind) if interval else ""
    return Cell(made.text, tuple(lines), numeric=True, muted=not made.defined, mark=mark, name=made.name)


def limits(table: Table, estimate: Estimate | None) -> Cell:
    """Bounds or an interval that have no value of their own."""
    made = shown_span(estimate)
    lines = (made.because,) if made.because else ()
    return Cell(made.text, lines, numeric=True, muted=bool(made.because), mark=table.mark(made.kind), name=made.name)


def number_behind(estimate: Estimate | None) -> Cell:
    """What the value rests on: the number of families, pairs or units."""
    n = shown(estimate).n.removesuffix(" families").removesuffix(" family")
    return Cell(n or "not given", numeric=True, muted=not n)


def bar(estimate: Estimate | None, bounds: Estimate | None = None) -> Cell:
    """The picture of a score with its interval, or of its bounds where it has no value."""
    made, open_ = shown(estimate), shown(bounds)
    source: Shown = made if made.defined else open_
    if source.low is None and made.value is None:
        return Cell("")
    return Cell("", bar=Bar(_at(made.value), _at(source.low), _at(source.high)))


def _at(coordinate: float | None) -> float | None:
    return None if coordinate is None else round((max(-1.0, min(1.0, coordinate)) + 1) * 50, 2)


def by_run_and_axis(
    table: Table, given: ReportInput, runs: Iterable[RunEvidence], rows: Sequence[tuple[str, str]]
) -> Iterable[tuple[RunEvidence, str, list[Cell]]]:
    """One body a run with one row for each (axis, label); the caller adds the cells that follow."""
    for run in runs:
        group: list[list[Cell]] = []
        for number, (axis, label) in enumerate(rows):
            row = [respondent(given, run, rows=len(rows))] if number == 0 else []
            row.append(Cell(label))
            group.append(row)
            yield run, axis, row
        table.groups.append(group)
