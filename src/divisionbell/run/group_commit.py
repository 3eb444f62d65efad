"""One sync for all units that are finished while the disk is busy with those before them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any

from divisionbell.run.journal import Journal


class GroupCommit:
    """Writes units to a journal from the event loop without ever making the loop wait for the disk.

    Units that are handed in during a sync form the next batch. Nothing is delayed to make batches larger: with one unit
    at a time each has a sync of its own. Leaving the context waits until what was handed in is on disk, whatever became
    of those who handed it in.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._waiting: list[tuple[Mapping[str, Any], asyncio.Future[Exception | None]]] = []
        self._writer: asyncio.Task[None] | None = None

    async def put(self, unit: Mapping[str, Any]) -> None:
        """Return when the unit is on disk. Raises Incomplete where the disk does not take it."""
        done: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((unit, done))
        if self._writer is None:
            self._writer = asyncio.create_task(self._write())
        problem = await done
        if problem is not None:
            raise problem

    async def _write(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            kept = 0
            problem: Exception | None = None
            try:
                kept, problem = await asyncio.to_thread(self._journal.write, [unit for unit, _ in batch])
            except Exception as fault:
                problem = fault
            for number, (_, done) in enumerate(batch):
                if not done.done():  # else who waited was cancelled; the unit is on disk all the same
                    done.set_result(None if number < kept else problem)
        self._writer = None

    async def __aenter__(self) -> GroupCommit:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A writer that was itself cancelled, when the whole loop is torn down, is over and never says so.
        while (writer := self._writer) is not None and not writer.done():
            with suppress(asyncio.CancelledError):
                await asyncio.shield(writer)
