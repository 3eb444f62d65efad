"""What a package needs to add a respondent: it registers a factory under the entry point group named here.

With `[project.entry-points."divisionbell.respondents"]` and `NAME = "package.module:factory"` in the package's
pyproject.toml, `divisionbell run NAME` and `divisionbell run NAME:MODEL` call the factory. It gives back an object with
the members of `Respondent` (in `divisionbell.run.respondents.respondent`, where `Ask`, `Reply` and `Usage` are too).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from divisionbell.run.respondents.respondent import Respondent
from divisionbell.run.respondents.sampling import Sampling

GROUP = "divisionbell.respondents"


@dataclass(frozen=True)
class Wanted:
    """What the command line asks for.

    `typed` is the whole argument, `kind` what stands before the first colon and `model` what stands behind it, None
    where nothing does. `base_url`, `key_file` and `sampling` are the options of `run`. A factory that cannot keep one
    of them should raise RespondentRefused; `sampling.only(…)` does that.
    """

    typed: str
    kind: str
    model: str | None
    base_url: str | None
    key_file: Path | None
    sampling: Sampling


class Factory(Protocol):
    """The signature of a factory."""

    def __call__(self, wanted: Wanted, /) -> Respondent:
        """The respondent. Raises RespondentRefused, with a message and a fix, where it cannot be used as asked."""
