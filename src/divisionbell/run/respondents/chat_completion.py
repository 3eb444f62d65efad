"""Reading the body of a chat completion, as the many servers that speak this format send it."""

from __future__ import annotations

from collections.abc import Mapping

from divisionbell.run.respondents.http_reply import OVERLOAD, Again, Fault, Received, server_message
from divisionbell.run.respondents.respondent import Reply, Usage
from divisionbell.run.respondents.token_count import token_count


def read_completion(received: Received) -> Reply | Fault:
    """The reply in a body that came with status 200.

    An error where the choices should be, no choices, or a content that is not text is a fault worth a few more tries.
    Content null passes through: `finish_reason` and `refusal_field`, both verbatim, say why.
    """
    body = received.body
    if not isinstance(body, Mapping):
        return Fault("the reply is JSON but not an object", "few times")
    if body.get("error"):
        return _fault(body)
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, Mapping):
        return Fault("the reply holds no choices", "few times")
    if choice.get("error"):
        return _fault(choice)
    message = choice.get("message")
    if not isinstance(message, Mapping):
        return Fault("the reply holds no message", "few times")
    content = message.get("content")
    if content is not None and not isinstance(content, str):
        return Fault("the content of the reply is not text", "few times")
    return Reply(
        text=content,
        finish_reason=_text(choice.get("finish_reason")),
        refusal_field=_text(message.get("refusal")) or None,
        served_model=_text(body.get("model")),
        fingerprint=_text(body.get("system_fingerprint")),
        usage=_usage(body.get("usage")),
        # Two spellings are in use for reasoning in a channel of its own.
        reasoning_text=_text(message.get("reasoning_content")) or _text(message.get("reasoning")) or None,
    )


def _fault(body: Mapping[str, object]) -> Fault:
    """The fault in a body with `error`. One that names the status of an overload is retried as that status would be."""
    error = body["error"]
    code = error.get("code") if isinstance(error, Mapping) else None
    overload = str(code) in map(str, OVERLOAD)
    again: Again = "within budget" if overload else "few times"
    shared = str(code) == "429"
    return Fault(f"an error under HTTP 200: {server_message(body)}", again, shared=shared, overload=overload)


def token_logprobs(body: object) -> object:
    """What a body that `read_completion` took holds as `logprobs.content`; None where it has none."""
    choice = body["choices"][0] if isinstance(body, Mapping) else {}
    logprobs = choice.get("logprobs")
    return logprobs.get("content") if isinstance(logprobs, Mapping) else None


def refused_parameter(body: object) -> str | None:
    """Which parameter a 400 or 422 refuses: `temperature`, `logprobs`, `max_tokens` (by that name), or None."""
    error = body.get("error", body) if isinstance(body, Mapping) else None
    named = error.get("param") if isinstance(error, Mapping) else None
    if named in ("temperature", "max_tokens"):
        return str(named)
    if named in ("logprobs", "top_logprobs"):
        return "logprobs"
    message = server_message(body).lower()
    if "max_completion_tokens" in message:
        return "max_tokens"
    return next((name for name in ("temperature", "logprobs") if name in message), None)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


MOST_COST = 1e6  # of one call, in whatever is counted; what is more is no cost


def _cost(value: object) -> float | None:
    known = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST_COST
    return float(value) if known and isinstance(value, int | float) else None


def _usage(value: object) -> Usage:
    """Token counts. This format counts `cached_tokens` inside `prompt_tokens`; a server that names more than that
    counts them beside it, and the total is the sum."""
    if not isinstance(value, Mapping):
        return Usage()
    details = value.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    written = value.get("completion_tokens_details")
    reasoning = written.get("reasoning_tokens") if isinstance(written, Mapping) else None
    prompt, from_cache = token_count(value.get("prompt_tokens")), token_count(cached)
    if prompt is not None and from_cache is not None and from_cache > prompt:
        prompt += from_cache
    cost = _cost(value.get("cost"))
    return Usage(prompt, token_count(value.get("completion_tokens")), from_cache, token_count(reasoning), cost)
