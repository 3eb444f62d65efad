"""Check a stored run against its frozen bank: nothing in it is taken on trust."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from divisionbell.bank.canonical import digest
from divisionbell.bank.parse import PARSER_ID, Reading, parse_reply
from divisionbell.freeze.frozen_bank import Asked, FrozenBank
from divisionbell.run.administer import encodable_turns
from divisionbell.run.find_runs import Run
from divisionbell.run.planned_keys import planned_keys
from divisionbell.run.prompt import ORDERS, Order, first_turns, retry_turns, stored_order
from divisionbell.run.respondents.party import Party
from divisionbell.run.respondents.respondent import Message
from divisionbell.run.shard import shard_in
from divisionbell.run.unit_key import UnitKeys

_SHORT = 200  # characters of a reply whose reading is remembered


def verify_run(bank: FrozenBank, run: Run) -> list[str]:
    """What does not hold in a run, each in a sentence; an empty list where all of it does.

    Checked are the schema, the bank's digest, that every unit is one of the plan and stands once, that the prompts are
    those of the bank, and that each reply reads, again, as was recorded.
    """
    problems = header_problems(bank, run.header)
    if problems:
        return problems
    check = UnitCheck(bank, run.header)
    return [f"unit {unit['unit_key'][:12]}: {fault}" for unit in run.units for fault in check.faults(unit)]


def header_problems(bank: FrozenBank, header: Mapping[str, Any]) -> list[str]:
    """Where the header of a run is not one of this bank."""
    if header["bank_sha256"] != bank.sha256:
        return [f"it was asked from records {header['bank_sha256']}, version {bank.version} has {bank.sha256}"]
    if header["template_sha256"] != bank.template_sha256 or header["parser_used"] != PARSER_ID:
        return ["its template or parser is not that of the bank"]
    items = bank.form(header["form"])
    declined = declined_dossiers(bank, header["respondent"])
    shard = shard_in(header)
    each = len(ORDERS) * int(header["repeats"])
    units, administered = len(items) * each, sum(one.dossier.dossier_id in declined for one in items) * each
    if shard is not None:
        dossiers = {one.item.item_id: one.dossier.dossier_id for one in items}
        own = [item for key, (item, _, _) in planned_keys(bank, header).items() if shard.holds(key)]
        units, administered = len(own), sum(dossiers[item] in declined for item in own)
    if header["unit_count"] != units:
        return [f"it says {header['unit_count']} units, {shard or 'form ' + header['form']} has another number"]
    if header["not_administered_count"] != administered:
        return [f"it says {header['not_administered_count']} units are not administered, there are {administered}"]
    return []


class UnitCheck:
    """Holds the units of a run, one after the other, to the frozen bank. The header has no problems.

    What units share is computed once: the prompt of an item in an order with its digest, and how a short reply reads.
    """

    def __init__(self, bank: FrozenBank, header: Mapping[str, Any]) -> None:
        self._keys = UnitKeys(header)
        self._bank, self._repeats = bank, int(header["repeats"])
        self._asked = {one.item.item_id: one for one in bank.form(header["form"])}
        self._shard = shard_in(header)
        declined = declined_dossiers(bank, header["respondent"])
        # Of each item, once for all its units: its dossier, its stored order, and whether it is not administered.
        self._facts = {
            item: (one.dossier.dossier_id, stored_order(one), one.dossier.dossier_id in declined)
            for item, one in self._asked.items()
        }
        self._tags = tuple(header["reasoning_tags"]) if "reasoning_tags" in header else None
        self._sent = cache(self._first_sent)
        self._read_short = lru_cache(maxsize=1 << 16)(self._read)

    def faults(self, unit: Mapping[str, Any]) -> list[str]:
        """What does not hold in a unit that fits the run schema."""
        one, order, repeat = self._asked.get(unit["asked_item"]), unit["asked_order"], unit["repeat"]
        if (
            one is None
            or order not in ORDERS
            or not 1 <= repeat <= self._repeats
            or unit["unit_key"] != self._keys.key(unit["asked_item"], order, repeat)
            or (self._shard is not None and not self._shard.holds(unit["unit_key"]))
        ):
            return ["is no unit of this run"]
        faults = [] if self._is_plain(unit) else self._read_again(one, unit)
        dossier, stored, declined = self._facts[unit["asked_item"]]
        if unit["asked_dossier"] != dossier:
            faults.append(f"is of dossier {dossier}, recorded is {unit['asked_dossier']}")
        if unit["stored_order"] != (order == stored):
            faults.append("stored_order is not what the order asked gives")
        if (unit["outcome"] == "not_administered") != declined:
            faults.append(f"{unit['outcome']} is not what the respondent's positions give")
        return faults

    def _first_sent(self, item: str, order: Order) -> tuple[list[dict[str, str]], str]:
        return _sent(first_turns(self._bank, self._asked[item], order))

    def _read(self, item: str, text: Any, finish: Any, refusal: Any, transport: Any) -> Reading:
        return parse_reply(item, text, finish, self._tags, refusal, transport)

    def _is_plain(self, unit: Mapping[str, Any]) -> bool:
        """Whether it was asked once, as the bank has it, and answered validly, as recorded: so are nearly all."""
        attempts = unit["attempts"]
        if len(attempts) != 1 or unit["outcome"] != "valid_at_first":
            return False
        attempt, item = attempts[0], unit["asked_item"]
        sent, sent_sha256 = self._sent(item, unit["asked_order"])
        text = attempt.get("reply_text")
        if text is None or len(text) > _SHORT or attempt["turns"] != sent:
            return False
        if attempt["turns_sha256"] != sent_sha256 or attempt["attempt_number"] != 1:
            return False
        reading = self._read_short(
            item, text, attempt.get("finish_reason"), attempt.get("refusal_field"), attempt.get("transport_error")
        )
        told = (attempt["reading"], unit.get("answer"))
        return reading.verdict == "valid" and told == (reading.reason, reading.answer)

    def _read_again(self, asked: Asked, unit: Mapping[str, Any]) -> list[str]:
        faults = []
        item, order = asked.item.item_id, unit["asked_order"]
        sent, sent_sha256 = self._sent(item, order)
        outcome, answer = "not_administered" if not unit["attempts"] else "malformed", None
        ended = False
        for number, attempt in enumerate(unit["attempts"], start=1):
            if ended or number > 2 or attempt["attempt_number"] != number:
                return [f"attempt {number} follows what ended the unit, or is out of its place"]
            if attempt["turns"] != sent or attempt["turns_sha256"] != sent_sha256:
                faults.append(f"attempt {number} was not sent as the bank has it")
            text = attempt.get("reply_text")
            read = self._read_short if text is None or len(text) <= _SHORT else self._read
            reading = read(
                item,
                text,
                attempt.get("finish_reason"),
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
                turns = retry_turns(self._bank, first_turns(self._bank, asked, order), text)
                sent, sent_sha256 = _sent(turns) if number == 1 else (sent, sent_sha256)
            ended = reading.verdict != "malformed"
        if outcome == "malformed" and len(unit["attempts"]) == 1:
            faults.append("the reminder was not sent after a malformed reply")
        if outcome != unit["outcome"] or answer != unit.get("answer"):
            faults.append(
                f"the replies come to {outcome} {answer or ''}, recorded is {unit['outcome']} {unit.get('answer', '')}"
            )
        return faults


def _sent(turns: tuple[Message, ...]) -> tuple[list[dict[str, str]], str]:
    """The turns as an attempt records them, with their digest."""
    sent = [{"turn_role": turn.role, "content": turn.content} for turn in turns]
    return sent, digest(encodable_turns(sent))


def declined_dossiers(bank: FrozenBank, respondent: str) -> set[str]:
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
