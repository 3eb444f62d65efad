"""The options of `run` that say how a model is asked."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from divisionbell.run.respondents.sampling import Temperature

HOTTEST = 2.0


def _temperature(context: click.Context, parameter: click.Parameter, value: str | None) -> Temperature | None:
    """A number from 0 to 2, or the word default."""
    if value is None or value == "default":
        return value  # type: ignore[return-value]
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number <= HOTTEST:
        raise click.BadParameter(f"{value!r:.80} is neither a number from 0 to {HOTTEST:g} nor default.")
    return number + 0.0  # -0 is 0


_OPTIONS = (
    click.option("--base-url", metavar="URL", help="The address of a server, for openai:MODEL and anthropic:MODEL."),
    click.option(
        "--key-file",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="A file with the key; otherwise OPENAI_API_KEY or ANTHROPIC_API_KEY. Local servers need none.",
    ),
    click.option(
        "--temperature",
        callback=_temperature,
        metavar="FLOAT|default",
        help="0 unless given; default leaves it to the provider.",
    ),
    click.option(
        "--max-tokens", type=click.IntRange(1), metavar="N", help="Tokens of an answer at most; 64 unless given."
    ),
    click.option(
        "--reasoning",
        type=click.Choice(["none", "low", "medium", "high"]),
        help="How much a reasoning model is to reason; the provider's default unless given.",
    ),
    click.option(
        "--reasoning-tokens",
        type=click.IntRange(1),
        metavar="N",
        help="Tokens for reasoning, on top of those of the answer; for anthropic:MODEL a thinking budget.",
    ),
    click.option(
        "--reasoning-tags",
        nargs=2,
        metavar="OPEN CLOSE",
        help="Tags of reasoning that stands in the reply, for example '<think>' '</think>'; it is cut before reading.",
    ),
    click.option(
        "--decoding",
        type=click.Choice(["free", "json-schema", "grammar"]),
        help="Make the server keep the answer's shape (grammar: llama.cpp): another instrument, labelled as one.",
    ),
    click.option("--logprobs", is_flag=True, help="Record what could have stood in place of the answer's letter."),
)
SAMPLING = ("temperature", "max_tokens", "reasoning", "reasoning_tokens", "reasoning_tags", "decoding", "logprobs")


def asking_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options; the command gets `base_url`, `key_file` and the rest as one `sampling`."""

    @functools.wraps(command)
    def collected(*arguments: Any, **given: Any) -> int:
        from divisionbell.diagnostics import UsageProblem
        from divisionbell.run.respondents.sampling import Sampling

        said = {name: given.pop(name) for name in SAMPLING}
        if said["reasoning_tags"] is not None and not all(tag.strip() for tag in said["reasoning_tags"]):
            raise UsageProblem("--reasoning-tags needs two tags", "for example --reasoning-tags '<think>' '</think>'")
        return command(*arguments, sampling=Sampling(**said | {"logprobs": said["logprobs"] or None}), **given)

    for option in reversed(_OPTIONS):
        collected = option(collected)
    return collected
