"""Time the runner beside its peers, in the same run, against a local server that answers at once.

python benchmarks/run.py            units a second at 64 in flight, with memory: bare aiohttp, divisionbell with its
                                    durable journal, the openai SDK and Inspect where they are installed
python benchmarks/run.py --score    score journals of 10,000, 100,000 and 1,000,000 lines

Each is a process of its own that asks the same prompts. Nothing here is asserted.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DIVISIONBELL = str(Path(sys.executable).parent / "divisionbell")
IN_FLIGHT = 64
LINES = (10_000, 100_000, 1_000_000)
UNITS = 1_000  # of the full form: every item in both orders

BARE = """
import asyncio, json, sys, aiohttp
url, asks = sys.argv[1], [json.loads(line) for line in open(sys.argv[2])]
async def main():
    waiting = iter(asks)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        async def worker():
            for messages in waiting:
                payload = {"model": "bench", "messages": messages, "temperature": 0, "max_tokens": 64}
                async with session.post(url + "/chat/completions", json=payload) as response:
                    (await response.json())["choices"][0]["message"]["content"]
        await asyncio.gather(*(worker() for _ in range(64)))
asyncio.run(main())
"""
SDK = """
import asyncio, json, sys
from openai import AsyncOpenAI
url, asks = sys.argv[1], [json.loads(line) for line in open(sys.argv[2])]
async def main():
    waiting = iter(asks)
    client = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    async def worker():
        for messages in waiting:
            done = await client.chat.completions.create(model="bench", messages=messages, temperature=0, max_tokens=64)
            done.choices[0].message.content
    await asyncio.gather(*(worker() for _ in range(64)))
asyncio.run(main())
"""
INSPECT = """
import json, os, sys
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate
url, asks = sys.argv[1], [json.loads(line) for line in open(sys.argv[2])]
kinds = {"system": ChatMessageSystem, "user": ChatMessageUser}
samples = [Sample(input=[kinds[m["role"]](content=m["content"]) for m in ask], target="answer") for ask in asks]
model = get_model("openai-api/bench/bench", base_url=url, api_key="none")
eval(Task(dataset=MemoryDataset(samples), solver=generate(), scorer=includes()), model=model, max_connections=64,
     max_samples=64, display="none", log_dir=sys.argv[3], temperature=0, max_tokens=64)
"""


def once(command: list[str], folder: Path) -> tuple[float, float, int]:
    """Wall seconds, greatest memory in MB, and exit code of one process."""
    start = time.perf_counter()
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
        process = subprocess.Popen(command, cwd=folder, stdout=nowhere, stderr=nowhere)
        _, status, used = os.wait4(process.pid, 0)
    return time.perf_counter() - start, used.ru_maxrss / 1000, os.waitstatus_to_exitcode(status)


def shipped() -> Any:
    """The frozen bank that bank.yaml names."""
    from divisionbell.bank.load import load
    from divisionbell.freeze.frozen_bank import read_frozen

    return read_frozen(ROOT / "bank" / "freeze", str(load(ROOT / "bank").version))


def prompts(folder: Path, repeats: int) -> Path:
    """Every conversation of a run, one a line. Written by another process: memory of this one would count for all that
    it starts."""
    path = folder / "prompts.jsonl"
    subprocess.run([sys.executable, __file__, "--prompts", str(path), str(repeats)], check=True)
    return path


def write_prompts(path: Path, repeats: int) -> None:
    from divisionbell.run.administer import plan
    from divisionbell.run.prompt import first_turns
    from divisionbell.run.respondents.scripted import Scripted

    bank = shipped()
    with path.open("w", encoding="utf-8") as stream:
        for unit in plan(bank, Scripted("coin"), "full", repeats):
            turns = first_turns(bank, unit.asked, unit.order)
            stream.write(json.dumps([{"role": turn.role, "content": turn.content} for turn in turns]) + "\n")


def write_journal(folder: Path, repeats: int) -> None:
    """A complete run of the coin, as `run` writes it but for waiting until each unit is on disk."""
    import asyncio

    from divisionbell.run.administer import administer, header, plan
    from divisionbell.run.journal import HEADER, JOURNAL, line_of
    from divisionbell.run.respondents.scripted import Scripted

    bank, coin = shipped(), Scripted("coin")
    units = plan(bank, coin, "full", repeats)
    folder.mkdir()
    (folder / HEADER).write_text(json.dumps(header(bank, coin, "full", repeats, "bench", units)), encoding="utf-8")
    with (folder / JOURNAL).open("wb") as stream:

        def keep(unit: Mapping[str, Any]) -> None:
            stream.write(line_of(unit))

        asyncio.run(administer(bank, coin, units, keep, 1))


def row(name: str, asked: int, wall: float, start: float, memory: float, code: int) -> float:
    """Print a row; what a process needs to start is taken off. Returns requests a second."""
    rate = asked / max(wall - start, 1e-9)
    told = "" if code == 0 else f"  exit code {code}"
    print(f"{rate:10,.0f} /s {wall:8.2f} s {start:8.2f} s {memory:8.0f} MB  {name}{told}", flush=True)
    return rate


def beside_peers() -> None:
    server = subprocess.Popen(
        [sys.executable, str(ROOT / "benchmarks" / "answer_server.py")], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    url = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
    print(f"{IN_FLIGHT} in flight\n  requests      whole     start  greatest memory")
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            peers = [("bare aiohttp", BARE, 10), ("openai SDK", SDK, 3), ("Inspect", INSPECT, 1)]
            for label, script, repeats in peers:
                package = {"openai SDK": "openai", "Inspect": "inspect_ai"}.get(label, "aiohttp")
                if importlib.util.find_spec(package) is None:
                    print(f"{'':>10}    {label}: not installed (pip install {package.replace('_', '-')})")
                    continue
                asks = prompts(folder, repeats)
                none = folder / "none.jsonl"
                none.write_text(asks.read_text(encoding="utf-8").splitlines(keepends=True)[0], encoding="utf-8")
                command = [sys.executable, "-c", script, url]
                started = min(once([*command, str(none), name], folder)[0] for _ in range(2))
                wall, memory, code = min(once([*command, str(asks), name], folder) for _ in range(3))
                row(label, UNITS * repeats, wall, started, memory, code)
            own = [DIVISIONBELL, "run", "openai:bench", "--base-url", url, "--bank", str(ROOT / "bank")]
            started = min(once([*own, "--dry-run"], folder)[0] for _ in range(2))
            found = []
            for number in range(3):
                options = ["--repeats", "10", "--concurrency", str(IN_FLIGHT), "--out", f"run-{number}"]
                found.append(once([*own, *options], folder))
            row("divisionbell run, every unit synced to disk", UNITS * 10, min(found)[0], started, *min(found)[1:])
    finally:
        server.kill()
        server.wait()


def scoring() -> None:
    print("    lines      wall    lines/s  greatest memory of one process")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for lines in LINES:
            made = [sys.executable, __file__, "--journal", str(folder / str(lines)), str(lines // UNITS)]
            subprocess.run(made, check=True)
            command = [DIVISIONBELL, "score", str(lines), "--bank", str(ROOT / "bank")]
            wall, memory, code = min(once(command, folder) for _ in range(2))
            told = "" if code == 0 else f"  exit code {code}"
            print(f"{lines:9,} {wall:8.2f} s {lines / wall:10,.0f} {memory:8,.0f} MB{told}", flush=True)


if __name__ == "__main__":
    if "--prompts" in sys.argv[1:]:
        write_prompts(Path(sys.argv[2]), int(sys.argv[3]))
    elif "--journal" in sys.argv[1:]:
        write_journal(Path(sys.argv[2]), int(sys.argv[3]))
    elif "--score" in sys.argv[1:]:
        scoring()
    else:
        beside_peers()
