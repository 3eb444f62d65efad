"""What an outcome means for a score: an answer, a missing answer with bounds, asked again, or never asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from divisionbell.diagnostics import UsageProblem
from divisionbell.run.outcomes import ASKED_AGAIN, NOT_ADMINISTERED

# Only the run's folder says whether it is gone on with live or by batches.
WAY_ON = "divisionbell runs show RUN says how to go on with it"


def refuse_shard(header: Mapping[str, Any]) -> None:
    """UsageProblem where the run is one of several shards: what it holds is a part, however complete."""
    if int(header.get("shard_count") or 1) > 1:
        raise UsageProblem(
            f"run {header['run_id']} is shard {header['shard_index']} of {header['shard_count']}, a part of a run",
            "put the shards together first: divisionbell merge DIR… --out DIR",
        )


def refuse_incomplete(header: Mapping[str, Any], units: Sequence[Mapping[str, Any]]) -> None:
    """UsageProblem when units of the run are still to be obtained: fewer than `unit_count`, or some not reached.

    `header` is a RunHeader and `units` are Units, one per unit. Nothing is estimated from part of a run, because the
    part that is there is not a random one.
    """
    expected = int(header["unit_count"])
    run = f"run {header['run_id']} is incomplete"
    if len(units) < expected:
        raise UsageProblem(f"{run}: {len(units)} of {expected} units are there", WAY_ON)
    failed = sum(unit["outcome"] == ASKED_AGAIN for unit in units)
    if failed:
        raise UsageProblem(f"{run}: {failed} of {expected} units did not reach the respondent", WAY_ON)


def not_administered_dossiers(units: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Ids of the dossiers that the respondent was not asked about, sorted.

    UsageProblem when a dossier was administered in part: whether there is a position on a division does not depend on
    the item, the order or the repeat.
    """
    every = Counter(unit["asked_dossier"] for unit in units)
    dropped = Counter(unit["asked_dossier"] for unit in units if unit["outcome"] == NOT_ADMINISTERED)
    for dossier, count in sorted(dropped.items()):
        if count < every[dossier]:
            raise UsageProblem(
                f"{count} of {every[dossier]} units of {dossier} are not administered: it is all or none"
            )
    return tuple(sorted(dropped))
