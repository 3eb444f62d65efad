"""Spread calls over an existing Ray cluster: one task a shard, never one a request."""

from __future__ import annotations

import importlib.util
import logging
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from divisionbell.diagnostics import UsageProblem

# How often a task is begun anew where its process or node dies; the journal keeps what was answered before.
MOST_RETRIES = 10
TICK_SECONDS = 1.0
STOP_SECONDS = 15.0
CONNECT_SECONDS = 10.0


class Ended(NamedTuple):
    """How a task ended: the exit code that `run` would have had, and what it said."""

    code: int
    message: str = ""
    fix: str = ""


def spread(
    call: Callable[[list[str]], tuple[int, str, str]],
    parts: Mapping[str, Sequence[str]],
    address: str | None,
    told: Callable[[Mapping[str, Ended]], None],
) -> dict[str, Ended]:
    """Run `call` on each part's arguments on the cluster at `address`, else on the one found on this machine.

    A task whose worker or node dies is begun again elsewhere. `told` is called about once a second with what has ended.
    Raises UsageProblem where Ray is not installed or no cluster is reached; an interruption stops the tasks first.
    """
    if importlib.util.find_spec("ray") is None:
        raise UsageProblem("--on ray needs the package ray", "pip install 'divisionbell[ray]', on every node")
    import ray

    try:
        if address not in (None, "auto"):
            _must_listen(str(address))
        ray.init(address=address or "auto", log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, RuntimeError, ValueError, OSError) as problem:
        where = f"at {address}" if address else "on this machine"
        raise UsageProblem(
            f"no Ray cluster is reached {where}: {str(problem).splitlines()[0]:.200}",
            "start one (ray start --head), or name it with --ray-address",
        ) from None
    try:
        task = ray.remote(max_retries=MOST_RETRIES, scheduling_strategy="SPREAD")(call)
        waiting = {task.options(name=name).remote(list(arguments)): name for name, arguments in parts.items()}
        return _gather(ray, waiting, told)
    finally:
        ray.shutdown()


def _must_listen(address: str) -> None:
    """Raises OSError soon where nothing listens at HOST:PORT, as Ray itself tries for minutes; ValueError where it is
    none."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not host or not port.isdecimal():
        raise ValueError(f"{address!r:.80} is no HOST:PORT")
    socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()


def _gather(ray: Any, waiting: dict[Any, str], told: Callable[[Mapping[str, Ended]], None]) -> dict[str, Ended]:
    ended: dict[str, Ended] = {}
    try:
        while waiting:
            ready, _ = ray.wait(list(waiting), num_returns=len(waiting), timeout=TICK_SECONDS)
            for reference in ready:
                ended[waiting.pop(reference)] = _result(ray, reference)
            told(ended)
    except KeyboardInterrupt:
        for reference in waiting:
            with suppress(ray.exceptions.RayError, ValueError):
                ray.cancel(reference)  # the shard hears of it as of Ctrl-C, and keeps what was answered
        ray.wait(list(waiting), num_returns=len(waiting), timeout=STOP_SECONDS)
        raise
    return ended


def _result(ray: Any, reference: Any) -> Ended:
    try:
        return Ended(*ray.get(reference))
    except ray.exceptions.RayError as problem:
        line = next((line.strip() for line in str(problem).splitlines() if line.strip()), "no reason")
        return Ended(1, f"{type(problem).__name__}: {line:.300}", "see the log of the node")
