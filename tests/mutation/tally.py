"""Figures of verdicts: how many mutants of each kind were found, by which rule, and which were not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from kill import Verdict
from mutant import TextMutant
from right_place import digests_cover

# What a mutant that only the freeze finds does to its slot, by kind; the table of such slots is in these words.
LIES = {
    "element: deleted": "left out",
    "key: deleted with its value": "left out",
    "element: doubled": "doubled",
    "element: moved behind the next": "moved",
    "two values exchanged": "exchanged",
    "part of original and mirror exchanged": "exchanged",
    "exchanged between two files": "exchanged",
    "file: deleted": "left out",
}


def lie(kind: str) -> str:
    """What a mutant of this kind says that is not so, in a word."""
    return LIES.get(kind, "another value")


@dataclass
class Tally:
    """Counts of verdicts; `+=` joins those of two processes."""

    total: Counter[str] = field(default_factory=Counter)
    same: Counter[tuple[str, str]] = field(default_factory=Counter)
    frozen: Counter[str] = field(default_factory=Counter)
    content: Counter[str] = field(default_factory=Counter)
    frozen_rules: Counter[str] = field(default_factory=Counter)
    content_rules: Counter[str] = field(default_factory=Counter)
    ways: Counter[str] = field(default_factory=Counter)
    asked: Counter[tuple[str, str]] = field(default_factory=Counter)
    slots: Counter[str] = field(default_factory=Counter)
    slots_content: Counter[str] = field(default_factory=Counter)
    only_freeze: Counter[tuple[str, str]] = field(default_factory=Counter)
    elsewhere: Counter[tuple[str, str]] = field(default_factory=Counter)
    survivors: Counter[tuple[str, str]] = field(default_factory=Counter)
    shown: dict[tuple[str, str], str] = field(default_factory=dict)
    undigested: list[str] = field(default_factory=list)

    def add(self, verdict: Verdict, *, frozen_only: bool = False) -> None:
        """Count one verdict; with `frozen_only`, of a mutant that makes sense only where there is a freeze."""
        mutant = verdict.mutant
        kind, slot = mutant.kind, mutant.slot
        if verdict.same:
            self.same[kind, slot] += 1
            return
        self.total[kind] += 1
        if verdict.frozen:
            self.frozen[kind] += 1
            self.frozen_rules.update(verdict.frozen.keys())
            self.ways[min(verdict.frozen.values(), key=ORDER.index)] += 1
        else:
            self.survivors[kind, slot] += 1
            self.shown.setdefault((kind, slot), mutant.shown)
        if frozen_only:
            return
        self.slots[slot] += 1
        self.asked[kind, slot] += 1
        if verdict.content:
            self.content[kind] += 1
            self.slots_content[slot] += 1
            self.content_rules.update(verdict.content.keys())
        else:
            self.only_freeze[slot, lie(kind)] += 1
            for rule in verdict.elsewhere:
                self.elsewhere[slot, rule] += 1
        self._digested(verdict)

    def _digested(self, verdict: Verdict) -> None:
        """What a digest covers, that digest must find, whatever else does."""
        mutant = verdict.mutant
        if isinstance(mutant, TextMutant) and not {"SCH001", "SCH002"} & verdict.content.keys():
            for rule in digests_cover(mutant):
                if rule not in verdict.content:
                    self.undigested.append(f"{rule}: {mutant.shown}")

    def lines(self) -> list[str]:
        """The figures in a few lines."""
        asked = self.slots.total()
        first = ", ".join(f"{rule} {count}" for rule, count in self.content_rules.most_common(8))
        return [
            f"with the freeze in place: {self.frozen.total()} of {self.total.total()} found at the right place",
            f"as if not frozen yet: {self.content.total()} of {asked} found; only the freeze covers the rest",
            f"by the rules of the content (a mutant can be found by several): {first}",
        ]

    def __iadd__(self, other: Tally) -> Tally:
        for name, value in vars(other).items():
            own = getattr(self, name)
            if isinstance(own, Counter | dict):
                own.update(value) if isinstance(own, Counter) else own.update({**value, **own})
            else:
                own.extend(value)
        return self


ORDER = ("line", "parent", "note", "digest", "reference")
