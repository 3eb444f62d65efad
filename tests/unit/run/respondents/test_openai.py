"""The OpenAI respondent against a server on loopback that misbehaves in every way we know of."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from divisionbell.run.respondents.api_key import read_key
from divisionbell.run.respondents.http_reply import one_line, retry_after_seconds
from divisionbell.run.respondents.openai import OpenAI
from divisionbell.run.respondents.respondent import Ask, Message, Reply, RespondentRefused, RespondentStopped, Usage
from divisionbell.run.respondents.transport import Limits

KEY = "sk-very-secret-0123456789"
TEXT = '{"item_id":"q9f3r6tb","answer":"A"}'
QUICK = Limits(
    connect_seconds=0.5,
    read_seconds=0.2,
    attempt_seconds=0.5,
    retry_seconds=0.4,
    first_backoff_seconds=0.02,
    longest_backoff_seconds=0.1,
    few_retries=2,
    body_bytes=2_000_000,
)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def an_ask(attempt: int = 1) -> Ask:
    messages = (Message("system", "Choose."), Message("user", "A or B? Zażółć \u2028 \x00"))
    return Ask("unit", "q9f3r6tb", attempt, messages, "negative", "commons-1541")


def completion(content: object = TEXT, **over: object) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    return {"model": "served-model", "system_fingerprint": "fp_1", "choices": [choice], **over}


class Server:
    """Answers call number n with the n-th handler, and the last one for good; keeps what was asked."""

    def __init__(self, *handlers: Handler) -> None:
        self.handlers = handlers
        self.requests: list[dict[str, Any]] = []
        self.headers: list[Mapping[str, str]] = []

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(await request.json())
        self.headers.append(request.headers.copy())
        return await self.handlers[min(len(self.requests), len(self.handlers)) - 1](request)


def says(body: object, status: int = 200, **headers: str) -> Handler:
    async def handler(_: web.Request) -> web.StreamResponse:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        return web.Response(body=raw, status=status, headers={k.replace("_", "-"): v for k, v in headers.items()})

    return handler


async def listen(server: Handler, path: str) -> tuple[web.AppRunner, int]:
    """Serve on a free loopback port; the runner and the port."""

    async def route(request: web.Request) -> web.StreamResponse:
        return await server(request)

    app = web.Application()
    app.router.add_post(path, route)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    return runner, runner.addresses[0][1]


def run(server: Handler, limits: Limits = QUICK, calls: int = 1, **settings: Any) -> tuple[list[Reply], OpenAI]:
    """`calls` answers at once from the server; a stop of any of them is raised."""

    async def main() -> tuple[list[Reply], OpenAI]:
        runner, port = await listen(server, "/v1/chat/completions")
        respondent = OpenAI("m-1", f"http://127.0.0.1:{port}/v1/", KEY, limits=limits, **settings)
        try:
            replies = await asyncio.gather(*(respondent.answer(an_ask()) for _ in range(calls)))
        finally:
            await respondent.close()
            await runner.cleanup()
        assert KEY not in repr(respondent) + str(respondent) + json.dumps(dict(respondent.settings)) + repr(replies)
        return replies, respondent

    return asyncio.run(main())


def reply_of(*handlers: Handler, **more: Any) -> Reply:
    return run(Server(*handlers), **more)[0][0]


def stop_of(*handlers: Handler, **more: Any) -> str:
    with pytest.raises(RespondentStopped) as caught:
        run(Server(*handlers), **more)
    told = str(caught.value)
    assert KEY not in repr(caught.value) and "\n" not in told and told.startswith("openai:m-1 at http://127.0.0.1:")
    return told


def test_a_good_reply_is_recorded_whole() -> None:
    usage = {"prompt_tokens": 250, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 128}}
    server = Server(says(completion(usage=usage)))
    (reply,), respondent = run(server, temperature=0.0, max_tokens=32)
    assert reply.text == TEXT and reply.finish_reason == "stop" and reply.transport_error is None
    assert (reply.served_model, reply.fingerprint, reply.usage) == ("served-model", "fp_1", Usage(250, 20, 128))
    assert reply.transport_retries == 0 and reply.latency_seconds is not None and 0 < reply.latency_seconds < 1
    messages = [{"role": "system", "content": "Choose."}, {"role": "user", "content": an_ask().messages[1].content}]
    assert server.requests == [{"model": "m-1", "messages": messages, "max_tokens": 32, "temperature": 0.0}]
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert respondent.settings["temperature"] == 0.0 and not respondent.dropped


def test_without_a_usage_the_tokens_are_unknown() -> None:
    assert reply_of(says(completion())).usage == Usage(None, None, None)
    assert reply_of(says(completion(usage={"cost": 0.0021}))).usage == Usage(reported_cost=0.0021)
    for no_cost in (True, "0.1", -0.1, None, float("inf")):
        assert reply_of(says(completion(usage={"cost": no_cost}))).usage.reported_cost is None
    assert reply_of(says(completion(usage={"prompt_tokens": -1, "completion_tokens": "7"}))).usage == Usage()


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "overloaded", "code": 502}},
        {"choices": None},
        {"choices": []},
        {"choices": ["x"]},
        {"choices": [{"message": None}]},
        {"choices": [{"error": {"message": "upstream"}, "message": {"content": ""}}]},
        {"choices": [{"message": {"content": [{"type": "text", "text": "x"}]}}]},
        [],
        "text",
        None,
        b"",
        b"<html>login</html>",
        b'{"choices": [',
        b'{"choices":[{"message":{"content":"\xff"}}]}',
        b'{"choices":[{"message":{"content":"\xed\xa0\x80"}}]}',
        b'{"choices":[{"message":{"content":NaN}}]}',
        b"[" * 100_000,
    ],
)
def test_200_without_an_answer_is_a_transport_failure_with_retries(body: object) -> None:
    server = Server(says(body))
    (reply,), _ = run(server)
    assert reply.text is None and reply.transport_error and reply.transport_retries == 2 and len(server.requests) == 3
    assert reply_of(says(body), says(completion())).text == TEXT


@pytest.mark.parametrize("status", [401, 402, 403, 404])
def test_hopeless_statuses_stop_with_one_clear_line(status: int) -> None:
    server = Server(says({"error": {"message": f"Incorrect key:\n{KEY}\u2028!"}}, status))
    with pytest.raises(RespondentStopped) as caught:
        run(server)
    assert f"HTTP {status}" in str(caught.value) and "[key] !" in str(caught.value)
    assert KEY not in str(caught.value) and "\n" not in str(caught.value) and len(server.requests) == 1


def test_a_key_echoed_as_plain_text_stays_hidden() -> None:
    assert "[key]" in stop_of(says(b"bad key " + KEY.encode(), 401))
    assert "[key]" in (reply_of(says({"error": KEY}, 400)).transport_error or "")
    assert "[key]" in (reply_of(says({"error": KEY}, 500)).transport_error or "")
    assert "[key]" in (reply_of(says({"error": KEY})).transport_error or "")
    assert KEY[:6] not in one_line(" " * 990 + KEY, KEY) and KEY[:6] not in one_line("x" * 190 + KEY, KEY)


def test_used_up_credit_stops_even_as_429() -> None:
    assert "no credit" in stop_of(says({"error": {"code": "insufficient_quota", "message": "quota"}}, 429))


def test_redirects_are_not_followed() -> None:
    assert "HTTP 307" in stop_of(says({}, 307, Location="http://127.0.0.1:1/elsewhere"))


@pytest.mark.parametrize("status", [408, 429, 500, 503, 529])
def test_passing_statuses_are_retried_within_the_time_budget(status: int) -> None:
    reply = reply_of(says({}, status), says(b"busy", status), says(completion()))
    assert reply.text == TEXT and reply.transport_retries == 2
    started = time.monotonic()
    reply = reply_of(says({"error": {"message": "busy"}}, status))
    assert time.monotonic() - started < 2
    assert reply.transport_error == f"HTTP {status}: busy" and reply.text is None and reply.transport_retries > 3


def test_other_refusals_are_not_retried() -> None:
    for status in (400, 411, 413, 422, 204):
        server = Server(says({"detail": "too long"}, status) if status != 204 else says(b"", 204))
        (reply,), _ = run(server)
        assert (reply.transport_error or "").startswith(f"HTTP {status}") and len(server.requests) == 1


@pytest.mark.parametrize(("value", "at_least"), [("0", 0.0), ("0.3", 0.3), ("1", 1.0), ("garbage", 0.0), ("-5", 0.0)])
def test_retry_after_is_honoured(value: str, at_least: float) -> None:
    started = time.monotonic()
    limits = Limits(first_backoff_seconds=0.02, retry_seconds=2.5)
    reply = reply_of(says({}, 429, Retry_After=value), says(completion()), limits=limits)
    assert reply.text == TEXT and at_least <= time.monotonic() - started < at_least + 0.9


@pytest.mark.parametrize("value", ["90", "3600", "999999999999", "date"])
def test_retry_after_beyond_the_cap_stops_and_can_be_resumed(value: str) -> None:
    if value == "date":
        value = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    told = stop_of(says({}, 429, Retry_After=value))
    assert "60 s are sat out" in told


def test_retry_after_dates_are_read_against_the_servers_clock() -> None:
    headers = {"Date": "Wed, 21 Oct 2015 07:28:00 GMT", "Retry-After": "Wed, 21 Oct 2015 07:28:05 GMT"}
    assert retry_after_seconds(headers) == 5
    assert retry_after_seconds({"Retry-After": headers["Date"]}) == 0
    for garbage in ("", "soon", "nan", "inf", "1e9", "٣", "Wed, 99 Oct 2015", "Wed, 21 Oct 99999 07:28:00 GMT"):
        assert retry_after_seconds({"Retry-After": garbage}) is None


def test_in_a_storm_of_429_all_workers_pause_together_and_none_is_lost() -> None:
    in_flight, arrivals, refused = 0, [], 0

    async def storm(_: web.Request) -> web.StreamResponse:
        nonlocal in_flight, refused
        arrivals.append(time.monotonic())
        if in_flight >= 20:
            refused += 1
            return web.json_response({}, status=429, headers={"Retry-After": "1"})
        in_flight += 1
        await asyncio.sleep(0.05)
        in_flight -= 1
        return web.json_response(completion())

    limits = Limits(first_backoff_seconds=0.3, retry_seconds=10)
    replies, _ = run(storm, limits=limits, calls=64)
    assert [reply.text for reply in replies] == [TEXT] * 64 and refused >= 44
    gaps = [later - earlier for earlier, later in pairwise(arrivals)]
    assert max(gaps) > 0.8, "nobody may ask during the pause"
    assert arrivals[-1] - arrivals[0] < 3


def test_a_server_that_never_answers_or_stalls_is_left_in_time() -> None:
    async def never(_: web.Request) -> web.StreamResponse:
        await asyncio.sleep(30)
        return web.Response()

    async def stalls(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b'{"choices":')
        await asyncio.sleep(30)
        return response

    async def drips(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b" ")
            await asyncio.sleep(0.05)

    for handler in (never, stalls, drips):
        started = time.monotonic()
        reply = reply_of(handler)
        assert (reply.transport_error or "").startswith("timed out") and time.monotonic() - started < 2


def test_an_endless_body_is_cut_off() -> None:
    sent = 0

    async def endless(request: web.Request) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b" " * 100_000)
            sent += 100_000

    reply = reply_of(endless)
    assert reply.transport_error == "the reply is longer than 2000000 bytes" and sent < 20_000_000


def test_a_broken_connection_is_a_transport_failure() -> None:
    async def drops(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.close()
        return web.Response()

    async def cut_short(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "1000"})
        await response.prepare(request)
        await response.write(b"{}")
        assert request.transport is not None
        request.transport.close()
        return response

    assert reply_of(drops).transport_error
    assert reply_of(cut_short).transport_error
    assert reply_of(says(b"not gzip", Content_Encoding="gzip")).transport_error
    assert reply_of(cut_short, drops, says(completion())).text == TEXT


@pytest.mark.parametrize(
    "raw", [b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 xyz\r\n\r\n", b"HTTP/1.1 200 OK\r\nA: " + b"x" * 99999, b""]
)
def test_what_is_not_http_is_a_transport_failure(raw: bytes) -> None:
    async def main() -> Reply:
        async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(raw)
            writer.close()

        server = await asyncio.start_server(speak, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        respondent = OpenAI("m-1", f"http://127.0.0.1:{port}", KEY, limits=QUICK)
        reply = await respondent.answer(an_ask())
        server.close()
        refused = await respondent.answer(an_ask())
        await respondent.close()
        assert refused.transport_error and KEY not in refused.transport_error
        return reply

    reply = asyncio.run(main())
    assert reply.transport_error and KEY not in reply.transport_error and reply.transport_retries > 0


def test_cut_off_blocked_and_refused_pass_through_verbatim() -> None:
    def choice(finish: str | None, **message: object) -> Handler:
        return says({"choices": [{"message": {"content": None, **message}, "finish_reason": finish}]})

    cut = reply_of(choice("length"))
    assert (cut.text, cut.finish_reason, cut.transport_error) == (None, "length", None)
    for finish in ("content_filter", "SAFETY", "tool_calls", None):
        assert reply_of(choice(finish)).finish_reason == finish
    assert reply_of(choice("stop", refusal="I cannot.")).refusal_field == "I cannot."
    assert reply_of(choice("stop", refusal=None)).refusal_field is None


def test_odd_but_whole_text_passes_through_untouched() -> None:
    for text in ("", "\u0085\u2028\x00</script>\r\n", "cut \ud83d", "\udc00\ud800 ", "x" * 1_000_000, "  \ufeff🗳 "):
        reply = reply_of(says(completion(text)))
        assert reply.text == text and reply.transport_error is None


def test_a_refused_temperature_is_dropped_once_and_remembered() -> None:
    refusal = {"error": {"message": "Unsupported value: 'temperature' does not support 0", "param": "temperature"}}

    async def picky(request: web.Request) -> web.StreamResponse:
        if "temperature" in await request.json():
            return web.json_response(refusal, status=400)
        return web.json_response(completion())

    server = Server(picky)
    (reply,), respondent = run(server)
    assert reply.text == TEXT and reply.transport_retries == 0 and len(server.requests) == 2
    assert respondent.dropped and respondent.settings["temperature"] == 0.0

    replies, respondent = run(picky, calls=8)
    assert all(reply.text == TEXT for reply in replies) and respondent.dropped

    async def main() -> list[dict[str, object]]:
        remembering = Server(picky)
        runner, port = await listen(remembering, "/chat/completions")
        one = OpenAI("m-1", f"http://127.0.0.1:{port}", limits=QUICK)
        for _ in range(3):
            assert (await one.answer(an_ask())).text == TEXT
        await one.close()
        await runner.cleanup()
        assert all("Authorization" not in headers for headers in remembering.headers)
        return remembering.requests

    assert ["temperature" in request for request in asyncio.run(main())] == [True, False, False, False]


def test_a_temperature_that_was_not_the_cause_is_not_dropped() -> None:
    server = Server(says({"error": {"message": "your temperature and all else is wrong"}}, 400))
    (reply,), respondent = run(server)
    assert reply.transport_error and len(server.requests) == 2 and not respondent.dropped


def test_reasoning_models_get_their_own_name_for_the_token_cap() -> None:
    wrong_cap = {"error": {"message": "'max_tokens' is not supported. Use 'max_completion_tokens' instead."}}
    wrong_heat = {"error": {"message": "no", "param": "temperature"}}
    server = Server(says(wrong_cap, 400), says(wrong_heat, 400), says(completion()))
    (reply,), respondent = run(server)
    assert reply.text == TEXT and respondent.max_tokens_name == "max_completion_tokens"
    assert set(server.requests[-1]) == {"model", "messages", "max_completion_tokens"}


def test_unusable_addresses_keys_and_names_are_refused_without_being_shown() -> None:
    for url in (
        "ftp://host/v1",
        "file:///etc/passwd",
        "host/v1",
        "",
        "http://",
        "http://[::1",
        "http://h:x/",
        "http://a b/",
    ):
        with pytest.raises(RespondentRefused):
            OpenAI("m", url)
    for url in (
        f"https://user:{KEY}@host/v1",
        f"https://{KEY}@host/v1",
        f"https://host/v1?key={KEY}",
        f"https://h/#{KEY}",
    ):
        with pytest.raises(RespondentRefused) as caught:
            OpenAI("m", url)
        assert KEY not in str(caught.value)
    for key in (KEY + "\r\nX: y", KEY + " x", KEY + "é"):
        with pytest.raises(RespondentRefused) as caught:
            OpenAI("m", api_key=key)
        assert KEY not in str(caught.value)
    with pytest.raises(RespondentRefused):
        OpenAI(" ")


def test_a_key_file_may_end_with_a_newline() -> None:
    respondent = OpenAI("m", api_key=f" {KEY}\n", reasoning_tags=("<think>", "</think>"))
    assert respondent.settings["base_url"] == "https://api.openai.com/v1" and respondent.name == "openai:m"
    assert respondent.reasoning_tags == ("<think>", "</think>") and not respondent.constrained
    assert json.dumps(dict(respondent.settings)).find(KEY) == -1


@pytest.mark.parametrize("host", ["a..b", "a" * 64 + ".example"])
def test_an_address_that_nothing_can_be_sent_to_stops_at_once(host: str) -> None:
    async def main() -> None:
        respondent = OpenAI("m", f"http://{host}/v1", limits=Limits(first_backoff_seconds=60.0))
        try:
            async with asyncio.timeout(20):
                await respondent.answer(an_ask())
        finally:
            await respondent.close()

    with pytest.raises(RespondentStopped) as stopped:
        asyncio.run(main())
    assert "nothing can be sent there" in stopped.value.message and stopped.value.fix == "check the address"


def test_a_key_file_without_an_end_is_not_read_to_it() -> None:
    with pytest.raises(RespondentRefused, match="is no key file: it holds more than 8,000 bytes"):
        read_key(Path("/dev/zero"), None)
