"""How a model is to be asked, as the options of `run` say it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from typing import Any, Literal

from divisionbell.run.respondents.answer_shape import Decoding
from divisionbell.run.respondents.respondent import RespondentRefused

Temperature = float | Literal["default"]
Effort = Literal["none", "low", "medium", "high"]


@dataclass(frozen=True)
class Sampling:
    """None is what was not said: each kind of respondent then has its own default.

    `temperature` "default" sends none. `max_tokens` are those of the answer, `reasoning_tokens` those of reasoning on
    top of them. `reasoning_tags` open and close reasoning that stands in the reply's text.
    """

    temperature: Temperature | None = None
    max_tokens: int | None = None
    reasoning: Effort | None = None
    reasoning_tokens: int | None = None
    reasoning_tags: tuple[str, str] | None = None
    decoding: Decoding | None = None
    logprobs: bool | None = None

    def given(self) -> dict[str, Any]:
        """What was said, by name."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}

    def only(self, taken: Collection[str], respondent: str) -> dict[str, Any]:
        """What was said, where the respondent takes all of it. Raises RespondentRefused where it does not."""
        given = self.given()
        for name in given:
            if name not in taken:
                raise RespondentRefused(f"--{name.replace('_', '-')} does not go with {respondent}", "leave it out")
        return given
