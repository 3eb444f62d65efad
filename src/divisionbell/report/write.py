"""Write a report and its figures."""

from __future__ import annotations

from pathlib import Path

from divisionbell.diagnostics import UsageProblem
from divisionbell.freeze.whole_file import write_whole
from divisionbell.report.evidence import ReportInput
from divisionbell.report.figures import draw_all
from divisionbell.report.html import render


def write_report(given: ReportInput, out: Path) -> tuple[Path, ...]:
    """Write the page to `out`, and each figure beside it as `<stem>-figures/<name>.svg` and `.png`; every path written.

    The page is written last and whole. Raises UsageProblem where the folder cannot be written to.
    """
    figures = draw_all(given)
    page = render(given, figures).encode("utf-8")
    folder = out.with_name(f"{out.stem}-figures")
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, figure in figures.items():
            for suffix, data in (("svg", figure.svg.encode("utf-8")), ("png", figure.png)):
                path = folder / f"{name}.{suffix}"
                write_whole(path, data)
                written.append(path)
        write_whole(out, page)
    except OSError as error:
        raise UsageProblem(f"the report cannot be written: {error}", "name another place with --out") from None
    return (out, *written)
