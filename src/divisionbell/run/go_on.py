"""How a run that is there is gone on with: the options that its header holds, and the command that does it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from divisionbell.diagnostics import shown_path
from divisionbell.run.respondents.answer_shape import Decoding
from divisionbell.run.respondents.choose import WITH_ADDRESS
from divisionbell.run.respondents.sampling import Effort, Sampling

# Those whose settings stand under the names of the options; what a plug-in makes of its options only it knows.
WITH_OPTIONS = WITH_ADDRESS | {"llm"}
DEFAULT_ADDRESSES = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com/v1"}


@dataclass(frozen=True)
class Stored:
    """What a run was started with. `base_url` is None where it is the provider's own address."""

    respondent: str
    form: str
    repeats: int
    version: str
    base_url: str | None
    sampling: Sampling


def stored_options(header: Mapping[str, Any]) -> Stored:
    """The options in a run header. A value that no option can have is left out: comparing configurations names it."""
    kind = str(header["respondent"]).partition(":")[0]
    settings = header["settings"] if kind in WITH_OPTIONS else {}
    return Stored(
        respondent=header["respondent"],
        form=header["form"],
        repeats=header["repeats"],
        version=header["bank_version"],
        base_url=other_address(header),
        sampling=_sampling(settings),
    )


def other_address(header: Mapping[str, Any]) -> str | None:
    """The address that a run was asked at, where that is not the provider's own."""
    kind = str(header["respondent"]).partition(":")[0]
    address = header["settings"].get("base_url") if kind in WITH_ADDRESS else None
    return address if isinstance(address, str) and address != DEFAULT_ADDRESSES[kind] else None


def _sampling(settings: Mapping[str, Any]) -> Sampling:
    tags = settings.get("reasoning_tags")
    two = isinstance(tags, list) and len(tags) == 2 and all(isinstance(tag, str) for tag in tags)
    effort, decoding = settings.get("reasoning"), settings.get("decoding")
    temperature = settings.get("temperature")
    return Sampling(
        temperature="default" if temperature == "default" else _number(temperature),
        max_tokens=_count(settings.get("max_tokens")),
        reasoning=effort if effort in get_args(Effort) else None,
        reasoning_tokens=_count(settings.get("reasoning_tokens")),
        reasoning_tags=(tags[0], tags[1]) if two and tags is not None else None,
        decoding=decoding if decoding in get_args(Decoding) else None,
        logprobs=True if settings.get("logprobs") else None,
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 2 else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def go_on_command(header: Mapping[str, Any], folder: Path, *, failed: bool = False) -> str:
    """The command that asks what is missing in a run folder; `failed` adds what was not reached."""
    address = other_address(header)
    return " ".join(
        [
            "divisionbell run --resume",
            *(["--failed"] if failed else []),
            *(["--base-url", shlex.quote(address)] if address else []),
            "--out",
            shlex.quote(shown_path(folder)),
        ]
    )
