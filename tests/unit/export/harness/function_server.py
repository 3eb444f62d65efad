"""A chat-completions server on loopback whose answer is a function of the conversation: what is malformed, cut off or
refused is so for whoever asks."""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from aiohttp import web

# What becomes of a question, by one byte of the digest of its prompt; most are answered.
ANSWERED = (
    *("answer",) * 8,
    "answer-loosely",
    "prose-then-answer",
    "fence-then-answer",
    "thinking-then-answer",
)
MISSING = (
    "prose-twice",
    "thinking-twice",
    "hostile-twice",
    "no-text-twice",
    "cut-off",
    "filtered",
    "refused",
    "wrong-id-then-cut-off",
)
KINDS = (*ANSWERED, *MISSING)
# So few are missing that every family of bank 1.0.0 has a complete pair of first replies.
FEW_MISSING = (*("answer",) * 236, *MISSING, *ANSWERED)
HOSTILE = "</script>\x85\u2028\x00 \\u0041 {{7*7}} {% raw %} \U0001f600 " + "x" * 5000


def digest_of(prompt: str) -> bytes:
    return hashlib.sha256(prompt.encode()).digest()


def kind_of_prompt(prompt: str, kinds: tuple[str, ...] = KINDS) -> str:
    return kinds[digest_of(prompt)[0] % len(kinds)]


def _object(item_id: str, letter: str) -> str:
    return json.dumps({"item_id": item_id, "answer": letter}, separators=(",", ":"))


def reply_to(messages: list[dict[str, Any]], kinds: tuple[str, ...] = KINDS) -> tuple[str | None, str, str | None]:
    """Text, finish reason and refusal field."""
    prompt = next(m["content"] for m in messages if m["role"] == "user")
    item_id = prompt.rsplit('{"item_id":"', 1)[1].split('"', 1)[0]
    letter = "AB"[digest_of(prompt)[1] % 2]
    again = sum(m["role"] == "user" for m in messages) > 1
    kind = kind_of_prompt(prompt, kinds)
    good = _object(item_id, letter)
    if kind == "answer-loosely":
        return f' {{ "answer" : "{letter}",\n"item_id":"{item_id}" }}\n', "stop", None
    if kind == "cut-off":
        return good[:9], "length", None
    if kind == "filtered":
        return None, "content_filter", None
    if kind == "refused":
        return None, "stop", "I will not choose."
    if kind == "no-text-twice":
        return "", "stop", None
    if kind == "prose-twice" or (kind == "prose-then-answer" and not again):
        return f"I would choose {letter}, since: {good}", "stop", None
    if kind == "fence-then-answer" and not again:
        return f"```json\n{good}\n```", "stop", None
    if kind == "thinking-twice" or (kind == "thinking-then-answer" and not again):
        return f"<think>\nEither. {good}\n</think>\n\n{good}", "stop", None
    if kind == "hostile-twice":
        return HOSTILE, "stop", None
    if kind == "wrong-id-then-cut-off":
        return (good, "length", None) if again else (_object("q7777777", letter), "stop", None)
    return good, "stop", None


class FunctionServer:
    """`base_url`, and every request as it came."""

    def __init__(self, kinds: tuple[str, ...]) -> None:
        self.kinds = kinds
        self.base_url = ""
        self.requests: list[dict[str, Any]] = []

    async def answer(self, request: web.Request) -> web.Response:
        asked = await request.json()
        self.requests.append(asked)
        text, finish, refusal = reply_to(asked["messages"], self.kinds)
        message = {"role": "assistant", "content": text, **({"refusal": refusal} if refusal else {})}
        return web.json_response(
            {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "created": 1,
                "model": "served-model-1",
                "choices": [{"index": 0, "finish_reason": finish, "message": message, "logprobs": None}],
                "usage": {"prompt_tokens": 250, "completion_tokens": 15, "total_tokens": 265},
            }
        )


@contextmanager
def function_server(kinds: tuple[str, ...] = KINDS) -> Iterator[FunctionServer]:
    """Such a server on a free port of the loopback address, in a thread of its own."""
    server = FunctionServer(kinds)
    loop = asyncio.new_event_loop()
    ready = threading.Event()
    runner_of: list[web.AppRunner] = []

    async def begin() -> None:
        app = web.Application(client_max_size=2**24)
        app.router.add_post("/v1/chat/completions", server.answer)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        server.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        runner_of.append(runner)
        ready.set()

    def serve() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(begin())
        loop.run_forever()
        loop.run_until_complete(runner_of[0].cleanup())
        loop.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    assert ready.wait(20)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(20)
