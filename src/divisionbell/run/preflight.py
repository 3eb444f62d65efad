"""One call before a run: is the server there, does it take what is asked of it, and what will the run come to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from divisionbell.bank.parse import REASONS, Reading, parse_reply
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.clock import utc_now
from divisionbell.run.prompt import turns_of
from divisionbell.run.respondents.http_reply import one_line
from divisionbell.run.respondents.respondent import (
    Ask,
    Message,
    Reply,
    Respondent,
    RespondentRefused,
    RespondentStopped,
)
from divisionbell.run.workload import CHARACTERS_A_TOKEN, Workload, characters

# Ids of items are drawn without 0 and 1, so that this is none of them.
CHECK_ID = "q0000000"
CHECK_STEM = "This is a check of the connection before a questionnaire. It is not part of it."
CHECK_OPTION = "The connection works."
# Put to a server that is to keep the answer's shape: only a server that does keep it can answer with the object.
SHAPE_CHECK = "Say in one short sentence that the connection works."
LONGEST_KEPT = 1_000  # characters of the reply that the header keeps


@dataclass(frozen=True)
class Preflight:
    """What the call showed. `reading` is that of the parser, `temperature` one of accepted, refused and not sent."""

    called_at: str
    sent_characters: int
    reply: Reply
    reading: Reading
    temperature: str

    def record(self, work: Workload, concurrency: int) -> dict[str, Any]:
        """What the run header keeps of it, with the run's estimates; what is unknown is left out."""
        reply, usage = self.reply, self.reply.usage
        kept = {
            "called_at": self.called_at,
            "served_model": reply.served_model,
            "fingerprint": reply.fingerprint,
            "temperature": self.temperature,
            "dropped_parameters": list(reply.dropped_parameters) or None,
            "reading": self.reading.reason,
            "reply_text": reply.text[:LONGEST_KEPT] if reply.text is not None else None,
            "finish_reason": reply.finish_reason,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "reasoning_tokens": usage.reasoning_tokens,
            "reported_cost": usage.reported_cost,
            "latency_seconds": None if reply.latency_seconds is None else round(reply.latency_seconds, 4),
            "transport_retries": reply.transport_retries,
            "estimates": self.estimates(work, concurrency),
        }
        return {name: _encodable(value) for name, value in kept.items() if value is not None}

    def estimates(self, work: Workload, concurrency: int) -> dict[str, Any]:
        """Calls, tokens, time and, where the server says what this call cost, cost of the run, from this one call."""
        usage, seconds = self.reply.usage, self.reply.latency_seconds
        a_character = (usage.input_tokens / self.sent_characters) if usage.input_tokens else 1 / CHARACTERS_A_TOKEN
        written = usage.output_tokens or round(work.answer_characters / CHARACTERS_A_TOKEN)
        made: dict[str, Any] = {
            "tokens_from": "this call" if usage.input_tokens else f"characters / {CHARACTERS_A_TOKEN}",
            "concurrency": concurrency,
        }
        for ends, calls, sent in (
            ("at_least", work.calls_at_least, work.characters_at_least),
            ("at_most", work.calls_at_most, work.characters_at_most),
        ):
            made[f"calls_{ends}"] = calls
            made[f"input_tokens_{ends}"] = round(sent * a_character)
            made[f"output_tokens_{ends}"] = written * calls
            if seconds is not None:
                made[f"seconds_{ends}"] = round(seconds * -(-calls // concurrency), 1)
            if usage.reported_cost is not None and usage.input_tokens and usage.output_tokens:
                tokens = made[f"input_tokens_{ends}"] + made[f"output_tokens_{ends}"]
                a_token = usage.reported_cost / (usage.input_tokens + usage.output_tokens)
                made[f"cost_{ends}"] = float(f"{a_token * tokens:.3g}")
        return made

    @property
    def format_told(self) -> str:
        """Whether the strict format was reached, in a clause."""
        if self.reading.verdict == "valid":
            return "reached: the reply was exactly the object asked for"
        return f"not reached: {self.reading.reason}, {REASONS[self.reading.reason]}"


async def preflight(bank: FrozenBank, respondent: Respondent) -> Preflight:
    """Make the one call.

    Raises RespondentRefused where the respondent cannot be reached, refuses the call, or is to keep the answer's shape
    and does not: nothing was begun, so nothing can be gone on with.
    """
    turns = turns_of(bank, CHECK_STEM, CHECK_OPTION, CHECK_OPTION, CHECK_ID)
    if respondent.constrained:
        turns = (turns[0], Message("user", SHAPE_CHECK))
    called_at = utc_now()
    try:
        reply = await respondent.answer(Ask("preflight", CHECK_ID, 1, turns, "negative", "preflight"))
    except RespondentStopped as stopped:
        raise RespondentRefused(stopped.message, stopped.fix) from None
    if reply.transport_error is not None:
        raise RespondentRefused(
            f"{respondent.name}: the call before the run failed: {one_line(reply.transport_error, None)}",
            "nothing was asked or written; mend what it names and start again",
        )
    reading = parse_reply(
        CHECK_ID, reply.text, reply.finish_reason, respondent.reasoning_tags, reply.refusal_field, None
    )
    if respondent.constrained and reading.verdict == "malformed":
        raise RespondentRefused(
            f"{respondent.name}: the server does not hold replies to the answer's shape: it said "
            f"{one_line(reply.text or '', None) or 'nothing'}",
            "choose another --decoding, or ask freely",
        )
    return Preflight(called_at, characters(turns), reply, reading, _temperature(respondent.settings, reply))


def _temperature(settings: Mapping[str, object], reply: Reply) -> str:
    if "temperature" in reply.dropped_parameters:
        return "refused"
    sent = settings.get("temperature")
    return "accepted" if isinstance(sent, int | float) else "not sent"


def _encodable(value: Any) -> Any:
    """Text without lone surrogates, which have no place in a header."""
    return value.encode("utf-8", "backslashreplace").decode("utf-8") if isinstance(value, str) else value
