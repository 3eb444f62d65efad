"""`run --resume`: what was started is gone on with as it was started."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from divisionbell.diagnostics import Findings, UsageProblem, cut, shown_path

if TYPE_CHECKING:
    from divisionbell.freeze.frozen_bank import FrozenBank
    from divisionbell.run.administer import Planned
    from divisionbell.run.go_on import Stored


LEFT_OUT = "nothing"  # what a part that is not there is told as; it is not null


def nothing_there(out: Path | None) -> UsageProblem:
    """That --resume names a folder without a run: beginning one there could be a mistyped name, and is paid for."""
    from divisionbell.run.find_runs import find_runs

    folder = out or Path()
    if find_runs(folder):
        inside = shown_path(find_runs(folder)[0])
        return UsageProblem(f"{shown_path(folder)} holds runs and is none itself", f"name one of them: --out {inside}")
    return UsageProblem(
        f"{shown_path(folder)} is no run, so there is nothing to go on with",
        "divisionbell runs list tells which are there; leave --resume out to begin one",
    )


def holds_a_run(folder: Path) -> UsageProblem:
    """That a new run would be written where one is."""
    from divisionbell.run.way_on import on_or_elsewhere

    return UsageProblem(f"{shown_path(folder)} holds a run", on_or_elsewhere(folder, "--out"))


def as_started(context: click.Context, header: Mapping[str, Any]) -> Stored:
    """What a run was started with, and in its place what is said again. Raises UsageProblem where a key would go to an
    address that stands in the run folder alone."""
    from divisionbell.run.go_on import stored_options

    stored, said = stored_options(header), context.params
    again = {
        name: said[option]
        for name, option in (("form", "form"), ("repeats", "repeats"), ("version", "version"), ("base_url", "base_url"))
        if context.get_parameter_source(option) is click.core.ParameterSource.COMMANDLINE
    }
    if stored.base_url is not None and "base_url" not in again:
        _no_key_for(stored.base_url, header, said["key_file"])
    return replace(
        stored,
        respondent=said["respondent"] or stored.respondent,
        sampling=replace(stored.sampling, **_said_again(context)),
        **again,
    )


def _said_again(context: click.Context) -> dict[str, Any]:
    from divisionbell.cli.asking_options import SAMPLING

    given = click.core.ParameterSource.COMMANDLINE
    return {name: context.params[name] for name in SAMPLING if context.get_parameter_source(name) is given}


def _no_key_for(address: str, header: Mapping[str, Any], key_file: Path | None) -> None:
    variable = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}.get(
        str(header["respondent"]).partition(":")[0]
    )
    if key_file is not None or (variable is not None and os.environ.get(variable)):
        raise UsageProblem(
            f"this run was asked at {address}, and a key would be sent there",
            f"name the address yourself if it is the right one: --base-url {shlex.quote(address)}",
        )


def must_be_same(had: Mapping[str, Any], now: Mapping[str, Any], where: str = "the run was started with") -> None:
    """Refuse to go on under another configuration, naming what differs. Raises UsageProblem."""
    for name in sorted({*now, "reasoning_tags", "shard_index", "shard_count"}):
        found = _difference(name, had.get(name), now.get(name))
        if found is not None:
            path, there, here = found
            fix = "give the same options, or start a new run"
            if path.startswith("settings.plugin."):
                fix = "install the package as it was, or start a new run"
            raise UsageProblem(
                f"{where} another {path.removeprefix('settings.')}: {cut(str(there))} there, {cut(str(here))} now", fix
            )


def _difference(name: str, there: Any, here: Any) -> tuple[str, Any, Any] | None:
    """Where two values differ first, down to the part that does."""
    if isinstance(there, dict) and isinstance(here, dict):
        parts = (
            _difference(f"{name}.{part}", there.get(part, LEFT_OUT), here.get(part, LEFT_OUT))
            for part in sorted({*there, *here})
        )
        return next((part for part in parts if part is not None), None)
    return None if there == here else (name, there, here)


def must_go_with_others(out: Path, now: Mapping[str, Any]) -> None:
    """Raises UsageProblem where a shard beside this one was started with other options: they could not be merged."""
    from divisionbell.run.find_runs import find_runs
    from divisionbell.run.journal import read_header

    beside = next((folder for folder in find_runs(out) if folder.parent == out), None)
    header = read_header(beside) if beside is not None else None
    if beside is not None and header is not None and "shard_count" in header:
        alike = {name: value for name, value in now.items() if name != "shard_index"}
        must_be_same({**header, "shard_index": None}, alike, f"{shown_path(beside)} was started with")


def is_due(outcome: str | None, failed: bool) -> bool:
    """Whether a unit is asked when a run is gone on with."""
    return outcome is None or (failed and outcome == "transport_failed")


def left_to_ask(folder: Path, units: list[Planned], failed: bool) -> list[Planned]:
    """The units that --resume would ask. Raises UsageProblem where it would refuse, as a batch is to obtain them."""
    from divisionbell.run.find_runs import read_run
    from divisionbell.run.way_on import refuse_live

    standing = {unit["unit_key"]: unit["outcome"] for unit in read_run(folder).units}
    left = [unit for unit in units if is_due(standing.get(unit.key), failed)]
    refuse_live(folder, (unit.key for unit in left))
    return left


def with_first_replies(
    folder: Path, units: list[Planned], bank: FrozenBank, header: Mapping[str, Any]
) -> list[Planned]:
    """The units, those with their first attempt whose first reply is there and malformed: it is never asked again, only
    the reminder that was not reached.

    Raises Findings where what is there of such a unit does not hold: a reminder of it would be paid for in vain.
    """
    from divisionbell.run.journal import JOURNAL, each_unit
    from divisionbell.run.verify_run import UnitCheck

    wanted, check = {unit.key for unit in units}, UnitCheck(bank, header)
    first: dict[str, Mapping[str, Any]] = {}
    for unit, _ in each_unit(folder / JOURNAL):
        if unit["unit_key"] not in wanted:
            continue
        faults = check.faults(unit)
        if faults:
            raise Findings(
                f"{shown_path(folder / JOURNAL)}: unit {unit['unit_key'][:12]}: {faults[0]}",
                fix=f"restore the journal; divisionbell runs verify {shown_path(folder)} tells all that does not hold",
            )
        if len(unit["attempts"]) > 1:
            first[unit["unit_key"]] = unit["attempts"][0]
    return [replace(unit, first=first.get(unit.key)) for unit in units]
