"""One JSON request over HTTP that arrives, or fails with a reason, or ends the run: retries, pauses and limits."""

from __future__ import annotations

import asyncio
import math
import resource
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import aiohttp

from divisionbell.run.clock import utc_now
from divisionbell.run.respondents.api_key import without_key
from divisionbell.run.respondents.http_reply import Again, Fault, Received, one_line, sort
from divisionbell.run.respondents.pace import Pace
from divisionbell.run.respondents.respondent import Reply, RespondentStopped

OTHER_FILES = 64  # files that the process opens besides its sockets
JITTER_STEP = 0.6180339887  # the golden ratio spreads any number of workers evenly, without randomness

Value = TypeVar("Value")


@dataclass(frozen=True)
class Limits:
    """Budgets of a transport. Times in seconds.

    `attempt_seconds` bounds one attempt as a whole, `read_seconds` the silence between two pieces of it.
    `retry_seconds` bounds one call: its attempts and the waits after them, without the time that it waits for others.
    Where no call has come through for that long, each ends at its next failure. `longest_wait_seconds` is the longest
    Retry-After that is sat out. `few_retries` is for complete but unusable replies (broken JSON, an error under status
    200), which tend to stay as they are, and for a server that has never answered at all.
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
    """What a call came to: exactly one of `value` and `error` is set. `latency_seconds` and `sent_at` (UTC) are of its
    last attempt."""

    value: Value | None
    error: str | None
    retries: int
    latency_seconds: float
    sent_at: str


def reply_of(delivered: Delivered[Reply], secret: str | None) -> Reply:
    """The reply of a call with what the transport knows of it; the secret stands nowhere in it."""
    reply = delivered.value or Reply(text=None, transport_error=delivered.error)
    made = replace(
        reply,
        asked_at=delivered.sent_at,
        latency_seconds=delivered.latency_seconds,
        transport_retries=delivered.retries,
    )
    return without_key(made, secret)


def _sockets() -> float:
    """How many sockets the system lets this process open."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return math.inf if files == resource.RLIM_INFINITY else max(1, files - OTHER_FILES)


class Transport:
    """POSTs JSON to one address. `label` begins each stop message; `secret` is blotted out of every message.

    `pace` holds back what an overloaded server does not bear.
    """

    def __init__(self, url: str, label: str, headers: Mapping[str, str], secret: str | None, limits: Limits) -> None:
        self._url, self._label, self._headers, self._secret = url, label, headers, secret
        self._limits = limits
        self.pace = Pace(_sockets())
        self._alive = 0.0  # when a call last came through; before that, when asking began
        self._ended = -math.inf  # when an attempt last ended
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
        spent, retries = 0.0, 0
        while True:
            wave = await self._turn()
            sent, sent_at, result = self._sending(), utc_now(), None
            try:
                outcome = await self._attempt(payload())
                result = judge(outcome) if isinstance(outcome, Received) else outcome
            finally:
                self._ended = now = time.monotonic()
                fault = result if isinstance(result, Fault) else None
                came_through = result is not None and fault is None
                self.pace.leave(wave, overloaded=fault is not None and fault.overload, succeeded=came_through)
            if not isinstance(result, Fault) or result.again == "never":  # a server that refuses well is alive
                self._alive = now
            if not isinstance(result, Fault):
                return Delivered(result, None, retries, now - sent, sent_at)
            if result.again == "at once":
                continue
            wait = self._wait_seconds(result, retries)
            spent += now - sent + wait
            over = max(spent, now - self._alive) > self._limits.retry_seconds
            few = result.again.startswith("few times")
            if result.again == "never" or over or (few and retries >= self._limits.few_retries):
                why = one_line(result.text, self._secret)
                if result.again == "few times or stop":
                    raise RespondentStopped(
                        f"{self._label}: cannot be reached: {why}", "check the address and that the server runs"
                    )
                return Delivered(None, why, retries, now - sent, sent_at)
            retries += 1
            if result.shared:
                self._paused_until = max(self._paused_until, now + wait)
            else:
                await asyncio.sleep(wait)

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
                " are sat out",
                "wait that long",
            )
        own = min(limits.first_backoff_seconds * 2.0 ** min(retries, 30), limits.longest_backoff_seconds)
        return asked if asked is not None and asked >= limits.first_backoff_seconds else own

    async def _turn(self) -> int:
        """Wait until no pause is on and the pace has a place; the wave that the place belongs to."""
        while True:
            await self._sit_out_pause()
            wave = await self.pace.enter()
            if self._paused_until <= time.monotonic():
                return wave
            self.pace.leave(wave)

    def _sending(self) -> float:
        """The time. Where nothing was asked for longer than any wait, the silence until now was not the server's."""
        now = time.monotonic()
        if self.pace.in_flight == 1 and now - self._ended > self._limits.longest_wait_seconds + 1:
            self._alive = now
        return now

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
        except aiohttp.ConnectionTimeoutError as error:
            return Fault(f"timed out: {error}", self._unreached())
        except TimeoutError as error:
            return Fault(f"timed out: {error}" if str(error) else "timed out", "within budget", overload=True)
        except aiohttp.ClientConnectorCertificateError:
            raise RespondentStopped(
                f"{self._label}: the server's certificate is not trusted",
                "let the system trust it, or check the address",
            ) from None
        except aiohttp.ClientConnectorError as error:
            return Fault(f"{type(error).__name__}: {error}", self._unreached())
        except (aiohttp.InvalidURL, UnicodeError) as error:  # before anything was sent, and every time
            why = one_line(f"{type(error).__name__}: {error}", self._secret)
            raise RespondentStopped(f"{self._label}: nothing can be sent there: {why}", "check the address") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            self._reached = True
            return Fault(f"{type(error).__name__}: {error}", "within budget")

    def _unreached(self) -> Again:
        """A server that was reached before may come back; one that never was is most likely a wrong address."""
        return "within budget" if self._reached else "few times or stop"

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
