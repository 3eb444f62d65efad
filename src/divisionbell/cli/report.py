"""divisionbell report"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from divisionbell.cli.options import bank_option
from divisionbell.cli.stdout import say
from divisionbell.diagnostics import UsageProblem, shown_path

if TYPE_CHECKING:
    pass


@click.command("report", short_help="Write one self-contained page for one or more runs.")
@click.argument("runs", nargs=-1, required=True, type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("out/report.html"),
    show_default=True,
    help="The page; its figures go beside it as SVG and PNG.",
)
@bank_option
def command(runs: tuple[Path, ...], out: Path, bank_folder: str | None) -> None:
    """Write one self-contained page for RUNS, which must be of one frozen version.

    Each run is scored anew from its stored replies. Models come first; scripted respondents and parties stand apart.
    The page holds the null-responder certificate and the audit of the keys by the parties' votes. It needs no network
    and no JavaScript.
    """
    from divisionbell.cli.certificates import arithmetic_certificate
    from divisionbell.cli.scoring import scored
    from divisionbell.estimate.coding_agreement import recovery
    from divisionbell.estimate.parties import axis_swap_survival, party_audit
    from divisionbell.estimate.party_checks import by_period, described
    from divisionbell.estimate.wording_certificate import surface_limit, wording_certificate
    from divisionbell.report.evidence import ReportInput, RunEvidence
    from divisionbell.report.write import write_report

    read = [scored(folder, bank_folder) for folder in runs]
    bank = read[0][0]
    for folder, (other, _, _) in zip(runs, read, strict=True):
        if other.sha256 != bank.sha256:
            raise UsageProblem(
                f"{shown_path(folder)} is of version {other.version}, {shown_path(runs[0])} of {bank.version}",
                "report runs of one version together",
            )
    evidence = tuple(RunEvidence.of(run.header, run.units, document) for _, run, document in read)
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
    )
    page, *figures = write_report(given, out)
    size = page.stat().st_size / 1e6
    say(f"wrote {shown_path(page)} ({size:.1f} MB) and {len(figures)} figure files beside it")
