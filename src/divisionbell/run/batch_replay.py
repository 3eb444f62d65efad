"""A respondent whose replies are there already, so that stored ones become units the way live ones do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.administer import Planned, ask_unit
from divisionbell.run.respondents.respondent import Ask, Message, Reply, Respondent


class NextTurn(Exception):
    """The replies do not finish the unit: this conversation is the one to be sent next."""

    def __init__(self, messages: tuple[Message, ...]) -> None:
        super().__init__("a further reply is needed")
        self.messages = messages


class Stored(Respondent):
    """The respondent that a run header describes; it gives the replies at hand, one an attempt."""

    def __init__(self, header: Mapping[str, Any], replies: Sequence[Reply] = ()) -> None:
        self._header, self._replies = header, replies

    @property
    def name(self) -> str:
        return str(self._header["respondent"])

    @property
    def settings(self) -> Mapping[str, object]:
        return dict(self._header["settings"])

    @property
    def constrained(self) -> bool:
        return bool(self._header["constrained"])

    @property
    def reasoning_tags(self) -> tuple[str, str] | None:
        tags = self._header.get("reasoning_tags")
        return (str(tags[0]), str(tags[1])) if tags else None

    async def answer(self, ask: Ask) -> Reply:
        """The stored reply of this attempt. Raises NextTurn where there is none."""
        if ask.attempt > len(self._replies):
            raise NextTurn(ask.messages)
        return self._replies[ask.attempt - 1]


def replay(
    bank: FrozenBank, header: Mapping[str, Any], planned: Planned, replies: Sequence[Reply]
) -> dict[str, Any] | tuple[Message, ...]:
    """The unit that the replies finish, or the conversation that is to be sent next."""
    asking = ask_unit(bank, Stored(header, replies), planned)
    try:
        asking.send(None)  # a stored reply is never waited for, so no event loop is needed
    except StopIteration as ended:
        unit: dict[str, Any] = ended.value
        return unit
    except NextTurn as turn:
        return turn.messages
    raise RuntimeError("a unit whose replies are there was waited for")
