"""A real server on loopback that says what a test wants and keeps what it was asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from aiohttp import web

from divisionbell.run.respondents.respondent import Ask, Message, Reply, Respondent
from divisionbell.run.respondents.transport import Limits

ITEM = "q9f3r6tb"
TEXT = '{"item_id":"q9f3r6tb","answer":"A"}'
# Waits are short and budgets long: how often a server is asked must not hang on how busy this machine is.
QUICK = Limits(
    retry_seconds=60.0,
    first_backoff_seconds=0.02,
    longest_backoff_seconds=0.1,
    few_retries=2,
)


class Says:
    """One answer of the server: a body with its status and headers."""

    def __init__(self, body: object, status: int = 200, **headers: str) -> None:
        self.raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class LocalServer:
    """Gives the n-th answer to the n-th call, and the last one for good."""

    def __init__(self, *answers: Says) -> None:
        self.answers = answers
        self.requests: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.headers: list[Mapping[str, str]] = []

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(await request.json() if request.can_read_body else {})
        self.paths.append(request.path_qs)
        self.headers.append(request.headers.copy())
        said = self.answers[min(len(self.requests), len(self.answers)) - 1]
        return web.Response(body=said.raw, status=said.status, headers=said.headers)

    async def start(self) -> tuple[web.AppRunner, str]:
        """The runner and the address without a path."""
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self.handle)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return runner, f"http://127.0.0.1:{runner.addresses[0][1]}"


def an_ask(*more: Message) -> Ask:
    turns = (Message("system", "Choose."), Message("user", "A or B?"), *more)
    return Ask("unit", ITEM, 1 + bool(more), turns, "negative", "commons-1541")


def replies(
    server: LocalServer,
    kind: type[Any],
    path: str,
    key: str | None,
    asks: Sequence[Ask] = (),
    limits: Limits = QUICK,
    **options: Any,
) -> tuple[list[Reply], Respondent]:
    """What a respondent of this kind makes of the server, one ask after the other."""

    async def main() -> tuple[list[Reply], Respondent]:
        runner, root = await server.start()
        respondent = kind("m-1", root + path, key, limits=limits, **options)
        try:
            made = [await respondent.answer(ask) for ask in asks or (an_ask(),)]
        finally:
            await respondent.close()
            await runner.cleanup()
        return made, respondent

    return asyncio.run(main())
