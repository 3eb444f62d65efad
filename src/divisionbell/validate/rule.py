"""What a rule is, and what every rule is handed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from divisionbell.bank.load import Bank, Root, alias
from divisionbell.bank.manifest import Record, record_file, records
from divisionbell.bank.read import Document
from divisionbell.diagnostics import Diagnostic, Location, Related
from divisionbell.validate.bounds import MOST_ACROSS, MOST_OF_PART, bounded
from divisionbell.validate.common import Common
from divisionbell.validate.words import LONGEST_RUN, parts, pieces, word_runs, words


@dataclass(frozen=True, eq=False)
class ItemAt:
    """One item with the dossier and the place that it stands at. Only documents that fit the schema have these."""

    document: Document
    number: int
    value: dict[str, Any]

    @property
    def dossier(self) -> dict[str, Any]:
        value: dict[str, Any] = self.document.value
        return value

    @property
    def id(self) -> str:
        return str(self.value["item_id"])

    @cached_property
    def parts(self) -> list[tuple[tuple[str, ...], str]]:
        """The three texts with the path of each."""
        return parts(self.value)

    @cached_property
    def words(self) -> list[list[str]]:
        """The words of each of the three texts."""
        return [words(text) for _, text in self.parts]

    @cached_property
    def bag(self) -> frozenset[str]:
        """Every word of the three texts in lower case; what has a word that is not here stands in none of them."""
        found = [word for text in self.words for word in text]
        return pieces(found) if any("'" in text or "’" in text for _, text in self.parts) else frozenset(found)

    @cached_property
    def invented(self) -> dict[str, None]:
        """The invented names that it lists, in order and quickly found."""
        return dict.fromkeys(self.value.get("institutions", ()))

    def runs(self, length: int) -> set[tuple[str, ...]]:
        """Every run of `length` words in a row within one of the three texts."""
        return {run for text in self.words for run in word_runs(text, length)}

    def run_hashes(self, length: int) -> set[int]:
        """The hashes of those runs: enough to see that two items share few, and made without keeping the runs."""
        return {number for text in self.words for number in map(hash, word_runs(text, length))}

    def surface_runs(self, length: int) -> set[tuple[str, ...]]:
        """Every run of `length` words in a row of the three texts read one after the other."""
        return set(word_runs([word for text in self.words for word in text], length))

    @property
    def is_mirror(self) -> bool:
        return "mirror_of" in self.value

    @property
    def shown(self) -> str:
        """Id and alias, as diagnostics name the item."""
        return f"{self.id} ({alias(self.dossier, self.value)})"

    def waives(self, rule: str, text: str) -> bool:
        """Whether the dossier grants this item a reviewed exception from a rule for these words."""
        return (rule, text) in self._waived

    @cached_property
    def _waived(self) -> frozenset[tuple[str, str]]:
        waivers = self.dossier.get("waivers", [])
        return frozenset((w["rule"], w["waived_text"]) for w in waivers if w["waived_item"] == self.id)

    def at(self, *path: str | int) -> Location:
        return self.document.at("items", self.number, *path)

    def at_key(self, *path: str | int) -> Location:
        return self.document.at_key("items", self.number, *path)


# The rule that gathers the lines of the dossiers' records, which others need as well.
RECORD_LINES = "FRZ001"


@dataclass(eq=False)
class Context:
    """Documents that fit the schema (`sound`) and those that do not, which rules look at no further: a rule whose
    ground is missing stays silent. For checks of single dossiers it holds some of them, else all."""

    bank: Bank
    sound: list[tuple[Root, Document]]
    ches: Path | None = None
    unsound: list[tuple[Root, Document]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    gathered: dict[str, list[Any]] = field(default_factory=dict)
    common: Common | None = None

    @cached_property
    def whole(self) -> Common:
        """What a check of one dossier needs to know of the others."""
        return self.common or Common(self.bank, self.ches)

    @cached_property
    def dossiers(self) -> list[Document]:
        return [document for root, document in self.sound if root == "Dossier"]

    @cached_property
    def excluded(self) -> list[Document]:
        return [document for root, document in self.sound if root == "ExcludedDossier"]

    @cached_property
    def prospective(self) -> list[Document]:
        return [document for root, document in self.sound if root == "ProspectiveRegister"]

    @cached_property
    def settings(self) -> dict[str, Any] | None:
        return self._one("Bank")

    def run_length(self, name: str) -> int | None:
        """A length of runs that the settings ask for; None where they ask for none, or for one longer than is compared,
        which is a rule's finding."""
        length: int | None = (self.settings or {}).get("wording_limits", {}).get(name)
        return length if length is not None and length <= LONGEST_RUN else None

    @cached_property
    def plan(self) -> dict[str, Any] | None:
        return self._one("AnalysisPlan")

    @cached_property
    def sources(self) -> dict[str, Any] | None:
        return self._one("DataSources")

    @cached_property
    def evaluations(self) -> dict[str, Any] | None:
        return self._one("EvaluationRegister")

    def _one(self, wanted: str) -> dict[str, Any] | None:
        for root, document in self.sound:
            if root == wanted:
                value: dict[str, Any] = document.value
                return value
        return None

    def limits(self, *names: str) -> list[Related]:
        """Notes that lead to limits of the settings."""
        return [Related(self.bank.settings.at("wording_limits", name), "the limit is here") for name in names]

    @cached_property
    def records(self) -> list[Record]:
        """The records that a freeze of the sound documents would hold."""
        fitting = {id(document) for _, document in self.sound}
        made = records(self.bank, [d for _, d in self.bank.documents() if id(d) not in fitting])
        lines = self.gathered.get(RECORD_LINES)
        if lines:
            known = dict(zip(map(id, [*self.dossiers, *self.excluded]), lines, strict=True))
            for record in made:
                if id(record.document) in known:
                    record.keep(known[id(record.document)])
        return made

    @cached_property
    def record_data(self) -> bytes:
        """The record file that a freeze of the sound documents would write."""
        return record_file(self.records)

    @cached_property
    def items(self) -> list[ItemAt]:
        return [
            ItemAt(document, number, value)
            for document in self.dossiers
            for number, value in enumerate(document.value["items"])
        ]

    @cached_property
    def items_by_dossier(self) -> list[list[ItemAt]]:
        """The items of each dossier."""
        return [list(items) for _, items in groupby(self.items, key=lambda item: id(item.document))]

    @cached_property
    def mirrors(self) -> list[tuple[ItemAt, ItemAt]]:
        """Each mirror with its original, where the dossier has it."""
        found = []
        for items in self.items_by_dossier:
            # The first item of each id; that an id stands twice is another rule's finding.
            by_id = {item.id: item for item in reversed(items)}
            for item in items:
                if item.is_mirror and item.value["mirror_of"] in by_id:
                    found.append((item, by_id[item.value["mirror_of"]]))
        return found


@dataclass(frozen=True)
class Example:
    """A mistake and the same place without it, as a few lines of the file; `…` stands for what is left out.

    `case` is the case of tests/rules/<ID>/bad.yaml that makes the mistake in the pilot bank, and `good_case` one of
    good.yaml that makes the good lines where the pilot bank itself does not hold them. A first line `# path` names the
    file where it is not the one that the finding is in. `also` are rules that find the same mistake.
    """

    case: str
    bad: str
    good: str
    good_case: str = ""
    also: tuple[str, ...] = ()


Check = Callable[["Rule", Context], Iterable[Diagnostic]]
Gather = Callable[[Context], list[Any]]


def _nothing(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    return ()


@dataclass(frozen=True)
class Rule:
    """One thing that must hold. A check yields a diagnostic for each place where it does not: `check` looks at each
    dossier by itself, beside the settings and sources; `across` looks at the whole bank. What it needs of each dossier
    (the included ones, then the excluded ones) can be gathered beforehand, part by part. `waiver` says which words a
    reviewed waiver in the dossier admits; it is empty where none is granted."""

    id: str
    name: str
    protects: str
    fix: str
    check: Check = _nothing
    across: Check = _nothing
    gather: Gather | None = None
    example: Example = field(kw_only=True)
    waiver: str = field(default="", kw_only=True)

    def found(self, at: Location, message: str, *related: Related, fix: str | None = None) -> Diagnostic:
        return Diagnostic(at, self.id, message, fix or self.fix, related)

    def gathered(self, context: Context) -> list[Any]:
        """What was gathered of each dossier of the context."""
        assert self.gather is not None
        if self.id not in context.gathered:
            context.gathered[self.id] = self.gather(context)
        return context.gathered[self.id]

    def of_part(self, context: Context) -> Iterator[Diagnostic]:
        """What it finds in a part of the dossiers, up to a bound."""
        return bounded(self.check(self, context), MOST_OF_PART)

    def of_all(self, context: Context) -> Iterator[Diagnostic]:
        """What it finds across the bank, up to a bound."""
        return bounded(self.across(self, context), MOST_ACROSS)

    def run(self, context: Context) -> Iterator[Diagnostic]:
        yield from self.of_part(context)
        yield from self.of_all(context)
