"""Reading the body of a message of Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Mapping

from divisionbell.run.respondents.http_reply import Fault, Received, server_message
from divisionbell.run.respondents.respondent import Reply, Usage
from divisionbell.run.respondents.token_count import token_count

# The parser's text names one reason for a reply that ran out of room; the API has two.
CUT_OFF_AS = {"model_context_window_exceeded": "max_tokens"}


def read_message(received: Received) -> Reply | Fault:
    """The reply in a body that came with status 200.

    Text blocks are put together as they come, thinking blocks are kept beside; a redacted one holds nothing to keep. An
    error, or a content that is no list of blocks, is a fault worth a few more tries. `stop_reason` is passed on as it
    is (refusal and max_tokens say why there is no answer), but for a full context window, which is told as max_tokens.
    """
    body = received.body
    if not isinstance(body, Mapping):
        return Fault("the reply is JSON but not an object", "few times")
    if body.get("type") == "error" or body.get("error"):
        return Fault(f"an error under HTTP 200: {server_message(body)}", "few times")
    blocks = body.get("content")
    if not isinstance(blocks, list) or not all(isinstance(block, Mapping) for block in blocks):
        return Fault("the reply holds no content", "few times")
    stop = body.get("stop_reason")
    if stop == "pause_turn":
        return Fault("the server paused its turn: the reply is not a whole one", "few times")
    texts = [block.get("text") for block in blocks if block.get("type") == "text"]
    if not all(isinstance(text, str) for text in texts):
        return Fault("the content of the reply is not text", "few times")
    thoughts = [block.get("thinking") for block in blocks if block.get("type") == "thinking"]
    finish = stop if isinstance(stop, str) else None
    return Reply(
        text="".join(map(str, texts)) if texts else None,
        finish_reason=CUT_OFF_AS.get(finish, finish) if finish else None,
        served_model=body["model"] if isinstance(body.get("model"), str) else None,
        usage=_usage(body.get("usage")),
        reasoning_text="\n".join(thought for thought in thoughts if isinstance(thought, str) and thought) or None,
    )


def refuses_temperature(body: object) -> bool:
    """Whether a 400 or 422 is about the temperature."""
    return "temperature" in server_message(body).lower()


def says_no_credit(body: object) -> bool:
    """Whether a 400 says that the account is empty, which this API tells by that status."""
    return "credit balance" in server_message(body).lower()


def _usage(value: object) -> Usage:
    """Token counts. Those read from a cache or written to one are counted beside `input_tokens` by this format."""
    if not isinstance(value, Mapping):
        return Usage()
    read, cached = _count(value, "input_tokens"), _count(value, "cache_read_input_tokens")
    written_to_cache = _count(value, "cache_creation_input_tokens")
    total = None if read is None else read + (cached or 0) + (written_to_cache or 0)
    details = value.get("output_tokens_details")
    reasoning = _count(details, "thinking_tokens") if isinstance(details, Mapping) else None
    return Usage(total, _count(value, "output_tokens"), cached, reasoning)


def _count(counts: Mapping[str, object], name: str) -> int | None:
    return token_count(counts.get(name))
