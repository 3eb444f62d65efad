"""The models that a server lists under /models, in OpenAI's and in Anthropic's format."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

import aiohttp
import orjson

from divisionbell.run.respondents.http_reply import HOPELESS, one_line, server_message

SECONDS = 10.0
TICKS = 20
MOST_BYTES = 8 * 1024 * 1024
SAYS_WHY = HOPELESS | {404: "it lists no models"}


@dataclass(frozen=True)
class Served:
    """The names a server lists, or in one line why it lists none."""

    names: tuple[str, ...] = ()
    problem: str | None = None


async def served_models(root: str, headers: Mapping[str, str], key: str | None, query: str = "") -> Served:
    """Ask `root`/models, once; `query` asks a server that lists in pages for the longest page it gives.

    Never raises for what a server does; the key stands in no message and no name. Where the status says why there is no
    list, the body, which may never end, is not waited for. Time in which this process stood still (it starts, another
    server is asked, the machine is busy) counts against no server: the budget is spent in ticks.
    """
    came: list[int] = []
    asked = asyncio.ensure_future(_asked(root + "/models" + query, headers, key, came))
    try:
        for _ in range(TICKS):
            if (await asyncio.wait((asked,), timeout=SECONDS / TICKS))[0]:
                return asked.result()
    finally:
        asked.cancel()
    if came:
        return Served(problem=f"HTTP {came[0]}, and what follows it did not end within {SECONDS:g} s")
    return Served(problem=f"the server did not answer within {SECONDS:g} s")


async def _asked(url: str, headers: Mapping[str, str], key: str | None, came: list[int]) -> Served:
    """The same without an end; `came` gets the status once it is there."""
    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(), cookie_jar=aiohttp.DummyCookieJar()) as session,
            session.get(url, headers=dict(headers), allow_redirects=False) as response,
        ):
            came.append(response.status)
            if response.status in SAYS_WHY:
                return _read(response.status, b"", key)
            raw = bytearray()
            async for piece in response.content.iter_any():
                raw += piece
                if len(raw) > MOST_BYTES:
                    return Served(problem=f"the list is longer than {MOST_BYTES} bytes")
            return _read(response.status, bytes(raw), key)
    except (aiohttp.ClientError, OSError, ValueError) as error:
        return Served(problem=one_line(f"cannot be reached: {error}", key))


def _read(status: int, raw: bytes, key: str | None) -> Served:
    try:
        body: object = orjson.loads(raw)
    except orjson.JSONDecodeError:
        body = None
    if status != 200:
        said = SAYS_WHY.get(status) or server_message(body) or "no reason given"
        return Served(problem=one_line(f"HTTP {status}: {said}", key))
    listed = body.get("data") if isinstance(body, Mapping) else None
    if not isinstance(listed, list):
        return Served(problem="what it lists under /models is no list of models")
    names = [one.get("id") for one in listed if isinstance(one, Mapping)]
    return Served(tuple(sorted({one_line(name, key) for name in names if isinstance(name, str)})))
