"""`longest` and `longest:words`: a respondent that chooses the longer option, whatever it says."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from divisionbell.run.respondents.plugin import Wanted
from divisionbell.run.respondents.respondent import Ask, Reply, Respondent, RespondentRefused

MEASURES = {"characters": len, "words": lambda text: len(text.split())}
OPTIONS = re.compile(r"^A: (?P<a>.*)\n\nB: (?P<b>.*)$", re.MULTILINE)


class Longest(Respondent):
    """It reads the two options from the prompt, as a model would, and A stands where they are of the same length."""

    def __init__(self, measure: str) -> None:
        self._measure = measure

    @property
    def name(self) -> str:
        return f"longest:{self._measure}"

    @property
    def settings(self) -> Mapping[str, object]:
        # Everything that makes an answer what it is. It goes into the run header and into every unit key.
        return {"measure": self._measure}

    async def answer(self, ask: Ask) -> Reply:
        prompt = next(message.content for message in ask.messages if message.role == "user")
        found = OPTIONS.search(prompt)
        if found is None:
            return Reply(text="I see no options.", finish_reason="stop")
        length = MEASURES[self._measure]
        letter = "B" if length(found["b"]) > length(found["a"]) else "A"
        return Reply(text=json.dumps({"item_id": ask.item_id, "answer": letter}), finish_reason="stop")


def respondent(wanted: Wanted) -> Respondent:
    """What the entry point names: from what was typed to a respondent."""
    wanted.sampling.only((), wanted.typed)  # it has no use for --temperature and its like
    measure = wanted.model or "characters"
    if measure not in MEASURES:
        raise RespondentRefused(f"there is no measure {measure}", "the measures are: " + ", ".join(MEASURES))
    return Longest(measure)
