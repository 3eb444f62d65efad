"""A run is gone on with as it was started: what its header holds gives the same respondent again."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from divisionbell.run.go_on import DEFAULT_ADDRESSES, go_on_command, stored_options
from divisionbell.run.respondents import anthropic, openai
from divisionbell.run.respondents.anthropic import Anthropic
from divisionbell.run.respondents.openai import OpenAI
from divisionbell.run.respondents.respondent import Respondent
from divisionbell.run.respondents.sampling import Sampling


def header_of(respondent: Respondent) -> dict[str, Any]:
    header = {
        "respondent": respondent.name,
        "form": "short",
        "repeats": 3,
        "bank_version": "1.0.0",
        "settings": dict(respondent.settings),
    }
    stored: dict[str, Any] = json.loads(json.dumps(header))
    return stored


TAGS = ("<think>", "</think>")
URL = "http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    ("options", "base_url"),
    [
        ({}, None),
        ({"temperature": 0.7, "max_tokens": 8, "decoding": "grammar", "logprobs": True}, URL),
        ({"temperature": "default", "reasoning": "low", "reasoning_tags": TAGS, "decoding": "json-schema"}, URL),
        ({"reasoning_tokens": 2000}, None),
    ],
)
def test_completions_are_asked_as_before(options: dict[str, Any], base_url: str | None) -> None:
    def made(address: str | None, sampling: dict[str, Any]) -> OpenAI:
        return OpenAI("m", address or openai.DEFAULT_BASE_URL, **sampling)

    first = made(base_url, options)
    stored = stored_options(header_of(first))
    assert (stored.respondent, stored.form, stored.repeats, stored.version) == ("openai:m", "short", 3, "1.0.0")
    assert stored.base_url == base_url
    assert made(stored.base_url, stored.sampling.given()).settings == first.settings


@pytest.mark.parametrize("options", [{}, {"temperature": "default", "reasoning_tokens": 2000}, {"reasoning": "high"}])
def test_messages_are_asked_as_before(options: dict[str, Any]) -> None:
    first = Anthropic("m", "http://127.0.0.1:9", **options)
    stored = stored_options(header_of(first))
    assert stored.base_url == URL
    assert Anthropic("m", stored.base_url, **stored.sampling.given()).settings == first.settings


def test_a_providers_own_address_is_not_another_one() -> None:
    assert {
        "openai": openai.DEFAULT_BASE_URL,
        "anthropic": anthropic.messages_root(anthropic.DEFAULT_BASE_URL),
    } == DEFAULT_ADDRESSES
    assert stored_options(header_of(Anthropic("m"))).base_url is None


@pytest.mark.parametrize(
    "settings",
    [
        {"temperature": True, "max_tokens": -1, "reasoning": "much", "reasoning_tags": ["<think>"], "decoding": 1},
        {"temperature": 7, "max_tokens": "64", "reasoning": [], "reasoning_tags": "<>", "base_url": ["x"]},
        {"temperature": "not settable", "max_tokens": "not settable", "reasoning_tags": None},
    ],
)
def test_what_no_option_can_have_is_left_out(settings: dict[str, Any]) -> None:
    stored = stored_options(header_of(OpenAI("m")) | {"settings": settings})
    assert stored.sampling == Sampling() and stored.base_url is None


def test_what_a_plug_in_makes_of_its_options_is_not_guessed() -> None:
    stored = stored_options(header_of(OpenAI("m")) | {"respondent": "mine", "settings": {"temperature": 1}})
    assert stored.sampling == Sampling()


def test_the_command_can_be_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    header = header_of(OpenAI("m", "http://127.0.0.1:9/v1"))
    header["settings"]["base_url"] = "http://x/$(touch y)/v1"
    command = go_on_command(header, tmp_path / "my runs", failed=True)
    assert shlex.split(command) == [
        *("divisionbell", "run", "--resume", "--failed", "--base-url", "http://x/$(touch y)/v1", "--out", "my runs"),
    ]
    assert go_on_command(header_of(OpenAI("m")), Path("r")) == "divisionbell run --resume --out r"
