"""The respondent behind any server of OpenAI's chat completions: vLLM, Ollama, llama.cpp, OpenRouter, OpenAI."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlsplit

from divisionbell.run.respondents.chat_completion import read_completion, refused_parameter
from divisionbell.run.respondents.http_reply import Fault, Received
from divisionbell.run.respondents.respondent import Ask, Reply, Respondent, RespondentRefused
from divisionbell.run.respondents.transport import Limits, Transport

DEFAULT_BASE_URL = "https://api.openai.com/v1"


def checked_base_url(base_url: str) -> str:
    """The address without a trailing slash. It goes into the run header, so it may carry no secret.

    Raises RespondentRefused unless it is http or https with a host, and without user, password, query or fragment.
    """
    try:
        parts = urlsplit(base_url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or any(not 0x21 <= ord(character) <= 0x7E for character in base_url):
        raise RespondentRefused("the base URL must be http://host/path or https://host/path")
    if parts.username is not None or parts.query or parts.fragment or base_url.endswith(("?", "#")):
        raise RespondentRefused("the base URL may hold no user, password, query or fragment: it goes into the run")
    return base_url.rstrip("/")


def checked_key(api_key: str | None) -> str | None:
    """The key without surrounding white space; None where that leaves nothing.

    Raises RespondentRefused, without showing it, where the key cannot stand in a header.
    """
    key = (api_key or "").strip()
    if any(not 0x21 <= ord(character) <= 0x7E for character in key):
        raise RespondentRefused("the API key holds a space, a line break or a character outside ASCII")
    return key or None


class OpenAI(Respondent):
    """The respondent `openai:MODEL`.

    `temperature_dropped` becomes True once the server has refused the temperature parameter and answered without it:
    the provider's default holds from then on, while `settings` keeps what was asked. `max_tokens_name` is the
    parameter's name that the server takes; reasoning models want `max_completion_tokens`.
    """

    def __init__(
        self,
        model: str,
        base_url: str = DEFAULT_BASE_URL,
        api_key: str | None = None,
        temperature: float = 0.0,
        max_tokens: int = 64,
        *,
        reasoning_tags: tuple[str, str] | None = None,
        max_concurrency: int = 1024,
        limits: Limits | None = None,
    ) -> None:
        """Nothing is sent yet. Raises RespondentRefused on an unusable model name, address or key."""
        if not model.strip():
            raise RespondentRefused("name a model: openai:MODEL")
        self._model, self._base_url = model, checked_base_url(base_url)
        self._temperature, self._max_tokens = temperature, max_tokens
        self._reasoning_tags, self._max_concurrency = reasoning_tags, max_concurrency
        self.temperature_dropped = False
        self.max_tokens_name = "max_tokens"
        key = checked_key(api_key)
        self._transport = Transport(
            f"{self._base_url}/chat/completions",
            f"{self.name} at {self._base_url}",
            {"Authorization": f"Bearer {key}"} if key else {},
            key,
            limits or Limits(),
        )

    def __repr__(self) -> str:
        return f"OpenAI(model={self._model!r}, base_url={self._base_url!r})"

    @property
    def name(self) -> str:
        """`openai:MODEL`, as typed on the command line."""
        return f"openai:{self._model}"

    @property
    def settings(self) -> Mapping[str, object]:
        """Model, address and sampling as asked for; never the key."""
        return {
            "model": self._model,
            "base_url": self._base_url,
            "temperature": self._temperature,
            "max_tokens": self._max_tokens,
            "reasoning_tags": list(self._reasoning_tags) if self._reasoning_tags else None,
        }

    @property
    def constrained(self) -> bool:
        """False: the model answers freely."""
        return False

    @property
    def reasoning_tags(self) -> tuple[str, str] | None:
        """As declared for this model; None by default."""
        return self._reasoning_tags

    @property
    def max_concurrency(self) -> int:
        """How many calls may be in flight at once."""
        return self._max_concurrency

    async def answer(self, ask: Ask) -> Reply:
        """Put one conversation to the server, with retries.

        Raises RespondentStopped on a refused key, no credit, an unknown model, a redirect, an untrusted certificate,
        or a Retry-After beyond the cap. Every other failure comes back as `transport_error`.
        """
        with_temperature, limit_name = not self.temperature_dropped, self.max_tokens_name

        def payload() -> bytes:
            messages = [{"role": message.role, "content": message.content} for message in ask.messages]
            request: dict[str, object] = {"model": self._model, "messages": messages, limit_name: self._max_tokens}
            if with_temperature:
                request["temperature"] = self._temperature
            return json.dumps(request).encode()

        def judge(received: Received) -> Reply | Fault:
            nonlocal with_temperature, limit_name
            if received.status != 200:
                refused = refused_parameter(received.body)
                if refused == "temperature" and with_temperature:
                    with_temperature = False
                    return Fault(received.summary, "at once")
                if refused == "max_tokens" and limit_name == "max_tokens":
                    limit_name = "max_completion_tokens"
                    return Fault(received.summary, "at once")
                return Fault(received.summary, "never")
            reply = read_completion(received)
            if isinstance(reply, Reply):  # only now is it known that leaving something out was the cure
                self.temperature_dropped |= not with_temperature
                self.max_tokens_name = limit_name
            return reply

        delivered = await self._transport.deliver(payload, judge)
        reply = delivered.value or Reply(text=None, transport_error=delivered.error)
        return replace(
            reply,
            asked_at=delivered.sent_at,
            latency_seconds=delivered.latency_seconds,
            transport_retries=delivered.retries,
            dropped_parameters=() if with_temperature else ("temperature",),
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()
