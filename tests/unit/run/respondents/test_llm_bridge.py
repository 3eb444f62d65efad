"""The bridge to the llm package, with models of the test's own registered through its hooks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

llm = pytest.importorskip("llm", reason="pip install 'divisionbell[llm]'")

from llm import plugins  # noqa: E402
from llm.parts import StreamEvent  # noqa: E402
from pydantic import Field  # noqa: E402

from divisionbell.run.respondents import llm_bridge  # noqa: E402
from divisionbell.run.respondents.llm_bridge import LlmModel, model_names  # noqa: E402
from divisionbell.run.respondents.respondent import Ask, Message, Reply, RespondentRefused, Usage  # noqa: E402

KEY = "sk-very-secret-0123456789"
ITEM = "q9f3r6tb"
TEXT = '{"item_id":"q9f3r6tb","answer":"B"}'
ASK = Ask("unit", ITEM, 1, (Message("system", "Choose."), Message("user", "A or B?")), "negative", "commons-1541")
REMINDED = Ask(
    "unit", ITEM, 2, (*ASK.messages, Message("assistant", "B"), Message("user", "Return only.")), "negative", "x"
)


def seen_by(prompt: Any, conversation: Any, key: str | None = None) -> dict[str, Any]:
    """What a plugin finds, in each of the places where plugins look."""
    earlier = conversation.responses if conversation else []
    return {
        "prompt": prompt.prompt,
        "system": prompt.system,
        "messages": [(message.role, "".join(part.text for part in message.parts)) for message in prompt.messages],
        "earlier": [(before.prompt.prompt, before.text_or_raise()) for before in earlier],
        "options": prompt.options.model_dump(exclude_none=True),
        "key": key,
    }


class Sync(llm.Model):
    """A model that is called in a thread; it has options and says what it used."""

    model_id = "of-this-test-sync"

    class Options(llm.Options):
        temperature: float | None = Field(default=None)
        max_output_tokens: int | None = Field(default=None)

    def __init__(self) -> None:
        self.seen: list[dict[str, Any]] = []

    def execute(self, prompt: Any, stream: bool, response: Any, conversation: Any = None) -> Iterator[Any]:
        self.seen.append(seen_by(prompt, conversation))
        response.set_usage(input=40, output=9, details={"completion_tokens_details": {"reasoning_tokens": 3}})
        response.set_resolved_model("sync-2026")
        response.response_json = {"choices": [{"finish_reason": "stop"}]}
        yield StreamEvent(type="reasoning", chunk='{"item_id":"q9f3r6tb","answer":"A"}')
        yield StreamEvent(type="text", chunk=TEXT[:5])
        yield StreamEvent(type="text", chunk=TEXT[5:])


class Async(llm.AsyncKeyModel):
    """An asynchronous model with a key and without options."""

    model_id = "of-this-test-async"
    needs_key = "of-this-test"
    key_env_var = "OF_THIS_TEST_KEY"

    def __init__(self) -> None:
        self.seen: list[dict[str, Any]] = []
        self.says = TEXT

    async def execute(
        self, prompt: Any, stream: bool, response: Any, conversation: Any = None, key: str | None = None
    ) -> AsyncIterator[str]:
        self.seen.append(seen_by(prompt, conversation, key))
        yield self.says


class Failing(llm.Model):
    model_id = "of-this-test-failing"

    def execute(self, prompt: Any, stream: bool, response: Any, conversation: Any = None) -> Iterator[str]:
        raise llm.ModelError(f"no answer\nfor {KEY[:5]}")


class Plugin:
    """An llm plugin: what a package would register under the entry point `llm`."""

    def __init__(self) -> None:
        self.sync, self.asynchronous = Sync(), Async()

    @llm.hookimpl
    def register_models(self, register: Any) -> None:
        register(self.sync)
        register(Failing())
        register(AsyncTwin(), self.asynchronous)


class AsyncTwin(llm.Model):
    model_id = "of-this-test-async"

    def execute(self, prompt: Any, stream: bool, response: Any, conversation: Any = None) -> Iterator[str]:
        raise AssertionError("the asynchronous model is to be preferred")


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plugin]:
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path))
    monkeypatch.delenv("OF_THIS_TEST_KEY", raising=False)
    made = Plugin()
    plugins.pm.register(made, name="of-this-test")
    yield made
    plugins.pm.unregister(made)


def answered(respondent: LlmModel, ask: Ask = ASK) -> Reply:
    return asyncio.run(respondent.answer(ask))


def test_a_model_without_an_asynchronous_twin_is_called_in_a_thread(plugin: Plugin) -> None:
    respondent = LlmModel("of-this-test-sync", temperature=0.5, max_tokens=30)
    reply = answered(respondent)
    assert (reply.text, reply.finish_reason, reply.served_model) == (TEXT, "stop", "sync-2026")
    assert reply.reasoning_text == '{"item_id":"q9f3r6tb","answer":"A"}'
    assert reply.usage == Usage(40, 9, None, 3) and reply.latency_seconds is not None
    (seen,) = plugin.sync.seen
    assert (seen["prompt"], seen["system"]) == ("A or B?", "Choose.")
    assert seen["messages"] == [("system", "Choose."), ("user", "A or B?")]
    assert seen["options"] == {"temperature": 0.5, "max_output_tokens": 30}
    assert respondent.settings["temperature"] == 0.5 and respondent.settings["max_tokens"] == 30
    assert respondent.name == "llm:of-this-test-sync" and not respondent.constrained and respondent.remote


@pytest.mark.parametrize("model", ["sync", "async"])
def test_the_reminder_is_a_further_turn_wherever_a_plugin_looks(
    plugin: Plugin, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.setenv("OF_THIS_TEST_KEY", KEY)
    assert answered(LlmModel(f"of-this-test-{model}"), REMINDED).text == TEXT
    (seen,) = (plugin.sync if model == "sync" else plugin.asynchronous).seen
    assert (seen["prompt"], seen["system"], seen["earlier"]) == ("Return only.", "Choose.", [("A or B?", "B")])
    assert seen["messages"] == [
        ("system", "Choose."),
        ("user", "A or B?"),
        ("assistant", "B"),
        ("user", "Return only."),
    ]


def test_an_asynchronous_model_is_preferred_and_its_key_is_not_kept(
    plugin: Plugin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OF_THIS_TEST_KEY", KEY)
    plugin.asynchronous.says = f"my key is {KEY}"
    respondent = LlmModel("of-this-test-async")
    reply = answered(respondent)
    assert reply.text == "my key is [key]" and plugin.asynchronous.seen[0]["key"] == KEY
    assert KEY not in repr(reply) + json.dumps(dict(respondent.settings)) + repr(respondent)
    assert respondent.settings["temperature"] == respondent.settings["max_tokens"] == "not settable"
    (tmp_path / "key").write_text("sk-from-a-file-0001\n")
    answered(LlmModel("of-this-test-async", tmp_path / "key"))
    assert plugin.asynchronous.seen[1]["key"] == "sk-from-a-file-0001"


@pytest.mark.usefixtures("plugin")
def test_what_a_plugin_raises_is_a_transport_failure(plugin: Plugin) -> None:
    reply = answered(LlmModel("of-this-test-failing"))
    assert reply.text is None and reply.transport_error == f"ModelError: no answer for {KEY[:5]}"


@pytest.mark.usefixtures("plugin")
def test_a_missing_model_and_a_missing_key_are_refused() -> None:
    with pytest.raises(RespondentRefused, match="llm has no model of-no-such-name"):
        LlmModel("of-no-such-name")
    with pytest.raises(RespondentRefused, match="OF_THIS_TEST_KEY"):
        LlmModel("of-this-test-async")


@pytest.mark.usefixtures("plugin")
def test_its_models_are_listed() -> None:
    assert {"of-this-test-sync", "of-this-test-async", "of-this-test-failing"} <= set(model_names())


def test_a_broken_plugin_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ImportError("no module\nnamed x")

    monkeypatch.setattr(plugins, "load_plugins", broken)
    with pytest.raises(RespondentRefused, match="ImportError: no module named x"):
        llm_bridge.model_names()


def test_a_plugin_that_registers_nonsense_is_refused_in_one_line(plugin: Plugin) -> None:
    class Nonsense:
        @llm.hookimpl
        def register_models(self, register: Any) -> None:
            register(None)

    made = Nonsense()
    plugins.pm.register(made, name="nonsense")
    try:
        with pytest.raises(RespondentRefused, match="the plugins of llm cannot be used: AttributeError"):
            LlmModel("of-this-test-sync")
        with pytest.raises(RespondentRefused, match="cannot be listed"):
            model_names()
    finally:
        plugins.pm.unregister(made)
