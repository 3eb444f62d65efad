"""Score replies that another program collected, by our own parser and estimates.

Such a program asks once and sends no reminder, so that what it collected is not a run: it is scored as the sensitivity
"first replies alone" and says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from divisionbell.bank.canonical import digest, sha256_hex
from divisionbell.bank.parse import parse_reply
from divisionbell.diagnostics import UsageProblem
from divisionbell.estimate.document import score_run
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.administer import Planned, header, plan
from divisionbell.run.clock import utc_now
from divisionbell.run.journal import line_of
from divisionbell.run.outcomes import ASKED_AGAIN
from divisionbell.run.prompt import ORDERS, first_turns, stored_order
from divisionbell.run.respondents.respondent import Ask, Reply, Respondent, RespondentRefused

NO_REMINDER = (
    "Asked by another program, which sends no reminder after a malformed reply: these are first replies alone, and "
    "more are missing than in a run."
)


class Elsewhere(Respondent):
    """A respondent that another program asks; here it has a name and settings and cannot be asked."""

    def __init__(self, name: str, settings: Mapping[str, object]) -> None:
        self._name, self._settings = name, dict(settings)

    @property
    def name(self) -> str:
        return self._name

    @property
    def settings(self) -> Mapping[str, object]:
        return self._settings

    async def answer(self, ask: Ask) -> Reply:
        raise RespondentRefused(f"{self._name} is asked by another program")


@dataclass(frozen=True)
class Collected:
    """One first reply: the item, the order (negative_at_a, positive_at_a), the repeat from 1, and what came."""

    item_id: str
    order: str
    repeat: int
    reply: Reply


def score_first_replies(
    bank: FrozenBank, form: str, respondent: Elsewhere, replies: Iterable[Collected]
) -> dict[str, Any]:
    """The ScoreDocument of first replies; `scored_journal_sha256` is the digest of the journal that they would make.

    Raises UsageProblem where a reply is to no question of the form, or stands twice, or one is missing or did not reach
    the model.
    """
    had: dict[tuple[str, str, int], Reply] = {}
    for each in replies:
        place = (each.item_id, each.order, each.repeat)
        if place in had:
            raise UsageProblem(f"the reply to {each.item_id} in order {each.order}, repeat {each.repeat}, stands twice")
        had[place] = each.reply
    repeats = max((repeat for _, _, repeat in had), default=1)
    planned = plan(bank, respondent, form, repeats)
    places = {(unit.asked.item.item_id, str(unit.order), unit.repeat): unit for unit in planned}
    for item_id, order, repeat in had.keys() - places.keys():
        raise UsageProblem(f"{item_id} in order {order}, repeat {repeat}, is no question of form {form}")
    if len(had) < len(places):
        raise UsageProblem(
            f"there are replies to {len(had)} of {len(places)} questions of form {form}", _other_form(bank, had)
        )
    units = [_unit(bank, one, had[place]) for place, one in places.items()]
    unreached = sum(unit["outcome"] == ASKED_AGAIN for unit in units)
    if unreached:
        raise UsageProblem(
            f"{unreached} of {len(units)} questions did not reach the model",
            "ask them again there, and store all results",
        )
    head = header(bank, respondent, form, repeats, f"first-replies-{respondent.name}", planned)
    document = score_run(bank, head, units, _journal_sha256(units))
    return document | {"notes": [NO_REMINDER, *document["notes"]]}


def _other_form(bank: FrozenBank, had: Iterable[tuple[str, str, int]]) -> str:
    """What to do about questions without a reply: name the form that asks those that have one, where there is one."""
    asked = {(item_id, order) for item_id, order, _ in had}
    for form in (str(one.form_id) for one in bank.settings.forms):
        if asked == {(one.item.item_id, str(order)) for one in bank.form(form) for order in ORDERS}:
            return f"they are the {len(asked)} questions of form {form}: name that one"
    return "store the results of the whole form, and name the form that was exported"


def _journal_sha256(units: list[dict[str, Any]]) -> str:
    """The digest of the journal that the units would make, without the times at which they were read."""
    timeless = [{name: value for name, value in unit.items() if name != "finished_at"} for unit in units]
    return sha256_hex(b"".join(line_of(unit) for unit in timeless))


def _unit(bank: FrozenBank, planned: Planned, reply: Reply) -> dict[str, Any]:
    """The unit that one reply makes; a malformed one stays malformed."""
    item_id = planned.asked.item.item_id
    reading = parse_reply(item_id, reply.text, reply.finish_reason, None, reply.refusal_field, reply.transport_error)
    turns = [{"turn_role": t.role, "content": t.content} for t in first_turns(bank, planned.asked, planned.order)]
    attempt: dict[str, Any] = {
        "attempt_number": 1,
        "turns": turns,
        "turns_sha256": digest(turns),
        "reading": reading.reason,
        "transport_retries": reply.transport_retries,
    }
    told = {
        "reply_text": reply.text,
        "finish_reason": reply.finish_reason,
        "refusal_field": reply.refusal_field,
        "transport_error": reply.transport_error,
    }
    attempt |= {name: value for name, value in told.items() if value is not None}
    outcome = {"valid": "valid_at_first", "malformed": "malformed"}.get(
        reading.verdict, "transport_failed" if reading.reason == "transport" else reading.reason
    )
    unit: dict[str, Any] = {
        "unit_key": planned.key,
        "asked_item": item_id,
        "asked_dossier": planned.asked.dossier.dossier_id,
        "asked_order": planned.order,
        "stored_order": planned.order == stored_order(planned.asked),
        "repeat": planned.repeat,
        "outcome": outcome,
        "attempts": [attempt],
        "finished_at": utc_now(),
    }
    return unit if reading.answer is None else unit | {"answer": reading.answer}
