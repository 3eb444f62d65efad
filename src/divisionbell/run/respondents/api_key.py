"""Keys of providers: where they come from, and that they go nowhere but into a request's headers."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from divisionbell.run.respondents.http_reply import SHORTEST_SECRET
from divisionbell.run.respondents.respondent import Reply, RespondentRefused

HIDDEN = "[key]"
MOST_BYTES = 8_000  # of a key file; servers take no longer header


def checked_key(api_key: str | None) -> str | None:
    """The key without surrounding white space; None where that leaves nothing.

    Raises RespondentRefused, without showing it, where the key cannot stand in a header.
    """
    key = (api_key or "").strip()
    if any(not 0x21 <= ord(character) <= 0x7E for character in key):
        raise RespondentRefused("the API key holds a space, a line break or a character outside ASCII")
    return key or None


def read_key(key_file: Path | None, variable: str | None) -> str | None:
    """The key from a file, else from an environment variable if one is named; None where there is neither.

    Raises RespondentRefused where the file cannot be read or what it holds cannot be a key.
    """
    if key_file is None:
        return checked_key(os.environ.get(variable)) if variable else None
    try:
        with key_file.open("rb") as stream:  # a pipe too: <(command)
            held = stream.read(MOST_BYTES + 1)
        if len(held) > MOST_BYTES:
            raise RespondentRefused(f"{key_file} is no key file: it holds more than {MOST_BYTES:,} bytes")
        return checked_key(held.decode("utf-8"))
    except (OSError, ValueError):
        raise RespondentRefused(f"{key_file} cannot be read as text", "name a readable key file") from None


def without_key(reply: Reply, key: str | None) -> Reply:
    """The reply with the key blotted out of everything that would be kept: a server can echo what it was sent."""
    if key is None or len(key) < SHORTEST_SECRET:
        return reply

    def hide(text: str | None) -> str | None:
        return text if text is None or key not in text else text.replace(key, HIDDEN)

    return replace(
        reply,
        text=hide(reply.text),
        finish_reason=hide(reply.finish_reason),
        refusal_field=hide(reply.refusal_field),
        transport_error=hide(reply.transport_error),
        served_model=hide(reply.served_model),
        fingerprint=hide(reply.fingerprint),
        reasoning_text=hide(reply.reasoning_text),
        answer_token_logprobs=tuple((t.replace(key, HIDDEN), p) for t, p in reply.answer_token_logprobs),
    )
