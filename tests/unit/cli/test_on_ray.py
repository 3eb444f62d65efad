"""`run --on ray` on a cluster of two nodes on this machine: spread, a node killed in mid-shard, merged at the end."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import click
import pytest

from divisionbell.bank.load import load
from divisionbell.cli.on_ray import Follow, arguments_of
from divisionbell.cli.run import command
from divisionbell.freeze.freeze import freeze
from divisionbell.run.ray_cluster import Ended
from divisionbell.run.shard import Shard
from divisionbell.validate.engine import ValidBank

ROOT = Path(__file__).resolve().parents[3]
HAVE_RAY = importlib.util.find_spec("ray") is not None
CAN = HAVE_RAY and Path("/proc/self/fd").exists()
needs_ray = pytest.mark.skipif(not CAN, reason="needs Ray (pip install -e '.[ray]') and /proc")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(ROOT / "tests" / "pilot" / "bank", tmp_path / "bank")
    shutil.copy(ROOT / "tests" / "pilot" / "data_sources.yaml", tmp_path)
    bank = load(tmp_path / "bank")
    freeze(ValidBank(bank), str(bank.version))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DIVISIONBELL_BANK", raising=False)
    return tmp_path


@contextmanager
def gated_server(asked: Counter[str], gate: threading.Event, held: list[str]) -> Iterator[str]:
    """Answers A and counts how often each prompt was asked. Until the gate is open it gives each connection three
    answers and holds the next, so that it is known when a shard has all its calls in flight."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        answered = 0

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            prompt = next(m["content"] for m in request["messages"] if m["role"] == "user")
            with lock:
                asked[prompt] += 1
            if self.answered >= 3 and not gate.is_set():
                held.append(prompt)
                gate.wait(120)
            self.answered += 1
            item = prompt.rsplit('{"item_id":"', 1)[1].split('"', 1)[0]
            text = json.dumps({"item_id": item, "answer": "A"}, separators=(",", ":"))
            message = {"role": "assistant", "content": text}
            body = {"model": "slow", "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
            data = json.dumps(body).encode()
            try:
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except OSError:
                return  # who asked is dead

        def log_message(self, *arguments: object) -> None:
            return None

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, *arguments: object) -> None:
            return None  # who asked is dead

    running = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{running.server_port}/v1"
    finally:
        running.shutdown()
        running.server_close()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster with one node of one processor; its workers run this code. A test adds the second."""
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT / "src"))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        try:
            yield made
        finally:
            made.shutdown()


def start(address: str, url: str, *more: str) -> subprocess.Popen[str]:
    run = [sys.executable, "-m", "divisionbell", "run", "openai:slow", "--form", "short", "--concurrency", "2"]
    spread = ["--base-url", url, "--on", "ray", "--shards", "2", "--ray-address", address, "--out", "out"]
    if any("--no-preflight" in option.opts for option in command.params):
        run.append("--no-preflight")  # so that every call is one of a unit
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.Popen(
        [*run, *spread, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


def lines(name: str) -> int:
    path = Path("out", name, "journal.jsonl")
    return path.read_bytes().count(b"\n") if path.exists() else 0


def wait_until(holds: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 120
    while not holds():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)


def writer_of(name: str) -> int:
    """The process that has the journal of a shard open."""
    journal = str(Path("out", name, "journal.jsonl").resolve())
    for opened in Path("/proc").glob("[0-9]*/fd/*"):
        with suppress(OSError):
            if os.readlink(opened) == journal:
                return int(opened.parts[2])
    raise LookupError(journal)


def parent_of(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


@needs_ray
def test_a_node_killed_in_mid_shard_costs_what_was_in_flight(home: Path, cluster: Any) -> None:
    asked: Counter[str] = Counter()
    second = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    gate, held = threading.Event(), list[str]()
    with gated_server(asked, gate, held) as url:
        process = start(cluster.address, url)
        names = ["shard-1-of-2", "shard-2-of-2"]
        wait_until(lambda: len(held) == 4, process)  # two calls in flight on each node
        raylet = second.all_processes["raylet"][0].process.pid
        (worker,) = [pid for pid in map(writer_of, names) if parent_of(pid) == raylet]
        cluster.remove_node(second, allow_graceful=False)
        with suppress(ProcessLookupError):  # a machine that dies takes all its processes with it at once
            os.kill(worker, signal.SIGKILL)
        gate.set()
        told, err = process.communicate(timeout=120)
    assert process.returncode == 0, told + err
    head = json.loads(Path("out/merged/run.json").read_bytes())
    assert [part["shard_index"] for part in head["merged_from"]] == [1, 2]
    assert lines("merged") == head["unit_count"] == len(asked) == 32
    assert lines(names[0]) + lines(names[1]) == 32  # nothing stands twice
    assert max(asked.values()) == 2
    assert sum(asked.values()) - 32 == 2  # the two in flight on the node that died
    again = start(cluster.address, "http://127.0.0.1:9/v1", "--resume")
    assert again.wait(60) == 0  # all is there: nothing is asked


@needs_ray
def test_a_killed_worker_is_begun_again_from_its_journal(home: Path, cluster: Any) -> None:
    asked: Counter[str] = Counter()
    gate, held = threading.Event(), list[str]()
    with gated_server(asked, gate, held) as url:
        process = start(cluster.address, url)
        wait_until(lambda: len(held) == 2, process)
        os.kill(writer_of("shard-1-of-2" if lines("shard-1-of-2") else "shard-2-of-2"), signal.SIGKILL)
        gate.set()
        told, err = process.communicate(timeout=120)
    assert process.returncode == 0, told + err
    assert lines("merged") == len(asked) == 32
    assert lines("shard-1-of-2") + lines("shard-2-of-2") == 32
    assert max(asked.values()) == 2
    assert sum(asked.values()) - 32 == 2


@needs_ray
def test_an_interruption_keeps_what_was_answered_and_the_run_goes_on(home: Path, cluster: Any) -> None:
    asked: Counter[str] = Counter()
    gate, held = threading.Event(), list[str]()
    with gated_server(asked, gate, held) as url:
        process = start(cluster.address, url)
        wait_until(lambda: len(held) == 2, process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 130, err
        assert not Path("out/merged").exists()
        gate.set()
        refused = start(cluster.address, url)
        _, err = refused.communicate(timeout=60)
        assert refused.returncode == 2
        assert "holds shards" in err
        process = start(cluster.address, url, "--resume")
        told, err = process.communicate(timeout=120)
    assert process.returncode == 0, told + err
    assert lines("merged") == len(asked) == 32
    assert sum(asked.values()) - 32 <= 2


@needs_ray
@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "nowhere", "local"])
def test_a_cluster_that_is_not_there_is_said(home: Path, address: str) -> None:
    process = start(address, "http://127.0.0.1:9/v1")
    _, err = process.communicate(timeout=120)
    assert process.returncode == 2, err
    assert f"no Ray cluster is reached at {address}: " in err
    assert "Traceback" not in err


def test_without_ray_what_to_install_is_said(home: Path, divisionbell: Callable[..., Any]) -> None:
    if HAVE_RAY:
        pytest.skip("Ray is installed")
    ended = divisionbell("run", "scripted:coin", "--on", "ray", "--shards", "2", "--out", "out")
    assert ended.code == 2
    assert "pip install 'divisionbell[ray]'" in ended.err


@pytest.mark.parametrize(
    "options",
    [
        ("--on", "ray", "--shards", "2"),
        ("--on", "ray", "--out", "out"),
        ("--shards", "2", "--out", "out"),
        ("--on", "ray", "--shards", "2", "--out", "out", "--shard", "1/2"),
    ],
)
def test_half_an_order_is_refused(home: Path, divisionbell: Callable[..., Any], options: tuple[str, ...]) -> None:
    assert divisionbell("run", "scripted:coin", *options).code == 2
    assert not Path("out").exists()


def test_every_option_given_goes_to_the_nodes_and_none_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given = ["openai:m", "--form", "short", "--repeats", "2", "--key-file", "k", "--failed", "--on", "ray", "--shards"]
    with command.make_context("run", [*given, "3", "--out", "o", "--resume"]) as context:
        made = arguments_of(context)
    expected = ["--form", "short", "--repeats", "2", "--key-file", str(tmp_path / "k"), "--failed"]
    assert made == ["openai:m", *expected]
    assert isinstance(command, click.Command)


def test_progress_is_counted_from_the_journals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shards = [Shard(1, 2), Shard(2, 2)]
    for shard, count in zip(shards, (3, 5), strict=True):
        (tmp_path / shard.folder_name).mkdir()
        (tmp_path / shard.folder_name / "journal.jsonl").write_bytes(b"{}\n" * count)
    follow = Follow(tmp_path, shards)
    follow.told({"shard 1 of 2": Ended(0)})
    follow.told({"shard 1 of 2": Ended(0), "shard 2 of 2": Ended(1, "no")})
    assert capsys.readouterr().out == "shard 1 of 2: complete, 3 units\nshard 2 of 2: incomplete, 5 units\n"
