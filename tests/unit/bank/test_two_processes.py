"""Work in two processes gives what work in one gives, also where the second ends early."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from divisionbell.bank.two_processes import in_two

PARENT = os.getpid()


def squared(part: int) -> tuple[int, int]:
    return part * part, os.getpid()


def test_the_same_in_order() -> None:
    for parts in ([], [3], [3, 4], list(range(7))):
        for pays in (False, True):
            for own in (2, 3, 9):
                assert [value for value, _ in in_two(parts, squared, pays, own)] == [part * part for part in parts]


def test_a_second_process_is_used_where_it_pays() -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("there is one processor")
    assert len({process for _, process in in_two([1, 2, 3, 4], squared, True)}) == 2
    assert {process for _, process in in_two([1, 2, 3, 4], squared, False)} == {os.getpid()}


def _killed(part: int) -> int:
    if os.getpid() != PARENT:
        os._exit(9)
    return part


def _raising(part: int) -> int:
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
