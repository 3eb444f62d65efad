"""How many requests may be in flight: as many as were asked for, until the server is overloaded; then what it bears."""

from __future__ import annotations

import asyncio
import math
from collections import deque


class Pace:
    """Additive increase, multiplicative decrease, as TCP paces itself.

    Until the first overload nothing is held back below the limit given, so that the number asked for is whatever the
    callers have in flight. An overload halves the limit, once a wave: what was sent before the limit was last lowered
    does not lower it again. After as many successes as the limit it is raised by one, never above the most that was
    ever in flight, never below one. Who waits is served in the order of coming.
    """

    def __init__(self, limit: float = math.inf) -> None:
        self.limit = limit
        self.in_flight = 0
        self._most = 0
        self._wave = 0
        self._successes = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def enter(self) -> int:
        """Wait for a place; the wave that the request belongs to, which `leave` wants back."""
        if self.in_flight < self.limit and not self._waiting:
            self._take()
        else:
            place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                await place
            except asyncio.CancelledError:
                if place.cancelled():
                    self._waiting.remove(place)
                else:  # the place was given in the very moment of being cancelled: pass it on
                    self._give_back()
                raise
        return self._wave

    def leave(self, wave: int, *, overloaded: bool = False, succeeded: bool = False) -> None:
        """Give the place back and say how the request went."""
        if overloaded and wave == self._wave:
            self.limit = max(1, min(self.limit, self.in_flight) // 2)
            self._wave += 1
            self._successes = 0
        elif succeeded and self.limit < self._most:
            self._successes += 1
            if self._successes >= self.limit:
                self.limit, self._successes = self.limit + 1, 0
        self._give_back()

    def _take(self) -> None:
        self.in_flight += 1
        self._most = max(self._most, self.in_flight)

    def _give_back(self) -> None:
        self.in_flight -= 1
        while self._waiting and self.in_flight < self.limit:
            place = self._waiting.popleft()
            if not place.done():
                self._take()
                place.set_result(None)
