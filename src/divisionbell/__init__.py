"""Division Bell: a frozen bank of forced-choice items and the tools around it."""

__version__ = "0.3.0"
