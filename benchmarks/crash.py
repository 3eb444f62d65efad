"""Kill runs with `kill -9` at random moments, tear their last lines, resume them, and compare with an unbroken run.

python benchmarks/crash.py [--kills N] [--seed S] [--json]

The server is ours, on loopback, with random latency. Its answer is a function of the prompt, so every run must come
to the same scores. It counts what it was asked: what is paid twice is what it answered and no journal held at the kill.
Exit code 1, with the reason, where a unit is lost or stands twice, an answer or a score differs, or a kill costs more
than the units that were in flight.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from aiohttp import web

ROOT = Path(__file__).resolve().parent.parent
CONCURRENCY, REPEATS = 16, 5
LONGEST_LATENCY, LONGEST_START, LONGEST_ASKING = 0.04, 1.5, 0.3  # seconds


class Server:
    """Answers each prompt in one way for ever and counts what it is asked, first turns and reminders apart."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self.first, self.reminded, self.in_flight = 0, 0, 0
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._serve, daemon=True).start()
        self._ready.wait()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._start())
        self._loop.run_forever()

    async def _start(self) -> None:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._answer)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        self._ready.set()

    async def _answer(self, request: web.Request) -> web.Response:
        messages = (await request.json())["messages"]
        self.in_flight += 1
        try:
            if len(messages) == 2:
                self.first += 1
            else:
                self.reminded += 1
            text, finish = reply(messages[1]["content"], len(messages) > 2)
            await asyncio.sleep(self._chance.uniform(0, LONGEST_LATENCY))
            choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}
            return web.json_response({"model": "m", "choices": [choice]})
        finally:
            self.in_flight -= 1

    def quiet(self) -> None:
        """Wait until nothing is being answered: a killed client's last requests are counted then."""
        calm = 0
        while calm < 5:
            calm = calm + 1 if self.in_flight == 0 else 0
            time.sleep(0.01)


def reply(prompt: str, reminded: bool) -> tuple[str | None, str]:
    """Text and finish reason: of twenty prompts one is malformed at first, one always, one cut off and one blocked."""
    digest = hashlib.sha256(prompt.encode()).digest()
    kind = digest[0] % 20
    if kind == 2:
        return None, "length"
    if kind == 3:
        return None, "content_filter"
    item = prompt.rsplit('{"item_id":"', 1)[1].split('"', 1)[0]
    answer = json.dumps({"item_id": item, "answer": "AB"[digest[1] & 1]})
    return ("I choose A." if kind == 1 or (kind == 0 and not reminded) else answer), "stop"


class Wrong(Exception):
    """What must hold does not."""


def hold(holds: bool, what: str) -> None:
    if not holds:
        raise Wrong(what)


def divisionbell(home: Path, *arguments: str) -> str:
    """Standard output of a command that must succeed."""
    command = [sys.executable, "-m", "divisionbell", *arguments]
    done = subprocess.run(command, cwd=home, capture_output=True, text=True, check=False, timeout=300)
    hold(done.returncode == 0, f"{' '.join(arguments)}: exit {done.returncode}, {done.stderr.strip()}")
    return done.stdout


def asking(server: Server, folder: Path) -> tuple[str, ...]:
    options = ("--concurrency", str(CONCURRENCY), "--repeats", str(REPEATS), "--base-url", server.url, "--no-preflight")
    begun = ("--resume",) if (folder / "run.json").exists() else ()  # a kill can come before there is a run
    return ("run", "openai:m", "--form", "full", *options, *begun, "--out", str(folder))


def whole_lines(journal: Path) -> list[bytes]:
    return [line for line in journal.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]


def answers(folder: Path) -> dict[str, tuple[str, str | None, tuple[str | None, ...]]]:
    """Outcome, answer and every reply text by unit key. Raises Wrong where a unit stands twice."""
    units = [json.loads(line) for line in whole_lines(folder / "journal.jsonl")]
    made = {
        unit["unit_key"]: (
            unit["outcome"],
            unit.get("answer"),
            tuple(attempt.get("reply_text") for attempt in unit["attempts"]),
        )
        for unit in units
    }
    hold(len(made) == len(units), f"{folder}: {len(units) - len(made)} units stand twice")
    return made


def estimates(home: Path, folder: Path) -> list[Any]:
    """Every estimate of a run; `score` reads each reply again first."""
    found: list[Any] = json.loads(divisionbell(home, "score", str(folder), "--format", "json"))["estimates"]
    return found


def killed(process: subprocess.Popen[bytes], server: Server, chance: random.Random) -> bool:
    """Kill it at a random moment, of starting or of asking; False where it was complete before."""
    if chance.random() < 0.25:
        moment = time.monotonic() + chance.uniform(0, LONGEST_START)
    else:
        asked = server.first
        while server.first == asked and process.poll() is None:
            time.sleep(0.001)
        moment = time.monotonic() + chance.uniform(0, LONGEST_ASKING)
    while process.poll() is None and time.monotonic() < moment:
        time.sleep(0.001)
    if process.poll() is not None:
        return False
    process.kill()
    return process.wait() == -9


def torn(journal: Path, chance: random.Random) -> bool:
    """Cut the last whole line at a random byte, as a power cut may leave it."""
    lines = whole_lines(journal) if journal.exists() else []
    if not lines or chance.random() < 0.5:
        return False
    size = sum(map(len, lines)) - len(lines[-1]) + chance.randrange(len(lines[-1]))
    with journal.open("r+b") as file:
        file.truncate(size)
    return True


def crash(home: Path, kills: int, seed: int) -> dict[str, Any]:
    """Figures over all runs. Raises Wrong."""
    chance = random.Random(seed)  # noqa: S311
    server = Server(random.Random(seed + 1))  # noqa: S311
    divisionbell(home, *asking(server, home / "whole"))
    expected, scores = answers(home / "whole"), estimates(home, home / "whole")
    hold(server.first == len(expected), "the unbroken run asked something twice")
    told: Counter[str] = Counter(units=len(expected))
    worst = 0
    while told["kills"] < kills:
        folder, told["runs"] = home / f"broken-{told['runs']}", told["runs"] + 1
        journal = folder / "journal.jsonl"
        server.first = server.reminded = lost = 0
        while True:
            command = [sys.executable, "-m", "divisionbell", *asking(server, folder)]
            with (home / "told.txt").open("wb") as errors:
                process = subprocess.Popen(command, cwd=home, stdout=subprocess.DEVNULL, stderr=errors)
            if told["kills"] >= kills or not killed(process, server, chance):
                hold(process.wait() == 0, f"resuming failed: {(home / 'told.txt').read_text()}")
                break
            told["kills"] += 1
            server.quiet()
            left_torn = journal.exists() and not journal.read_bytes().endswith(b"\n") and journal.stat().st_size > 0
            cut = torn(journal, chance)
            told["torn by the kill"] += left_torn
            told["torn by us"] += cut
            there = len(whole_lines(journal)) if journal.exists() else 0
            now = server.first - there - lost
            hold(now <= CONCURRENCY + cut, f"a kill cost {now} units with {CONCURRENCY} in flight")
            lost, worst = lost + now, max(worst, now - cut)
        hold(answers(folder) == expected, f"{folder.name} differs from the unbroken run")
        hold(server.first - len(expected) == lost, "more was paid twice than was lost at the kills")
        hold(estimates(home, folder) == scores, f"{folder.name} has other scores than the unbroken run")
        told["units paid twice"] += lost
        told["reminders paid twice"] += server.reminded - sum(len(texts) == 2 for _, _, texts in expected.values())
        shutil.rmtree(folder)
    return {**told, "in flight at most": CONCURRENCY, "most lost at one kill": worst, "seed": seed}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        shutil.copytree(ROOT / "tests" / "pilot" / "bank", home / "bank", ignore=shutil.ignore_patterns("freeze"))
        shutil.copy(ROOT / "tests" / "pilot" / "data_sources.yaml", home)
        try:
            divisionbell(home, "freeze", "0.1.0")
            told = crash(home, options.kills, options.seed)
        except Wrong as wrong:
            print(f"error: {wrong}", file=sys.stderr)
            return 1
    print(json.dumps(told) if options.json else "\n".join(f"{count:6} {what}" for what, count in told.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
