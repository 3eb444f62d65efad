"""From the name on the command line to a respondent."""

from __future__ import annotations

import os
from pathlib import Path

from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.respondents.respondent import Respondent, RespondentRefused

KINDS = "embedded, scripted:NAME, party:NAME, openai:MODEL"
DEFAULT_BASE_URL = "https://api.openai.com/v1"


def choose(name: str, bank: FrozenBank, base_url: str | None = None, key_file: Path | None = None) -> Respondent:
    """The respondent of that name. Raises RespondentRefused where there is none or it cannot be used."""
    kind, _, rest = name.partition(":")
    if base_url is not None and kind != "openai":
        raise RespondentRefused(f"--base-url does not go with {name}", "it goes with openai:MODEL")
    if kind == "scripted" and rest:
        from divisionbell.run.respondents.scripted import Scripted

        return Scripted(rest)
    if kind == "party" and rest:
        from divisionbell.run.respondents.party import Party

        return Party(bank, rest)
    if name == "embedded":
        from divisionbell.run.respondents.embedded import Embedded

        return Embedded()
    if kind == "openai" and rest:
        from divisionbell.run.respondents.openai import OpenAI

        return OpenAI(rest, base_url or DEFAULT_BASE_URL, _key(key_file))
    raise RespondentRefused(f"there is no respondent {name}", f"the respondents are: {KINDS}")


def _key(key_file: Path | None) -> str | None:
    """The key from a file, else from OPENAI_API_KEY; None where there is neither, as local servers need none."""
    if key_file is not None:
        try:
            return key_file.read_text(encoding="utf-8").strip() or None
        except (OSError, UnicodeDecodeError):
            raise RespondentRefused(f"{key_file} cannot be read as text", "name a readable key file") from None
    return os.environ.get("OPENAI_API_KEY") or None
