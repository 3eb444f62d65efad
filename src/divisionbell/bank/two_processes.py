"""Do independent parts of a work on two processes where that pays, and on one where it does not."""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

Part = TypeVar("Part")
Result = TypeVar("Result")

# The second process is waited for this many seconds, and this many times as long as the first took for its own parts.
PATIENCE = 5.0
SHARE = 3.0
_LENGTH_BYTES = 8


def _two() -> bool:
    """Whether a second process can be had by a fork: Linux, two processors, and no other thread to be cut off."""
    return sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1 and threading.active_count() == 1


def in_two(parts: Sequence[Part], work: Callable[[Part], Result], pays: bool, own: int = 2) -> list[Result]:
    """`work` of every part, in order. Where `pays`, a forked process takes all but every `own`-th part.

    Whatever becomes of the second process costs time and no result: where it cannot be had, raises, ends early or
    stands still, its parts are done here. When this ends, also by an interrupt, there is no second process any more.
    """
    if not pays or len(parts) < 2 or not _two():
        return [work(part) for part in parts]
    there = [number for number in range(len(parts)) if number % own]
    second: _Second | None = None
    try:
        with _interrupts_held() as held:
            second = _Second.started([parts[number] for number in there], work, held)
        begun = time.monotonic()
        done = {number: work(parts[number]) for number in range(0, len(parts), own)}
        rest = second.answer(PATIENCE + SHARE * (time.monotonic() - begun)) if second is not None else None
    finally:
        if second is not None:
            second.end()
    done.update(zip(there, [work(parts[number]) for number in there] if rest is None else rest, strict=True))
    return [done[number] for number in range(len(parts))]


@contextlib.contextmanager
def _interrupts_held() -> Iterator[Iterable[int]]:
    """Hold Ctrl-C and SIGTERM back for a moment, so that no process is begun that nobody knows of."""
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield held
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


class _Second:
    """The second process, and the pipe that its answer comes through."""

    def __init__(self, process: int, pipe: int) -> None:
        self.process = process
        self.pipe = pipe

    @staticmethod
    def started(parts: Sequence[Part], work: Callable[[Part], Any], blocked: Iterable[int]) -> _Second | None:
        """A second process at work on the parts; None where the system gives none, or no pipe."""
        try:
            read_end, write_end = os.pipe()
        except OSError:
            return None
        try:
            process = os.fork()
        except OSError:
            os.close(read_end)
            os.close(write_end)
            return None
        if process == 0:
            try:
                os.close(read_end)  # else it would never learn that the first is gone
                for number in (signal.SIGINT, signal.SIGTERM):
                    if signal.getsignal(number) is not signal.SIG_IGN:
                        signal.signal(number, signal.SIG_DFL)  # it ends without a word, and tidies nothing
                signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
                _answer(write_end, parts, work)
            finally:
                os._exit(0)  # nothing of the first is done twice
        os.close(write_end)
        return _Second(process, read_end)

    def answer(self, patience: float) -> list[Any] | None:
        """What the second process found; None where it ended without an answer or stood still for so many seconds."""
        poll = select.poll()
        poll.register(self.pipe, select.POLLIN)
        pieces = []
        while poll.poll(patience * 1000):
            piece = os.read(self.pipe, 1 << 20)
            if not piece:
                break
            pieces.append(piece)
        told = b"".join(pieces)
        if len(told) < _LENGTH_BYTES or int.from_bytes(told[:_LENGTH_BYTES], "little") != len(told):
            return None
        found: list[Any] = pickle.loads(told[_LENGTH_BYTES:])  # noqa: S301 - it comes whole from our own fork
        return found

    def end(self) -> None:
        """End the process, whatever it is at, and take note of its end."""
        os.close(self.pipe)
        with contextlib.suppress(ChildProcessError, ProcessLookupError):
            if os.waitpid(self.process, os.WNOHANG) == (0, 0):
                os.kill(self.process, signal.SIGKILL)
                os.waitpid(self.process, 0)


def _answer(write_end: int, parts: Sequence[Part], work: Callable[[Part], Any]) -> None:
    """What the second process does. What it cannot do the first will meet itself."""
    with contextlib.suppress(Exception), os.fdopen(write_end, "wb") as stream:
        found = pickle.dumps([work(part) for part in parts], protocol=pickle.HIGHEST_PROTOCOL)
        stream.write((_LENGTH_BYTES + len(found)).to_bytes(_LENGTH_BYTES, "little"))
        stream.write(found)
