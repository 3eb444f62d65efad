"""The respondent `llm:MODEL`: a model of the `llm` package and its plugins (https://llm.datasette.io)."""

from __future__ import annotations

import asyncio
import importlib.metadata
import importlib.util
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from divisionbell.run.respondents.api_key import read_key, without_key
from divisionbell.run.respondents.http_reply import one_line
from divisionbell.run.respondents.respondent import Ask, Reply, Respondent, RespondentRefused, Usage
from divisionbell.run.respondents.sampling import Temperature
from divisionbell.run.respondents.sound_reply import unsound
from divisionbell.run.respondents.token_count import token_count

INSTALL = "pip install 'divisionbell[llm]', then the plugin of your provider"
# What plugins call the limit of tokens.
LIMITS = ("max_tokens", "max_output_tokens", "num_predict")


def _package() -> Any:
    """The llm package with its plugins loaded. Raises RespondentRefused where it is missing or a plugin is broken."""
    if importlib.util.find_spec("llm") is None:
        raise RespondentRefused("llm:MODEL needs the package llm", INSTALL)
    try:
        import llm
        from llm import plugins

        if importlib.util.find_spec("llama_cpp") is None:
            # The embedded model's weights lie in a plugin whose library we do not install: it would not load.
            plugins.pm.set_blocked("smollm2")
        plugins.load_plugins()  # type: ignore[no-untyped-call,unused-ignore]
    except (Exception, SystemExit) as error:
        why = one_line(f"{type(error).__name__}: {error}", None)
        raise RespondentRefused(
            f"the plugins of llm cannot be loaded: {why}", "`llm plugins` should work; mend or remove what it names"
        ) from None
    return llm


def model_names() -> tuple[str, ...]:
    """The ids of all models, sorted. Raises RespondentRefused as `llm:MODEL` does."""
    llm = _package()
    try:
        found = {model.model_id for model in (*llm.get_models(), *llm.get_async_models())}
    except Exception as error:
        raise RespondentRefused(f"the models of llm cannot be listed: {one_line(str(error), None)}") from None
    return tuple(sorted(found))


def _model(llm: Any, name: str) -> tuple[Any, bool]:
    """The model of that name, and whether it is asynchronous."""
    for find, is_async in ((llm.get_async_model, True), (llm.get_model, False)):
        try:
            return find(name), is_async
        except llm.UnknownModelError:
            continue
        except Exception as error:
            why = one_line(f"{type(error).__name__}: {error}", None)
            raise RespondentRefused(f"the plugins of llm cannot be used: {why}", "`llm models` should work") from None
    raise RespondentRefused(f"llm has no model {name}", "`divisionbell models` lists them; a plugin may be missing")


def _plugin_of(model: Any) -> str:
    """The package that a model comes from, with its version where that is known."""
    from llm.plugins import pm

    package = type(model).__module__.partition(".")[0]
    for plugin, found in pm.list_plugin_distinfo():
        if getattr(plugin, "__name__", "").partition(".")[0] == package:
            return f"{found.project_name} {found.version}"
    return package


class LlmModel(Respondent):
    """The respondent `llm:MODEL`.

    An asynchronous model is preferred; another is called in threads, which cannot be broken off: an interrupted run
    ends when the calls in them do. Retries are those of the plugin. Temperature and limit go through the model's own
    options where it has them, and stand as "not settable" among the settings where it has not.
    """

    def __init__(
        self,
        model: str,
        key_file: Path | None = None,
        *,
        temperature: Temperature = 0.0,
        max_tokens: int = 64,
        reasoning_tags: tuple[str, str] | None = None,
    ) -> None:
        """Nothing is sent yet. Raises RespondentRefused where the package, the model or its key is missing."""
        llm = _package()
        self._asked, self._tags = model, reasoning_tags
        self._model, self._is_async = _model(llm, model)
        self._key = read_key(key_file, None)
        try:
            self._key = self._model.get_key(self._key)
        except Exception as error:
            raise RespondentRefused(f"llm:{model}: {one_line(str(error), self._key)}") from None
        known = self._model.Options.model_fields
        limit = next((name for name in LIMITS if name in known), None)
        wanted = {} if temperature == "default" else {"temperature": temperature}
        self._options = {name: value for name, value in wanted.items() if name in known}
        if limit is not None:
            self._options[limit] = max_tokens
        self._settings = {
            "model": self._model.model_id,
            "llm": importlib.metadata.version("llm"),
            "plugin": _plugin_of(self._model),
            "temperature": self._options.get("temperature", "default" if "temperature" in known else "not settable"),
            "max_tokens": max_tokens if limit is not None else "not settable",
            "reasoning_tags": list(reasoning_tags) if reasoning_tags else None,
        }

    @property
    def name(self) -> str:
        """`llm:MODEL`, as typed on the command line."""
        return f"llm:{self._asked}"

    @property
    def settings(self) -> Mapping[str, object]:
        """Model, version of llm, package of the model and options; never the key."""
        return self._settings

    @property
    def reasoning_tags(self) -> tuple[str, str] | None:
        """As declared for this model; None by default."""
        return self._tags

    @property
    def max_concurrency(self) -> int:
        """An asynchronous model takes many calls at once; threads are kept few."""
        return 16 if self._is_async else 4

    @property
    def remote(self) -> bool:
        """True: most of these models are behind a server, and which are is not known."""
        return True

    async def answer(self, ask: Ask) -> Reply:
        """Put one conversation to the model. What it or its plugin raises comes back as `transport_error`."""
        started = time.monotonic()
        try:
            reply = await (self._await(ask) if self._is_async else asyncio.to_thread(self._call, ask))
            if (fault := unsound(reply)) is not None:
                raise TypeError(fault)
        except Exception as error:
            # llm has no common error for "the model was not reached": whatever a plugin raises is one.
            why = one_line(f"{type(error).__name__}: {error}", self._key)
            return Reply(text=None, transport_error=why, latency_seconds=time.monotonic() - started)
        return without_key(replace(reply, latency_seconds=time.monotonic() - started), self._key)

    def _prompt(self, ask: Ask) -> Any:
        """The last turn of the conversation, after the earlier ones: plugins read those in either of two places, the
        list of messages and the responses of a conversation, so both are filled."""
        from llm import AsyncResponse, Response
        from llm.models import Prompt

        system = next((turn.content for turn in ask.messages if turn.role == "system"), None)
        turns = [turn.content for turn in ask.messages if turn.role != "system"]
        conversation = self._model.conversation()
        for said, replied in zip(turns[:-1:2], turns[1:-1:2], strict=True):
            before = conversation.responses
            history = [*before[-1].prompt.messages, *before[-1]._messages_now(), _user(said)] if before else None
            prompt: Any = Prompt  # its own annotations are incomplete
            kind = AsyncResponse if self._is_async else Response
            earlier = kind(prompt(said, self._model, system=system, messages=history), self._model, False)
            earlier._done, earlier._chunks = True, [replied]
            conversation.responses.append(earlier)
        return conversation.prompt(turns[-1], system=system, stream=False, key=self._key, options=self._options)

    async def _await(self, ask: Ask) -> Reply:
        response = self._prompt(ask)
        return _reply(response, await response.text(), await response.usage())

    def _call(self, ask: Ask) -> Reply:
        response = self._prompt(ask)
        return _reply(response, response.text(), response.usage())


def _user(text: str) -> Any:
    from llm.parts import Message, TextPart

    return Message(role="user", parts=[TextPart(text=text)])


def _reply(response: Any, text: str, usage: Any) -> Reply:
    events = getattr(response, "_stream_events", ())
    thoughts = "".join(event.chunk for event in events if getattr(event, "type", None) == "reasoning")
    details = usage.details if isinstance(usage.details, Mapping) else {}
    return Reply(
        text=text,
        finish_reason=_finish_reason(response.response_json),
        served_model=response.resolved_model,
        usage=Usage(
            token_count(usage.input),
            token_count(usage.output),
            _detail(details, "prompt", "cached"),
            _detail(details, "completion", "reasoning"),
        ),
        reasoning_text=thoughts or None,
    )


def _detail(details: Mapping[str, Any], side: str, what: str) -> int | None:
    inner = details.get(f"{side}_tokens_details")
    value = inner.get(f"{what}_tokens") if isinstance(inner, Mapping) else None
    return token_count(value)


def _finish_reason(raw: Any) -> str | None:
    """The finish reason, from the places where plugins leave a provider's own reply."""
    if not isinstance(raw, Mapping):
        return None
    choices = raw.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], Mapping) else {}
    found = raw.get("finish_reason") or raw.get("stop_reason") or first.get("finish_reason")
    return found if isinstance(found, str) else None
