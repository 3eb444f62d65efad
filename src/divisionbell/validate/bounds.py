"""How much is told: one file can be made to have a million faults."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from divisionbell.diagnostics import Diagnostic

# So many findings of a rule are told: of one file's shape or a part of the dossiers, and across the bank.
MOST_OF_PART, MOST_ACROSS = 1_000, 10_000


def bounded(found: Iterable[Diagnostic], most: int) -> Iterator[Diagnostic]:
    """The findings up to a number, and one that says so where there are more."""
    for number, diagnostic in enumerate(found):
        if number == most:
            told = f"more than {most:,} places are like those before; the others are not told"
            yield Diagnostic(diagnostic.location, diagnostic.rule, told, "mend these first")
            return
        yield diagnostic
