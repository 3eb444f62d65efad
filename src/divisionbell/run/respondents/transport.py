"""One JSON request over HTTP that arrives, or fails with a reason, or ends the run: retries, pauses and limits."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import aiohttp

from divisionbell.run.respondents.http_reply import Again, Fault, Received, one_line, sort
from divisionbell.run.respondents.respondent import RespondentStopped

JITTER_STEP = 0.6180339887  # the golden ratio spreads any number of workers evenly, without randomness

Value = TypeVar("Value")


@dataclass(frozen=True)
class Limits:
    """Budgets of a transport. Times in seconds.

    `attempt_seconds` bounds one attempt as a whole, `read_seconds` the silence between two pieces of it.
    `retry_seconds` bounds one call with all its retries, counted from the start of its first attempt to that of its
    last. `longest_wait_seconds` is the longest Retry-After that is sat out. `few_retries` is for complete but unusable
    replies (broken JSON, an error under status 200), which tend to stay as they are, and for a server that has never
    answered at all.
    """

    connect_seconds: float = 10.0
    read_seconds: float = 120.0
    attempt_seconds: float = 300.0
    retry_seconds: float = 300.0
    longest_wait_seconds: float = 60.0
    first_backoff_seconds: float = 0.5
    longest_backoff_seconds: float = 30.0
    few_retries: int = 4
    body_bytes: int = 8 * 1024 * 1024


@dataclass(frozen=True)
class Delivered(Generic[Value]):
    """What a call came to: exactly one of `value` and `error` is set. `latency_seconds` is that of the last attempt."""

    value: Value | None
    error: str | None
    retries: int
    latency_seconds: float


class Transport:
    """POSTs JSON to one address. `label` begins each stop message; `secret` is blotted out of every message."""

    def __init__(self, url: str, label: str, headers: Mapping[str, str], secret: str | None, limits: Limits) -> None:
        self._url, self._label, self._headers, self._secret = url, label, headers, secret
        self._limits = limits
        self._session: aiohttp.ClientSession | None = None
        self._reached = False  # whether a connection ever stood
        self._paused_until = 0.0  # on the monotonic clock
        self._jitter = 0.0  # in [0, 1)

    async def deliver(
        self, payload: Callable[[], bytes], judge: Callable[[Received], Value | Fault]
    ) -> Delivered[Value]:
        """Send until a reply passes `judge`, or further attempts are pointless or over budget.

        `payload` is called before each attempt. `judge` sees each complete reply with status 200, 400 or 422 and
        returns what is in it, or a fault. Raises RespondentStopped where every further call would fail too.
        """
        await self._sit_out_pause()
        started, retries = time.monotonic(), 0
        while True:
            sent = time.monotonic()
            outcome = await self._attempt(payload())
            latency = time.monotonic() - sent
            result = judge(outcome) if isinstance(outcome, Received) else outcome
            if not isinstance(result, Fault):
                return Delivered(result, None, retries, latency)
            if result.again == "at once":
                continue
            wait = self._wait_seconds(result, retries)
            over = time.monotonic() - started + wait > self._limits.retry_seconds
            few = result.again.startswith("few times")
            if result.again == "never" or over or (few and retries >= self._limits.few_retries):
                if result.again == "few times or stop":
                    why = one_line(result.text, self._secret)
                    raise RespondentStopped(
                        f"{self._label}: cannot be reached: {why}", "check the address and that the server runs"
                    )
                return Delivered(None, one_line(result.text, self._secret), retries, latency)
            retries += 1
            if result.shared:
                self._paused_until = max(self._paused_until, time.monotonic() + wait)
            else:
                await asyncio.sleep(wait)
            await self._sit_out_pause()

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            session, self._session = self._session, None
            await session.close()

    def _wait_seconds(self, fault: Fault, retries: int) -> float:
        """How long to wait after a fault. Raises RespondentStopped where the server asks for more than is sat out."""
        asked, limits = fault.wait_seconds, self._limits
        if asked is not None and asked > limits.longest_wait_seconds:
            raise RespondentStopped(
                f"{self._label}: the server asks to wait {asked:.0f} s and at most {limits.longest_wait_seconds:g} s"
                " are sat out; the run can be resumed after that time"
            )
        own = min(limits.first_backoff_seconds * 2.0 ** min(retries, 30), limits.longest_backoff_seconds)
        return asked if asked is not None and asked >= limits.first_backoff_seconds else own

    async def _sit_out_pause(self) -> None:
        """Wait while the shared pause lasts, then a little longer, a different little for each worker."""
        while (left := self._paused_until - time.monotonic()) > 0:
            self._jitter = (self._jitter + JITTER_STEP) % 1.0
            await asyncio.sleep(left + self._jitter * self._limits.first_backoff_seconds)

    async def _attempt(self, payload: bytes) -> Received | Fault:
        """One POST. Raises RespondentStopped on a status, or a certificate, that will not change."""
        try:
            async with self._opened().post(self._url, data=payload, allow_redirects=False) as response:
                self._reached = True
                raw = bytearray()
                async for piece in response.content.iter_any():
                    raw += piece
                    if len(raw) > self._limits.body_bytes:
                        response.close()
                        return Fault(f"the reply is longer than {self._limits.body_bytes} bytes", "never")
                return sort(response.status, response.headers, bytes(raw), self._label, self._secret)
        except TimeoutError as error:
            return Fault(f"timed out: {error}" if str(error) else "timed out", "within budget")
        except aiohttp.ClientConnectorCertificateError:
            raise RespondentStopped(f"{self._label}: the server's certificate is not trusted") from None
        except aiohttp.ClientConnectorError as error:
            # A server that was reached before may come back; one that never was is most likely a wrong address.
            again: Again = "within budget" if self._reached else "few times or stop"
            return Fault(f"{type(error).__name__}: {error}", again)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            self._reached = True
            return Fault(f"{type(error).__name__}: {error}", "within budget")

    def _opened(self) -> aiohttp.ClientSession:
        """The one session, opened inside the running event loop."""
        if self._session is None:
            limits = self._limits
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"Content-Type": "application/json", "Accept": "application/json", **self._headers},
                timeout=aiohttp.ClientTimeout(
                    total=limits.attempt_seconds, connect=limits.connect_seconds, sock_read=limits.read_seconds
                ),
            )
        return self._session
