"""How a run that is not complete is gone on with: live, or by batches, as its folder says."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from divisionbell.diagnostics import UsageProblem, shown_path
from divisionbell.run.batch_formats import custom_id, unit_of
from divisionbell.run.batch_state import BatchState, read_state
from divisionbell.run.find_runs import Run, read_run
from divisionbell.run.go_on import go_on_command
from divisionbell.run.outcomes import ASKED_AGAIN

# Runs that are made of a log of Inspect: this program cannot ask what is missing there.
_INSPECT = "inspect:"


@dataclass(frozen=True)
class Left:
    """What a run still lacks; each unit is counted once. `waiting` are malformed first replies of a batch whose
    reminder is to be sent, `out` are requests of a batch without a result."""

    obtained: int
    planned: int
    waiting: int = 0
    out: int = 0
    unreached: int = 0
    unsent: int = 0

    def __str__(self) -> str:
        told = (
            (self.waiting, "waits for its retry", "wait for their retry"),
            (self.out, "request is out", "requests are out"),
            (self.unreached, "was not reached", "were not reached"),
            (self.unsent, "is missing", "are missing"),
        )
        parts = [f"{count} {one if count == 1 else more}" for count, one, more in told if count]
        return f"{self.obtained} of {self.planned} units are there" + (f"; {', '.join(parts)}" if parts else "")


def left(run: Run) -> Left:
    """What a run still lacks, from its journal and, where it is asked by batches, its batch.json.

    Raises Findings where batch.json cannot be read.
    """
    return _left(run, read_state(run.folder))


def way_on(run: Run) -> str:
    """The commands that go on with an incomplete run, ready to be typed. Raises Findings as `left` does."""
    state = read_state(run.folder)
    lacks = _left(run, state)
    return _live(run, lacks) if state is None else _by_batch(shlex.quote(shown_path(run.folder)), lacks)


def on_or_elsewhere(folder: Path, option: str) -> str:
    """What there is to do where a new run was to be written to a folder, named by `option`, that holds one."""
    run = read_run(folder)
    return f"go on with it: {way_on(run)}; or choose another {option}" if run.missing else f"choose another {option}"


def refuse_live(folder: Path, wanted: Iterable[str]) -> None:
    """UsageProblem where a batch is to obtain one of these units: its malformed first reply waits for the retry, or its
    request is out. Asked live it would be asked anew, as if the first reply had never come."""
    if held_by_batch(folder).isdisjoint(wanted):
        return
    run = read_run(folder)
    raise UsageProblem(
        f"{shown_path(folder)} is asked by batches: {left(run)}; asked live now, malformed first replies that wait "
        "would be lost and requests that are out be asked twice",
        way_on(run),
    )


def held_by_batch(folder: Path) -> frozenset[str]:
    """The units whose first reply waits or whose request is out, where a run is asked by batches; none otherwise."""
    state = read_state(folder)
    return frozenset() if state is None else frozenset({*state.first, *_keys_out(state)})


def _keys_out(state: BatchState) -> set[str]:
    return {place[0] for name in state.sent if (place := unit_of(name)) is not None}


def _left(run: Run, state: BatchState | None) -> Left:
    planned, missing = int(run.header["unit_count"]), run.missing
    if state is None:
        unsent = planned - len(run.units)
        return Left(planned - missing, planned, unreached=missing - unsent, unsent=unsent)
    standing = {unit["unit_key"]: unit for unit in run.units}
    known = standing.keys() | state.first.keys() | _keys_out(state)
    waiting = out = unreached = 0
    for key in known:
        unit = standing.get(key)
        if unit is not None and unit["outcome"] != ASKED_AGAIN:
            continue
        attempt = 2 if key in state.first else 1
        if custom_id(key, attempt) in state.sent:
            out += 1
        elif unit is not None and len(unit["attempts"]) >= attempt:
            unreached += 1
        else:
            waiting += 1
    return Left(planned - missing, planned, waiting, out, unreached, max(0, planned - len(known)))


def _by_batch(folder: str, lacks: Left) -> str:
    send = f"divisionbell batch export --resume {folder}"
    ways = []
    if lacks.waiting or lacks.unsent or lacks.unreached:
        ways.append(f"{send}{' --failed' if lacks.unreached else ''} --out FILE.jsonl")
    if lacks.out:
        ways.append(
            f"for what is out: divisionbell batch import RESULTS.jsonl --out {folder}, or where no result will come: "
            f"{send} --missing --out FILE.jsonl"
        )
    return "; ".join(ways)


def _live(run: Run, lacks: Left) -> str:
    if str(run.header["respondent"]).startswith(_INSPECT):
        return "inspect eval-retry LOG, and make a run of the log that it writes"
    return go_on_command(run.header, run.folder, failed=lacks.unreached > 0)
