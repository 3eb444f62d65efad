"""divisionbell validate"""

from __future__ import annotations

import gc
import importlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from divisionbell.bank.load import find_bank, load, without_collection
from divisionbell.cli.chosen_paths import lying_in, must_be_checked, must_lie_in_bank
from divisionbell.cli.findings import FORMATS, document
from divisionbell.cli.options import bank_option, ches_option
from divisionbell.cli.stdout import colour_wanted, give_up, put
from divisionbell.diagnostics import UsageProblem

if TYPE_CHECKING:
    from divisionbell.bank.load import Bank
    from divisionbell.cli.findings.outcome import Outcome

STANDARD_INPUT = Path("-")
_kept: list[Outcome] = []


@click.command(
    "validate",
    short_help="Check a bank: shape, reviews, keys, mirrors, hashes, freeze.",
)
@click.argument("paths", nargs=-1, type=click.Path(allow_dash=True, path_type=Path), metavar="[PATH...|-]")
@bank_option
@ches_option
@click.option("--format", "style", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option(
    "--quiet",
    is_flag=True,
    help="Print findings alone: nothing found, nothing printed. Documents (json, sarif, junit) stay whole.",
)
@click.option("--watch", is_flag=True, help="Check again whenever a file is saved, until Ctrl-C (exit code 130).")
def command(
    paths: tuple[Path, ...], bank_folder: str | None, ches: Path | None, style: str, quiet: bool, watch: bool
) -> int:
    """Check a bank and print every finding as file:line:column with the line and the way to mend it.

    The whole bank is always read; with PATHs (files or folders of it) only findings in those are shown and counted.
    With - one bank file is read from standard input: its content says what it is, it takes the place of the file with
    the same id, and only findings in it are shown, at <stdin>. With --ches every figure of the party-space reviews is
    computed again from the survey; without it what is stored is checked for consistency. The last line says which bank
    was checked and what was counted.

    \b
    Formats, each alone on standard output:
      text    for people; coloured on a terminal (NO_COLOR, FORCE_COLOR)
      json    everything, in the form of docs/reference/validate-json.md
      github  annotations of a GitHub workflow
      sarif   SARIF 2.1.0, for code scanning
      junit   JUnit XML, a test case a rule

    Exit code 0 when nothing was found, 1 otherwise, 2 where there is no bank or a PATH is not part of it.
    """
    folder = find_bank(bank_folder)
    if watch:
        _watch(paths, folder, ches, style, quiet)
    with without_collection():
        if STANDARD_INPUT in paths:
            if len(paths) > 1:
                raise UsageProblem("- stands alone: it shows the findings of one file", "leave out the other PATHs")
            outcome = _standard_input(folder, ches)
        else:
            must_lie_in_bank(paths, folder)
            outcome = _outcome(paths, folder, ches)
        try:
            _print(outcome, style, quiet)
        except BrokenPipeError:  # who read it had enough; what was found stands
            give_up()
        # The process ends here: neither a pass of the collector nor taking the bank apart would be of use to anybody.
        gc.freeze()
        _kept[:] = [outcome]
    if outcome.nothing_checked and not outcome.found:
        click.echo(f"error: {_nothing_checked()}", err=True)
    return outcome.exit_code


def _nothing_checked() -> str:
    from divisionbell.cli.findings.outcome import NOTHING_CHECKED

    return NOTHING_CHECKED


def _get_ready() -> None:
    """What checks is imported while another process reads: it takes as long as a third of the files."""
    importlib.import_module("divisionbell.cli.findings.outcome")
    importlib.import_module("divisionbell.validate.shape").get_ready()


def _loaded(folder: Path) -> Bank:
    return load(folder, meanwhile=_get_ready)


def _outcome(paths: tuple[Path, ...], folder: Path, ches: Path | None, must_hold: bool = True) -> Outcome:
    bank = _loaded(folder)
    from divisionbell.cli.findings.outcome import Outcome
    from divisionbell.validate.engine import check

    if must_hold:
        must_be_checked(paths, bank)
    report = check(bank, ches)
    found = lying_in(paths, report.diagnostics) if paths else report.diagnostics
    return Outcome(
        folder=folder,
        report=replace(report, diagnostics=found),
        elsewhere=len(report.diagnostics) - len(found),
        survey=ches is not None,
        paths=tuple(str(path) for path in paths),
    )


def _standard_input(folder: Path, ches: Path | None) -> Outcome:
    from divisionbell.cli.standard_input import SHOWN, document_of, no_class, put_in, read_standard_input, root_of

    data = read_standard_input()
    given = document_of(data, folder)
    bank = _loaded(folder)
    from divisionbell.cli.findings.excerpt import Sources
    from divisionbell.cli.findings.outcome import Outcome, StandardInput
    from divisionbell.validate.engine import check

    root = root_of(given.value)
    replaced = put_in(bank, root, given) if root else None
    report = check(bank, ches)
    own = [*given.problems] or [no_class(given)]
    if root is not None:
        own = [d for d in report.diagnostics if d.location.path == SHOWN and d.rule != "REF003"]
    return Outcome(
        folder=folder,
        report=replace(report, diagnostics=tuple(own)),
        elsewhere=len([d for d in report.diagnostics if d.location.path != SHOWN]),
        survey=ches is not None,
        paths=("-",),
        standard_input=StandardInput(root, replaced.shown if replaced else None),
        sources=Sources({SHOWN: data}),
    )


def _print(outcome: Outcome, style: str, quiet: bool) -> None:
    if style != "text":
        put(document(style, outcome, quiet))
        return
    from divisionbell.cli.findings.text import finding

    colour = colour_wanted()
    for diagnostic in outcome.found:
        put(finding(diagnostic, outcome.sources, colour))
    if not quiet:
        put("".join(f"{line}\n" for line in outcome.closing_lines()))


def _watch(paths: tuple[Path, ...], folder: Path, ches: Path | None, style: str, quiet: bool) -> NoReturn:
    from divisionbell.cli.watch_rounds import watch_rounds

    if style != "text":
        raise UsageProblem(f"--watch writes text, not {style}", f"leave out --watch or --format {style}")
    if STANDARD_INPUT in paths:
        raise UsageProblem("--watch looks at files, not at standard input", "leave out one of the two")
    must_lie_in_bank(paths, folder)
    first = True

    def round_() -> None:
        nonlocal first
        outcome = _outcome(paths, folder, ches, must_hold=first)
        first = False
        _print(outcome, style, quiet)
        if outcome.nothing_checked:
            put(f"error: {_nothing_checked()}\n")

    watch_rounds(folder, ches, round_)
