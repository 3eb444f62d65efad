"""The stored order of an item, drawn from the frozen response seed."""

from __future__ import annotations

import hmac
from typing import Literal

Pole = Literal["negative", "positive"]
OPPOSITE: dict[Pole, Pole] = {"negative": "positive", "positive": "negative"}


def pole_at_a(seed_hex: str, original_id: str, *, mirror: bool) -> Pole:
    """The pole that stands at A: HMAC-SHA-256 under the seed's 32 bytes of the original's id, lowest bit of the last
    byte, 0 for the negative pole. A mirror takes the opposite of its original.

    Raises ValueError where the seed is not 64 hexadecimal digits.
    """
    seed = bytes.fromhex(seed_hex)
    if len(seed) != 32:
        raise ValueError("the response seed must be 32 bytes")
    bit = hmac.digest(seed, original_id.encode("utf-8"), "sha256")[-1] & 1
    drawn: Pole = "positive" if bit else "negative"
    return OPPOSITE[drawn] if mirror else drawn
