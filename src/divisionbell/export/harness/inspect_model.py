"""A model of Inspect as a respondent, so that our own runner's conversation is what is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentText,
    Model,
    ModelOutput,
)

from divisionbell.export.harness.elsewhere import Elsewhere
from divisionbell.run.respondents.chat_completion import read_completion
from divisionbell.run.respondents.http_reply import Received
from divisionbell.run.respondents.respondent import Ask, Message, Reply, Usage

_KINDS = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
APART = "attachment://"


class NotAsFrozen(Exception):
    """Inspect sent something else than the frozen bank has."""


class CannotBeRead(Exception):
    """The body of a reply holds no reply."""


class InspectModel(Elsewhere):
    """A model that Inspect calls, with its retries and limits. `conversation` and `output` are of the last call."""

    def __init__(self, model: Model) -> None:
        super().__init__(f"inspect:{model}", {})
        self._model = model
        self.conversation: list[ChatMessage] = []
        self.output = ModelOutput()

    async def answer(self, ask: Ask) -> Reply:
        """One call with exactly these turns.

        Raises what Inspect raises where the call fails, NotAsFrozen where an option of Inspect added a turn.
        """
        turns: list[ChatMessage] = [_KINDS[message.role](content=message.content) for message in ask.messages]
        self.output = await self._model.generate(turns)
        self.conversation = [*turns, *(choice.message for choice in self.output.choices[:1])]
        event = next((event for event in reversed(transcript().events) if isinstance(event, ModelEvent)), None)
        if event is None:
            return _reply(self.output, None, 0)
        stored = transcript().attachments
        if [(turn.role, _whole(turn.text, stored)) for turn in event.input] != _said(ask.messages):
            raise NotAsFrozen("the turns sent are not those of the frozen bank; leave out --system-message")
        return _reply(self.output, _whole(event.call.response, stored) if event.call else None, event.retries or 0)


def _whole(value: Any, stored: Mapping[str, str]) -> Any:
    """A value of an event with its long texts in their places: once a call has ended, Inspect keeps those apart."""
    if isinstance(value, str):
        return stored.get(value.removeprefix(APART), value) if value.startswith(APART) else value
    if isinstance(value, dict):
        return {key: _whole(held, stored) for key, held in value.items()}
    return [_whole(held, stored) for held in value] if isinstance(value, list) else value


def _said(messages: tuple[Message, ...]) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in messages]


def _reply(output: ModelOutput, response: Any, retries: int) -> Reply:
    """The reply as the server sent it where that is a chat completion: Inspect cuts <think> blocks out of the text and
    knows fewer finish reasons. Otherwise as Inspect gives it."""
    if isinstance(response, dict) and isinstance(response.get("choices"), list):
        read = read_completion(Received(200, response, "HTTP 200"))
        if not isinstance(read, Reply):
            raise CannotBeRead(read.text)
        return _with(read, output.time, retries)
    if output.error or not output.choices:
        raise CannotBeRead(output.error or "the reply holds no choices")
    message = output.message
    parts = message.content if isinstance(message.content, list) else []
    refused = [part.text for part in parts if isinstance(part, ContentText) and part.refusal]
    usage = output.usage
    return _with(
        Reply(
            text=message.text,
            finish_reason=output.stop_reason,
            refusal_field="\n".join(refused) or None,
            served_model=output.model or None,
            usage=Usage(usage.input_tokens, usage.output_tokens) if usage is not None else Usage(),
        ),
        output.time,
        retries,
    )


def _with(reply: Reply, seconds: float | None, retries: int) -> Reply:
    return replace(reply, latency_seconds=seconds, transport_retries=retries)
