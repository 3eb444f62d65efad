"""What a respondent's name is followed by, so that nobody sets constrained beside free replies."""

from __future__ import annotations

UNDECODED = ("party:", "scripted:")
"""Respondents that decode nothing: they answer by votes or by a rule."""


def instrument(respondent: str, constrained: bool) -> str:
    """The way of decoding in brackets, with the space before them; nothing where nothing is decoded."""
    if constrained:
        return " (constrained decoding, another instrument)"
    return "" if respondent.startswith(UNDECODED) else " (free decoding)"
