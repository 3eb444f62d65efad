"""Which respondents are usable: every row, against real servers on loopback."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from local_server import LocalServer, Says

from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.respondents import anthropic, embedded, kinds, llm_bridge
from divisionbell.run.respondents import served_models as served_models_module
from divisionbell.run.respondents.kinds import Kind
from divisionbell.run.respondents.respondent import RespondentRefused
from divisionbell.run.respondents.served_models import Served, served_models

KEY = "sk-very-secret-0123456789"


def listed(*answers: Says, headers: dict[str, str] | None = None) -> tuple[Served, LocalServer]:
    server = LocalServer(*answers)

    async def main() -> Served:
        runner, root = await server.start()
        try:
            return await served_models(f"{root}/v1", headers or {}, KEY)
        finally:
            await runner.cleanup()

    return asyncio.run(main()), server


def test_a_list_of_models_is_read_in_either_format() -> None:
    served, server = listed(
        Says({"object": "list", "data": [{"id": "m-2", "object": "model"}, {"id": "m-1"}, {"id": "m-1"}]}),
        headers={"Authorization": f"Bearer {KEY}"},
    )
    assert served == Served(("m-1", "m-2")) and server.paths == ["/v1/models"]
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    served, server = listed(
        Says({"data": [{"type": "model", "id": "claude-x", "display_name": "X"}], "has_more": False}),
        headers=anthropic.headers(KEY),
    )
    assert served == Served(("claude-x",)) and server.headers[0]["x-api-key"] == KEY


def test_a_server_that_lists_in_pages_is_asked_for_its_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    server = LocalServer(Says({"data": [{"id": "claude-x"}], "has_more": False}))

    async def main() -> Kind:
        runner, root = await server.start()
        monkeypatch.setattr(anthropic, "DEFAULT_BASE_URL", root)
        try:
            return await kinds._messages(KEY)
        finally:
            await runner.cleanup()

    assert asyncio.run(main()).choices == ("claude-x",) and server.paths == ["/v1/models?limit=1000"]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Says({"error": {"message": KEY}}, 401), "HTTP 401: the key is missing or refused"),
        (Says({}, 404), "HTTP 404: it lists no models"),
        (Says({"error": {"message": f"down, {KEY}"}}, 500), "HTTP 500: down, [key]"),
        (Says(b"", 302, location=f"http://127.0.0.1/{KEY}"), "HTTP 302: no reason given"),
        (Says(b"<html>"), "what it lists under /models is no list of models"),
        (Says({"data": None}), "what it lists under /models is no list of models"),
    ],
)
def test_why_there_is_no_list_is_told_in_a_line_without_the_key(answer: Says, told: str) -> None:
    assert listed(answer)[0] == Served(problem=told)


def never_ends(status_line: bytes) -> Served:
    """What a server is taken for that sends a head without a length and leaves the connection open."""

    async def head_alone(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 " + status_line + b"\r\nContent-Type: application/json\r\n\r\n")
        await writer.drain()
        await reader.read()
        writer.close()

    async def main() -> Served:
        server = await asyncio.start_server(head_alone, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        try:
            return await served_models(f"http://127.0.0.1:{port}/v1", {}, KEY)
        finally:
            server.close()

    return asyncio.run(main())


def test_a_status_that_says_why_is_told_without_waiting_for_a_body_that_never_ends() -> None:
    assert never_ends(b"404 Not Found") == Served(problem="HTTP 404: it lists no models")


def test_a_list_that_never_ends_is_told_as_that_and_not_as_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served_models_module, "SECONDS", 0.3)
    assert never_ends(b"200 OK") == Served(problem="HTTP 200, and what follows it did not end within 0.3 s")


class _Lists(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        raw = b'{"data": [{"id": "m-1"}]}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_time_in_which_this_process_stood_still_is_not_the_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served_models_module, "SECONDS", 1.0)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Lists)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    async def main() -> Served:
        asked = asyncio.ensure_future(served_models(f"http://127.0.0.1:{server.server_port}/v1", {}, KEY))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        time.sleep(1.5)  # the whole loop stands still, as under start-up or load
        return await asked

    try:
        assert asyncio.run(main()) == Served(("m-1",))
    finally:
        server.shutdown()
        server.server_close()


def test_odd_names_are_shown_without_the_key_and_in_one_line() -> None:
    served, _ = listed(Says({"data": [{"id": f"a\n{KEY}\x1b[31m"}, {"id": 7}, "x", {}, {"id": "b" * 195 + KEY}]}))
    assert served.names == ("a [key] [31m", "b" * 195 + "[key]")


def rows(bank: FrozenBank | None = None, base_url: str | None = None) -> dict[str, Kind]:
    return {kind.name: kind for kind in kinds.kinds(bank, base_url, None)}


@pytest.fixture
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("no_keys")
def test_every_kind_has_a_row_that_says_what_to_do(frozen: FrozenBank, monkeypatch: pytest.MonkeyPatch) -> None:
    found = rows(frozen)
    assert set(found) >= {"scripted:NAME", "party:NAME", "embedded", "openai:MODEL", "anthropic:MODEL", "llm:MODEL"}
    assert found["scripted:NAME"].usable and "coin" in found["scripted:NAME"].choices
    assert found["party:NAME"].usable and "Labour" in found["party:NAME"].choices
    assert not rows(None)["party:NAME"].usable
    for name, variable in (("openai:MODEL", "OPENAI_API_KEY"), ("anthropic:MODEL", "ANTHROPIC_API_KEY")):
        assert not found[name].usable and found[name].says == "there is no key" and variable in found[name].fix
    assert all(kind.usable or kind.fix for kind in found.values())
    monkeypatch.setattr(embedded, "WEIGHTS_PACKAGE", "of-no-such-name")
    if importlib.util.find_spec(embedded.RUNTIME_PACKAGE) is not None:
        assert rows()["embedded"].says == "the weights (98 MB) are missing"
    monkeypatch.setattr(kinds, "RUNTIME_PACKAGE", "of_no_such_name")
    assert not rows()["embedded"].usable and "of_no_such_name is missing" in rows()["embedded"].says


@pytest.mark.usefixtures("no_keys")
def test_without_the_llm_package_its_row_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "llm" else real(name))
    assert rows()["llm:MODEL"] == Kind("llm:MODEL", False, "llm:MODEL needs the package llm", llm_bridge.INSTALL)


@pytest.mark.usefixtures("no_keys")
def test_anthropic_is_asked_where_there_is_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    server = LocalServer(Says({"data": [{"id": "claude-x"}]}))

    async def main() -> Kind:
        runner, root = await server.start()
        monkeypatch.setattr(anthropic, "DEFAULT_BASE_URL", root)
        try:
            return await kinds._messages(KEY)
        finally:
            await runner.cleanup()

    row = asyncio.run(main())
    assert row.usable and row.choices == ("claude-x",) and row.says.endswith("lists 1 model")
    assert server.headers[0]["x-api-key"] == KEY


@pytest.mark.usefixtures("no_keys")
def test_a_server_that_is_not_there_has_a_row_that_says_so() -> None:
    row = rows(base_url="http://127.0.0.1:1/v1")["openai:MODEL"]
    assert not row.usable and row.says.startswith("http://127.0.0.1:1/v1: cannot be reached")
    assert row.fix == "check the address, that the server runs, and the key"


def test_a_key_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RespondentRefused):
        kinds.kinds(None, "http://127.0.0.1:1/v1", tmp_path / "none")


def test_the_key_of_openai_is_not_sent_to_anthropic_nor_the_other_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "of-openai-0001")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "of-anthropic-0002")
    mine, theirs = LocalServer(Says({"data": []})), LocalServer(Says({"data": []}))

    async def main() -> list[Kind]:
        (one, root), (other, anthropics) = await mine.start(), await theirs.start()
        monkeypatch.setattr(anthropic, "DEFAULT_BASE_URL", anthropics)
        try:
            return await asyncio.to_thread(kinds.kinds, None, f"{root}/v1", None)
        finally:
            await one.cleanup()
            await other.cleanup()

    found = {kind.name: kind for kind in asyncio.run(main())}
    assert found["openai:MODEL"].usable and found["anthropic:MODEL"].usable
    assert "of-anthropic-0002" not in json.dumps([dict(headers) for headers in mine.headers])
    assert "of-openai-0001" not in json.dumps([dict(headers) for headers in theirs.headers])
    assert len(mine.headers) == len(theirs.headers) == 1
