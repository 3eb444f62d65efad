"""Check a stored run against its frozen bank: nothing in it is taken on trust."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import jsonschema_rs
import orjson

from divisionbell.bank.canonical import digest
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.administer import encodable_turns
from divisionbell.run.find_runs import Run
from divisionbell.run.parse import parse_reply
from divisionbell.run.prompt import ORDERS, first_turns, retry_turns


@cache
def _validator(name: str) -> Any:
    schema = orjson.loads(files("divisionbell.model").joinpath("run.schema.json").read_bytes())
    return jsonschema_rs.validator_for({"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]})


def verify_run(bank: FrozenBank, run: Run) -> list[str]:
    """What does not hold in a run, each in a sentence; an empty list where all of it does.

    Checked are the schema, the bank's digest, that every unit is one of the plan and stands once, that the prompts are
    those of the bank, and that each reply reads, again, as was recorded.
    """
    header = dict(run.header)
    problems = [f"run.json: {error.message}" for error in _validator("RunHeader").iter_errors(header)]
    if problems:
        return problems
    if header["bank_sha256"] != bank.sha256:
        return [f"it was asked from records {header['bank_sha256']}, version {bank.version} has {bank.sha256}"]
    shared = {
        name: header[name]
        for name in (
            "respondent",
            "constrained",
            "settings",
            "bank_version",
            "bank_sha256",
            "template_sha256",
            "parser_used",
        )
    }
    if "reasoning_tags" in header:
        shared["reasoning_tags"] = header["reasoning_tags"]
    asked = {one.item.item_id: one for one in bank.form(header["form"])}
    expected = {
        digest({"run": shared, "item": name, "order": order, "repeat": repeat}): (name, order, repeat)
        for name in asked
        for order in ORDERS
        for repeat in range(1, header["repeats"] + 1)
    }
    tags = tuple(header["reasoning_tags"]) if "reasoning_tags" in header else None
    for unit in run.units:
        name = f"unit {str(unit.get('unit_key'))[:12]}"
        faults = [f"{name}: {error.message}" for error in _validator("Unit").iter_errors(unit)]
        if not faults:
            if expected.get(unit["unit_key"]) != (unit["asked_item"], unit["asked_order"], unit["repeat"]):
                faults = [f"{name}: is no unit of this run"]
            else:
                faults = [f"{name}: {fault}" for fault in _read_again(bank, asked[unit["asked_item"]], unit, tags)]
        problems += faults
    return problems


def _read_again(bank: FrozenBank, asked: Any, unit: dict[str, Any], tags: Any) -> list[str]:
    faults = []
    turns = first_turns(bank, asked, unit["asked_order"])
    outcome, answer = "not_administered" if not unit["attempts"] else "malformed", None
    for number, attempt in enumerate(unit["attempts"], start=1):
        sent = [{"turn_role": turn.role, "content": turn.content} for turn in turns]
        if attempt["turns"] != sent or attempt["turns_sha256"] != digest(encodable_turns(sent)):
            faults.append(f"attempt {number} was not sent as the bank has it")
        reading = parse_reply(
            asked.item.item_id,
            attempt.get("reply_text"),
            attempt.get("finish_reason"),
            tags,
            attempt.get("refusal_field"),
            attempt.get("transport_error"),
        )
        if reading.reason != attempt["reading"]:
            faults.append(f"attempt {number} reads as {reading.reason}, recorded as {attempt['reading']}")
        answer = reading.answer
        if reading.verdict == "valid":
            outcome = "valid_at_first" if number == 1 else "valid_after_retry"
        elif reading.verdict == "not_obtained":
            outcome = "transport_failed" if reading.reason == "transport" else reading.reason
        else:
            outcome = "malformed"
            turns = retry_turns(bank, turns, attempt.get("reply_text"))
    if outcome != unit["outcome"] or answer != unit.get("answer"):
        faults.append(
            f"the replies come to {outcome} {answer or ''}, recorded is {unit['outcome']} {unit.get('answer', '')}"
        )
    return faults
