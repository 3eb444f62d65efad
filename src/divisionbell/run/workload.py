"""How much asking a run takes: calls, and characters as far as they are known beforehand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.administer import Planned, turns_due
from divisionbell.run.prompt import first_turns, retry_turns
from divisionbell.run.respondents.respondent import Message, Respondent

# A rule of thumb, for where no server has counted tokens yet.
CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True)
class Workload:
    """Calls and characters sent: at least, where every first reply is valid, and at most, where none is.

    `characters_at_most` takes a malformed reply, which is sent back, to be as long as a good one.
    `answer_characters` is the length of one good reply.
    """

    calls_at_least: int
    calls_at_most: int
    characters_at_least: int
    characters_at_most: int
    answer_characters: int


def workload(bank: FrozenBank, respondent: Respondent, units: Iterable[Planned]) -> Workload:
    """What these units take; those that the respondent declines take nothing."""
    calls = calls_at_most = least = most = answer = 0
    lengths: dict[tuple[str, str], tuple[int, int]] = {}
    for unit in units:
        if respondent.declines(unit.asked.dossier.dossier_id):
            continue
        calls += 1
        answer = max(answer, len(good_reply(unit.asked.item.item_id)))
        calls_at_most += 1 if unit.first else 2
        if unit.first:
            sent = characters(turns_due(bank, unit))
            least, most = least + sent, most + sent
            continue
        name = (unit.asked.item.item_id, unit.order)
        if name not in lengths:
            turns, reply = first_turns(bank, unit.asked, unit.order), good_reply(unit.asked.item.item_id)
            lengths[name] = (characters(turns), characters(retry_turns(bank, turns, reply)))
        first, again = lengths[name]
        least, most = least + first, most + first + again
    return Workload(calls, calls_at_most, least, most, answer)


def good_reply(item_id: str, letter: str = "A") -> str:
    """The object asked for."""
    return f'{{"item_id":"{item_id}","answer":"{letter}"}}'


def characters(turns: Iterable[Message]) -> int:
    """The characters of a conversation."""
    return sum(len(turn.content) for turn in turns)
