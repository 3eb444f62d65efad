"""What a run costs beside the model: units a second, bytes a unit, and what shards, merge and batch files add.

    python benchmarks/scale.py [--repeats 5] [--delay 0.05]

A server on this machine answers each call after --delay seconds; so what is measured is this program, not a model. The
figures of docs/scale.md come from here.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from aiohttp import web

ROOT = Path(__file__).resolve().parents[1]


async def serve(delay: float) -> None:
    """Answer every chat completion with A; the address is printed."""

    async def answer(request: web.Request) -> web.Response:
        body = await request.json()
        prompt = next(m["content"] for m in body["messages"] if m["role"] == "user")
        item = prompt.rsplit('{"item_id":"', 1)[1].split('"', 1)[0]
        text = json.dumps({"item_id": item, "answer": "A"}, separators=(",", ":"))
        await asyncio.sleep(delay)
        message = {"role": "assistant", "content": text}
        usage = {"prompt_tokens": 250, "completion_tokens": 20}
        choices = [{"index": 0, "finish_reason": "stop", "message": message}]
        return web.json_response({"model": "local", "choices": choices, "usage": usage})

    application = web.Application()
    application.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}/v1", flush=True)
    await asyncio.Event().wait()


def started(*arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "divisionbell", *arguments, "--bank", str(ROOT / "bank")]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())


def environment() -> dict[str, str]:
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path}


def timed(*commands: tuple[str, ...]) -> float:
    """Seconds until all of the commands have ended, begun together."""
    start = time.monotonic()
    codes = [process.wait() for process in [started(*command) for command in commands]]
    if any(codes):
        raise SystemExit(f"ended with {codes}: {commands[0]}")
    return time.monotonic() - start


def units(folder: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in folder.rglob("journal.jsonl"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--delay", type=float, default=0.05)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        asyncio.run(serve(given.delay))
        return
    server = subprocess.Popen(
        [sys.executable, __file__, "--serve", "--delay", str(given.delay)], stdout=subprocess.PIPE, text=True
    )
    home = Path(tempfile.mkdtemp(prefix="divisionbell-scale-"))
    try:
        assert server.stdout is not None
        measure(home, server.stdout.readline().strip(), given.repeats, given.delay)
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(home)


def measure(home: Path, url: str, repeats: int, delay: float) -> None:
    ask = ("run", "openai:local", "--base-url", url, "--repeats", str(repeats), "--concurrency", "64")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors, {delay:g} s an answer")
    seconds = timed((*ask, "--out", str(home / "one")))
    asked = units(home / "one")
    size = (home / "one" / "journal.jsonl").stat().st_size
    print(f"one process, 64 in flight: {asked} units in {seconds:.1f} s, {asked / seconds:.0f}/s", end="; ")
    print(f"{size / asked:.0f} bytes a unit; {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MB")
    for count in (2, 4):
        parts = [(*ask, "--shard", f"{k}/{count}", "--out", str(home / f"s{count}")) for k in range(1, count + 1)]
        seconds = timed(*parts)
        print(f"{count} shards on this host, 64 in flight each: {seconds:.1f} s, {asked / seconds:.0f}/s")
        seconds = timed(("merge", str(home / f"s{count}"), "--out", str(home / f"m{count}")))
        print(f"merge of {count} shards, {asked} units: {seconds:.1f} s")
    export = ("batch", "export", "openai:local", "--base-url", url, "--repeats", str(repeats))
    file = home / "requests.jsonl"
    seconds = timed((*export, "--out", str(file), "--run", str(home / "b")))
    print(f"batch export: {seconds:.1f} s, {file.stat().st_size / asked:.0f} bytes a request")
    seconds = timed(("run", "scripted:coin", "--shard", "1/100000", "--out", str(home / "none")))
    print(f"a command that asks nothing: {seconds:.1f} s")


if __name__ == "__main__":
    main()
