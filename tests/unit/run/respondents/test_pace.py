"""How many requests may be in flight: halved once a wave, raised after a window, between one and what was asked."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Coroutine
from typing import Any

import pytest

from divisionbell.run.respondents.pace import Pace


def run(main: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(main, 10))


async def taken(pace: Pace, count: int) -> list[int]:
    return [await pace.enter() for _ in range(count)]


def test_nothing_is_held_back_before_the_first_overload() -> None:
    async def main() -> None:
        pace = Pace()
        await taken(pace, 1024)
        assert pace.in_flight == 1024 and pace.limit == math.inf

    run(main())


def test_a_wave_of_refusals_halves_once_and_the_next_wave_again() -> None:
    async def main() -> None:
        pace = Pace()
        first = await taken(pace, 64)
        for wave in first:
            pace.leave(wave, overloaded=True)
        assert pace.limit == 32 and pace.in_flight == 0
        for wave in await taken(pace, 32):
            pace.leave(wave, overloaded=True)
        assert pace.limit == 16

    run(main())


def test_it_never_falls_below_one() -> None:
    async def main() -> None:
        pace = Pace()
        for _ in range(5):
            pace.leave(await pace.enter(), overloaded=True)
            assert pace.limit == 1

    run(main())


def test_it_climbs_by_one_after_a_window_of_successes_and_never_above_what_was_in_flight() -> None:
    async def main() -> None:
        pace = Pace()
        waves = await taken(pace, 8)
        for wave in waves:
            pace.leave(wave, overloaded=True)
        climbed = []
        for _ in range(60):
            pace.leave(await pace.enter(), succeeded=True)
            climbed.append(pace.limit)
        # 4 successes to 5, 5 more to 6, 6 to 7, 7 to 8; then it stays.
        assert [climbed.index(limit) + 1 for limit in (5, 6, 7, 8)] == [4, 9, 15, 22]
        assert max(climbed) == climbed[-1] == 8

    run(main())


def test_what_neither_succeeds_nor_overloads_changes_nothing() -> None:
    async def main() -> None:
        pace = Pace()
        for wave in await taken(pace, 4):
            pace.leave(wave, overloaded=True)
        for _ in range(10):
            pace.leave(await pace.enter())
        assert pace.limit == 2 and pace.in_flight == 0

    run(main())


def test_who_waits_is_served_in_the_order_of_coming() -> None:
    async def main() -> None:
        pace = Pace()
        for wave in await taken(pace, 2):
            pace.leave(wave, overloaded=True)
        held = await pace.enter()
        order: list[int] = []

        async def one(number: int) -> None:
            wave = await pace.enter()
            order.append(number)
            assert pace.in_flight == 1
            await asyncio.sleep(0)
            pace.leave(wave)

        tasks = [asyncio.create_task(one(number)) for number in range(10)]
        await asyncio.sleep(0.01)
        assert order == []
        pace.leave(held)
        await asyncio.gather(*tasks)
        assert order == list(range(10)) and pace.in_flight == 0

    run(main())


@pytest.mark.parametrize("granted", [False, True])
def test_one_who_is_cancelled_while_waiting_takes_no_place_with_him(granted: bool) -> None:
    async def main() -> None:
        pace = Pace()
        for wave in await taken(pace, 2):
            pace.leave(wave, overloaded=True)
        held = await pace.enter()
        first, second = (asyncio.create_task(pace.enter()) for _ in range(2))
        await asyncio.sleep(0)
        if granted:  # the place is given and taken away in the same turn of the loop
            pace.leave(held)
            first.cancel()
        else:
            first.cancel()
            await asyncio.sleep(0)
            pace.leave(held)
        pace.leave(await second)
        assert first.cancelled() or first.cancelling()
        await asyncio.gather(first, return_exceptions=True)
        assert pace.in_flight == 0

    run(main())
