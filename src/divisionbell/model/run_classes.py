from __future__ import annotations

import re
import sys
from datetime import (
    date,
    datetime,
    time
)
from decimal import Decimal
from enum import Enum
from typing import (
    Any,
    ClassVar,
    Literal,
    Optional,
    Union
)

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    RootModel,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer
)


metamodel_version = "1.12.0"
version = "0.2.0"


class ConfiguredBaseModel(BaseModel):
    model_config = ConfigDict(
        serialize_by_alias = True,
        validate_by_name = True,
        frozen = True,
        validate_default = True,
        extra = "forbid",
        arbitrary_types_allowed = True,
        use_enum_values = True,
        strict = False,
    )





class LinkMLMeta(RootModel):
    root: dict[str, Any] = {}
    model_config = ConfigDict(frozen=True)

    def __getattr__(self, key:str):
        return getattr(self.root, key)

    def __getitem__(self, key:str):
        return self.root[key]

    def __setitem__(self, key:str, value):
        self.root[key] = value

    def __contains__(self, key:str) -> bool:
        return key in self.root


linkml_meta = None

class RunAxis(str, Enum):
    """
    The two axes.
    """
    economic = "economic"
    """
    The economic axis.
    """
    social = "social"
    """
    The social axis.
    """


class RunScale(str, Enum):
    """
    The two scales.
    """
    concrete = "concrete"
    """
    Concrete pairs.
    """
    implicit = "implicit"
    """
    Implicit pairs.
    """


class AskedOrder(str, Enum):
    """
    The order in which the options were shown, named by the pole that stood at A.
    """
    negative_at_a = "negative_at_a"
    """
    The negative option stood at A.
    """
    positive_at_a = "positive_at_a"
    """
    The positive option stood at A.
    """


class TurnRole(str, Enum):
    """
    Who speaks in a turn.
    """
    system = "system"
    """
    The system message.
    """
    user = "user"
    """
    The asker.
    """
    assistant = "assistant"
    """
    The respondent.
    """


class Letter(str, Enum):
    """
    The two labels.
    """
    A = "A"
    """
    The first option.
    """
    B = "B"
    """
    The second option.
    """


class ReplyOutcome(str, Enum):
    """
    What one unit came to.
    """
    valid_at_first = "valid_at_first"
    """
    The first reply was exactly the object asked for.
    """
    valid_after_retry = "valid_after_retry"
    """
    The reply after the one reminder was.
    """
    malformed = "malformed"
    """
    Neither reply was.
    """
    blocked = "blocked"
    """
    The provider refused or filtered the call.
    """
    cut_off = "cut_off"
    """
    The reply ended at a length limit.
    """
    transport_failed = "transport_failed"
    """
    The respondent was not reached; the unit is to be asked again.
    """
    not_administered = "not_administered"
    """
    The respondent has no position on this division and was not asked.
    """



class RunHeader(ConfiguredBaseModel):
    """
    The head of a run, the file run.json.
    """
    run_id: str = Field(default=..., description="""The run's id.""")
    run_schema_version: str = Field(default=..., description="""The version of this schema that the run was written under.""")
    respondent: str = Field(default=..., description="""The respondent, as typed on the command line.""")
    constrained: bool = Field(default=..., description="""True where decoding was forced into the answer's shape, which is another instrument.""")
    reasoning_tags: Optional[list[str]] = Field(default=None, description="""The opening and closing tag of reasoning blocks that the adapter declares.""")
    settings: Any = Field(default=..., description="""Everything that makes an answer what it is (model, address, sampling); no secret.""")
    bank_version: str = Field(default=..., description="""The version of the bank that was asked.""")
    bank_sha256: str = Field(default=..., description="""SHA-256 of the frozen record file that was asked from.""")
    form: str = Field(default=..., description="""The form that was asked.""")
    repeats: int = Field(default=..., description="""How many times each order of each item is asked.""", ge=1)
    template_sha256: str = Field(default=..., description="""SHA-256 of the RFC 8785 form of template and system message and reminder.""")
    parser_used: str = Field(default=..., description="""The parser that read the replies.""")
    unit_count: int = Field(default=..., description="""How many units the run has when complete.""", ge=1)
    not_administered_count: int = Field(default=..., description="""How many of the units are not administered.""", ge=0)
    shard_index: Optional[int] = Field(default=None, description="""Which shard of the run this is, from 1; left out where the run is whole.""", ge=1)
    shard_count: Optional[int] = Field(default=None, description="""How many shards the run was cut into.""", ge=1)
    merged_from: Optional[list[MergedShard]] = Field(default=None, description="""The shards that were put together.""")
    preflight: Optional[Any] = Field(default=None, description="""What the one call before the run showed: the name served, the parameters refused, tokens and time.""")
    started_at: str = Field(default=..., description="""When the run was started.""")
    software: list[SoftwareVersion] = Field(default=..., description="""Versions of the programs used.""")


class MergedShard(ConfiguredBaseModel):
    """
    One shard that went into a merged run.
    """
    merged_run: str = Field(default=..., description="""The run id of a shard.""")
    shard_index: Optional[int] = Field(default=None, description="""Which shard of the run this is, from 1; left out where the run is whole.""", ge=1)
    merged_journal_sha256: str = Field(default=..., description="""SHA-256 of the journal of a shard.""")


class TokenLogprob(ConfiguredBaseModel):
    """
    One token with its log probability.
    """
    token: str = Field(default=..., description="""The token as text.""")
    logprob: float = Field(default=..., description="""Its natural-log probability.""", le=0)


class SoftwareVersion(ConfiguredBaseModel):
    """
    One program and its version.
    """
    software_name: str = Field(default=..., description="""The program.""")
    software_version: str = Field(default=..., description="""Its version.""")


class Unit(ConfiguredBaseModel):
    """
    One item asked once in one order; one line of the journal.
    """
    unit_key: str = Field(default=..., description="""SHA-256 over everything that makes the unit itself, its repeat included.""")
    asked_item: str = Field(default=..., description="""The item that was asked.""")
    asked_dossier: str = Field(default=..., description="""The dossier of the item.""")
    asked_order: AskedOrder = Field(default=..., description="""The order in which the options were shown.""")
    stored_order: bool = Field(default=..., description="""True where that is the stored order of the item.""")
    repeat: int = Field(default=..., description="""Which repeat it is, from 1.""", ge=1)
    outcome: ReplyOutcome = Field(default=..., description="""What the unit came to.""")
    answer: Optional[Letter] = Field(default=None, description="""The letter answered, where the outcome is valid.""")
    attempts: list[Attempt] = Field(default=..., description="""Every attempt, in order.""")
    finished_at: str = Field(default=..., description="""When the unit was finished.""")


class Attempt(ConfiguredBaseModel):
    """
    One reply and everything about it.
    """
    attempt_number: int = Field(default=..., description="""1 for the first reply and 2 for the one after the reminder.""", ge=1, le=2)
    turns: list[Turn] = Field(default=..., description="""The conversation exactly as it was sent.""", min_length=1)
    turns_sha256: str = Field(default=..., description="""SHA-256 of the RFC 8785 form of the turns.""")
    reply_text: Optional[str] = Field(default=None, description="""The reply exactly as it came; left out where there was none.""")
    reading: str = Field(default=..., description="""The parser's reason code for this reply.""")
    finish_reason: Optional[str] = Field(default=None, description="""The finish reason as the server gave it.""")
    refusal_field: Optional[str] = Field(default=None, description="""The provider's refusal field.""")
    transport_error: Optional[str] = Field(default=None, description="""Why the respondent was not reached.""")
    served_model: Optional[str] = Field(default=None, description="""The model name that the server says it used.""")
    fingerprint: Optional[str] = Field(default=None, description="""The serving fingerprint that the server gave.""")
    input_tokens: Optional[int] = Field(default=None, description="""Input tokens as counted by the server.""", ge=0)
    output_tokens: Optional[int] = Field(default=None, description="""Output tokens as counted by the server.""", ge=0)
    cached_tokens: Optional[int] = Field(default=None, description="""Input tokens served from a cache.""", ge=0)
    reasoning_text: Optional[str] = Field(default=None, description="""Reasoning that came in a channel of its own, beside the reply.""")
    reasoning_tokens: Optional[int] = Field(default=None, description="""Tokens of reasoning as counted by the server, within the output tokens.""", ge=0)
    reported_cost: Optional[float] = Field(default=None, description="""What the call cost as the server says, in its own unit.""", ge=0)
    answer_token_logprobs: Optional[list[TokenLogprob]] = Field(default=None, description="""Tokens that could have stood where the answer's letter stands, with their log probabilities.""")
    dropped_parameters: Optional[list[str]] = Field(default=None, description="""Parameters that the server refuses; its own default holds in their place.""")
    asked_at: Optional[str] = Field(default=None, description="""When the attempt that was answered was sent.""")
    latency_seconds: Optional[float] = Field(default=None, description="""Seconds from sending to the whole reply.""", ge=0)
    transport_retries: int = Field(default=..., description="""How many transport retries the attempt took.""", ge=0)

    @field_validator('reading')
    def pattern_reading(cls, v):
        pattern=re.compile(r"^[a-z_]+(?!\n)$")
        if isinstance(v, list):
            for element in v:
                if isinstance(element, str) and not pattern.search(element):
                    err_msg = f"Invalid reading format: {element}"
                    raise ValueError(err_msg)
        elif isinstance(v, str) and not pattern.search(v):
            err_msg = f"Invalid reading format: {v}"
            raise ValueError(err_msg)
        return v


class Turn(ConfiguredBaseModel):
    """
    One turn of a conversation.
    """
    turn_role: TurnRole = Field(default=..., description="""Who speaks.""")
    content: str = Field(default=..., description="""What is said.""")


class ScoreDocument(ConfiguredBaseModel):
    """
    Every estimate of one run, with what it was computed from.
    """
    scored_run: str = Field(default=..., description="""The run that was scored.""")
    respondent: str = Field(default=..., description="""The respondent, as typed on the command line.""")
    constrained: bool = Field(default=..., description="""True where decoding was forced into the answer's shape, which is another instrument.""")
    settings: Any = Field(default=..., description="""Everything that makes an answer what it is (model, address, sampling); no secret.""")
    bank_version: str = Field(default=..., description="""The version of the bank that was asked.""")
    bank_sha256: str = Field(default=..., description="""SHA-256 of the frozen record file that was asked from.""")
    form: str = Field(default=..., description="""The form that was asked.""")
    repeats: int = Field(default=..., description="""How many times each order of each item is asked.""", ge=1)
    scored_journal_sha256: str = Field(default=..., description="""SHA-256 of the journal that was scored.""")
    plan_used: str = Field(default=..., description="""The version of the analysis plan.""")
    demonstration: bool = Field(default=..., description="""True where the form has too few families for any position to be read.""")
    notes: list[str] = Field(default=..., description="""What must be said beside the numbers.""")
    estimates: list[Estimate] = Field(default=..., description="""Every estimate by name.""")


class ComparedRun(ConfiguredBaseModel):
    """
    One run of a comparison.
    """
    scored_run: str = Field(default=..., description="""The run that was scored.""")
    respondent: str = Field(default=..., description="""The respondent, as typed on the command line.""")
    repeats: int = Field(default=..., description="""How many times each order of each item is asked.""", ge=1)
    settings: Any = Field(default=..., description="""Everything that makes an answer what it is (model, address, sampling); no secret.""")
    started_at: str = Field(default=..., description="""When the run was started.""")
    scored_journal_sha256: str = Field(default=..., description="""SHA-256 of the journal that was scored.""")


class ComparisonDocument(ConfiguredBaseModel):
    """
    Every difference between the respondents of several runs.
    """
    compared: list[ComparedRun] = Field(default=..., description="""The runs that are compared, numbered from 1 in this order.""", min_length=2)
    bank_version: str = Field(default=..., description="""The version of the bank that was asked.""")
    bank_sha256: str = Field(default=..., description="""SHA-256 of the frozen record file that was asked from.""")
    form: str = Field(default=..., description="""The form that was asked.""")
    constrained: bool = Field(default=..., description="""True where decoding was forced into the answer's shape, which is another instrument.""")
    plan_used: str = Field(default=..., description="""The version of the analysis plan.""")
    demonstration: bool = Field(default=..., description="""True where the form has too few families for any position to be read.""")
    notes: list[str] = Field(default=..., description="""What must be said beside the numbers.""")
    estimates: list[Estimate] = Field(default=..., description="""Every estimate by name.""")


class Estimate(ConfiguredBaseModel):
    """
    One number with its name, definition and interval.
    """
    name: str = Field(default=..., description="""The estimate's name.""")
    estimate_axis: Optional[RunAxis] = Field(default=None, description="""The axis it is on.""")
    estimate_scale: Optional[RunScale] = Field(default=None, description="""The scale it is on.""")
    value: Optional[float] = Field(default=None, description="""The value; left out where it is undefined.""")
    unit: str = Field(default=..., description="""What the value is counted in, for example coordinate, share or count.""")
    low: Optional[float] = Field(default=None, description="""Lower end of the interval or bound.""")
    high: Optional[float] = Field(default=None, description="""Upper end of the interval or bound.""")
    interval_level: Optional[float] = Field(default=None, description="""Nominal coverage of the interval, 0 to 1.""", ge=0, le=1)
    interval_kind: Optional[str] = Field(default=None, description="""What low and high are.""")
    n: Optional[int] = Field(default=None, description="""Number of independent pieces behind the value.""", ge=0)
    n_of: Optional[str] = Field(default=None, description="""What n counts, for example families or units.""")
    undefined_because: Optional[str] = Field(default=None, description="""Why there is no value, where there is none.""")
    standing: str = Field(default=..., description="""primary, second scale, diagnostic or exploratory.""")
    definition: str = Field(default=..., description="""What the estimate is and how it is computed.""")

    @field_validator('name')
    def pattern_name(cls, v):
        pattern=re.compile(r"^[a-z][a-z0-9_.-]*(?!\n)$")
        if isinstance(v, list):
            for element in v:
                if isinstance(element, str) and not pattern.search(element):
                    err_msg = f"Invalid name format: {element}"
                    raise ValueError(err_msg)
        elif isinstance(v, str) and not pattern.search(v):
            err_msg = f"Invalid name format: {v}"
            raise ValueError(err_msg)
        return v


# Model rebuild
# see https://pydantic-docs.helpmanual.io/usage/models/#rebuilding-a-model
RunHeader.model_rebuild()
MergedShard.model_rebuild()
TokenLogprob.model_rebuild()
SoftwareVersion.model_rebuild()
Unit.model_rebuild()
Attempt.model_rebuild()
Turn.model_rebuild()
ScoreDocument.model_rebuild()
ComparedRun.model_rebuild()
ComparisonDocument.model_rebuild()
Estimate.model_rebuild()
