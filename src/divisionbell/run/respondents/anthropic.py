"""The respondent behind Anthropic's Messages API."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from divisionbell.run.respondents.anthropic_message import read_message, refuses_temperature, says_no_credit
from divisionbell.run.respondents.api_key import checked_key
from divisionbell.run.respondents.base_url import checked_base_url
from divisionbell.run.respondents.http_reply import FIXES, HOPELESS, Fault, Received
from divisionbell.run.respondents.respondent import Ask, Reply, Respondent, RespondentRefused, RespondentStopped
from divisionbell.run.respondents.sampling import Effort, Temperature
from divisionbell.run.respondents.transport import Limits, Transport, reply_of

DEFAULT_BASE_URL = "https://api.anthropic.com"
KEY_VARIABLE = "ANTHROPIC_API_KEY"
API_VERSION = "2023-06-01"
LEAST_THINKING = 1024  # the API takes no smaller budget


def messages_root(base_url: str) -> str:
    """The address up to and with `/v1`; it may be given with or without that. Raises RespondentRefused."""
    return checked_base_url(base_url).removesuffix("/v1") + "/v1"


def headers(key: str | None) -> dict[str, str]:
    """What every call carries."""
    return {"anthropic-version": API_VERSION, **({"x-api-key": key} if key else {})}


class Anthropic(Respondent):
    """The respondent `anthropic:MODEL`.

    `dropped` holds `temperature` once the server has refused it and answered without it. The budget of reasoning is
    apart from that of the answer: the limit sent is the sum of both, as the API counts thinking within it.
    """

    def __init__(
        self,
        model: str,
        base_url: str = DEFAULT_BASE_URL,
        api_key: str | None = None,
        temperature: Temperature = 0.0,
        max_tokens: int = 64,
        *,
        reasoning: Effort | None = None,
        reasoning_tokens: int | None = None,
        reasoning_tags: tuple[str, str] | None = None,
        max_concurrency: int = 1024,
        limits: Limits | None = None,
    ) -> None:
        """Nothing is sent yet. Raises RespondentRefused on an unusable model name, address, key or budget."""
        if not model.strip():
            raise RespondentRefused("name a model: anthropic:MODEL")
        if reasoning is None and reasoning_tokens is not None and reasoning_tokens < LEAST_THINKING:
            raise RespondentRefused(
                f"--reasoning-tokens {reasoning_tokens} is too small for a thinking budget",
                f"give at least {LEAST_THINKING}, or let the model choose with --reasoning low",
            )
        self._model, self._root = model, messages_root(base_url)
        self._temperature, self._max_tokens = temperature, max_tokens
        self._reasoning, self._reasoning_tokens, self._reasoning_tags = reasoning, reasoning_tokens, reasoning_tags
        self._max_concurrency = max_concurrency
        self.dropped: frozenset[str] = frozenset()
        self._key = checked_key(api_key)
        self._label = f"{self.name} at {self._root}"
        self._transport = Transport(
            f"{self._root}/messages", self._label, headers(self._key), self._key, limits or Limits()
        )

    def __repr__(self) -> str:
        return f"Anthropic(model={self._model!r}, base_url={self._root!r})"

    @property
    def name(self) -> str:
        """`anthropic:MODEL`, as typed on the command line."""
        return f"anthropic:{self._model}"

    @property
    def settings(self) -> Mapping[str, object]:
        """Model, address, version of the API and sampling as asked for; never the key."""
        optional = {"reasoning": self._reasoning, "reasoning_tokens": self._reasoning_tokens}
        return {
            "model": self._model,
            "base_url": self._root,
            "api_version": API_VERSION,
            "temperature": self._temperature,
            "max_tokens": self._max_tokens,
            "reasoning_tags": list(self._reasoning_tags) if self._reasoning_tags else None,
            **{name: value for name, value in optional.items() if value is not None},
        }

    @property
    def reasoning_tags(self) -> tuple[str, str] | None:
        """As declared for this model; None by default."""
        return self._reasoning_tags

    @property
    def max_concurrency(self) -> int:
        """How many calls may be in flight at once."""
        return self._max_concurrency

    @property
    def remote(self) -> bool:
        """True: one call is made before a run."""
        return True

    async def answer(self, ask: Ask) -> Reply:
        """Put one conversation to the server, with retries.

        Raises RespondentStopped on a missing or refused key, no credit, an unknown model, a redirect, an untrusted
        certificate, or a Retry-After beyond the cap. Every other failure comes back as `transport_error`.
        """
        if self._key is None and self._root == messages_root(DEFAULT_BASE_URL):
            # Only here: a dry run and a batch file need no key.
            raise RespondentStopped(
                f"{self.name} needs a key", f"set {KEY_VARIABLE}, or name a file with it: --key-file FILE"
            )
        left_out = self.dropped

        def payload() -> bytes:
            return json.dumps(self._request(ask, left_out)).encode()

        def judge(received: Received) -> Reply | Fault:
            nonlocal left_out
            if received.status != 200:
                if says_no_credit(received.body):
                    raise RespondentStopped(f"{self._label}: HTTP {received.status}, {HOPELESS[402]}", FIXES[402])
                if refuses_temperature(received.body) and "temperature" in self._request(ask, left_out):
                    left_out = left_out | {"temperature"}
                    return Fault(received.summary, "at once")
                return Fault(received.summary, "never")
            reply = read_message(received)
            if isinstance(reply, Fault):
                return reply
            self.dropped = self.dropped | left_out  # only now is it known that leaving it out was the cure
            return replace(reply, dropped_parameters=tuple(sorted(left_out)))

        return reply_of(await self._transport.deliver(payload, judge), self._key)

    def _request(self, ask: Ask, left_out: frozenset[str]) -> dict[str, object]:
        request: dict[str, object] = {
            "model": self._model,
            # An empty turn is refused and says nothing: it is left out, and the turns beside it are read as one.
            "messages": [
                {"role": message.role, "content": message.content}
                for message in ask.messages
                if message.role != "system" and message.content.strip()
            ],
            "max_tokens": self._max_tokens + (self._reasoning_tokens or 0),
        }
        system = "\n\n".join(message.content for message in ask.messages if message.role == "system")
        if system:
            request["system"] = system
        if self._temperature != "default" and "temperature" not in left_out:
            request["temperature"] = self._temperature
        if self._reasoning == "none":
            request["thinking"] = {"type": "disabled"}
        elif self._reasoning is not None:
            request |= {"thinking": {"type": "adaptive"}, "output_config": {"effort": self._reasoning}}
        elif self._reasoning_tokens is not None:
            request["thinking"] = {"type": "enabled", "budget_tokens": self._reasoning_tokens}
        return request

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()
