"""Which notes of a score document warn of this run, and which say what holds of any run or what was read from it."""

from __future__ import annotations

from collections.abc import Iterable

#: How the notes begin that warn of nothing; `notes.py` writes them, and a test holds the two together.
GENERAL = (
    "On the economic axis (concrete pairs) the ",
    "On the social axis (concrete pairs) the ",
    "Every interval over families is for issues like these",
    "Zero is where this bank happens to balance",
    "What is claimed: ",
    "Exploratory: ",
)


def warnings_and_rest(notes: Iterable[str]) -> tuple[list[str], list[str]]:
    """The notes that warn, and the others, each in the order given. What is not known to be general warns."""
    every = list(notes)
    rest = [note for note in every if note.startswith(GENERAL)]
    return [note for note in every if not note.startswith(GENERAL)], rest
