"""A number of tokens, as a server or a package says it."""

from __future__ import annotations

# No call has as many; what is more is no count, and would fit neither a run header nor a table.
MOST_TOKENS = 100_000_000


def token_count(value: object) -> int | None:
    """The number, None where it is none: then it is unknown, never 0."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS:
        return value
    return None
