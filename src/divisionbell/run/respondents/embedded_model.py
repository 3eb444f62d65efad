"""The embedded model itself: weights in one process, one thread, one answer at a time.

It runs in worker processes (`embedded.py`), since the runtime holds the interpreter while it computes.
"""

from __future__ import annotations

import os
import secrets
import signal
import tempfile
import threading
import time
from dataclasses import dataclass
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

CONTEXT_TOKENS = 2048
LONGEST_SOCKET_PATH = 100  # bytes; a Unix socket's address holds 104 to 108


class CannotLoad(Exception):
    """The weights cannot be loaded."""


@dataclass(frozen=True)
class Completion:
    """What the runtime gave for one conversation: a text with its finish reason and token counts, or a fault."""

    text: str | None
    finish_reason: str | None
    input_tokens: int | None
    output_tokens: int | None
    fault: str | None
    seconds: float


class Model:
    """Loaded weights. Replies are the same bit for bit on repeat: one thread, no prompt cache, temperature 0."""

    def __init__(self, weights: Path, threads: int) -> None:
        """Load the weights, silently. Raises CannotLoad.

        The runtime insists on listening somewhere: it is given a Unix socket in a private folder that is gone before
        the first answer, or, where that is not possible, a loopback port behind a random key.
        """
        import xllamacpp

        params = xllamacpp.CommonParams()
        params.model.path = str(weights)
        params.verbosity = -1
        params.n_ctx = CONTEXT_TOKENS
        params.n_parallel = params.n_threads_http = 1
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
        params.n_gpu_layers = params.cache_ram_mib = params.n_ctx_checkpoints = 0
        params.cache_prompt = params.warmup = params.ui = params.fit_params = params.prefill_assistant = False
        params.offline = True
        params.api_keys = [secrets.token_urlsafe(32)]
        with tempfile.TemporaryDirectory(prefix="divisionbell-") as folder:
            socket = str(Path(folder, "embedded.sock"))
            if os.name == "posix" and len(os.fsencode(socket)) <= LONGEST_SOCKET_PATH:
                params.hostnames = [socket]
            try:
                self.server: Any = xllamacpp.Server(params)
            except RuntimeError as error:
                raise CannotLoad(f"the embedded model {weights.name} cannot be loaded: {error}") from None

    def complete(self, request: dict[str, Any]) -> Completion:
        """One answer to a chat-completion request."""
        started = time.monotonic()
        try:
            body = self.server.handle_chat_completions(request)
        except (RuntimeError, ValueError) as error:
            body = {"error": str(error)}
        seconds = time.monotonic() - started
        if not isinstance(body, dict) or "error" in body or not body.get("choices"):
            fault = body.get("error") if isinstance(body, dict) else None
            message = fault.get("message") if isinstance(fault, dict) else fault
            return Completion(None, None, None, None, f"the embedded model failed: {message}", seconds)
        choice, usage = body["choices"][0], body.get("usage", {})
        return Completion(
            choice["message"].get("content"),
            choice.get("finish_reason"),
            usage.get("prompt_tokens"),
            usage.get("completion_tokens"),
            None,
            seconds,
        )


_loaded: dict[tuple[str, int], Model] = {}


def begin_worker() -> None:
    """An interrupt is for the parent, which ends the workers after their answers; without a parent they end at once.

    A worker ends without taking the runtime apart: its destructor can wait for ever on a thread of its own.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Finalize(None, os._exit, args=(0,), exitpriority=-1000)
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="parent-watch").start()


def complete_in_worker(weights: str, threads: int, request: dict[str, Any]) -> Completion:
    """One answer in a worker process, which loads the weights at its first. Raises CannotLoad."""
    key = (weights, threads)
    if key not in _loaded:
        _loaded[key] = Model(Path(weights), threads)
    return _loaded[key].complete(request)
