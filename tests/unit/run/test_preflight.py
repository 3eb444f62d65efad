"""The one call before a run, and what a run takes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest

from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.administer import header, plan
from divisionbell.run.fits import misfit
from divisionbell.run.preflight import CHECK_ID, Preflight, preflight
from divisionbell.run.prompt import first_turns, retry_turns
from divisionbell.run.respondents.party import Party
from divisionbell.run.respondents.respondent import Ask, Reply, Respondent, RespondentRefused, Usage
from divisionbell.run.respondents.scripted import Scripted
from divisionbell.run.workload import Workload, good_reply, workload

WORK = Workload(
    calls_at_least=10, calls_at_most=20, characters_at_least=1000, characters_at_most=2500, answer_characters=40
)


class Says(Respondent):
    """Gives one reply, and keeps what it was asked."""

    def __init__(self, reply: Reply, constrained: bool = False, **settings: object) -> None:
        self.reply, self._constrained, self._settings = reply, constrained, settings
        self.asks: list[Ask] = []

    @property
    def name(self) -> str:
        return "says"

    @property
    def settings(self) -> Mapping[str, object]:
        return self._settings

    @property
    def constrained(self) -> bool:
        return self._constrained

    async def answer(self, ask: Ask) -> Reply:
        self.asks.append(ask)
        return self.reply


GOOD = Reply(good_reply(CHECK_ID), "stop", served_model="m", usage=Usage(100, 12), latency_seconds=0.5)


def made(bank: FrozenBank, reply: Reply, **more: object) -> Preflight:
    return asyncio.run(preflight(bank, Says(reply, **more)))  # type: ignore[arg-type]


def test_the_prompt_is_the_instruments_and_no_item_of_the_bank(frozen: FrozenBank) -> None:
    respondent = Says(GOOD)
    found = asyncio.run(preflight(frozen, respondent))
    (ask,) = respondent.asks
    system, prompt = ask.messages
    assert (
        system.content == frozen.settings.system_message
        and f'{{"item_id":"{CHECK_ID}","answer":"A"}}' in prompt.content
    )
    assert CHECK_ID not in {asked.item.item_id for asked in frozen.form("full")}
    assert found.reading.reason == "ok" and found.sent_characters == len(system.content) + len(prompt.content)


def test_tokens_and_time_are_estimated_from_the_call(frozen: FrozenBank) -> None:
    found = replace(made(frozen, GOOD), sent_characters=400)
    assert found.estimates(WORK, 4) == {
        "tokens_from": "this call",
        "concurrency": 4,
        "calls_at_least": 10,
        "calls_at_most": 20,
        "input_tokens_at_least": 250,
        "input_tokens_at_most": 625,
        "output_tokens_at_least": 120,
        "output_tokens_at_most": 240,
        "seconds_at_least": 1.5,
        "seconds_at_most": 2.5,
    }


def test_a_cost_that_the_server_names_is_scaled_by_tokens(frozen: FrozenBank) -> None:
    paid = replace(GOOD, usage=replace(GOOD.usage, reported_cost=0.0112))
    found = replace(made(frozen, paid), sent_characters=400)
    estimates = found.estimates(WORK, 4)
    assert (estimates["cost_at_least"], estimates["cost_at_most"]) == (0.037, 0.0865)  # 0.0001 a token, 370 and 865
    assert found.record(WORK, 4)["reported_cost"] == 0.0112


def test_where_no_tokens_are_counted_characters_stand_in_and_say_so(frozen: FrozenBank) -> None:
    found = made(frozen, replace(GOOD, usage=Usage(), latency_seconds=None)).estimates(WORK, 4)
    assert (found["tokens_from"], found["input_tokens_at_least"]) == ("characters / 4", 250)
    assert found["output_tokens_at_least"] == 100 and "seconds_at_least" not in found


@pytest.mark.parametrize(
    ("settings", "dropped", "told"),
    [
        ({"temperature": 0.0}, (), "accepted"),
        ({"temperature": 0.0}, ("temperature",), "refused"),
        ({"temperature": "default"}, (), "not sent"),
        ({"temperature": "not settable"}, (), "not sent"),
        ({}, (), "not sent"),
    ],
)
def test_what_became_of_the_temperature_is_told(
    frozen: FrozenBank, settings: dict[str, object], dropped: tuple[str, ...], told: str
) -> None:
    assert made(frozen, replace(GOOD, dropped_parameters=dropped), **settings).temperature == told


def test_a_call_that_fails_stops_the_run(frozen: FrozenBank) -> None:
    with pytest.raises(RespondentRefused, match="HTTP 400: no such thing"):
        made(frozen, Reply(None, transport_error="HTTP 400:\nno such thing"))


def test_a_constrained_respondent_is_asked_for_something_else(frozen: FrozenBank) -> None:
    respondent = Says(GOOD, constrained=True)
    assert asyncio.run(preflight(frozen, respondent)).reading.verdict == "valid"
    assert CHECK_ID not in respondent.asks[0].messages[-1].content
    for text in ("The connection works.", "", None, good_reply("q2345abc")):
        with pytest.raises(RespondentRefused, match="does not hold replies to the answer's shape"):
            made(frozen, Reply(text, "stop"), constrained=True)
    for finish in ("length", "content_filter"):
        assert made(frozen, Reply("{", finish), constrained=True).reading.verdict == "not_obtained"


def test_whatever_a_server_says_fits_the_header(frozen: FrozenBank) -> None:
    odd = Reply(
        "\ud800" * 5000, "\udfff", served_model="\ud800", fingerprint="</script>\x00", dropped_parameters=("a",)
    )
    record = made(frozen, odd).record(WORK, 1)
    respondent = Scripted("coin")
    units = plan(frozen, respondent, "short", 1)
    head = header(frozen, respondent, "short", 1, "run-1", units) | {"preflight": record}
    assert misfit("RunHeader", head) is None
    assert len(record["reply_text"]) == 6 * 1000 and record["reading"] == "no_json"


def test_a_run_takes_what_its_prompts_hold(frozen: FrozenBank) -> None:
    respondent = Scripted("coin")
    units = plan(frozen, respondent, "short", 3)
    work = workload(frozen, respondent, units)
    least = most = 0
    for unit in units:
        turns = first_turns(frozen, unit.asked, unit.order)
        first = sum(len(turn.content) for turn in turns)
        again = retry_turns(frozen, turns, good_reply(unit.asked.item.item_id))
        least, most = least + first, most + first + sum(len(turn.content) for turn in again)
    assert work == Workload(len(units), 2 * len(units), least, most, len(good_reply("q2345abc")))


def test_what_a_respondent_declines_takes_nothing(frozen: FrozenBank) -> None:
    party = next(
        party
        for party in (Party(frozen, row.party) for row in frozen.dossiers[0].source.party_counts)
        if any(party.declines(dossier.dossier_id) for dossier in frozen.dossiers)
    )
    units = plan(frozen, party, "full", 1)
    asked = [unit for unit in units if not party.declines(unit.asked.dossier.dossier_id)]
    assert workload(frozen, party, units) == workload(frozen, party, asked)
    assert workload(frozen, party, units).calls_at_least == len(asked) < len(units)
