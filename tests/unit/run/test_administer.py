"""Asking: the prompt, both orders, the one retry, outcomes, parties, and what a unit key holds."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any

import jsonschema
import pytest

from divisionbell.bank.parse import parse_reply
from divisionbell.diagnostics import Incomplete
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.model import run_classes
from divisionbell.run.administer import administer, ask_unit, header, plan
from divisionbell.run.prompt import ORDERS, first_turns, stored_order
from divisionbell.run.respondents.party import Party
from divisionbell.run.respondents.respondent import Ask, Reply, Respondent, RespondentRefused, RespondentStopped
from divisionbell.run.respondents.scripted import SCRIPTS, Scripted

REMINDER = (
    "Return only the requested JSON object with the same item_id and one allowed answer. Do not explain or reconsider "
    "the substance."
)


def answer_of(item_id: str, letter: str) -> str:
    """The object that a prompt asks for, exactly as it shows it."""
    return json.dumps({"item_id": item_id, "answer": letter}, separators=(",", ":"))


class Played(Scripted):
    """A respondent that plays given replies in turn and records what it was asked."""

    def __init__(self, *replies: Reply) -> None:
        super().__init__("always-a")
        self.replies = list(replies)
        self.asked: list[Ask] = []

    async def answer(self, ask: Ask) -> Reply:
        self.asked.append(ask)
        return self.replies[min(len(self.asked), len(self.replies)) - 1]


def run_all(bank: FrozenBank, respondent: Respondent, form: str = "full", repeats: int = 1) -> list[dict[str, Any]]:
    units: list[dict[str, Any]] = []
    asyncio.run(
        administer(bank, respondent, plan(bank, respondent, form, repeats), lambda unit: units.append(dict(unit)), 8)
    )
    return units


def test_the_prompt_is_the_template_filled_and_ends_with_the_request(frozen: FrozenBank) -> None:
    asked = frozen.form("full")[0]
    for order in ORDERS:
        system, prompt = first_turns(frozen, asked, order)
        assert system.content == frozen.settings.system_message
        assert prompt.content.endswith(answer_of(asked.item.item_id, "A"))
        assert prompt.content.startswith(asked.item.stem)
        first = "negative" if order == "negative_at_a" else "positive"
        assert f"\nA: {asked.text(first)}\n" in prompt.content


def test_text_that_looks_like_a_slot_is_not_filled(frozen: FrozenBank) -> None:
    asked = frozen.form("full")[0]
    item = asked.item.model_copy(update={"stem": "A stem with {option_a} and {item_id} in it."})
    prompt = first_turns(frozen, type(asked)(asked.dossier, item), "negative_at_a")[1].content
    assert prompt.startswith("A stem with {option_a} and {item_id} in it.")


def test_the_complementary_order_exchanges_the_options_alone(frozen: FrozenBank) -> None:
    for asked in frozen.form("full"):
        stored = stored_order(asked)
        other = ORDERS[1 - ORDERS.index(stored)]
        one, two = (first_turns(frozen, asked, order)[1].content for order in (stored, other))
        a, b = asked.item.options.text_a, asked.item.options.text_b
        assert f"\nA: {a}\n\nB: {b}\n" in one
        assert one.replace(f"\nA: {a}\n\nB: {b}\n", f"\nA: {b}\n\nB: {a}\n") == two


@pytest.mark.parametrize("script", sorted(SCRIPTS))
def test_scripts(frozen: FrozenBank, script: str) -> None:
    units = run_all(frozen, Scripted(script))
    assert len(units) == 2 * len(frozen.form("full"))
    assert len({unit["unit_key"] for unit in units}) == len(units)
    letters = Counter(unit.get("answer") for unit in units)
    if script in ("refuse", "malformed"):
        assert {unit["outcome"] for unit in units} == {"malformed"}
        assert all(len(unit["attempts"]) == 2 for unit in units)
    elif script in ("negative", "positive"):
        at_a = {"negative": "negative_at_a", "positive": "positive_at_a"}[script]
        assert all((unit["answer"] == "A") == (unit["asked_order"] == at_a) for unit in units)
    elif script == "coin":
        assert 0.25 < letters["A"] / len(units) < 0.75
    else:
        assert set(letters) == {script[-1].upper()}


def test_a_malformed_reply_earns_one_reminder_in_the_same_conversation(frozen: FrozenBank) -> None:
    whole = Reply(text="", finish_reason="stop")
    respondent = Played(Reply(text="I choose A.", finish_reason="stop"), whole)
    planned = plan(frozen, respondent, "short", 1)[0]
    respondent.replies[1] = Reply(text=answer_of(planned.asked.item.item_id, "B"), finish_reason="stop")
    unit = asyncio.run(ask_unit(frozen, respondent, planned))
    assert (unit["outcome"], unit["answer"]) == ("valid_after_retry", "B")
    first, second = respondent.asked
    assert [turn.role for turn in second.messages] == ["system", "user", "assistant", "user"]
    assert second.messages[:2] == first.messages
    assert second.messages[2].content == "I choose A."
    assert second.messages[3].content == REMINDER


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (Reply(text=None, finish_reason="length"), "cut_off"),
        (Reply(text=None, finish_reason="content_filter"), "blocked"),
        (Reply(text=None, refusal_field="No."), "blocked"),
        (Reply(text=None, transport_error="502 Bad Gateway"), "transport_failed"),
    ],
)
def test_what_is_not_obtained_earns_no_reminder(frozen: FrozenBank, reply: Reply, outcome: str) -> None:
    respondent = Played(reply)
    unit = asyncio.run(ask_unit(frozen, respondent, plan(frozen, respondent, "short", 1)[0]))
    assert unit["outcome"] == outcome
    assert len(respondent.asked) == 1
    assert "answer" not in unit


def test_units_and_header_fit_the_schema(frozen: FrozenBank) -> None:
    text = (run_classes.__file__ or "").replace("run_classes.py", "run.schema.json")
    with open(text, encoding="utf-8") as file:
        defs = json.load(file)["$defs"]
    for name in ("refuse", "always-b"):
        respondent = Scripted(name)
        units = run_all(frozen, respondent, "short")
        head = header(frozen, respondent, "short", 1, "x-1", plan(frozen, respondent, "short", 1))
        jsonschema.validate(head, {"$ref": "#/$defs/RunHeader", "$defs": defs})
        for unit in units:
            jsonschema.validate(unit, {"$ref": "#/$defs/Unit", "$defs": defs})


def test_unit_keys_hold_the_repeat_and_the_settings_and_not_the_form(frozen: FrozenBank) -> None:
    coin = Scripted("coin")
    two = plan(frozen, coin, "short", 2)
    assert len({unit.key for unit in two}) == len(two)
    short, full = ({unit.key for unit in plan(frozen, coin, form, 1)} for form in ("short", "full"))
    assert short < full
    assert not short & {unit.key for unit in plan(frozen, Scripted("always-a"), "short", 1)}


def test_a_coin_tossed_again_falls_the_same(frozen: FrozenBank) -> None:
    one, two = (run_all(frozen, Scripted("coin"), "full", 3) for _ in range(2))
    assert {u["unit_key"]: u["answer"] for u in one} == {u["unit_key"]: u["answer"] for u in two}
    by_repeat = [[u["answer"] for u in one if u["repeat"] == repeat] for repeat in (1, 2, 3)]
    assert by_repeat[0] != by_repeat[1]


def test_a_party_answers_as_it_voted(frozen: FrozenBank) -> None:
    units = run_all(frozen, Party(frozen, "Labour"))
    dossiers = {dossier.dossier_id: dossier for dossier in frozen.dossiers}
    for unit in units:
        dossier = dossiers[unit["asked_dossier"]]
        row = next((r for r in dossier.source.party_counts if r.party == "Labour"), None)
        assert row is not None
        voters = row.aye_voters + row.no_voters + row.aye_tellers + row.no_tellers
        if row.members is None or voters / row.members < 0.5:
            assert unit["outcome"] == "not_administered"
            assert unit["attempts"] == []
            continue
        aye = row.aye_voters > row.no_voters
        pole = "negative" if aye == (dossier.source.aye_coordinate < 0) else "positive"
        assert (unit["answer"] == "A") == (unit["asked_order"] == f"{pole}_at_a")
    assert {u["asked_dossier"] for u in units if u["outcome"] == "not_administered"} == {
        "commons-1190",
        "commons-1541",
        "commons-884",
    }


def test_an_unknown_party_or_script_is_refused(frozen: FrozenBank) -> None:
    with pytest.raises(RespondentRefused, match="there is no party"):
        Party(frozen, "Whigs")
    with pytest.raises(RespondentRefused, match="there is no script"):
        Scripted("sometimes")


def test_a_dead_server_ends_the_run_soon(frozen: FrozenBank) -> None:
    respondent = Played(Reply(text=None, transport_error="connection refused"))
    with pytest.raises(Incomplete, match="connection refused"):
        run_all(frozen, respondent)
    assert len(respondent.asked) == 10


def test_a_stopped_respondent_ends_the_run_at_once(frozen: FrozenBank) -> None:
    class Stopping(Scripted):
        async def answer(self, ask: Ask) -> Reply:
            raise RespondentStopped("the key was refused")

    with pytest.raises(RespondentStopped, match="the key was refused"):
        run_all(frozen, Stopping("always-a"))


class Slow(Scripted):
    """Call number `first` raises or fails at once; the others answer a little later, failing where told to."""

    def __init__(self, at_once: Reply | Exception, late: Reply | None = None) -> None:
        super().__init__("always-a")
        self.at_once, self.late, self.calls = at_once, late, 0

    @property
    def max_concurrency(self) -> int:
        return 8

    async def answer(self, ask: Ask) -> Reply:
        self.calls += 1
        if self.calls >= 8:
            if isinstance(self.at_once, Exception):
                raise self.at_once
            return self.at_once
        await asyncio.sleep(0.05)
        return self.late or await super().answer(ask)


def administered(bank: FrozenBank, respondent: Respondent, **more: Any) -> tuple[list[dict[str, Any]], Exception]:
    """The units that were kept and why the run stopped."""
    units: list[dict[str, Any]] = []

    async def sink(unit: Any) -> None:
        await asyncio.sleep(0)
        units.append(dict(unit))

    with pytest.raises(Incomplete) as caught:
        asyncio.run(administer(bank, respondent, plan(bank, respondent, "full", 1), sink, 8, **more))
    return units, caught.value


def test_what_was_in_flight_when_a_respondent_stopped_is_kept_and_nothing_more_is_asked(frozen: FrozenBank) -> None:
    respondent = Slow(RespondentStopped("no credit is left"))
    units, stopped = administered(frozen, respondent)
    assert [unit["outcome"] for unit in units] == ["valid_at_first"] * 7
    assert respondent.calls == 8 and str(stopped) == "no credit is left"


def test_failures_in_flight_when_the_run_stops_itself_are_recorded(frozen: FrozenBank) -> None:
    gone = Reply(text=None, transport_error="gone")
    respondent = Slow(gone, late=gone)
    units, stopped = administered(frozen, respondent)
    assert "stopped after 10 units in a row" in str(stopped)
    assert {unit["outcome"] for unit in units} == {"transport_failed"} and len(units) == respondent.calls == 17


def test_a_stop_does_not_wait_for_ever(frozen: FrozenBank) -> None:
    class Stuck(Slow):
        async def answer(self, ask: Ask) -> Reply:
            self.calls += 1
            if self.calls == 8:
                raise RespondentStopped("the key was refused")
            await asyncio.sleep(60)
            raise AssertionError

    units, stopped = administered(frozen, Stuck(Exception()), drain_seconds=0.05)
    assert units == [] and str(stopped) == "the key was refused"


def test_what_the_sink_raises_ends_the_run_at_once(frozen: FrozenBank) -> None:
    respondent = Slow(Reply(text=None, transport_error="gone"))

    async def full(unit: Any) -> None:
        raise Incomplete("the disk is full")

    with pytest.raises(Incomplete, match="the disk is full"):
        asyncio.run(administer(frozen, respondent, plan(frozen, respondent, "full", 1), full, 8))
    assert respondent.calls == 8


def test_an_answered_attempt_has_the_time_it_was_asked_and_a_failed_one_has_none(frozen: FrozenBank) -> None:
    for reply, has in ((Reply(text="No."), True), (Reply(text=None, transport_error="gone"), False)):
        respondent = Played(reply)
        unit = asyncio.run(ask_unit(frozen, respondent, plan(frozen, respondent, "short", 1)[0]))
        assert all(("asked_at" in attempt) == has for attempt in unit["attempts"])


def test_every_script_reads_as_the_parser_reads_it() -> None:
    ask = Ask("0" * 64, "q2345abc", 1, (), "negative", "commons-1")
    assert {name: parse_reply("q2345abc", script(ask)).verdict for name, script in SCRIPTS.items()} == {
        "always-a": "valid",
        "always-b": "valid",
        "negative": "valid",
        "positive": "valid",
        "coin": "valid",
        "refuse": "malformed",
        "malformed": "malformed",
    }
