"""The files of providers' batch services: one request a line, one result a line, one row here a provider."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from divisionbell.diagnostics import UsageProblem
from divisionbell.run.respondents.anthropic_message import read_message
from divisionbell.run.respondents.chat_completion import read_completion
from divisionbell.run.respondents.http_reply import Fault, Received, one_line, server_message
from divisionbell.run.respondents.respondent import Message, Reply, RespondentRefused

Body = Callable[[Mapping[str, Any], Sequence[Message]], dict[str, Any]]
_SHORT = re.compile(r"([A-Za-z0-9_-]{43})-([12])")
REQUEST = "is a request, not a result"
_LONG = re.compile(r"([0-9a-f]{64})-([12])")


def custom_id(unit_key: str, attempt: int) -> str:
    """The id of a request: the unit key's 32 bytes in base64url, and the attempt. It has 45 of the 64 characters, all
    letters, digits, hyphen or underscore, that providers take."""
    return base64.urlsafe_b64encode(bytes.fromhex(unit_key)).decode().rstrip("=") + f"-{attempt}"


def unit_of(name: str) -> tuple[str, int] | None:
    """Unit key and attempt of an id; None where it is none of ours. A unit key spelt out is taken too."""
    if found := _LONG.fullmatch(name):
        return found.group(1), int(found.group(2))
    if found := _SHORT.fullmatch(name):
        return base64.urlsafe_b64decode(found.group(1) + "=").hex(), int(found.group(2))
    return None


@dataclass(frozen=True)
class BatchFormat:
    """One provider. `carried` are the settings that its body can say; a line with one of `answered` is a result."""

    kind: str
    most_requests: int
    most_bytes: int
    carried: frozenset[str]
    body: Body
    request: Callable[[str, dict[str, Any]], dict[str, Any]]
    result: Callable[[Mapping[str, Any]], Reply]
    answered: tuple[str, ...]

    def line(
        self, name: str, settings: Mapping[str, Any], messages: Sequence[Message], without: Sequence[str] = ()
    ) -> bytes:
        """One request. Raises RespondentRefused for a setting that a batch cannot carry."""
        said = {key for key, value in settings.items() if value is not None}
        unknown = sorted(said - self.carried)
        if unknown:
            raise RespondentRefused(f"a batch cannot carry the setting {unknown[0]}", "ask by run, or without it")
        try:
            body = {key: value for key, value in self.body(settings, messages).items() if key not in without}
        except (KeyError, TypeError, ValueError):
            raise RespondentRefused("the run's settings are not those of a batch", "restore run.json") from None
        return json.dumps(self.request(name, body), ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"

    def why_no_result(self, value: Mapping[str, Any]) -> str | None:
        """Why a line is no result of this provider, in one phrase; None where it is one."""
        if any(name in value for name in self.answered):
            return None
        if "params" in value or "body" in value:
            return REQUEST
        return f"is no result of {self.kind}: it has no {' and no '.join(self.answered)}"

    def reply(self, value: Mapping[str, Any], without: Sequence[str] = ()) -> Reply:
        """What a result line holds: an answer of the model, or why it was not reached."""
        return replace(self.result(value), dropped_parameters=tuple(without))


def format_of(respondent: str) -> BatchFormat:
    """The format for a respondent. Raises UsageProblem where there is none."""
    kind = respondent.partition(":")[0]
    if kind not in FORMATS:
        raise UsageProblem(f"there is no batch service for {respondent}", "it is for " + ", ".join(FORMATS) + ":MODEL")
    return FORMATS[kind]


def _turns(messages: Sequence[Message]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in messages]


def _limit(settings: Mapping[str, Any]) -> int:
    return int(settings["max_tokens"]) + int(settings.get("reasoning_tokens") or 0)


def _temperature(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {} if settings.get("temperature") in (None, "default") else {"temperature": settings["temperature"]}


def _completion_body(settings: Mapping[str, Any], messages: Sequence[Message]) -> dict[str, Any]:
    # A batch cannot try one name of the limit and then the other: this one is taken by every model of the service.
    body = {"model": settings["model"], "messages": _turns(messages), "max_completion_tokens": _limit(settings)}
    body |= _temperature(settings)
    return body if settings.get("reasoning") is None else body | {"reasoning_effort": settings["reasoning"]}


def _message_body(settings: Mapping[str, Any], messages: Sequence[Message]) -> dict[str, Any]:
    # An empty turn is refused and says nothing: it is left out, and the turns beside it are read as one.
    said = [message for message in messages if message.role != "system" and message.content.strip()]
    system = "\n\n".join(message.content for message in messages if message.role == "system")
    body = {"model": settings["model"], "max_tokens": _limit(settings), "messages": _turns(said)}
    body |= {"system": system} if system else {}
    body |= _temperature(settings)
    if settings.get("reasoning") == "none":
        return body | {"thinking": {"type": "disabled"}}
    if settings.get("reasoning") is not None:
        return body | {"thinking": {"type": "adaptive"}, "output_config": {"effort": settings["reasoning"]}}
    if settings.get("reasoning_tokens") is not None:
        return body | {"thinking": {"type": "enabled", "budget_tokens": settings["reasoning_tokens"]}}
    return body


def _not_reached(why: str) -> Reply:
    return Reply(text=None, transport_error=one_line(why, None) or "the batch gives no reason")


def _read(status: int, body: object, reader: Callable[[Received], Reply | Fault]) -> Reply:
    if status != 200:
        said = server_message(body)
        return _not_reached(f"HTTP {status}" + (f": {said}" if said else ""))
    read = reader(Received(200, body, ""))
    return _not_reached(read.text) if isinstance(read, Fault) else read


def _completion_result(value: Mapping[str, Any]) -> Reply:
    response, error = value.get("response"), value.get("error")
    if isinstance(response, Mapping) and not error:
        status = response.get("status_code")
        return _read(status if isinstance(status, int) else 200, response.get("body"), read_completion)
    code = error.get("code") if isinstance(error, Mapping) else None
    return _not_reached(": ".join(part for part in (str(code or ""), server_message(error)) if part))


def _message_result(value: Mapping[str, Any]) -> Reply:
    result = value.get("result")
    result = result if isinstance(result, Mapping) else {}
    if result.get("type") == "succeeded":
        return _read(200, result.get("message"), read_message)
    return _not_reached(": ".join(part for part in (str(result.get("type") or ""), server_message(result)) if part))


_CARRIED = frozenset(
    {"model", "base_url", "temperature", "max_tokens", "reasoning", "reasoning_tokens", "reasoning_tags"}
)
FORMATS = {
    "openai": BatchFormat(
        "openai",
        50_000,
        200_000_000,
        _CARRIED,
        _completion_body,
        lambda name, body: {"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": body},
        _completion_result,
        ("response", "error"),
    ),
    "anthropic": BatchFormat(
        "anthropic",
        100_000,
        256_000_000,
        _CARRIED | {"api_version"},
        _message_body,
        lambda name, body: {"custom_id": name, "params": body},
        _message_result,
        ("result",),
    ),
}
