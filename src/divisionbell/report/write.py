"""Write a report: its page, its figures, its tables and the documents that it was drawn from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from divisionbell.diagnostics import UsageProblem
from divisionbell.freeze.whole_file import write_whole
from divisionbell.report import page_tables, table_files
from divisionbell.report.evidence import ReportInput
from divisionbell.report.figure_style import Drawing
from divisionbell.report.figures import draw_all
from divisionbell.report.html import render


@dataclass(frozen=True)
class Written:
    """Where everything of a report lies."""

    page: Path
    documents: Path
    figures: tuple[Path, ...]
    tables: tuple[Path, ...]

    @property
    def all(self) -> tuple[Path, ...]:
        return (self.page, self.documents, *self.figures, *self.tables)


def write_report(given: ReportInput, out: Path, more: Mapping[str, bytes] | None = None) -> Written:
    """Write the page to `out` and the rest beside it.

    `<stem>.json` holds every document, `<stem>-figures` each figure as SVG and PNG, `<stem>-tables` each table as CSV
    with `more` files by name. The page is written last, each file whole. Raises UsageProblem where the
    folder cannot be written to, or `out` is the name of the JSON file.
    """
    if out.suffix == ".json":
        raise UsageProblem(
            f"{out.name} is where the documents of a report go", "name the page, for example report.html"
        )
    drawn = draw_all(given)
    figures, tables = list(_figures(drawn)), [*_tables(given), *(more or {}).items()]
    page = render(given, drawn).encode("utf-8")
    written = Written(
        page=out,
        documents=out.with_name(f"{out.stem}.json"),
        figures=tuple(out.with_name(f"{out.stem}-figures") / name for name, _ in figures),
        tables=tuple(out.with_name(f"{out.stem}-tables") / name for name, _ in tables),
    )
    try:
        for paths, files in ((written.figures, figures), (written.tables, tables)):
            for path, (_, data) in zip(paths, files, strict=True):
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, data)
        write_whole(written.documents, table_files.documents(given))
        write_whole(out, page)
    except OSError as error:
        raise UsageProblem(f"the report cannot be written: {error}", "name another place with --out") from None
    return written


def _figures(drawn: dict[str, Drawing]) -> Iterator[tuple[str, bytes]]:
    for name, figure in drawn.items():
        yield f"{name}.svg", figure.svg.encode("utf-8")
        yield f"{name}.png", figure.png


def _tables(given: ReportInput) -> Iterator[tuple[str, bytes]]:
    for name, table in page_tables.every(given).items():
        yield f"{name}.csv", table_files.csv_of(table)
