"""What a respondent is: it is handed one conversation and gives back one reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from divisionbell.diagnostics import Incomplete, UsageProblem

Pole = Literal["negative", "positive"]
Role = Literal["system", "user", "assistant"]


class RespondentRefused(UsageProblem):
    """The respondent cannot be used as asked (unknown name, no key, a missing package): a usage error with a fix."""


class RespondentStopped(Incomplete):
    """Going on is pointless (bad key, unknown model, no credit): the run stops with this line and can be resumed."""


@dataclass(frozen=True)
class Message:
    """One turn of a conversation as it is sent."""

    role: Role
    content: str


@dataclass(frozen=True)
class Ask:
    """One question put to a respondent.

    A model sees `messages` and nothing else. The other fields are for respondents that are functions of the unit
    (scripted, party); `pole_at_a` is the pole that stands at A in the order asked.
    """

    unit_key: str
    item_id: str
    attempt: int
    messages: tuple[Message, ...]
    pole_at_a: Pole
    dossier_id: str


@dataclass(frozen=True)
class Usage:
    """Tokens of one call as the server counted them; None is unknown, never 0.

    `input_tokens` are all that were read, those from a cache included, whichever way a provider counts;
    `output_tokens` are all that were written, those of reasoning included. `reported_cost` is what the call cost where
    the server says it, in the server's own unit (US dollars with the routers that do).
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    reported_cost: float | None = None


@dataclass(frozen=True)
class Reply:
    """What came back from one call, before any reading of it.

    `transport_error` set means that the model was not reached (or answered with an error): never an answer.
    `refusal_field` is a provider's own refusal field. `text` None with neither is an empty completion.
    `reasoning_text` is reasoning that came in a channel of its own; it is kept and never read for an answer.
    `answer_token_logprobs` are the tokens, with natural-log probabilities, that could have stood where the answer's
    letter stands. `dropped_parameters` were refused by the server, so that its own default held. `asked_at` is the time
    in UTC at which the attempt that was answered was sent.
    """

    text: str | None
    finish_reason: str | None = None
    refusal_field: str | None = None
    transport_error: str | None = None
    served_model: str | None = None
    fingerprint: str | None = None
    usage: Usage = field(default_factory=Usage)
    latency_seconds: float | None = None
    transport_retries: int = 0
    reasoning_text: str | None = None
    answer_token_logprobs: tuple[tuple[str, float], ...] = ()
    dropped_parameters: tuple[str, ...] = ()
    asked_at: str | None = None


class Respondent(Protocol):
    """The protocol. `settings` holds everything that makes an answer what it is (model, address, sampling, grammar):
    it goes into the run header and into every unit key, so no secret may ever stand in it."""

    @property
    def name(self) -> str:
        """As typed on the command line, for example `scripted:always-a`."""

    @property
    def settings(self) -> Mapping[str, object]:
        """JSON values only."""

    @property
    def constrained(self) -> bool:
        """True where decoding is forced into the answer's shape: another instrument, labelled everywhere."""
        return False

    @property
    def reasoning_tags(self) -> tuple[str, str] | None:
        """The opening and closing tag of reasoning blocks, where the adapter declares them."""
        return None

    @property
    def max_concurrency(self) -> int:
        """How many calls may be in flight at once."""
        return 1

    @property
    def remote(self) -> bool:
        """True where each call is put to a server: one call is then made before a run, to see that all is well."""
        return False

    def declines(self, dossier_id: str) -> bool:
        """True where the respondent has no position on a division; its items are then not administered."""
        return False

    async def answer(self, ask: Ask) -> Reply:
        """Put one conversation to the respondent. Raises RespondentStopped only."""

    async def close(self) -> None:
        """Give back what was opened."""
        return
