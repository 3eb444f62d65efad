"""The HTTP respondents against the real server of llama.cpp with the embedded model's weights."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import math
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator

import pytest
from local_server import ITEM

from divisionbell.run.respondents.anthropic import Anthropic
from divisionbell.run.respondents.embedded import INSTALL, RUNTIME_PACKAGE, weights_path
from divisionbell.run.respondents.openai import OpenAI
from divisionbell.run.respondents.respondent import Ask, Message, Reply, Respondent, RespondentRefused
from divisionbell.run.respondents.served_models import served_models

if importlib.util.find_spec(RUNTIME_PACKAGE) is None:
    pytest.skip(f"{RUNTIME_PACKAGE} is missing: {INSTALL}", allow_module_level=True)
try:
    weights_path()
except RespondentRefused as refused:
    pytest.skip(refused.message, allow_module_level=True)

SERVE = """
import sys, time
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.port = sys.argv[1], int(sys.argv[2])
params.hostnames = ["127.0.0.1"]
params.n_ctx, params.n_parallel = 1024, 1
params.cpuparams.n_threads = 1
server = xllamacpp.Server(params)
time.sleep(600)
"""
HELLO = (Message("system", "Answer in one word."), Message("user", "Say hello."))


@pytest.fixture(scope="module")
def llama() -> Iterator[str]:
    """The address of the server, without a path."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", SERVE, str(weights_path()), str(port)]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                with urllib.request.urlopen(f"{address}/health", timeout=5) as told:
                    if told.status == 200:
                        break
            except OSError:
                if running.poll() is not None:
                    pytest.skip("this version of the runtime does not serve HTTP")
                time.sleep(0.1)
        yield address
    finally:
        running.kill()
        running.wait()


def asked(respondent: Respondent, *more: Message) -> Reply:
    async def main() -> Reply:
        try:
            return await respondent.answer(Ask("unit", ITEM, 1 + bool(more), (*HELLO, *more), "negative", "x"))
        finally:
            await respondent.close()

    return asyncio.run(main())


def test_the_grammar_forces_the_object_and_the_letters_probabilities_are_there(llama: str) -> None:
    reply = asked(OpenAI("any", f"{llama}/v1", decoding="grammar", logprobs=True))
    assert reply.transport_error is None and reply.text is not None
    read = json.loads(reply.text)
    assert read == {"item_id": ITEM, "answer": read["answer"]} and read["answer"] in "AB"
    tokens = dict(reply.answer_token_logprobs)
    assert len(tokens) >= 20 and read["answer"] in tokens
    assert sum(math.exp(value) for value in tokens.values()) < 1.001
    assert reply.usage.input_tokens and reply.usage.output_tokens


def test_a_free_reply_is_cut_at_the_limit_asked_for(llama: str) -> None:
    reply = asked(OpenAI("any", f"{llama}/v1", max_tokens=3))
    assert (reply.finish_reason, reply.usage.output_tokens) == ("length", 3)


def test_its_messages_api_is_asked_and_a_reminder_is_a_further_turn(llama: str) -> None:
    first = asked(Anthropic("any", llama, max_tokens=4))
    assert (first.finish_reason, first.usage.output_tokens) == ("max_tokens", 4)
    reply = asked(Anthropic("any", llama), Message("assistant", "Hello."), Message("user", "Say it again."))
    assert reply.transport_error is None and reply.finish_reason == "end_turn" and reply.text
    assert reply.usage.input_tokens is not None and first.usage.input_tokens is not None
    assert reply.usage.input_tokens > first.usage.input_tokens


def test_its_models_are_listed(llama: str) -> None:
    served = asyncio.run(served_models(f"{llama}/v1", {}, None))
    assert served.problem is None and len(served.names) == 1
