"""From the name on the command line to a respondent."""

from __future__ import annotations

from pathlib import Path

from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.respondents.plugin import Wanted
from divisionbell.run.respondents.respondent import Respondent, RespondentRefused
from divisionbell.run.respondents.sampling import Sampling

KINDS = "embedded, scripted:NAME, party:NAME, openai:MODEL, anthropic:MODEL, llm:MODEL"
# Names that no plug-in can take.
BUILT_IN = frozenset({"embedded", "scripted", "party", "openai", "anthropic", "llm"})
WITH_ADDRESS = frozenset({"openai", "anthropic"})
MESSAGES_TAKE = frozenset({"temperature", "max_tokens", "reasoning", "reasoning_tokens", "reasoning_tags"})
COMPLETIONS_TAKE = MESSAGES_TAKE | {"decoding", "logprobs"}


def choose(
    name: str,
    bank: FrozenBank,
    base_url: str | None = None,
    key_file: Path | None = None,
    sampling: Sampling | None = None,
) -> Respondent:
    """The respondent of that name. Raises RespondentRefused where there is none or it cannot be used as asked."""
    kind, _, rest = name.partition(":")
    said = sampling or Sampling()
    if kind not in BUILT_IN:
        from divisionbell.run.respondents.plugins import plugged_in

        return plugged_in(Wanted(name, kind, rest or None, base_url, key_file, said), KINDS)
    if base_url is not None and kind not in WITH_ADDRESS:
        raise RespondentRefused(f"--base-url does not go with {name}", "it goes with openai:MODEL and anthropic:MODEL")
    if (kind == "embedded") == bool(rest):
        raise RespondentRefused(f"there is no respondent {name}", f"the respondents are: {KINDS}")
    if kind == "openai":
        from divisionbell.run.respondents import openai
        from divisionbell.run.respondents.api_key import read_key

        options = said.only(COMPLETIONS_TAKE, name)
        return openai.OpenAI(
            rest, base_url or openai.DEFAULT_BASE_URL, read_key(key_file, openai.KEY_VARIABLE), **options
        )
    if kind == "anthropic":
        from divisionbell.run.respondents import anthropic
        from divisionbell.run.respondents.api_key import read_key

        options = said.only(MESSAGES_TAKE, name)
        return anthropic.Anthropic(
            rest, base_url or anthropic.DEFAULT_BASE_URL, read_key(key_file, anthropic.KEY_VARIABLE), **options
        )
    if kind == "llm":
        from divisionbell.run.respondents.llm_bridge import LlmModel

        return LlmModel(rest, key_file, **said.only({"temperature", "max_tokens", "reasoning_tags"}, name))
    said.only((), name)
    if kind == "scripted":
        from divisionbell.run.respondents.scripted import Scripted

        return Scripted(rest)
    if kind == "party":
        from divisionbell.run.respondents.party import Party

        return Party(bank, rest)
    from divisionbell.run.respondents.embedded import Embedded

    return Embedded()
