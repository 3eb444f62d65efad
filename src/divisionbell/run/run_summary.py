"""What a run came to, told from its header and journal alone."""

from __future__ import annotations

from collections import Counter
from typing import Any

from divisionbell.diagnostics import percent
from divisionbell.run.find_runs import Run
from divisionbell.run.instrument import instrument
from divisionbell.run.outcomes import VALID
from divisionbell.run.way_on import left, way_on

TOKENS = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens")
MOST_REASONS = 5  # so many different reasons why units were not reached are told
PART_OF = {"cached_tokens": "input_tokens", "reasoning_tokens": "output_tokens"}


def run_summary(run: Run) -> dict[str, Any]:
    """Counts, rates, tokens and times of a run as JSON values.

    Rates are None where nothing was read. A token count is that of the replies that the server counted, with `counted`
    and `calls` beside it: what was not counted is unknown and not 0. `left` and `go_on` are None where it is complete.
    """
    outcomes = Counter(str(unit["outcome"]) for unit in run.units)
    attempts = [attempt for unit in run.units for attempt in unit["attempts"]]
    read = sum(outcomes[name] for name in (*VALID, "malformed"))
    valid = sum(outcomes[name] for name in VALID)
    latencies = sorted(attempt["latency_seconds"] for attempt in attempts if "latency_seconds" in attempt)
    return {
        "folder": str(run.folder),
        "header": dict(run.header),
        "state": "complete" if run.missing == 0 else "incomplete",
        "left": str(left(run)) if run.missing else None,
        "go_on": way_on(run) if run.missing else None,
        "units": {"planned": int(run.header["unit_count"]), "there": len(run.units), "missing": run.missing},
        "outcomes": dict(sorted(outcomes.items())),
        "parse_rate_at_first": outcomes["valid_at_first"] / read if read else None,
        "parse_rate": valid / read if read else None,
        "first_readings": dict(sorted(Counter(a["reading"] for a in attempts if a["attempt_number"] == 1).items())),
        "transport_errors": _seen(attempts, "transport_error"),
        "with_logprobs": sum("answer_token_logprobs" in attempt for attempt in attempts),
        "calls": len(attempts),
        "transport_retries": sum(attempt["transport_retries"] for attempt in attempts),
        "tokens": {name: _sum(attempts, name) for name in TOKENS},
        "reported_cost": _sum(attempts, "reported_cost"),
        "latency_seconds": {
            name: latencies[int(share * (len(latencies) - 1))]
            for name, share in (("median", 0.5), ("p95", 0.95), ("longest", 1.0))
        }
        if latencies
        else None,
        "served_models": _seen(attempts, "served_model"),
        "fingerprints": _seen(attempts, "fingerprint"),
        "dropped_parameters": sorted({name for a in attempts for name in a.get("dropped_parameters", [])}),
        "finished_at": max((unit["finished_at"] for unit in run.units), default=None),
    }


def _sum(attempts: list[dict[str, Any]], name: str) -> dict[str, Any]:
    counted = [attempt[name] for attempt in attempts if name in attempt]
    return {"sum": sum(counted), "counted": len(counted)}


def _seen(attempts: list[dict[str, Any]], name: str) -> dict[str, int]:
    return dict(sorted(Counter(str(attempt[name]) for attempt in attempts if name in attempt).items()))


def summary_lines(told: dict[str, Any]) -> list[str]:
    """The summary for a person."""
    header, units, calls = told["header"], told["units"], told["calls"]
    shard = f", shard {header['shard_index']} of {header['shard_count']}" if "shard_index" in header else ""
    how = instrument(header["respondent"], header["constrained"])
    merged = f", merged from {len(header['merged_from'])} shards" if "merged_from" in header else ""
    lines = [
        f"{header['run_id']}: {header['respondent']}{how}, {told['state']}{shard}{merged}",
        f"  bank {header['bank_version']} ({header['bank_sha256'][:12]}), form {header['form']}, "
        f"{header['repeats']} repeat{'s' if header['repeats'] > 1 else ''}",
        f"  settings: {', '.join(f'{k} {v}' for k, v in header['settings'].items()) or 'none'}",
        f"  started {header['started_at']}, last unit {told['finished_at'] or 'none'}",
        f"  {units['there']} of {units['planned']} units: "
        + (", ".join(f"{count} {name.replace('_', ' ')}" for name, count in told["outcomes"].items()) or "none"),
    ]
    if told["parse_rate"] is not None:
        at_first, in_the_end = (percent(told[rate], 1) for rate in ("parse_rate_at_first", "parse_rate"))
        lines.append(f"  parse rate {at_first} at first, {in_the_end} after the retry")
    readings = ", ".join(f"{count} {name}" for name, count in told["first_readings"].items())
    if readings:
        lines.append(f"  first replies read as: {readings}")
    reasons = sorted(told["transport_errors"].items(), key=lambda pair: -pair[1])
    lines += [f"  not reached: {reason} ({count})" for reason, count in reasons[:MOST_REASONS]]
    if header["settings"].get("logprobs"):
        lines.append(f"  log probabilities with {told['with_logprobs']} of {calls} calls")
    lines.append(f"  {calls} calls, {told['transport_retries']} transport retries" + _latency(told["latency_seconds"]))
    tokens = [_token_line(name, told["tokens"], calls) for name in TOKENS if told["tokens"][name]["counted"]]
    if calls:
        lines.append("  tokens: " + ("; ".join(tokens) or "the server counted none, so the number is unknown"))
    cost = told["reported_cost"]
    if cost["counted"]:
        lines.append(f"  cost, as the server counts it: {cost['sum']:.4g}{_counted(cost, calls)}")
    for slot, what in (("served_models", "served as"), ("fingerprints", "fingerprints")):
        seen = told[slot]
        if seen:
            lines.append(f"  {what} " + ", ".join(f"{name} ({count})" for name, count in seen.items()))
        if len(seen) > 1:
            lines.append("  ! more than one: it is not certain that one model gave all answers")
    asked, served = header["settings"].get("model"), told["served_models"]
    if isinstance(asked, str) and served and asked not in served:
        lines.append(f"  ! the model asked for is {asked}")
    if told["dropped_parameters"]:
        lines.append(f"  the server refused {', '.join(told['dropped_parameters'])}: its own default held")
    if told["go_on"] is not None:
        lines.append(f"  {told['left']}; go on with: {told['go_on']}")
    return lines


def _latency(found: dict[str, float] | None) -> str:
    if found is None:
        return ""
    return (
        f", latency {found['median']:.2f} s (median), {found['p95']:.2f} s (95 %), {found['longest']:.2f} s (longest)"
    )


def _token_line(name: str, tokens: dict[str, dict[str, int]], calls: int) -> str:
    told = tokens[name]
    within = f" of the {PART_OF[name].partition('_')[0]}" if name in PART_OF else ""
    return f"{told['sum']:,} {name.partition('_')[0]}{within}{_counted(told, calls)}"


def _counted(told: dict[str, Any], calls: int) -> str:
    return "" if told["counted"] == calls else f" (counted in {told['counted']} of {calls} calls)"
