"""Ask a respondent the units of a form and hand each finished unit to a sink. All respondents go this one way."""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from divisionbell import __version__
from divisionbell.bank.canonical import digest
from divisionbell.bank.parse import PARSER_ID, Reading, parse_reply
from divisionbell.diagnostics import Incomplete, cut
from divisionbell.freeze.frozen_bank import Asked, FrozenBank
from divisionbell.run.clock import utc_now
from divisionbell.run.fits import refuse_unwritable
from divisionbell.run.prompt import ORDERS, Order, first_turns, retry_turns, stored_order
from divisionbell.run.respondents.respondent import Ask, Message, Reply, Respondent
from divisionbell.run.unit_key import UnitKeys

RUN_SCHEMA_VERSION = "0.2.0"
# After this many units in a row that did not reach the respondent, going on would only burn time.
FAILURES_IN_A_ROW = 10
# A run that stops itself waits this long for the calls that are in flight: they may be paid for.
DRAIN_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Planned:
    """One unit to be asked. `first` is its first attempt, where that was malformed and only the reminder is due."""

    key: str
    asked: Asked
    order: Order
    repeat: int
    first: Mapping[str, Any] | None = None


def configuration(bank: FrozenBank, respondent: Respondent, form: str, repeats: int) -> dict[str, Any]:
    """Everything that two parts of one run must share; the header holds it, and resuming compares it."""
    made: dict[str, Any] = {
        "respondent": respondent.name,
        "constrained": respondent.constrained,
        "settings": dict(respondent.settings),
        "bank_version": bank.version,
        "bank_sha256": bank.sha256,
        "form": form,
        "repeats": repeats,
        "template_sha256": bank.template_sha256,
        "parser_used": PARSER_ID,
    }
    if respondent.reasoning_tags is not None:
        made["reasoning_tags"] = list(respondent.reasoning_tags)
    return made


def plan(bank: FrozenBank, respondent: Respondent, form: str, repeats: int) -> list[Planned]:
    """Every unit of a run: each item in both orders, `repeats` times each. The key is a digest of all that makes the
    unit itself, the repeat included; the form is left out, so that a unit is the same in either form.

    Raises UsageProblem where no header could hold the configuration, before anything is asked.
    """
    told = configuration(bank, respondent, form, repeats)
    refuse_unwritable(told)
    keys = UnitKeys(told)
    return [
        Planned(keys.key(asked.item.item_id, order, repeat), asked, order, repeat)
        for repeat in range(1, repeats + 1)
        for asked in bank.form(form)
        for order in ORDERS
    ]


def header(
    bank: FrozenBank, respondent: Respondent, form: str, repeats: int, run_id: str, units: list[Planned]
) -> dict[str, Any]:
    """The run header: the configuration with the run's id, start and the programs used."""
    return {
        "run_id": run_id,
        "run_schema_version": RUN_SCHEMA_VERSION,
        **configuration(bank, respondent, form, repeats),
        "unit_count": len(units),
        "not_administered_count": sum(respondent.declines(unit.asked.dossier.dossier_id) for unit in units),
        "started_at": utc_now(),
        "software": [
            {"software_name": "divisionbell", "software_version": __version__},
            {"software_name": "python", "software_version": platform.python_version()},
        ],
    }


def turns_due(bank: FrozenBank, planned: Planned) -> tuple[Message, ...]:
    """The conversation that a unit is asked with next: its prompt, and behind a malformed reply the reminder."""
    turns = first_turns(bank, planned.asked, planned.order)
    return turns if planned.first is None else retry_turns(bank, turns, planned.first.get("reply_text"))


async def ask_unit(bank: FrozenBank, respondent: Respondent, planned: Planned) -> dict[str, Any]:
    """Ask one unit: the first reply, and after a malformed one the reminder as a further turn, once."""
    attempts: list[Mapping[str, Any]] = [] if planned.first is None else [planned.first]
    turns = turns_due(bank, planned)
    outcome, answer = "malformed", None
    if respondent.declines(planned.asked.dossier.dossier_id):
        outcome = "not_administered"
    else:
        for number in range(len(attempts) + 1, 3):
            asked_at = utc_now()
            reply = await respondent.answer(_ask(planned, number, turns))
            if reply.asked_at is None:  # the transport knows better, where there is one
                reply = replace(reply, asked_at=asked_at)
            reading = _read(planned, respondent, reply)
            attempts.append(_attempt(number, turns, reply, reading))
            if reading.verdict == "valid":
                outcome, answer = ("valid_at_first" if number == 1 else "valid_after_retry"), reading.answer
                break
            if reading.verdict == "not_obtained":
                outcome = "transport_failed" if reading.reason == "transport" else reading.reason
                break
            turns = retry_turns(bank, turns, reply.text)
    unit: dict[str, Any] = {
        "unit_key": planned.key,
        "asked_item": planned.asked.item.item_id,
        "asked_dossier": planned.asked.dossier.dossier_id,
        "asked_order": planned.order,
        "stored_order": planned.order == stored_order(planned.asked),
        "repeat": planned.repeat,
        "outcome": outcome,
        "attempts": attempts,
        "finished_at": utc_now(),
    }
    return unit if answer is None else unit | {"answer": answer}


def _ask(planned: Planned, number: int, turns: tuple[Message, ...]) -> Ask:
    return Ask(
        unit_key=planned.key,
        item_id=planned.asked.item.item_id,
        attempt=number,
        messages=turns,
        pole_at_a="negative" if planned.order == "negative_at_a" else "positive",
        dossier_id=planned.asked.dossier.dossier_id,
    )


def _read(planned: Planned, respondent: Respondent, reply: Reply) -> Reading:
    return parse_reply(
        planned.asked.item.item_id,
        reply.text,
        reply.finish_reason,
        respondent.reasoning_tags,
        reply.refusal_field,
        reply.transport_error,
    )


def _attempt(number: int, turns: tuple[Message, ...], reply: Reply, reading: Reading) -> dict[str, Any]:
    sent = [{"turn_role": turn.role, "content": turn.content} for turn in turns]
    made = {
        "attempt_number": number,
        "turns": sent,
        "turns_sha256": digest(encodable_turns(sent)),
        "reply_text": reply.text,
        "reading": reading.reason,
        "finish_reason": reply.finish_reason,
        "refusal_field": reply.refusal_field,
        "transport_error": reply.transport_error,
        "served_model": reply.served_model,
        "fingerprint": reply.fingerprint,
        "input_tokens": reply.usage.input_tokens,
        "output_tokens": reply.usage.output_tokens,
        "cached_tokens": reply.usage.cached_tokens,
        "reasoning_text": reply.reasoning_text,
        "reasoning_tokens": reply.usage.reasoning_tokens,
        "reported_cost": reply.usage.reported_cost,
        "answer_token_logprobs": [{"token": t, "logprob": p} for t, p in reply.answer_token_logprobs] or None,
        "dropped_parameters": list(reply.dropped_parameters) or None,
        "asked_at": reply.asked_at if reply.transport_error is None else None,
        "latency_seconds": None if reply.latency_seconds is None else round(reply.latency_seconds, 4),
        "transport_retries": reply.transport_retries,
    }
    return {name: value for name, value in made.items() if value is not None}


def encodable_turns(turns: list[dict[str, str]]) -> list[dict[str, str]]:
    """Turns in a form that RFC 8785 has a digest for: lone surrogates, which a quoted reply can hold, are escaped."""
    return [{**turn, "content": turn["content"].encode("utf-8", "backslashreplace").decode("utf-8")} for turn in turns]


async def administer(
    bank: FrozenBank,
    respondent: Respondent,
    units: Iterable[Planned],
    sink: Callable[[Mapping[str, Any]], Awaitable[None] | None],
    concurrency: int,
    drain_seconds: float = DRAIN_SECONDS,
) -> None:
    """Ask the units, at most `concurrency` at once, and hand each to `sink` as it is finished. What the sink gives back
    to wait for is waited for before the worker goes on.

    Raises RespondentStopped where going on is pointless, Incomplete after many failures in a row: then no further unit
    is asked, and for `drain_seconds` those in flight are waited for and kept, failures as well. What the sink raises
    ends everything at once.
    """
    waiting = iter(units)
    failures = 0
    stop: Incomplete | None = None

    async def worker() -> None:
        nonlocal failures, stop
        for planned in waiting:
            try:
                unit = await ask_unit(bank, respondent, planned)
            except Incomplete as reason:
                if stop is not None:
                    return
                stop = reason
                raise
            kept = sink(unit)
            if kept is not None:
                await kept
            failures = failures + 1 if unit["outcome"] == "transport_failed" else 0
            if failures >= FAILURES_IN_A_ROW and stop is None:
                last = unit["attempts"][-1].get("transport_error", "")
                stop = Incomplete(
                    f"stopped after {failures} units in a row did not reach the respondent: {cut(last)}",
                    "see to the server",
                )
                raise stop
            if stop is not None:
                return

    tasks = [asyncio.create_task(worker()) for _ in range(max(1, min(concurrency, respondent.max_concurrency)))]
    try:
        ended, others = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        if others and stop is not None and all(task.exception() in (None, stop) for task in ended):
            await asyncio.wait(others, timeout=drain_seconds)
    finally:
        for task in tasks:
            task.cancel()
        ends = await asyncio.gather(*tasks, return_exceptions=True)
    # One worker's reason to stop ends them all; what the sink raised is told before it.
    for end in sorted((end for end in ends if isinstance(end, Exception)), key=lambda end: end is stop):
        raise end
