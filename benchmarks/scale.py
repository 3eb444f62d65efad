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


def timed(*commands: tuple[str, ...]) -> tuple[float, float, float]:
    """Wall seconds until all of the commands have ended, begun together; their processor seconds; the greatest memory
    of one in MB. Processor seconds say more where other work shares the machine."""
    start = time.monotonic()
    ended = [os.wait4(process.pid, 0) for process in [started(*command) for command in commands]]
    if any(status for _, status, _ in ended):
        raise SystemExit(f"failed: {commands[0]}")
    processor = sum(used.ru_utime + used.ru_stime for _, _, used in ended)
    return time.monotonic() - start, processor, max(used.ru_maxrss for _, _, used in ended) / 1000


def told(what: str, asked: int, measured: tuple[float, float, float]) -> None:
    wall, processor, memory = measured
    each = 1000 * processor / asked
    print(f"{what}: {wall:.1f} s, {processor:.1f} s of processor, {each:.2f} ms a unit, {memory:.0f} MB")


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
    nothing = timed(("run", "scripted:coin", "--shard", "1/100000", "--out", str(home / "none")))
    print(f"a command that asks nothing: {nothing[0]:.1f} s, {nothing[1]:.1f} s of processor")
    one = timed((*ask, "--out", str(home / "one")))
    asked = units(home / "one")
    told(f"one process, 64 in flight, {asked} units", asked, one)
    print(f"  {(home / 'one' / 'journal.jsonl').stat().st_size / asked:.0f} bytes a unit in the journal")
    for count in (2, 4):
        parts = [(*ask, "--shard", f"{k}/{count}", "--out", str(home / f"s{count}")) for k in range(1, count + 1)]
        told(f"{count} shards on this host, 64 in flight each", asked, timed(*parts))
        told(f"merge of {count}", asked, timed(("merge", str(home / f"s{count}"), "--out", str(home / f"m{count}"))))
    export = ("batch", "export", "openai:local", "--base-url", url, "--repeats", str(repeats))
    file = home / "requests.jsonl"
    told("batch export", asked, timed((*export, "--out", str(file), "--run", str(home / "b"))))
    print(f"  {file.stat().st_size / asked:.0f} bytes a request")
    results = home / "results.jsonl"
    answer_all(file, results)
    told("batch import", asked, timed(("batch", "import", str(results), "--out", str(home / "b"))))


def answer_all(requests: Path, results: Path) -> None:
    """The file that a batch service would give back, every answer A."""
    with requests.open("rb") as asked, results.open("w", encoding="ascii") as made:
        for line in asked:
            request = json.loads(line)
            prompt = request["body"]["messages"][1]["content"]
            item = prompt.rsplit('{"item_id":"', 1)[1].split('"', 1)[0]
            message = {"role": "assistant", "content": json.dumps({"item_id": item, "answer": "A"})}
            body = {"model": "local", "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
            response = {"status_code": 200, "body": body}
            made.write(json.dumps({"custom_id": request["custom_id"], "response": response, "error": None}) + "\n")


if __name__ == "__main__":
    main()
