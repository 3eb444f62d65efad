"""The time as runs record it."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> str:
    """The time in UTC, to the millisecond."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
