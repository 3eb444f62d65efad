"""Long work of a few tests, done by a process of its own beside all other tests, where there are two processors.

A test that asks for it has the marker `beside(NAME)`, stands at the end of the session, and takes what came of it.
Where there is one processor, where few tests are run, or where the process came to nothing, the work is done then.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Iterable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

Work = Callable[[Path], Any]
"""What is done in an empty folder of its own; what it returns can be pickled."""

FEW = 200
"""With fewer tests there is nothing to be done meanwhile."""

_works: dict[str, Work] = {}
_started: dict[str, Path] = {}
_process: list[BaseProcess] = []


def register(name: str, work: Work) -> None:
    """Say what is to be done under a name."""
    _works[name] = work


def start(names: Iterable[str], folder: Path) -> None:
    """Begin with these works, one after the other, in a forked process."""
    wanted = [name for name in names if name in _works]
    if not wanted or sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2:
        return
    process = multiprocessing.get_context("fork").Process(target=_do, args=(wanted, folder))
    process.start()
    _process.append(process)
    _started.update((name, folder / f"{name}.pickle") for name in wanted)


def _do(names: list[str], folder: Path) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.nice(1)  # what waits for a moment of time goes first
    for name in names:
        own = folder / name
        own.mkdir()
        told = pickle.dumps(_works[name](own))
        part = folder / f"{name}.part"
        part.write_bytes(told)
        part.rename(folder / f"{name}.pickle")


def result(name: str, folder: Path) -> Any:
    """What came of a work; it is waited for, and done now where it was not begun or came to nothing."""
    file = _started.get(name)
    while file is not None and not file.exists() and _process[0].is_alive():
        time.sleep(0.05)
    if file is not None and file.exists():
        return pickle.loads(file.read_bytes())
    return _works[name](folder)


def end() -> None:
    """End the process, whatever it is at."""
    for process in _process:
        if process.is_alive():
            process.kill()
        process.join(10)
