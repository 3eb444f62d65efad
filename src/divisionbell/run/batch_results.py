"""Read a batch's results and put them into the journal as a run would have."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from divisionbell.diagnostics import Findings, UsageProblem, shown_path
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.administer import Planned
from divisionbell.run.batch_formats import REQUEST, custom_id, format_of, unit_of
from divisionbell.run.batch_replay import replay
from divisionbell.run.batch_state import BatchState
from divisionbell.run.respondents.respondent import Reply

_COMPARED = ("text", "finish_reason", "refusal_field", "transport_error")
_NAMED = {"text": "reply_text"}


@dataclass(frozen=True)
class Result:
    """One line: the unit and attempt that it is of, the reply in it, and the provider's own words."""

    line: int
    key: str
    attempt: int
    reply: Reply
    raw: dict[str, Any]


@dataclass
class Import:
    """What an import comes to, before anything is written."""

    units: list[dict[str, Any]] = field(default_factory=list)
    state: BatchState = field(default_factory=BatchState)
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


def take(
    bank: FrozenBank,
    header: Mapping[str, Any],
    units: list[Planned],
    standing: Mapping[str, Mapping[str, Any]],
    state: BatchState,
    path: Path,
) -> Import:
    """Judge a whole file of results, in any order; nothing is written.

    `problems` names each line that cannot stand: broken, no result, of no unit of this run, a retry without its first
    reply, or another reply for what was answered already. Raises UsageProblem where the file cannot be read, Findings
    where it is the file of requests.
    """
    planned = {unit.key: unit for unit in units}
    # Where an import was broken off, the journal may know more than the state.
    open_retries = {
        key: line
        for key, line in state.first.items()
        if key not in standing or standing[key]["outcome"] == "transport_failed"
    }
    made = Import(state=BatchState(state.without, set(state.sent), open_retries))
    results = _results(path, str(header["respondent"]), planned, state.without, made.problems)
    for result in sorted(results, key=lambda one: one.attempt):
        _take_one(bank, header, planned[result.key], standing, made, result, path)
        made.state.sent.discard(custom_id(result.key, result.attempt))
    return made


def _take_one(
    bank: FrozenBank,
    header: Mapping[str, Any],
    planned: Planned,
    standing: Mapping[str, Mapping[str, Any]],
    made: Import,
    result: Result,
    path: Path,
) -> None:
    key, reply = planned.key, result.reply
    form = format_of(str(header["respondent"]))
    first = made.state.first.get(key)
    had = _had(standing.get(key), None if first is None else form.reply(first), result.attempt)
    if had is not None and had.get("transport_error") is None:
        if reply.transport_error is not None or _alike(had, reply):
            made.counts["there already"] += 1
        else:
            made.problems.append(
                f"{shown_path(path)}:{result.line}: another reply for unit {key[:12]}, answered before"
            )
        return
    if result.attempt == 2 and first is None:
        made.problems.append(
            f"{shown_path(path)}:{result.line}: a retry of unit {key[:12]}, whose first reply is not there"
        )
        return
    if had is not None and _alike(had, reply):
        made.counts["there already"] += 1
        return
    replies = [form.reply(first, made.state.without)] if first is not None and result.attempt == 2 else []
    outcome = replay(bank, header, planned, [*replies, reply])
    if isinstance(outcome, tuple):
        made.state.first[key] = result.raw
        made.counts["malformed at first"] += 1
        return
    made.units.append(outcome)
    made.counts[str(outcome["outcome"])] += 1
    if outcome["outcome"] != "transport_failed":
        made.state.first.pop(key, None)


def _had(unit: Mapping[str, Any] | None, first: Reply | None, attempt: int) -> Mapping[str, Any] | None:
    """What is stored of this attempt: of a unit in the journal, else the first reply that waits for its retry."""
    if attempt == 1 and first is not None:
        return {_NAMED.get(name, name): getattr(first, name) for name in _COMPARED}
    attempts = unit["attempts"] if unit is not None else []
    found: Mapping[str, Any] | None = attempts[attempt - 1] if len(attempts) >= attempt else None
    return found


def _alike(had: Mapping[str, Any], reply: Reply) -> bool:
    return all(had.get(_NAMED.get(name, name)) == getattr(reply, name) for name in _COMPARED)


def _results(
    path: Path, respondent: str, planned: Mapping[str, Planned], without: tuple[str, ...], problems: list[str]
) -> list[Result]:
    """Every line that is of this run, one an attempt; the others are added to `problems`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageProblem(f"{shown_path(path)} cannot be read: {error.strerror}", "name a file of results") from None
    form, found, requests = format_of(respondent), dict[tuple[str, int], Result](), 0
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            raw = json.loads(line)
            name = raw["custom_id"]
            place = unit_of(name)
        except (ValueError, KeyError, TypeError, RecursionError) as problem:
            problems.append(f"{shown_path(path)}:{number}: is no result: {problem!r:.120}")
            continue
        why_not = form.why_no_result(raw)
        requests += why_not == REQUEST
        if why_not != REQUEST and (place is None or place[0] not in planned):
            why_not = f"custom_id {name!r:.80} is of no unit of this run"
        if why_not is not None or place is None:
            problems.append(f"{shown_path(path)}:{number}: {why_not}")
            continue
        result = Result(number, *place, form.reply(raw, without), raw)
        before = found.get(place)
        if before is None or before.reply.transport_error is not None:
            found[place] = result
        elif result.reply.transport_error is None and result.reply != before.reply:
            problems.append(
                f"{shown_path(path)}:{number}: another reply for the same request than in line {before.line}"
            )
    if requests and requests == len(problems) and not found:
        raise Findings(
            f"{shown_path(path)} holds requests, not results",
            fix="hand it to the provider's batch service, and import the file that the service gives back",
        )
    return list(found.values())
