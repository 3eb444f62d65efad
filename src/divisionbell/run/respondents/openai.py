"""The respondent behind any server of OpenAI's chat completions: vLLM, Ollama, llama.cpp, OpenRouter, OpenAI."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from divisionbell.run.respondents.answer_shape import Decoding, request_fields
from divisionbell.run.respondents.answer_shape import settings as shape_settings
from divisionbell.run.respondents.answer_token import answer_token_logprobs
from divisionbell.run.respondents.api_key import checked_key
from divisionbell.run.respondents.base_url import checked_base_url
from divisionbell.run.respondents.chat_completion import read_completion, refused_parameter, token_logprobs
from divisionbell.run.respondents.http_reply import Fault, Received
from divisionbell.run.respondents.respondent import Ask, Reply, Respondent, RespondentRefused, RespondentStopped
from divisionbell.run.respondents.sampling import Effort, Temperature
from divisionbell.run.respondents.transport import Limits, Transport, reply_of

DEFAULT_BASE_URL = "https://api.openai.com/v1"
KEY_VARIABLE = "OPENAI_API_KEY"
TOP_LOGPROBS = 20
# What an answer can do without: where the server refuses one of these, it is left out and recorded as dropped.
DROPPABLE = ("temperature", "logprobs")


class OpenAI(Respondent):
    """The respondent `openai:MODEL`.

    `dropped` are the parameters that the server has refused, answering without them: the provider's default holds from
    then on, while `settings` keeps what was asked. `max_tokens_name` is the parameter's name that the server takes;
    reasoning models want `max_completion_tokens`. This format has one limit for all that is written: the tokens of the
    answer and those of reasoning are sent as one sum.
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
        decoding: Decoding = "free",
        logprobs: bool = False,
        max_concurrency: int = 1024,
        limits: Limits | None = None,
    ) -> None:
        """Nothing is sent yet. Raises RespondentRefused on an unusable model name, address or key."""
        if not model.strip():
            raise RespondentRefused("name a model: openai:MODEL")
        self._model, self._base_url = model, checked_base_url(base_url)
        self._temperature, self._max_tokens = temperature, max_tokens
        self._reasoning, self._reasoning_tokens, self._reasoning_tags = reasoning, reasoning_tokens, reasoning_tags
        self._decoding: Decoding = decoding
        self._logprobs, self._max_concurrency = logprobs, max_concurrency
        self.dropped: frozenset[str] = frozenset()
        self.max_tokens_name = "max_tokens"
        self._key = checked_key(api_key)
        self._transport = Transport(
            f"{self._base_url}/chat/completions",
            f"{self.name} at {self._base_url}",
            {"Authorization": f"Bearer {self._key}"} if self._key else {},
            self._key,
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
        """Model, address and sampling as asked for; never the key. What was not asked for has no key here."""
        later = {
            "reasoning": self._reasoning,
            "reasoning_tokens": self._reasoning_tokens,
            "logprobs": TOP_LOGPROBS if self._logprobs else None,
        }
        return {
            "model": self._model,
            "base_url": self._base_url,
            "temperature": self._temperature,
            "max_tokens": self._max_tokens,
            "reasoning_tags": list(self._reasoning_tags) if self._reasoning_tags else None,
            **{name: value for name, value in later.items() if value is not None},
            **shape_settings(self._decoding),
        }

    @property
    def constrained(self) -> bool:
        """True where the server is made to keep the answer's shape."""
        return self._decoding != "free"

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

        Raises RespondentStopped on a refused key, no credit, an unknown model, a redirect, an untrusted certificate,
        or a Retry-After beyond the cap. Every other failure comes back as `transport_error`.
        """
        if self._key is None and self._base_url == DEFAULT_BASE_URL:
            raise RespondentStopped(
                f"{self.name} needs a key, or an address",
                f"set {KEY_VARIABLE}, or name a file with it: --key-file FILE; name another server: --base-url URL",
            )
        left_out, limit_name = self.dropped, self.max_tokens_name

        def payload() -> bytes:
            return json.dumps(self._request(ask, limit_name, left_out)).encode()

        def judge(received: Received) -> Reply | Fault:
            nonlocal left_out, limit_name
            if received.status != 200:
                refused = refused_parameter(received.body)
                if refused in DROPPABLE and refused in self._request(ask, limit_name, left_out):
                    left_out = left_out | {refused}
                    return Fault(received.summary, "at once")
                if refused == "max_tokens" and limit_name == "max_tokens":
                    limit_name = "max_completion_tokens"
                    return Fault(received.summary, "at once")
                return Fault(received.summary, "never")
            reply = read_completion(received)
            if isinstance(reply, Fault):
                return reply
            # Only now is it known that leaving something out was the cure.
            self.dropped, self.max_tokens_name = self.dropped | left_out, limit_name
            tops = token_logprobs(received.body) if self._logprobs else None
            return replace(
                reply,
                answer_token_logprobs=answer_token_logprobs(ask.item_id, reply.text, tops, self._reasoning_tags),
                dropped_parameters=tuple(sorted(left_out)),
            )

        return reply_of(await self._transport.deliver(payload, judge), self._key)

    def _request(self, ask: Ask, limit_name: str, left_out: frozenset[str]) -> dict[str, object]:
        request: dict[str, object] = {
            "model": self._model,
            "messages": [{"role": message.role, "content": message.content} for message in ask.messages],
            limit_name: self._max_tokens + (self._reasoning_tokens or 0),
            **request_fields(self._decoding, ask.item_id),
        }
        if self._temperature != "default" and "temperature" not in left_out:
            request["temperature"] = self._temperature
        if self._reasoning is not None:
            request["reasoning_effort"] = self._reasoning
        if self._logprobs and "logprobs" not in left_out:
            request |= {"logprobs": True, "top_logprobs": TOP_LOGPROBS}
        return request

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()
