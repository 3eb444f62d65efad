"""divisionbell parse"""

from __future__ import annotations

import json
import sys
from typing import Any, BinaryIO

import click

from divisionbell.diagnostics import UsageProblem


class _Given(click.File):
    """A file, or standard input where that is open."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "-" and sys.stdin is None:
            raise UsageProblem("standard input is closed", "pipe JSON lines in, or name a file")
        return super().convert(value, param, ctx)


@click.command("parse", short_help="Read replies strictly, JSON lines in and out.")
@click.argument("file", type=_Given("rb"), default="-")
def command(file: BinaryIO) -> None:
    """Read replies strictly, JSON lines in and out, with the parser that a run uses.

    In, one object a line: item_id, reply (text or null), finish_reason; optional declared_reasoning_tags (two texts),
    refusal_field, transport_error. Out: the same object with verdict (valid, malformed, not_obtained), answer and
    reason. Other fields pass through. Without FILE, or with -, standard input is read.
    """
    from divisionbell.bank.parse import parse_reply

    name = getattr(file, "name", "-")
    for number, line in enumerate(file, start=1):
        if not line.strip():
            continue
        entry = _entry(line, f"{name}:{number}")
        reading = parse_reply(
            entry["item_id"],
            entry.get("reply"),
            entry.get("finish_reason"),
            tuple(entry["declared_reasoning_tags"]) if entry.get("declared_reasoning_tags") else None,
            entry.get("refusal_field"),
            None if entry.get("transport_error") in (None, False) else str(entry["transport_error"]),
        )
        told = {**entry, "verdict": reading.verdict, "answer": reading.answer, "reason": reading.reason}
        sys.stdout.write(json.dumps(told) + "\n")


def _entry(line: bytes, place: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as problem:
        raise UsageProblem(f"{place}: is not JSON: {problem}", "write one JSON object a line") from None
    if not isinstance(entry, dict) or not isinstance(entry.get("item_id"), str):
        raise UsageProblem(
            f"{place}: has no item_id", 'write {"item_id": "...", "reply": "...", "finish_reason": "stop"}'
        )
    for slot in ("reply", "finish_reason", "refusal_field"):
        if not isinstance(entry.get(slot), str | None):
            raise UsageProblem(f"{place}: {slot} is neither text nor null", "write text or null")
    tags = entry.get("declared_reasoning_tags")
    if tags and not (isinstance(tags, list) and len(tags) == 2 and all(isinstance(t, str) and t for t in tags)):
        raise UsageProblem(f"{place}: declared_reasoning_tags are not two texts", 'write ["<think>", "</think>"]')
    return entry
