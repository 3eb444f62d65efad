"""`divisionbell models` as a command."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

KEY = "sk-secret-of-this-test-0123456789"


@pytest.fixture
def listing(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a server that lists two models and echoes the key it is sent."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            sent = self.headers["Authorization"] or ""
            data = json.dumps({"data": [{"id": "m-1"}, {"id": f"echo {sent} \x1b[31m"}]}).encode()
            self.send_response(200 if self.path == "/v1/models" else 404)
            self.send_header("Content-Length", str(len(data)))
            self.send_header("X-Echo", sent)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *arguments: object) -> None:
            return None

    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{running.server_port}/v1"
    running.shutdown()
    running.server_close()


@pytest.mark.usefixtures("frozen_bank")
def test_rows_are_told_as_text_without_the_key(divisionbell: Callable[..., Any], listing: str) -> None:
    ended = divisionbell("models", "--base-url", listing)
    assert ended.code == 0
    assert KEY not in ended.text + ended.err and "\x1b" not in ended.text
    lines = ended.text.splitlines()
    assert any(line.split()[:2] == ["openai:MODEL", "usable"] and "lists 2 models" in line for line in lines)
    assert "  openai:m-1" in lines and "  scripted:coin" in lines and "  party:Labour" in lines
    assert any(line.startswith("anthropic:MODEL  not usable  there is no key") for line in lines)
    assert any(line.strip() == "fix: set ANTHROPIC_API_KEY" for line in lines)


@pytest.mark.usefixtures("frozen_bank")
def test_rows_are_told_as_json_without_the_key(divisionbell: Callable[..., Any], listing: str) -> None:
    ended = divisionbell("models", "--base-url", listing, "--format", "json")
    assert ended.code == 0 and KEY not in ended.text
    told = json.loads(ended.text)
    assert told["format"] == "divisionbell-models/1"
    rows = {row["name"]: row for row in told["respondents"]}
    assert all(set(row) == {"name", "usable", "says", "fix", "choices"} for row in rows.values())
    assert rows["openai:MODEL"]["choices"] == ["echo Bearer [key] [31m", "m-1"]


@pytest.mark.usefixtures("frozen_bank")
def test_an_unusable_address_is_wrong_usage(divisionbell: Callable[..., Any], listing: str) -> None:
    ended = divisionbell("models", "--base-url", f"http://user:{KEY}@127.0.0.1/v1")
    assert ended.code == 2 and KEY not in ended.err
    assert divisionbell("models", "--base-url", listing.replace("/v1", "/v2")).code == 0
