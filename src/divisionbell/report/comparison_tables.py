"""The differences between models as tables: every pair on both axes, and ranks as intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from divisionbell.model.run_classes import ComparisonDocument, Estimate
from divisionbell.report.evidence import AXES, ReportInput, RunEvidence
from divisionbell.report.tables import Cell, Table, limits, number_behind, respondent, text, value
from divisionbell.report.words import count, finite, shown

HEAD = (
    "Pair",
    "Difference",
    "With missing answers",
    "Interval over all families",
    "p, all pairs and axes",
    "p, this pair alone",
    "Families",
)


@dataclass(frozen=True)
class Pair:
    """Two runs on one axis: the first less the second, with every estimate about them by the rest of its name."""

    first: RunEvidence
    second: RunEvidence
    numbers: tuple[int, int]
    axis: str
    estimates: dict[str, Estimate]

    @property
    def difference(self) -> Estimate | None:
        return self.estimates.get("")

    @property
    def told_apart(self) -> bool:
        found = self.estimates.get("told_apart")
        return found is not None and bool(finite(found.value))


def compared(given: ReportInput, document: ComparisonDocument) -> list[RunEvidence]:
    """The runs of a comparison in its order."""
    return [given.run(one.scored_run) for one in document.compared]


def pairs(given: ReportInput, document: ComparisonDocument, axis: str) -> Iterator[Pair]:
    """Every pair on one axis, in the document's order."""
    runs = compared(given, document)
    by_pair: dict[str, dict[str, Estimate]] = {}
    prefix = f"difference.{axis}."
    for one in document.estimates:
        if one.name.startswith(prefix):
            pair, _, rest = one.name[len(prefix) :].partition(".")
            by_pair.setdefault(pair, {})[rest] = one
    for pair, estimates in by_pair.items():
        i, j = (int(number) for number in pair.split("-"))
        yield Pair(runs[i - 1], runs[j - 1], (i, j), axis, estimates)


def differences(given: ReportInput, document: ComparisonDocument) -> Table:
    """Every pair of runs on both axes."""
    table = Table("Differences on concrete pairs: first less second", ("Axis", *HEAD), frozenset(range(2, 8)))
    for axis in AXES:
        rows = []
        for pair in pairs(given, document, axis):
            row = [text(f"{pair.first.title} − {pair.second.title}", heading=True)]
            row.append(value(table, pair.difference))
            bounds = pair.estimates.get("bounds")
            whole = bounds is not None and bounds.n == 0
            row += [Cell("nothing missing", numeric=True, muted=True) if whole else limits(table, bounds)]
            row += [limits(table, pair.estimates.get("imbens_manski")), value(table, pair.estimates.get("max_t_p"))]
            alone, smallest = value(table, pair.estimates.get("sign_flip_p")), pair.estimates.get("smallest_p")
            least = shown(smallest)
            lines = (*alone.lines, f"least possible {least.text} with {least.n}") if least.defined else alone.lines
            row += [Cell(**{**alone.__dict__, "lines": lines}), number_behind(pair.difference)]
            rows.append(row)
        if rows:
            rows[0].insert(0, Cell(axis.capitalize(), rows=len(rows)))
            table.groups.append(rows)
    table.notes.append(
        "Difference: over the items and orders that both answered, with the interval that holds together with all "
        "others in this table; beside other runs it would be another. Interval over all families: Imbens–Manski, "
        "for the difference whatever the missing answers had been, at the same level over the whole table; a "
        "difference is told apart only where both intervals leave out 0. p, all pairs and axes: corrected for every "
        "pair and both axes (max-T). p, this pair alone: by flips of signs over families, uncorrected; no p can be "
        "below the least possible, 2 / 2 to the power of the number of families that differ, or 1 / 20,001 beyond "
        "16 families, where flips are drawn."
    )
    return table


def ranks(given: ReportInput, document: ComparisonDocument) -> Table:
    """Ranks as intervals: only what the simultaneous intervals tell apart."""
    named = {one.name: one for one in document.estimates}
    titles = tuple(f"Rank, {axis} axis" for axis in AXES)
    table = Table("Ranks that the differences leave open, 1 the most positive", ("Respondent", *titles))
    for number, run in enumerate(compared(given, document), start=1):
        cells = [Cell(_ends(named.get(f"rank.{axis}.{number}"))) for axis in AXES]
        table.groups.append([[respondent(given, run), *cells]])
    table.notes.append(
        "Two respondents are ranked apart only where the interval of their difference and its Imbens–Manski interval "
        "over all families, which holds the bounds, lie on one side of 0, over at least as many families as a position "
        "needs; all others share their ranks. No order within such an interval is claimed."
    )
    return table


def _ends(rank: Estimate | None) -> str:
    low, high = (None, None) if rank is None else (finite(rank.low), finite(rank.high))
    if low is None or high is None:
        return "not given"
    return count(low) if low == high else f"{count(low)} to {count(high)}"


def sentence(given: ReportInput, document: ComparisonDocument) -> str:
    """What the comparison came to, in one sentence."""
    if document.demonstration:
        return "Demonstration: no difference can be read from this."
    told = []
    for axis in AXES:
        every = list(pairs(given, document, axis))
        apart = [pair for pair in every if pair.told_apart]
        if not apart:
            told.append(f"on the {axis} axis no pair is told apart")
        elif len(every) == 1:
            told.append(f"on the {axis} axis the two differ by {shown(apart[0].difference).text}")
        else:
            told.append(f"on the {axis} axis {count(len(apart))} of {count(len(every))} pairs are told apart")
    words = f"{'under constrained decoding, ' if document.constrained else ''}{' and '.join(told)}"
    return f"{words[:1].upper()}{words[1:]}."
