"""Scripted respondents: each answer is a function of the unit, so that a resumed run equals an unbroken one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from divisionbell.run.respondents.respondent import Ask, Reply, Respondent, RespondentRefused


def _letter(ask: Ask, letter: str) -> str:
    return json.dumps({"item_id": ask.item_id, "answer": letter}, separators=(",", ":"))


def _pole(ask: Ask, pole: str) -> str:
    return _letter(ask, "A" if ask.pole_at_a == pole else "B")


SCRIPTS: dict[str, Callable[[Ask], str]] = {
    "always-a": lambda ask: _letter(ask, "A"),
    "always-b": lambda ask: _letter(ask, "B"),
    "negative": lambda ask: _pole(ask, "negative"),
    "positive": lambda ask: _pole(ask, "positive"),
    "coin": lambda ask: _letter(ask, "AB"[int(ask.unit_key[-1], 16) & 1]),
    "refuse": lambda ask: "I would rather not choose between these two options.",
    "malformed": lambda ask: "A",
}


class Scripted(Respondent):
    """A respondent that follows one of the scripts above."""

    def __init__(self, script: str) -> None:
        """Raises RespondentRefused for an unknown script."""
        if script not in SCRIPTS:
            raise RespondentRefused(f"there is no script {script}", "the scripts are: " + ", ".join(SCRIPTS))
        self._script = script

    @property
    def name(self) -> str:
        return f"scripted:{self._script}"

    @property
    def settings(self) -> Mapping[str, object]:
        return {"script": self._script}

    async def answer(self, ask: Ask) -> Reply:
        return Reply(text=SCRIPTS[self._script](ask), finish_reason="stop", served_model=self.name)
