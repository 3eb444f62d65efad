"""divisionbell report"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from divisionbell.cli.options import bank_option
from divisionbell.cli.stdout import say
from divisionbell.diagnostics import UsageProblem, real_path, shown_path

if TYPE_CHECKING:
    from divisionbell.cli.scoring import Scored
    from divisionbell.report.evidence import RunEvidence

# What the two files of a report begin with, within so many bytes.
PAGE, DOCUMENTS = b'<meta name="generator" content="divisionbell', b'"made_with": "divisionbell'
HEAD_BYTES = 4096


@click.command("report", short_help="Write one self-contained page for one or more runs.")
@click.argument("runs", nargs=-1, required=True, type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("out/report.html"),
    show_default=True,
    help="The page; figures, tables and JSON go beside it.",
)
@bank_option
def command(runs: tuple[Path, ...], out: Path, bank_folder: str | None) -> None:
    """Write one self-contained page for RUNS, which must be of one frozen version.

    Each run is scored anew from its stored replies. Models come first; scripted respondents and parties stand apart.
    Two or more models of one form and one way of decoding are compared. The page needs no network, and a script of its
    own only to search the list of items. Beside it go its figures as SVG and PNG, its tables as CSV, all estimates as
    one Parquet table, and report.json with every score document and comparison.
    """
    from divisionbell.cli.certificates import arithmetic_certificate
    from divisionbell.cli.scoring import scored_runs
    from divisionbell.estimate.coding_agreement import recovery
    from divisionbell.estimate.comparable import comparable
    from divisionbell.estimate.comparison import compare_runs
    from divisionbell.estimate.parties import axis_swap_survival, party_audit
    from divisionbell.estimate.party_checks import by_period, described
    from divisionbell.estimate.wording_certificate import surface_limit, wording_certificate
    from divisionbell.model.run_classes import ComparisonDocument
    from divisionbell.report.evidence import ReportInput
    from divisionbell.report.write import write_report

    _must_be_free(out, bank_folder)
    with _kept():
        bank, read = scored_runs(runs, bank_folder)
        evidence = tuple(_evidence(one) for one in read)
    models = [one.compared for one, run in zip(read, evidence, strict=True) if run.is_model]
    groups, apart = comparable(models)
    dossiers = [record.value for record in bank.records if record.kind == "dossier"]
    given = ReportInput(
        bank,
        evidence,
        party_audit(bank),
        arithmetic_certificate(bank),
        axis_swap_survival(bank),
        wording_certificate(dossiers, surface_limit(bank.settings)),
        described(by_period(bank)),
        recovery(dossiers),
        tuple(ComparisonDocument.model_validate(compare_runs(bank, group)) for group in groups),
        tuple(apart),
    )
    more = {}
    if find_spec("pyarrow") is None:
        click.echo("no tables in Parquet: Parquet needs the package pyarrow (pip install pyarrow)", err=True)
    else:
        from divisionbell.export.estimates import parquet
        from divisionbell.export.order_squares import order_squares
        from divisionbell.report.order_square import order_square_rows

        more["estimates.parquet"] = parquet(one.document for one in read)
        more["order-square.parquet"] = order_squares(order_square_rows(given))
    written = write_report(given, out, more)
    size = written.page.stat().st_size / 1e6
    say(
        f"wrote {shown_path(written.page)} ({size:.1f} MB), and beside it {len(written.figures)} figure files, "
        f"{len(written.tables)} table files and {written.documents.name}"
    )


def _evidence(one: Scored) -> RunEvidence:
    """A scored run as the report takes it, with the lines of its journal where a reply may be too long for the page."""
    from divisionbell.report.evidence import RunEvidence
    from divisionbell.report.words import LEAST_SHOWN
    from divisionbell.run.journal_lines import standing_lines

    attempts = (attempt for unit in one.run.units for attempt in unit["attempts"])
    long = any(len(attempt.get("reply_text") or "") > LEAST_SHOWN for attempt in attempts)
    lines = standing_lines(one.run.folder) if long else {}
    return RunEvidence.of(one.run.header, one.run.units, one.document, one.compared.answers.cells, lines)


def _must_be_free(out: Path, bank_folder: str | None) -> None:
    """Raises UsageProblem where a report would be written over what is none, into a run, or into the bank."""
    from divisionbell.bank.load import find_bank
    from divisionbell.run.journal import HEADER

    if not out.name:
        raise UsageProblem("--out names no file", "name the page, for example --out out/report.html")
    place = real_path(out.parent)
    if place.is_relative_to(find_bank(bank_folder).resolve()):
        raise UsageProblem(f"{shown_path(out)} lies in the bank", "name a place outside it with --out")
    if (place / HEADER).exists():
        raise UsageProblem(f"{shown_path(out)} lies in a run folder", "name a place outside it with --out")
    for beside in ("figures", "tables"):
        folder = out.with_name(f"{out.stem}-{beside}")
        if folder.is_symlink():
            raise UsageProblem(f"{shown_path(folder)} is a link", "remove it, or name another place with --out")
    for file, mark in ((out, PAGE), (out.with_name(f"{out.stem}.json"), DOCUMENTS)):
        if file.is_file() and mark not in file.read_bytes()[:HEAD_BYTES]:
            raise UsageProblem(f"{shown_path(file)} is there and is no report", "name another place with --out")


@contextmanager
def _kept() -> Iterator[None]:
    """What is read here stays: to look for garbage among a hundred thousand replies takes longer than to draw."""
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()
