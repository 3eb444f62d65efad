"""A disk that is really full: a small tmpfs. Clear words, and everything that was written stays whole and resumable."""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from driving import Home, units
from misbehaving import Call, Said, Server, completion, good

PAGES = "size=96k"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with room for some thirty units."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", PAGES, "tmpfs", str(place)], capture_output=True, text=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip(f"run as root, where a tmpfs can be mounted: {mounted.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def filled(disk: Path, leave: int) -> Path:
    """A file that takes all room but `leave` bytes; removing it gives the room back."""
    free = os.statvfs(disk)
    ballast = disk / "ballast"
    ballast.write_bytes(b"x" * max(0, free.f_bavail * free.f_frsize - leave))
    return ballast


def test_a_disk_that_fills_up_while_units_are_appended(home: Home, disk: Path) -> None:
    out = disk / "run"
    with Server(good) as server:
        told = home.run(server.url, out, "--form", "full", code=1)
        assert "journal.jsonl cannot be written: No space left on device" in told
        assert "free some space; what was written stays; then go on with: divisionbell run --resume" in told
        kept = units(out)
        assert 5 < len(kept) < 96
        assert (out / "journal.jsonl").read_bytes().endswith(b"\n")
        home.do("runs", "verify", str(out))
        again = home.run(server.url, out, "--form", "full", "--resume", code=1)
        assert "No space left on device" in again
        assert units(out)[: len(kept)] == kept
        subprocess.run(["mount", "-o", "remount,size=1m", str(disk)], check=True)
        there, before = len(units(out)), len(server.calls)
        home.run(server.url, out, "--form", "full", "--resume")
        assert len(server.calls) - before == 96 - there
    made = units(out)
    assert made[: len(kept)] == kept
    assert len({unit["unit_key"] for unit in made}) == len(made) == 96


def test_a_disk_that_fills_up_with_64_in_flight_keeps_whole_lines_alone(home: Home, disk: Path) -> None:
    async def a_wave_at_once(call: Call) -> Said:
        await asyncio.sleep(0.3)
        return 200, completion("No. " * 1000)

    out = disk / "run"
    with Server(a_wave_at_once) as server:
        told = home.run(server.url, out, "--form", "full", "--concurrency", "64", code=1)
    assert "No space left on device" in told
    assert len(units(out)) >= 1 and (out / "journal.jsonl").read_bytes().endswith(b"\n")
    home.do("runs", "verify", str(out))


def test_no_room_for_the_header(home: Home, disk: Path) -> None:
    ballast = filled(disk, 0)
    with Server(good) as server:
        told = home.run(server.url, disk / "run", code=2)
        assert "cannot be written: No space left on device" in told
        assert server.calls == []
        ballast.unlink()
        home.run(server.url, disk / "run")
    assert len(units(disk / "run")) == 32


def test_a_limit_on_the_size_of_files_is_told_as_well(home: Home, tmp_path: Path) -> None:
    """The same without root: the system refuses to let the journal grow."""

    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    out = tmp_path / "run"
    with Server(good) as server:
        process = home.start(*home.asking(server.url, out), preexec_fn=small)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 1 and "Traceback" not in err
        assert "journal.jsonl cannot be written: File too large" in err
        kept = units(out)
        assert kept and (out / "journal.jsonl").stat().st_size <= 20_000
        home.run(server.url, out, "--resume")
    assert units(out)[: len(kept)] == kept and len(units(out)) == 32
