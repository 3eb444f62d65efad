"""Whatever happens to one of the two processes: no result is lost, nothing hangs, stays behind or is said twice."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from divisionbell.bank import two_processes
from divisionbell.bank.load import MANY
from divisionbell.bank.two_processes import in_two

PARENT = os.getpid()
PARTS = list(range(9))
SQUARES = [part * part for part in PARTS]

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2, reason="no second process is begun here"
)


@pytest.fixture(autouse=True)
def nothing_left_behind(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    """No child, no zombie, no open file, no word more than there was."""
    before = set(os.listdir("/proc/self/fd"))
    children = _children(os.getpid())
    yield
    assert _children(os.getpid()) <= children
    assert set(os.listdir("/proc/self/fd")) <= before
    assert capfd.readouterr() == ("", "")


def _children(process: int) -> set[int]:
    try:
        return set(map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split()))
    except OSError:
        return set()


def _is_there(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def until(holds: Callable[[], object], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def squared(part: int) -> int:
    time.sleep(0.01)
    return part * part


def _no_more(*_: object) -> None:
    raise OSError(errno.EAGAIN, "Resource temporarily unavailable")


@pytest.mark.parametrize("call", ["fork", "pipe"])
def test_where_the_system_gives_no_second_process_one_does_all(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, call, _no_more)
    assert in_two(PARTS, squared, True) == SQUARES


def in_the_second(do: Callable[[], object], after: int) -> Callable[[int], int]:
    """Work in which the second process does something when it has done so many parts."""
    done = 0

    def work(part: int) -> int:
        nonlocal done
        if os.getpid() == PARENT:
            time.sleep(0.05)
        elif done == after:
            do()
        done += 1
        return part * part

    return work


def _signal(number: int) -> Callable[[], object]:
    return lambda: os.kill(os.getpid(), number)


@pytest.mark.parametrize("after", [0, 1, 3])
@pytest.mark.parametrize("sign", ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"])
def test_a_second_process_that_a_signal_ends_loses_nothing(sign: str, after: int) -> None:
    assert in_two(PARTS, in_the_second(_signal(signal.Signals[sign]), after), True) == SQUARES


def test_a_second_process_without_memory_loses_nothing() -> None:
    def greedy() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (1 << 28, 1 << 28))
        bytearray(1 << 30)

    assert in_two(PARTS, in_the_second(greedy, 2), True) == SQUARES


def test_a_second_process_that_stands_still_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(two_processes, "PATIENCE", 0.3)
    begun = time.monotonic()
    assert in_two(PARTS, in_the_second(_signal(signal.SIGSTOP), 2), True) == SQUARES
    assert time.monotonic() - begun < 5


def large(part: int) -> bytes:
    time.sleep(0.02)
    return bytes([part]) * 3_000_000


@pytest.mark.parametrize("delay", [0.0, 0.03, 0.06, 0.09, 0.12, 0.2])
@pytest.mark.parametrize("sign", ["SIGKILL", "SIGSTOP"])
def test_a_second_process_that_ends_or_stops_at_any_moment(
    sign: str, delay: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in the middle of its answer, which is longer than the pipe holds."""
    monkeypatch.setattr(two_processes, "PATIENCE", 0.3)
    fork, killers = os.fork, []

    def with_a_killer() -> int:
        child = fork()
        if child:
            command = f"sleep {delay}; kill -{sign.removeprefix('SIG')} {child} 2>/dev/null"
            killers.append(subprocess.Popen(["sh", "-c", command]))
        return child

    monkeypatch.setattr(os, "fork", with_a_killer)
    assert in_two(PARTS[:6], large, True) == [bytes([part]) * 3_000_000 for part in PARTS[:6]]
    monkeypatch.undo()
    for killer in killers:
        killer.wait()
    assert killers


def test_where_the_end_of_children_is_not_told() -> None:
    """Some programs start others with SIGCHLD ignored: then the system takes note of the end itself."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert in_two(PARTS, squared, True) == SQUARES
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_an_interrupt_at_any_moment_of_the_start_leaves_no_second_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The signal comes while the process is begun: it is held back until the process is known."""
    fork = os.fork

    def interrupted() -> int:
        child = fork()
        if child:
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)  # not to a thread of the tests
        return child

    monkeypatch.setattr(os, "fork", interrupted)
    with pytest.raises(KeyboardInterrupt):
        in_two(PARTS, squared, True)


@pytest.fixture
def large_bank(repository: Path) -> list[str]:
    """The command that checks the shipped bank, which has enough dossiers for two processes."""
    bank = repository / "bank"
    assert len(list(bank.glob("dossiers/*/*/*.yaml"))) >= MANY
    return [sys.executable, "-m", "divisionbell", "validate", "--bank", str(bank)]


@contextlib.contextmanager
def running(command: list[str], **options: object) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The command in a session of its own, and its second process as soon as there is one."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        **options,  # type: ignore[call-overload]
    )
    try:
        assert until(lambda: _children(process.pid) or process.poll() is not None)
        (second,) = _children(process.pid)
        yield process, second
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def test_ctrl_c_ends_both_with_one_word(large_bank: list[str]) -> None:
    for delay in (0.0, 0.05, 0.2):
        with running(large_bank) as (process, second):
            time.sleep(delay)
            os.killpg(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=20)
            assert (process.returncode, out, err.strip()) == (130, b"", b"interrupted")
            assert until(lambda gone=second: not _is_there(gone), 5)  # type: ignore[misc]


def test_ctrl_c_in_the_first_alone_ends_both(large_bank: list[str]) -> None:
    with running(large_bank) as (process, second):
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        assert (process.returncode, out, err.strip()) == (130, b"", b"interrupted")
        assert until(lambda: not _is_there(second), 5)


@pytest.mark.parametrize("sign", ["SIGINT", "SIGKILL", "SIGTERM"])
def test_the_second_process_ended_changes_nothing_that_is_said(sign: str, large_bank: list[str]) -> None:
    expected = subprocess.run(large_bank, capture_output=True, check=False)
    with running(large_bank) as (process, second):
        os.kill(second, signal.Signals[sign])
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out, err) == (expected.returncode, expected.stdout, expected.stderr)


def test_the_first_process_killed_leaves_no_second(large_bank: list[str]) -> None:
    with running(large_bank) as (process, second):
        process.kill()
        process.wait()
        assert until(lambda: not _is_there(second), 20)


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_closed_streams_change_no_exit_code(closed: str, large_bank: list[str]) -> None:
    ended = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", *large_bank], capture_output=True, check=False, timeout=60
    )
    assert ended.returncode == 0
    assert b"Traceback" not in ended.stderr
