"""Time a report of 5 model runs over the full form, both orders, and weigh its page.

    python benchmarks/report.py [--repeats 5] [--keep DIR]

A server on this machine stands for five models: leaning, mild, refusing at times, following the place on the page, and
the first one again with another mind. The runs are real runs of the shipped bank. With --keep they stay in DIR and are
not asked again. Nothing here is asserted.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from aiohttp import web

from divisionbell.freeze.frozen_bank import read_frozen

ROOT = Path(__file__).resolve().parents[1]
MODELS = ("north-1", "south-2", "reticent-3", "parrot-4", "north-1b")
MEASURED_ALIKE = {"north-1b": "north-1"}  # the same respondent, asked once more
MOST_MB, MOST_SECONDS = 3.0, 15.0


def draw(*parts: str) -> float:
    """A number from 0 to 1 that is the same each time."""
    return int.from_bytes(hashlib.sha256("/".join(parts).encode()).digest()[:6], "big") / 2**48


def letter(model: str, axis: str, family: str, item: str, negative_at_a: bool, asking: str) -> str:
    """The letter that a stand-in gives: a lean by axis, a family's own part, and noise of each asking."""
    lean = {"north-1": {"economic": 0.74, "social": 0.68}, "south-2": {"economic": 0.45, "social": 0.6}}
    negative = lean.get(model, {"economic": 0.62, "social": 0.4}).get(axis, 0.5)
    negative += (draw(model, family) - 0.5) * 0.4
    fixed, noisy = draw(model, item), draw(model, item, str(negative_at_a), asking)
    chosen = "negative" if (noisy if noisy < 0.12 else fixed) < negative else "positive"
    if model == "parrot-4" and draw(model, item, "place") < 0.9:
        return "A"
    return "A" if (chosen == "negative") == negative_at_a else "B"


def reply(model: str, item: str, said: str, asking: str) -> str:
    """The reply around the letter; one stand-in refuses and fences at times."""
    text = json.dumps({"item_id": item, "answer": said}, separators=(",", ":"))
    if model == "reticent-3":
        if draw(model, item, "refuses") < 0.08:
            return "I would rather not choose: both have merit, and it depends on what a community values most."
        if draw(model, item, asking, "fence") < 0.03:
            return f"```json\n{text}\n```"
    return text


async def serve() -> None:
    """Answer every chat completion as the model that it names; the address is printed."""
    versions = sorted(path.stem for path in (ROOT / "bank" / "freeze").glob("?.?.?.json"))
    bank = read_frozen(ROOT / "bank" / "freeze", versions[-1])
    asked = {one.item.item_id: one for one in bank.form("full")}
    seen: dict[str, int] = {}

    async def answer(request: web.Request) -> web.Response:
        body = await request.json()
        prompt = next(m["content"] for m in body["messages"] if m["role"] == "user")
        model, name = body["model"], prompt.rsplit('{"item_id":"', 1)[-1].split('"', 1)[0]
        if name in asked:
            one, dossier = asked[name], asked[name].dossier
            negative_at_a = prompt.index(one.text("negative")) < prompt.index(one.text("positive"))
            place = f"{model}/{name}/{negative_at_a}"
            seen[place] = seen.get(place, 0) + 1
            said = letter(model, str(dossier.axis), dossier.issue_family, name, negative_at_a, str(seen[place]))
            text = reply(model, name, said, str(seen[place]))
        else:
            text = "ready"
        message = {"role": "assistant", "content": text}
        usage = {"prompt_tokens": 250, "completion_tokens": 20}
        choices = [{"index": 0, "finish_reason": "stop", "message": message}]
        return web.json_response({"model": model, "choices": choices, "usage": usage})

    application = web.Application()
    application.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}/v1", flush=True)
    await asyncio.Event().wait()


def command(*arguments: str) -> float:
    """Wall seconds of one call of the program."""
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    start = time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "divisionbell", *arguments, "--bank", str(ROOT / "bank")],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path},
    )
    return time.monotonic() - start


def ask(home: Path, repeats: int) -> list[Path]:
    """One run folder for each stand-in; those that are there are not asked again."""
    folders = [home / model for model in MODELS]
    if all((folder / "run.json").exists() for folder in folders):
        return folders
    server = subprocess.Popen(
        [sys.executable, __file__, "--serve"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    try:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        for model, folder in zip(MODELS, folders, strict=True):
            name = MEASURED_ALIKE.get(model, model)
            more = ("--base-url", url, "--repeats", str(repeats), "--concurrency", "32", "--out", str(folder))
            print(f"asked {model}: {command('run', f'openai:{name}', *more):.0f} s", flush=True)
    finally:
        server.terminate()
        server.wait()
    return folders


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        asyncio.run(serve())
        return
    with tempfile.TemporaryDirectory(prefix="divisionbell-report-") as made:
        home = given.keep or Path(made)
        home.mkdir(parents=True, exist_ok=True)
        folders = ask(home, given.repeats)
        page = home / "report.html"
        load = os.getloadavg()[0]
        seconds = command("report", *map(str, folders), "--out", str(page))
        size = page.stat().st_size / 1e6
        print(f"load {load:.1f} on {os.cpu_count()} processors")
        print(f"report of {len(folders)} runs: {seconds:.1f} s (at most {MOST_SECONDS:g}), ", end="")
        print(f"page {size:.2f} MB (at most {MOST_MB:g})")
        beside = sorted(path for folder in home.glob("report-*") for path in folder.rglob("*") if path.is_file())
        print(f"beside it {len(beside)} files, {sum(path.stat().st_size for path in beside) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
