"""The way of a planted model: replies as text, read by the parser, scored as a run.

The fast way builds the units here from what the parser reads. The whole way has `administer` ask the same replies; both
must come to one score document.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divisionbell.bank.parse import parse_reply
from divisionbell.estimate.document import score_run
from divisionbell.estimate.planted_model import Floats
from divisionbell.estimate.scale import AXES
from divisionbell.estimate.synthetic_bank import bank
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.administer import Planned, administer, header, plan
from divisionbell.run.prompt import stored_order
from divisionbell.run.respondents.respondent import Ask, Reply, Respondent

FORM = "short"
DOSSIERS = 3  # of a family: the fewest with which the bootstrap is used near the ends
NO_JOURNAL = "0" * 64
#: Replies without an answer, with what each comes to.
LOST: tuple[tuple[str, str], ...] = (
    ("I would rather not choose between these two.", "stop"),
    ("", "content_filter"),
    ('{"item_id":"', "length"),
)

Letters = NDArray[np.str_]
Bools = NDArray[np.bool_]


class Planted(Respondent):
    """A respondent that gives the replies that were drawn for each unit."""

    def __init__(self, replies: Mapping[str, tuple[str, str]], name: str = "planted") -> None:
        self._replies, self._name = replies, name

    @property
    def name(self) -> str:
        return self._name

    @property
    def settings(self) -> Mapping[str, object]:
        return {}

    async def answer(self, ask: Ask) -> Reply:
        text, finish = self._replies[ask.unit_key]
        return Reply(text=text, finish_reason=finish)


@dataclass(frozen=True)
class Instrument:
    """A synthetic bank of G families on each axis, three dossiers in each, and the units of its short form.

    Items are listed family by family, dossier by dossier, original before mirror, the economic axis first.
    """

    families: int
    repeats: int
    respondent: str = "planted"

    @cached_property
    def bank(self) -> FrozenBank:
        sizes = (DOSSIERS,) * self.families
        return bank(sizes, sizes, alternate=True)

    @cached_property
    def units(self) -> list[Planned]:
        """By repeat, then item, then order."""
        return plan(self.bank, Planted({}, self.respondent), FORM, self.repeats)

    @cached_property
    def header(self) -> dict[str, Any]:
        respondent = Planted({}, self.respondent)
        return header(self.bank, respondent, FORM, self.repeats, self.respondent.replace(":", "-"), self.units)

    @cached_property
    def _frames(self) -> list[dict[str, Any]]:
        return [
            {
                "unit_key": unit.key,
                "asked_item": unit.asked.item.item_id,
                "asked_dossier": unit.asked.dossier.dossier_id,
                "asked_order": unit.order,
                "stored_order": unit.order == stored_order(unit.asked),
                "repeat": unit.repeat,
                "finished_at": self.header["started_at"],
            }
            for unit in self.units
        ]

    @cached_property
    def _said(self) -> list[dict[str, str]]:
        """The reply to every unit by its letter."""
        return [
            {
                letter: json.dumps({"item_id": unit.asked.item.item_id, "answer": letter}, separators=(",", ":"))
                for letter in "AB"
            }
            for unit in self.units
        ]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Families, dossiers of each and items of each, on one axis."""
        return self.families, DOSSIERS, 2

    @property
    def items(self) -> int:
        """Items on both axes."""
        return len(AXES) * self.families * DOSSIERS * 2

    @cached_property
    def status_quo(self) -> Floats:
        """The status-quo pole of every item, -1 or +1, shape (items,)."""
        return np.array([1.0 if str(asked.item.status_quo) == "positive" else -1.0 for asked in self.bank.form(FORM)])

    @cached_property
    def family(self) -> NDArray[np.intp]:
        """The number of every item's family on its axis, shape (items,)."""
        return np.tile(np.repeat(np.arange(self.families), DOSSIERS * 2), len(AXES))

    def draw(self, rng: np.random.Generator, p: Floats) -> Bools:
        """Answers, True for the positive pole, of shape (repeats, items, 2 orders), from probabilities (items, 2)."""
        return np.asarray(rng.random((self.repeats, *p.shape)) < p, dtype=np.bool_)

    def replies(self, positive: Bools, lost: NDArray[np.int8] | None = None) -> Iterator[tuple[Planned, str, str]]:
        """The reply to every unit as text, with its finish reason.

        `lost`, of the same shape as `positive`, numbers the reply of LOST that stands for an answer, 0 for none.
        """
        order = np.array([False, True])  # the positive pole stands at A in the second order
        letters = np.where(positive == order, "A", "B").ravel().tolist()
        gone = np.zeros(len(letters), dtype=np.int8) if lost is None else lost.ravel()
        for unit, said, letter, which in zip(self.units, self._said, letters, gone.tolist(), strict=True):
            yield (unit, *LOST[which - 1]) if which else (unit, said[letter], "stop")

    def score(self, positive: Bools, lost: NDArray[np.int8] | None = None) -> dict[str, Any]:
        """The score document, with units made from what the parser reads."""
        units = [
            _unit(frame, unit, text, finish)
            for frame, (unit, text, finish) in zip(self._frames, self.replies(positive, lost), strict=True)
        ]
        return score_run(self.bank, self.header, units, NO_JOURNAL)

    def ask(self, positive: Bools, lost: NDArray[np.int8] | None = None) -> list[dict[str, Any]]:
        """The units that `administer` makes of the same replies, with every turn."""
        replies = {unit.key: (text, finish) for unit, text, finish in self.replies(positive, lost)}
        respondent = Planted(replies, self.respondent)
        made: list[dict[str, Any]] = []
        asyncio.run(administer(self.bank, respondent, self.units, lambda unit: made.append(dict(unit)), 1))
        return made

    def score_whole(self, positive: Bools, lost: NDArray[np.int8] | None = None) -> dict[str, Any]:
        """The score document of the units that `administer` makes of the same replies."""
        return score_run(self.bank, self.header, self.ask(positive, lost), NO_JOURNAL)


def _unit(frame: Mapping[str, Any], planned: Planned, text: str, finish: str) -> dict[str, Any]:
    """A Unit as `administer` makes it, without the turns: the same reply is given to the reminder."""
    reading = parse_reply(planned.asked.item.item_id, text, finish)
    attempt = {"attempt_number": 1, "reading": reading.reason}
    if reading.answer is not None:
        return {**frame, "outcome": "valid_at_first", "answer": reading.answer, "attempts": [attempt]}
    if reading.verdict == "malformed":
        again = {"attempt_number": 2, "reading": parse_reply(planned.asked.item.item_id, text, finish).reason}
        return {**frame, "outcome": "malformed", "attempts": [attempt, again]}
    return {**frame, "outcome": reading.reason, "attempts": [attempt]}
