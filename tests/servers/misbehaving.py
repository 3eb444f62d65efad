"""A chat-completions server on loopback, over real sockets, that does what a test tells it and counts what it sees."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web


class Call:
    """One request as the server sees it. `number` counts from 1."""

    def __init__(self, number: int, http: web.Request, asked: dict[str, Any], server: Server) -> None:
        self.number, self.http, self.asked, self.server = number, http, asked, server

    @property
    def prompt(self) -> str:
        return str(self.asked["messages"][1]["content"])

    @property
    def item(self) -> str:
        return self.prompt.rsplit('{"item_id":"', 1)[1].split('"', 1)[0]

    @property
    def reminded(self) -> bool:
        return len(self.asked["messages"]) > 2

    def answer(self, letter: str = "A") -> str:
        return json.dumps({"item_id": self.item, "answer": letter})


def completion(
    text: str | None, finish: str | None = "stop", over: dict[str, Any] | None = None, **message: Any
) -> Any:
    """The body of a reply; `over` replaces or adds fields of the whole, `message` those of the message."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
    return {"model": "asked-model", "system_fingerprint": "fp_1", "choices": [choice], **(over or {})}


Said = tuple[int, Any] | tuple[int, Any, dict[str, str]]
Behaviour = Callable[[Call], Awaitable[Said | web.StreamResponse]]


class Server:
    """Use as a context. A behaviour gives status, body (bytes or JSON) and headers, or a whole response."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.calls: list[Call] = []
        self.arrivals: list[float] = []
        self.in_flight = self.most = 0
        self._ready, self._end = threading.Event(), asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(),), daemon=True)

    def __enter__(self) -> Server:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(10)

    async def _serve(self) -> None:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/chat/completions", self._answer)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        self._ready.set()
        await self._end.wait()
        await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.arrivals.append(time.monotonic())
        call = Call(len(self.calls) + 1, request, await request.json(), self)
        self.calls.append(call)
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        try:
            said = await self.behaviour(call)
        finally:
            self.in_flight -= 1
        if isinstance(said, web.StreamResponse):
            return said
        status, body, *headers = said
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        more = headers[0] if headers else {}
        return web.Response(body=raw, status=status, headers={"Content-Type": "application/json", **more})


async def good(call: Call) -> Said:
    """Answers A, always."""
    return 200, completion(call.answer())
