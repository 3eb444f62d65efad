"""Do something again whenever a file of a bank is saved. It looks at the files' times and sizes a few times a second:
that also sees saves by renaming, links, folders that vanish and come back, and file systems that send no events."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

Snapshot = dict[str, tuple[int, ...]]

INTERVAL = 0.2
# A save is over when nothing has changed for this long; after PATIENCE seconds of changes the round begins anyway.
QUIET = 0.1
PATIENCE = 3.0
# Looking may take this share of the time at most, however large the bank is.
SHARE = 10


def watch(folder: Path, others: Iterable[Path], round_: Callable[[list[str]], None]) -> None:
    """Call `round_` with the names of the files that changed (none the first time), for ever.

    A change made during a round begins the next one. Ends by whatever `round_` raises, and by KeyboardInterrupt.
    """
    others = tuple(others)
    seen = snapshot(folder, others)
    round_([])
    while True:
        started = time.monotonic()
        found = snapshot(folder, others)
        if found != seen:
            found = _settled(folder, others, found)
            changed = sorted(name for name in seen.keys() | found.keys() if seen.get(name) != found.get(name))
            seen = found
            if changed:
                round_(changed)
        else:
            time.sleep(max(INTERVAL, SHARE * (time.monotonic() - started)))


def snapshot(folder: Path, others: Iterable[Path]) -> Snapshot:
    """What can be seen of every file that `validate` reads, without opening it. What is not there is left out."""
    seen: Snapshot = {}
    for path in (*_files(folder), *others):
        told = _told(path)
        if told is not None:
            seen[str(path)] = (told.st_mtime_ns, told.st_ctime_ns, told.st_size, told.st_ino)
    return seen


def _told(path: Path) -> os.stat_result | None:
    """The state of a file, or of the link itself where it leads nowhere."""
    for look in (path.stat, path.lstat):
        try:
            return look()
        except OSError:
            continue
    return None


def _files(folder: Path) -> Iterable[Path]:
    yield folder / "CODEBOOK.md"
    for parent, folders, names in os.walk(folder):
        folders.sort()
        frozen = Path(parent) == folder / "freeze"
        for name in names:
            if frozen or name.lower().endswith((".yaml", ".yml")):
                yield Path(parent) / name
        yield from (Path(parent) / name for name in folders if (Path(parent) / name).is_symlink())


def _settled(folder: Path, others: tuple[Path, ...], found: Snapshot) -> Snapshot:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        time.sleep(QUIET)
        again = snapshot(folder, others)
        if again == found:
            break
        found = again
    return found
