"""Where something is, what is wrong there, and the errors of the program."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, order=True)
class Location:
    """A place in a file; line and column count from 1."""

    path: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Related:
    """Another place that a diagnostic is about."""

    location: Location
    message: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", cut(self.message))


@dataclass(frozen=True)
class Diagnostic:
    """One finding: an error, at a place, with the way to mend it."""

    location: Location
    rule: str
    message: str
    fix: str
    related: tuple[Related, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", cut(self.message))
        object.__setattr__(self, "fix", cut(self.fix))

    def sort_key(self) -> tuple[object, ...]:
        """By place; to the last part of it, so that the order is the same in every run."""
        related = [(place.location, place.message) for place in self.related]
        return (self.location, self.rule, self.message, self.fix, related)

    def text(self) -> str:
        lines = [f"{visible(str(self.location))}: error[{self.rule}] {visible(self.message)}"]
        lines += [f"{visible(str(r.location))}: note: {visible(r.message)}" for r in self.related]
        lines.append(f"  fix: {visible(self.fix)}")
        return "\n".join(lines)


# What is said quotes from files, in which a name can have a million characters.
LONGEST = 1_000


def cut(text: str) -> str:
    """A text of at most about 1,000 characters; what is left out is counted."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}... ({len(text) - LONGEST:,} more characters)"


def visible(text: str) -> str:
    """Text from a file made safe for a terminal: control and format characters are written as escapes."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def percent(share: float, places: int = 0) -> str:
    """A share as a percentage. 0% and 100% are said only where they are exact (a sum of weights may miss by 1e-9); what
    only rounds to them is "under 1%" or "over 99%", with as many digits as asked for."""
    if min(abs(share), abs(share - 1)) < 1e-9:
        return f"{share:.0%}"
    text, least = f"{share:.{places}%}", 10.0**-places
    if text == f"{0:.{places}%}":
        return f"under {least:.{places}f}%"
    return f"over {100 - least:.{places}f}%" if text == f"{1:.{places}%}" else text


# What is smaller is the noise of adding, and is written as nothing.
NOISE = 1e-9


def signed(value: float, form: str = "+.3f") -> str:
    """A number with its sign; 0 has none, and what would only be rounded to it has the first digit that counts."""
    text = f"{value:{form}}"
    if float(text) == 0 and abs(value) > NOISE:
        places = -math.floor(math.log10(abs(float(f"{value:.0e}"))))
        text = f"{value:+.{places}f}"
    return text.lstrip("+-") if float(text) == 0 else text


def shown_path(path: Path) -> str:
    """A path as a person in the working folder would write it; links are not followed."""
    try:
        return Path(os.path.abspath(path)).relative_to(Path.cwd()).as_posix()  # noqa: PTH100
    except (ValueError, OSError):  # OSError: the working folder was deleted
        return path.as_posix()


def real_path(path: Path) -> Path:
    """A path with every link followed that leads somewhere; a loop of links stays as it is written."""
    try:
        return Path(os.path.realpath(path))
    except (ValueError, OSError):  # OSError: the working folder was deleted
        return path


class DivisionBellError(Exception):
    """What the program can say in one line with a way to go on. `exit_code` is the one the command line ends with."""

    exit_code = 2

    def __init__(self, message: str, fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix


class UsageProblem(DivisionBellError):
    """The command cannot be carried out as it was given, or there is no bank where it looked. Exit code 2."""


class Findings(DivisionBellError):
    """Something was checked and does not hold. Exit code 1."""

    exit_code = 1

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = (), fix: str = "") -> None:
        super().__init__(message, fix)
        self.diagnostics = diagnostics


class Incomplete(DivisionBellError):
    """A run ended before all of it was obtained; it can be resumed. Exit code 1."""

    exit_code = 1
