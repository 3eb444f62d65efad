"""Reading a message of Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Mapping

from divisionbell.run.respondents.http_reply import Fault, Received
from divisionbell.run.respondents.respondent import Reply, Usage


def read_message(received: Received) -> Reply | Fault:
    """Text blocks as one text, thinking kept beside it. A full context window is told as the limit that it is."""
    body = received.body
    blocks = body.get("content") if isinstance(body, Mapping) else None
    if not isinstance(body, Mapping) or not isinstance(blocks, list):
        return Fault("the reply holds no content", "few times")
    texts = [block.get("text") for block in blocks if isinstance(block, Mapping) and block.get("type") == "text"]
    if not all(isinstance(text, str) for text in texts):
        return Fault("the content of the reply is not text", "few times")
    thoughts = [block.get("thinking") for block in blocks if isinstance(block, Mapping)]
    stop = body.get("stop_reason")
    finish = stop if isinstance(stop, str) else None
    model = body.get("model")
    return Reply(
        text="".join(map(str, texts)) if texts else None,
        finish_reason="max_tokens" if finish == "model_context_window_exceeded" else finish,
        served_model=model if isinstance(model, str) else None,
        usage=_usage(body.get("usage")),
        reasoning_text="\n".join(thought for thought in thoughts if isinstance(thought, str) and thought) or None,
    )


def _usage(value: object) -> Usage:
    """Tokens read from a cache, or written to one, are counted beside `input_tokens` by this format."""
    if not isinstance(value, Mapping):
        return Usage()

    def count(name: str) -> int | None:
        found = value.get(name)
        return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None

    read, cached = count("input_tokens"), count("cache_read_input_tokens")
    total = None if read is None else read + (cached or 0) + (count("cache_creation_input_tokens") or 0)
    return Usage(total, count("output_tokens"), cached)
