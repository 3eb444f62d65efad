"""Which requests of a run are due, and their lines in a batch file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from divisionbell.diagnostics import UsageProblem
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.administer import Planned
from divisionbell.run.batch_formats import custom_id, format_of
from divisionbell.run.batch_replay import replay
from divisionbell.run.batch_state import BatchState


@dataclass(frozen=True)
class Wanted:
    """What beside requests that were never sent and retries that are due: those that were not reached, and those that
    no result came for."""

    failed: bool = False
    missing: bool = False


def due(
    units: list[Planned], standing: Mapping[str, Mapping[str, Any]], state: BatchState, wanted: Wanted
) -> list[tuple[Planned, int]]:
    """Unit and attempt of each request that is to be sent; never one whose reply came, malformed or not."""
    found = []
    for planned in units:
        unit = standing.get(planned.key)
        if unit is not None and unit["outcome"] != "transport_failed":
            continue
        attempt = 2 if planned.key in state.first else 1
        if custom_id(planned.key, attempt) in state.sent:
            ready = wanted.missing
        else:
            ready = unit is None or wanted.failed or len(unit["attempts"]) < attempt
        if ready:
            found.append((planned, attempt))
    return found


def lines(
    bank: FrozenBank, header: Mapping[str, Any], requests: list[tuple[Planned, int]], state: BatchState
) -> dict[str, bytes]:
    """The line of each request by its id. Raises UsageProblem where the provider takes no batch as large."""
    form = format_of(str(header["respondent"]))
    settings = dict(header["settings"])
    made: dict[str, bytes] = {}
    for planned, attempt in requests:
        replies = [form.reply(state.first[planned.key], state.without)] if attempt == 2 else []
        messages = replay(bank, header, planned, replies)
        if isinstance(messages, tuple):  # a unit otherwise, which the malformed first reply of a retry never is
            name = custom_id(planned.key, attempt)
            made[name] = form.line(name, settings, messages, state.without)
    size = sum(map(len, made.values()))
    if len(made) > form.most_requests or size > form.most_bytes:
        parts = max(-(-len(made) // form.most_requests), -(-size // form.most_bytes)) + 1
        raise UsageProblem(
            f"{len(made)} requests of {size} bytes, and {form.kind} takes {form.most_requests} of {form.most_bytes}",
            f"cut the run, for example --shard 1/{parts}, and merge the shards",
        )
    return made
