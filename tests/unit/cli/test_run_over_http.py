"""`divisionbell run openai:…` against a real server on this machine that behaves and misbehaves."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import forked

ROOT = Path(__file__).resolve().parents[3]
KEY = "sk-secret-of-this-test-0123456789"
Behaviour = Callable[[dict[str, Any]], tuple[int, Any]]


@contextmanager
def server(behaviour: Behaviour) -> Iterator[str]:
    """A server on a free port of the loopback address; `behaviour` gives status and body for a request."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, body = behaviour(request)
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *arguments: object) -> None:
            return None

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{running.server_port}/v1"
    finally:
        running.shutdown()
        running.server_close()


def answer_of(item_id: str, letter: str) -> str:
    """The object that a prompt asks for, exactly as it shows it."""
    return json.dumps({"item_id": item_id, "answer": letter}, separators=(",", ":"))


def item_of(request: dict[str, Any]) -> str:
    prompt = next(m["content"] for m in request["messages"] if m["role"] == "user")
    return str(prompt.rsplit('{"item_id":"', 1)[1].split('"', 1)[0])


def completion(text: str | None, finish: str = "stop", **more: Any) -> dict[str, Any]:
    return {
        "model": "served-model-1",
        "system_fingerprint": "fp_1",
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **more}}],
        "usage": {"prompt_tokens": 250, "completion_tokens": 15},
    }


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("http")
    shutil.copytree(ROOT / "tests" / "pilot" / "bank", folder / "bank")
    shutil.copy(ROOT / "tests" / "pilot" / "data_sources.yaml", folder)
    if not list((folder / "bank").glob("freeze/*.json")):
        subprocess.run(
            [sys.executable, "-m", "divisionbell", "freeze", "0.1.0"], cwd=folder, check=True, capture_output=True
        )
    return folder


def command(base_url: str, out: Path, *more: str) -> list[str]:
    run = ["run", "openai:asked-model", "--form", "short", "--base-url", base_url]
    return [*run, "--no-preflight", "--out", str(out), *more]


def ask(home: Path, base_url: str, out: Path, *more: str) -> subprocess.CompletedProcess[str]:
    done = forked.run(*command(base_url, out, *more), cwd=home, env={**os.environ, "OPENAI_API_KEY": KEY})
    assert KEY not in done.stdout + done.stderr
    for file in out.rglob("*") if out.exists() else ():
        assert KEY.encode() not in file.read_bytes()
    return done


def units(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "journal.jsonl").read_bytes().splitlines()]


def test_a_server_that_answers(home: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    with server(lambda r: (200, completion(answer_of(item_of(r), "B")))) as url:
        done = ask(home, url, out)
    assert done.returncode == 0, done.stderr
    assert {unit["outcome"] for unit in units(out)} == {"valid_at_first"}
    attempt = units(out)[0]["attempts"][0]
    assert (attempt["served_model"], attempt["fingerprint"], attempt["input_tokens"]) == ("served-model-1", "fp_1", 250)
    verified = forked.run("runs", "verify", str(out), cwd=home)
    assert verified.returncode == 0


def test_hostile_replies_leave_the_journal_whole(home: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    hostile = "</script><b>\u0085\u2028\x00 " + "x" * 1_000_000
    with server(lambda r: (200, completion(hostile))) as url:
        done = ask(home, url, out)
    assert done.returncode == 0, done.stderr
    assert len(units(out)) == 32
    assert units(out)[0]["attempts"][0]["reply_text"] == hostile
    assert {unit["outcome"] for unit in units(out)} == {"malformed"}


def test_cut_off_and_blocked_are_their_own_classes(home: Path, tmp_path: Path) -> None:
    replies = iter(range(1000))
    seen: list[dict[str, Any]] = []

    def behave(request: dict[str, Any]) -> tuple[int, Any]:
        seen.append(request)
        kinds = [
            completion(None, "length"),
            completion(None, "content_filter"),
            completion(None, "stop", refusal="No."),
        ]
        return 200, kinds[next(replies) % 3]

    out = tmp_path / "run"
    with server(behave) as url:
        done = ask(home, url, out)
    assert done.returncode == 0, done.stderr
    assert {unit["outcome"] for unit in units(out)} == {"cut_off", "blocked"}
    assert len(seen) == 32


@pytest.mark.parametrize("status", [401, 402, 404])
def test_a_refused_key_or_model_stops_soon(home: Path, tmp_path: Path, status: int) -> None:
    out = tmp_path / "run"
    with server(lambda r: (status, {"error": {"message": f"no, your key {KEY} is bad"}})) as url:
        done = ask(home, url, out)
    assert done.returncode != 0
    assert "error:" in done.stderr
    assert "Traceback" not in done.stderr
    scored = forked.run("score", str(out), cwd=home)
    assert scored.returncode == 2
    assert "--resume" in scored.stderr


def test_ctrl_c_is_acknowledged_and_the_run_goes_on(home: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    patient = threading.Event()
    count = iter(range(1000))

    def behave(request: dict[str, Any]) -> tuple[int, Any]:
        if next(count) >= 10 and not patient.is_set():
            patient.wait(20)
        return 200, completion(answer_of(item_of(request), "A"))

    with server(behave) as url:
        started = [sys.executable, "-m", "divisionbell", *command(url, out, "--concurrency", "8")]
        process = subprocess.Popen(started, cwd=home, stderr=subprocess.PIPE, text=True)
        journal = out / "journal.jsonl"
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and not (journal.exists() and journal.read_bytes().count(b"\n") >= 10):
            time.sleep(0.05)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=20)
        waited = time.monotonic() - start
        assert process.returncode == 130
        assert "interrupted" in told
        assert waited < 10
        kept = journal.read_bytes().count(b"\n")
        assert kept >= 10
        patient.set()
        done = ask(home, url, out, "--resume")
    assert done.returncode == 0, done.stderr
    keys = [unit["unit_key"] for unit in units(out)]
    assert len(keys) == len(set(keys)) == 32


def test_what_was_not_reached_is_asked_again_with_failed(home: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    broken = {"now": True}
    count = iter(range(10_000))

    def behave(request: dict[str, Any]) -> tuple[int, Any]:
        if broken["now"] and next(count) % 2:
            return 400, {"error": {"message": "the model is overloaded in a way that is not retried"}}
        return 200, completion(answer_of(item_of(request), "A"))

    with server(behave) as url:
        done = ask(home, url, out, "--concurrency", "1")
        assert done.returncode == 1
        failed = sum(unit["outcome"] == "transport_failed" for unit in units(out))
        assert failed == 16
        broken["now"] = False
        done = ask(home, url, out, "--resume", "--failed")
        assert done.returncode == 0, done.stderr
    standing = {unit["unit_key"]: unit["outcome"] for unit in units(out)}
    assert set(standing.values()) == {"valid_at_first"}
    assert len(units(out)) == 32 + failed


def test_a_server_that_is_not_there_ends_the_run_soon(home: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    with server(lambda r: (200, {})) as url:
        pass
    start = time.monotonic()
    done = ask(home, url, out)
    assert done.returncode == 1
    assert "cannot be reached" in done.stderr
    assert time.monotonic() - start < 60
