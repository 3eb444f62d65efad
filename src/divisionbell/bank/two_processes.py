"""Do independent parts of a work on two processes where that pays, and on one where it does not."""

from __future__ import annotations

import contextlib
import fcntl
import mmap
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
# The second process tells what it found while the first is at work, which looks for it between two parts: so many bytes
# wait meanwhile in the pipe.
PIPE_BYTES = 1 << 20
_LENGTH_BYTES = 8


def _two() -> bool:
    """Whether a second process can be had by a fork: Linux, two processors, and no other thread to be cut off."""
    return sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1 and threading.active_count() == 1


def in_two(
    parts: Sequence[Part],
    work: Callable[[Part], Result],
    pays: bool,
    meanwhile: Callable[[], object] | None = None,
) -> list[Result]:
    """`work` of every part, in order. Where `pays`, a forked process begins with the last part while this one begins
    with the first, and they go on until they meet; what else this one has to do at that time is `meanwhile`.

    Whatever becomes of the second process costs time and no result: where it cannot be had, raises, ends early or
    stands still, its parts are done here. When this ends, also by an interrupt, there is no second process any more.
    """
    second: _Second | None = None
    done: dict[int, Result] = {}
    begun = time.monotonic()
    try:
        if pays and len(parts) > 1 and _two():
            with _interrupts_held() as held:
                second = _Second.started(parts, work, held)
        if meanwhile is not None:
            meanwhile()
        if second is not None:
            for number in second.meeting.from_the_first():
                done[number] = work(parts[number])
                second.take()
            done = second.answer(PATIENCE + SHARE * (time.monotonic() - begun)) | done
    finally:
        if second is not None:
            second.end()
    return [done[number] if number in done else work(parts[number]) for number in range(len(parts))]


@contextlib.contextmanager
def _interrupts_held() -> Iterator[Iterable[int]]:
    """Hold Ctrl-C and SIGTERM back for a moment, so that no process is begun that nobody knows of."""
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield held
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


class _Meeting:
    """How far each of the two has come, in memory that both see.

    Nothing is locked: where both take the part at which they meet, or each leaves it to the other, it is done twice, or
    by the first in the end.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.taken = memoryview(mmap.mmap(-1, 2 * 8)).cast("q")

    def from_the_first(self) -> Iterator[int]:
        for number in range(self.count):
            self.taken[0] = number + 1
            if number + 1 + self.taken[1] > self.count:
                return
            yield number

    def from_the_last(self) -> Iterator[int]:
        for behind in range(self.count):
            self.taken[1] = behind + 1
            if behind + 1 + self.taken[0] > self.count:
                return
            yield self.count - 1 - behind


class _Second:
    """The second process, and the pipe that its answer comes through."""

    def __init__(self, process: int, pipe: int, meeting: _Meeting) -> None:
        self.process = process
        self.pipe = pipe
        self.meeting = meeting
        self.told = bytearray()
        self.found: dict[int, Any] = {}
        self.ended = False

    @staticmethod
    def started(parts: Sequence[Part], work: Callable[[Part], Any], blocked: Iterable[int]) -> _Second | None:
        """A second process at work on the parts; None where the system gives none, no pipe or no memory."""
        try:
            meeting = _Meeting(len(parts))
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
                _answer(write_end, meeting, parts, work)
            finally:
                os._exit(0)  # nothing of the first is done twice
        os.close(write_end)
        os.set_blocking(read_end, False)
        with contextlib.suppress(OSError):  # a system may give less
            fcntl.fcntl(read_end, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        return _Second(process, read_end, meeting)

    def take(self) -> bool:
        """Take in what it has told by now; whether that was anything."""
        told = False
        with contextlib.suppress(BlockingIOError):
            while not self.ended:
                piece = os.read(self.pipe, 1 << 16)
                self.told += piece
                self.ended = not piece
                told = True
        while len(self.told) >= _LENGTH_BYTES:
            end = int.from_bytes(self.told[:_LENGTH_BYTES], "little")
            if len(self.told) < end:
                break
            self.found.update(pickle.loads(self.told[_LENGTH_BYTES:end]))  # noqa: S301 - it comes whole from our own fork
            del self.told[:end]
        return told

    def answer(self, patience: float) -> dict[int, Any]:
        """What it found, by the number of the part, until it ends or has stood still for so many seconds."""
        poll = select.poll()
        poll.register(self.pipe, select.POLLIN)
        while not self.ended and poll.poll(patience * 1000):
            self.take()
        return self.found

    def end(self) -> None:
        """End the process, whatever it is at, and take note of its end."""
        os.close(self.pipe)
        with contextlib.suppress(ChildProcessError, ProcessLookupError):
            if os.waitpid(self.process, os.WNOHANG) == (0, 0):
                os.kill(self.process, signal.SIGKILL)
                os.waitpid(self.process, 0)


def _answer(write_end: int, meeting: _Meeting, parts: Sequence[Part], work: Callable[[Part], Any]) -> None:
    """What the second process does. What it cannot do the first will meet itself."""
    with contextlib.suppress(Exception), os.fdopen(write_end, "wb", buffering=1 << 16) as stream:
        for number in meeting.from_the_last():
            found = pickle.dumps({number: work(parts[number])}, protocol=pickle.HIGHEST_PROTOCOL)
            stream.write((_LENGTH_BYTES + len(found)).to_bytes(_LENGTH_BYTES, "little"))
            stream.write(found)
