"""Do independent parts of a work on two processes where that pays, and on one where it does not."""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO, TypeVar

Part = TypeVar("Part")
Result = TypeVar("Result")


def _two() -> bool:
    """Whether a second process can be had by a fork: Linux, two processors, and no other thread to be cut off."""
    return sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1 and threading.active_count() == 1


def in_two(parts: Sequence[Part], work: Callable[[Part], Result], pays: bool, own: int = 2) -> list[Result]:
    """`work` of every part, in order. Where `pays`, a forked process takes all but every `own`-th part.

    What the second process raises, or a process that ends early, costs time and no result: its parts are done here.
    """
    if not pays or len(parts) < 2 or not _two():
        return [work(part) for part in parts]
    here = list(range(0, len(parts), own))
    there = [number for number in range(len(parts)) if number % own]
    sys.stdout.flush()
    sys.stderr.flush()
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(write_end, [parts[number] for number in there], work)
    os.close(write_end)
    try:
        done = [work(parts[number]) for number in here]
        with os.fdopen(read_end, "rb") as stream:
            rest: list[Result] | None = _received(stream)
    finally:
        _end(child)
    if rest is None:
        rest = [work(parts[number]) for number in there]
    by_number = dict(zip([*here, *there], [*done, *rest], strict=True))
    return [by_number[number] for number in range(len(parts))]


def _answer(write_end: int, parts: Sequence[Part], work: Callable[[Part], Result]) -> None:
    """What the second process does; it never returns, so that nothing of the first is done twice."""
    try:
        with contextlib.suppress(Exception), os.fdopen(write_end, "wb") as stream:  # the first will meet the same
            stream.write(pickle.dumps([work(part) for part in parts], protocol=pickle.HIGHEST_PROTOCOL))
    finally:
        os._exit(0)


def _received(stream: BinaryIO) -> Any:
    try:
        return pickle.load(stream)  # noqa: S301 - it comes from our own fork
    except (EOFError, pickle.UnpicklingError):
        return None


def _end(child: int) -> None:
    """Wait for the second process; where the first was interrupted, it is not needed any more."""
    if sys.exc_info()[0] is not None:
        os.kill(child, 9)
    os.waitpid(child, 0)
