"""Work in two processes gives what work in one gives, also where the second ends early."""

from __future__ import annotations

import mmap
import os
import random
import time
from collections.abc import Callable

import pytest

from divisionbell.bank.two_processes import in_two

PARENT = os.getpid()


def squared(part: int) -> tuple[int, int]:
    return part * part, os.getpid()


def test_the_same_in_order() -> None:
    for parts in ([], [3], [3, 4], list(range(7))):
        for pays in (False, True):
            assert [value for value, _ in in_two(parts, squared, pays)] == [part * part for part in parts]


def slowly(part: int) -> tuple[int, int]:
    time.sleep(0.02)
    return squared(part)


def test_a_second_process_is_used_where_it_pays() -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("there is one processor")
    parts = list(range(20))
    found = in_two(parts, slowly, True)
    assert [value for value, _ in found] == [part * part for part in parts]
    processes = [process for _, process in found]
    assert set(processes) > {os.getpid()}
    assert processes == sorted(processes, key=os.getpid().__ne__)  # the first parts here, the last ones there
    assert {process for _, process in in_two(parts, squared, False)} == {os.getpid()}


def test_the_two_take_each_part_once_wherever_they_meet() -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("there is one processor")
    for seed in range(20):
        draw = random.Random(seed)
        parts = [draw.choice((0, 1, 3)) for _ in range(draw.randint(2, 40))]
        done = memoryview(mmap.mmap(-1, 8 * len(parts))).cast("q")

        def work(number: int, parts: list[int] = parts, done: memoryview = done) -> int:
            time.sleep(parts[number] / 1000)
            done[number] += 1
            return -number

        assert in_two(range(len(parts)), work, True) == [-number for number in range(len(parts))]
        assert sorted(done)[-2:] in ([1, 1], [1, 2])  # but for the one at which they meet


def test_what_else_is_to_be_done_is_done_once() -> None:
    for parts in ([], [1], list(range(40))):
        for pays in (False, True):
            told: list[int] = []
            in_two(parts, squared, pays, meanwhile=lambda told=told: told.append(os.getpid()))  # type: ignore[misc]
            assert told == [os.getpid()]


def _killed(part: int) -> int:
    if os.getpid() != PARENT:
        os._exit(9)
    time.sleep(0.02)
    return part


def _raising(part: int) -> int:
    time.sleep(0.02)
    if part == 4:
        raise ValueError("this part cannot be done")
    return part


def _unpicklable(part: int) -> Callable[[], int]:
    return lambda: part


def test_a_second_process_that_ends_early_loses_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    assert in_two([1, 2, 3, 4], _killed, True) == [1, 2, 3, 4]
    assert [part() for part in in_two([1, 2, 3, 4], _unpicklable, True)] == [1, 2, 3, 4]
    assert capfd.readouterr() == ("", "")


def test_what_a_part_raises_is_raised(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    fork, started = os.fork, []

    def noted() -> int:
        started.append(fork())
        return started[-1]

    monkeypatch.setattr(os, "fork", noted)
    for parts in ([1, 2, 3, 4], [4, 1, 2, 3]):
        with pytest.raises(ValueError, match="cannot be done"):
            in_two(parts, _raising, True)
    assert capfd.readouterr() == ("", "")
    for child in started:
        with pytest.raises(ChildProcessError):
            os.waitpid(child, os.WNOHANG)  # it is not left behind
