"""Check a stored run against its frozen bank: nothing in it is taken on trust."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from divisionbell.bank.canonical import digest
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.administer import encodable_turns
from divisionbell.run.find_runs import Run
from divisionbell.run.parse import PARSER_ID, parse_reply
from divisionbell.run.prompt import ORDERS, first_turns, retry_turns, stored_order
from divisionbell.run.respondents.party import Party


def verify_run(bank: FrozenBank, run: Run) -> list[str]:
    """What does not hold in a run, each in a sentence; an empty list where all of it does.

    Checked are the schema, the bank's digest, that every unit is one of the plan and stands once, that the prompts are
    those of the bank, and that each reply reads, again, as was recorded.
    """
    header = dict(run.header)
    if header["bank_sha256"] != bank.sha256:
        return [f"it was asked from records {header['bank_sha256']}, version {bank.version} has {bank.sha256}"]
    if header["template_sha256"] != bank.template_sha256 or header["parser_used"] != PARSER_ID:
        return ["its template or parser is not that of the bank"]
    items = bank.form(header["form"])
    if header["unit_count"] != len(items) * len(ORDERS) * header["repeats"]:
        return [f"it says {header['unit_count']} units, form {header['form']} has another number"]
    declined = _declined(bank, header["respondent"])
    administered = sum(one.dossier.dossier_id in declined for one in items) * len(ORDERS) * header["repeats"]
    if header["not_administered_count"] != administered:
        return [f"it says {header['not_administered_count']} units are not administered, there are {administered}"]
    problems: list[str] = []
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
    asked = {one.item.item_id: one for one in items}
    expected = {
        digest({"run": shared, "item": name, "order": order, "repeat": repeat}): (name, order, repeat)
        for name in asked
        for order in ORDERS
        for repeat in range(1, header["repeats"] + 1)
    }
    tags = tuple(header["reasoning_tags"]) if "reasoning_tags" in header else None
    for unit in run.units:
        name = f"unit {unit['unit_key'][:12]}"
        if expected.get(unit["unit_key"]) != (unit["asked_item"], unit["asked_order"], unit["repeat"]):
            problems.append(f"{name}: is no unit of this run")
            continue
        one = asked[unit["asked_item"]]
        faults = _read_again(bank, one, unit, tags)
        if unit["asked_dossier"] != one.dossier.dossier_id:
            faults.append(f"is of dossier {one.dossier.dossier_id}, recorded is {unit['asked_dossier']}")
        if unit["stored_order"] != (unit["asked_order"] == stored_order(one)):
            faults.append("stored_order is not what the order asked gives")
        if (unit["outcome"] == "not_administered") != (one.dossier.dossier_id in declined):
            faults.append(f"{unit['outcome']} is not what the respondent's positions give")
        problems += [f"{name}: {fault}" for fault in faults]
    return problems


def _declined(bank: FrozenBank, respondent: str) -> set[str]:
    """The dossiers that a respondent has no position on: only a party can have such, by its votes."""
    kind, _, name = respondent.partition(":")
    if kind != "party":
        return set()
    party = Party(bank, name)
    return {dossier.dossier_id for dossier in bank.dossiers if party.declines(dossier.dossier_id)}


def registration_problems(
    entries: Sequence[Mapping[str, Any]], header: Mapping[str, Any], journal_sha256: str
) -> list[str]:
    """Where a registered run is not what was registered. `entries` are those of evaluations.yaml."""
    told = {
        "evaluated_version": header["bank_version"],
        "records_sha256": header["bank_sha256"],
        "journal_sha256": journal_sha256,
        "respondent_name": header["respondent"],
        "asked_form": header["form"],
    }
    return [
        f"it was registered with {slot} {entry[slot]}, now it is {value}"
        for entry in entries
        if entry["evaluated_run"] == header["run_id"]
        for slot, value in told.items()
        if entry[slot] != value
    ]


def _read_again(bank: FrozenBank, asked: Any, unit: dict[str, Any], tags: Any) -> list[str]:
    faults = []
    turns = first_turns(bank, asked, unit["asked_order"])
    outcome, answer = "not_administered" if not unit["attempts"] else "malformed", None
    ended = False
    for number, attempt in enumerate(unit["attempts"], start=1):
        if ended or number > 2 or attempt["attempt_number"] != number:
            return [f"attempt {number} follows what ended the unit, or is out of its place"]
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
        ended = reading.verdict != "malformed"
    if outcome == "malformed" and len(unit["attempts"]) == 1:
        faults.append("the reminder was not sent after a malformed reply")
    if outcome != unit["outcome"] or answer != unit.get("answer"):
        faults.append(
            f"the replies come to {outcome} {answer or ''}, recorded is {unit['outcome']} {unit.get('answer', '')}"
        )
    return faults
