"""The tables of the page as CSV, and the documents that they came from as JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from divisionbell import __version__
from divisionbell.model.run_classes import ComparisonDocument, ScoreDocument
from divisionbell.report.evidence import ReportInput
from divisionbell.report.tables import Cell, Table
from divisionbell.report.words import MINUS, visible

_NUMBER = re.compile(r"[+-]?\d[\d,]*(\.\d+)?%?")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_of(table: Table) -> bytes:
    """One table: its head, then a line a row; what stands small below a value has a column of its own.

    Numbers have a plain minus. One rule against formulas: what begins with = + - @, a tab or a carriage return and is
    no single number begins with an apostrophe.
    """
    rows = list(_rows(table))
    kept = [at for at in range(len(table.head)) if not any(row[at].bar for row in rows)]  # a picture has no text
    beside = {at for at in kept if any(row[at].lines + row[at].tags for row in rows)}
    head: list[str] = []
    for at in kept:
        head += [table.head[at], f"{table.head[at]}: more"] if at in beside else [table.head[at]]
    stream = io.StringIO()
    made = csv.writer(stream, lineterminator="\n")
    made.writerow([_safe(title) for title in head])
    for row in rows:
        line: list[str] = []
        for at in kept:
            cell = row[at]
            line.append(_safe(cell.text))
            if at in beside:
                line.append(_safe("; ".join((*cell.tags, *cell.lines))))
        made.writerow(line)
    return stream.getvalue().encode("utf-8")


def _rows(table: Table) -> Iterator[list[Cell]]:
    """The rows with every cell that spans several repeated in each."""
    for group in table.groups:
        spanning: dict[int, tuple[Cell, int]] = {}
        for row in group:
            cells, waiting = [], iter(row)
            for at in range(len(table.head)):
                held = spanning.get(at)
                if held is not None and held[1] > 0:
                    spanning[at] = (held[0], held[1] - 1)
                    cells.append(held[0])
                    continue
                cell = next(waiting, Cell(""))
                if cell.rows > 1:
                    spanning[at] = (cell, cell.rows - 1)
                cells.append(cell)
            yield cells


def _safe(text: str) -> str:
    plain = visible(text).replace(MINUS, "-")
    return f"'{plain}" if plain.startswith(_FORMULA) and not _NUMBER.fullmatch(plain) else plain


def documents(given: ReportInput) -> bytes:
    """Every score document and every comparison, each as the run schema has it."""
    made: Mapping[str, Any] = {
        "made_with": f"divisionbell {__version__}",
        "bank_version": given.bank.version,
        "bank_sha256": given.bank.sha256,
        "scores": [_plain(run.score) for run in given.runs],
        "comparisons": [_plain(document) for document in given.comparisons],
        "not_compared": list(given.not_compared),
    }
    return (json.dumps(made, indent=1, ensure_ascii=True, allow_nan=False) + "\n").encode("ascii")


def _plain(document: ScoreDocument | ComparisonDocument) -> dict[str, Any]:
    """A document as it was read; settings keep their nulls, which say that a default held."""
    made: dict[str, Any] = document.model_dump(mode="json", exclude_none=True)
    if isinstance(document, ScoreDocument):
        return {**made, "settings": document.settings}
    for one, run in zip(made["compared"], document.compared, strict=True):
        one["settings"] = run.settings
    return made
