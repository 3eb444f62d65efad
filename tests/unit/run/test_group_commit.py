"""One sync for what is finished together: nobody goes on before the disk has it, and the loop never waits for it."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from test_journal import HEADER, key, unit

from divisionbell.diagnostics import Incomplete
from divisionbell.run.group_commit import GroupCommit
from divisionbell.run.journal import Journal, line_of, parse_journal


class Held(Journal):
    """A journal whose disk is as slow as the test wants; `batches` are the sizes that were written."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, HEADER)
        self.open, self.batches = threading.Event(), list[int]()

    def write(self, units: Sequence[Mapping[str, Any]]) -> tuple[int, Incomplete | None]:
        assert threading.current_thread() is not threading.main_thread(), "the loop does not wait for the disk"
        self.batches.append(len(units))
        assert self.open.wait(10)
        return super().write(units)


def keys(folder: Path) -> list[str]:
    return [one["unit_key"] for one in parse_journal(folder / "journal.jsonl")[0]]


def test_what_comes_during_a_sync_goes_together_and_nobody_goes_on_before(tmp_path: Path) -> None:
    async def main() -> None:
        async with GroupCommit(journal) as commit:
            tasks = [asyncio.create_task(commit.put(unit(f"k{number}"))) for number in range(50)]
            await asyncio.sleep(0.05)
            assert not any(task.done() for task in tasks)
            assert journal.batches == [50]
            tasks += [asyncio.create_task(commit.put(unit(f"l{number}"))) for number in range(7)]
            await asyncio.sleep(0.05)
            journal.open.set()
            await asyncio.gather(*tasks)
            assert journal.batches == [50, 7]
            await commit.put(unit("m"))
            assert journal.batches == [50, 7, 1]

    with Held(tmp_path) as journal:
        asyncio.run(main())
        assert len(journal.standing) == 58
    assert keys(tmp_path) == [key(f"k{n}") for n in range(50)] + [key(f"l{n}") for n in range(7)] + [key("m")]


def test_every_unit_is_synced_before_it_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    really = os.fsync

    def fsync(descriptor: int) -> None:
        really(descriptor)
        synced.append(os.fstat(descriptor).st_size)

    async def main() -> None:
        async with GroupCommit(journal) as commit:
            for number in range(5):
                await commit.put(unit(f"k{number}"))
                assert synced[-1] == (tmp_path / "journal.jsonl").stat().st_size == (number + 1) * size

    with Journal(tmp_path, HEADER) as journal:
        size = len(line_of(unit("k0")))
        monkeypatch.setattr(os, "fsync", fsync)
        asyncio.run(main())


def test_one_who_is_cancelled_while_the_disk_works_has_his_unit_kept(tmp_path: Path) -> None:
    async def main() -> None:
        async with GroupCommit(journal) as commit:
            tasks = [asyncio.create_task(commit.put(unit(name))) for name in ("k1", "k2")]
            await asyncio.sleep(0.05)
            tasks.append(asyncio.create_task(commit.put(unit("k3"))))
            await asyncio.sleep(0)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            threading.Timer(0.1, journal.open.set).start()
        assert set(journal.standing) == {key("k1"), key("k2"), key("k3")}

    with Held(tmp_path) as journal:
        asyncio.run(main())
    assert keys(tmp_path) == [key("k1"), key("k2"), key("k3")]


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    """Let no file grow beyond a size, as a quota would."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_of_a_batch_that_does_not_fit_the_first_are_kept_and_the_others_told(tmp_path: Path) -> None:
    size = len(line_of(unit("k0")))

    async def main() -> list[BaseException | None]:
        async with GroupCommit(journal) as commit:
            with files_up_to(3 * size + size // 2):
                return await asyncio.gather(
                    *(commit.put(unit(f"k{number}")) for number in range(6)), return_exceptions=True
                )

    with Journal(tmp_path, HEADER) as journal:
        told = asyncio.run(main())
        assert told[:3] == [None] * 3
        assert all(isinstance(one, Incomplete) and "File too large" in one.message for one in told[3:])
        assert list(journal.standing) == [key(f"k{number}") for number in range(3)]
        assert (tmp_path / "journal.jsonl").stat().st_size == 3 * size, "the line that went in by half is out again"
        with pytest.raises(Incomplete):  # there is room again, but what the disk holds is read anew first
            journal.append(unit("k9"))
    with Journal(tmp_path, HEADER) as journal:
        journal.append(unit("k3"))
    assert keys(tmp_path) == [key(f"k{number}") for number in range(4)]


def test_a_journal_holds_no_units_in_memory(tmp_path: Path) -> None:
    """20,000 units of 5 KB; were they kept, it would be well above 100 MB."""
    code = (
        "import resource, sys; from pathlib import Path; from divisionbell.run.journal import Journal\n"
        "import json; header, one = map(json.loads, sys.argv[2:])\n"
        "one['attempts'][0]['reply_text'] = 'x' * 5000\n"
        "with Journal(Path(sys.argv[1]), header) as journal:\n"
        "    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "    for number in range(200):\n"
        "        journal.write([{**one, 'unit_key': f'{number * 100 + i:064x}',"
        " 'attempts': json.loads(json.dumps(one['attempts']))} for i in range(100)])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, len(journal.standing))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path), json.dumps(HEADER), json.dumps(unit("k"))],
        capture_output=True,
        text=True,
        check=True,
    )
    grown, count = map(int, done.stdout.split())
    assert count == 20_000 and grown < 30_000, "kilobytes"


@pytest.fixture
def no_waiting() -> Iterator[None]:
    """A loop that is busy with itself lets no timeout through."""
    signal.alarm(60)
    yield
    signal.alarm(0)


@pytest.mark.usefixtures("no_waiting")
def test_leaving_does_not_wait_for_a_writer_that_was_cancelled_before_it_began(tmp_path: Path) -> None:
    async def main() -> None:
        async with GroupCommit(journal) as commit:
            waiting = asyncio.create_task(commit.put(unit("k1")))
            await asyncio.sleep(0)
            others = asyncio.all_tasks() - {asyncio.current_task()}
            assert len(others) == 2
            for task in others:  # as the loop does when something ends it
                task.cancel()
        assert waiting.cancelled()

    with Journal(tmp_path, HEADER) as journal:
        asyncio.run(main())


def test_a_program_that_is_ended_from_within_the_loop_ends(tmp_path: Path) -> None:
    code = (
        "import asyncio, json, sys; from pathlib import Path\n"
        "from divisionbell.run.group_commit import GroupCommit\n"
        "from divisionbell.run.journal import Journal\n"
        "header, unit = (json.loads(text) for text in sys.argv[2:])\n"
        "async def ends(): raise SystemExit(7)\n"
        "async def main():\n"
        "    async with GroupCommit(journal) as commit:\n"
        "        asyncio.get_running_loop().call_soon(asyncio.ensure_future, ends())\n"
        "        await commit.put(unit)\n"
        "        await asyncio.sleep(60)\n"
        "with Journal(Path(sys.argv[1]), header) as journal:\n"
        "    asyncio.run(main())\n"
    )
    arguments = [str(tmp_path), json.dumps(HEADER), json.dumps(unit("k1"))]
    assert subprocess.run([sys.executable, "-c", code, *arguments], check=False, timeout=60).returncode == 7
