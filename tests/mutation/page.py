"""The page of figures, docs/reference/mutation.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from known import known
from of_layout import ALLOWED
from tally import Tally, lie

HEAD = """\
# What changes of the bank are found

Written by `make mutants` from the shipped bank. A mutant is one small change of the text of one file, or of two, or of
the set of files. It counts as found where the validator says something at the right place: at the changed line; of a
deletion, at the line that stands at the cut or at the key or first line of what lost the part; at the other end of a
relation, with a note at the changed line; at the digest that is taken over the changed slot; or at a reference to a
name that went. `tests/mutation/right_place.py` is the definition. A finding anywhere else does not count.
"""


def page(whole: Tally, layouts: int, on_disk: int, every: int) -> str:
    """The page, from the figures of all mutants."""
    return "\n".join(_lines(whole, layouts, on_disk, every)) + "\n"


def _lines(whole: Tally, layouts: int, on_disk: int, every: int) -> Iterator[str]:
    found, total = whole.frozen.total(), whole.total.total()
    content, asked = whole.content.total(), whole.slots.total()
    yield HEAD
    yield (
        "Of the lines of the frozen files of 0.1.0 all are taken, of those of the version that the bank names every "
        "seventh mutant.\n"
    )
    if every > 1:
        yield f"Of dossiers and excluded dossiers every {every}th was taken; of all else, everything.\n"
    yield f"- With the freeze in place {found:,} of {total:,} mutants are found. The last heading tells the others."
    yield f"- As if the bank were not frozen yet {content:,} of {asked:,} are found; the rest are lies that only the"
    yield "  freeze finds, listed by slot below."
    yield f"- {on_disk} mutants of every kind were written to disk and held against the full validation, with and"
    yield "  without the freeze: the short way by which all were judged found the same."
    yield f"- {layouts:,} changes of layout change no value, no frozen record and no finding."
    yield ""
    yield from _by_kind(whole)
    yield from _by_rule(whole)
    yield from _slots(whole)
    yield from _layout()
    yield from _never(whole)


def _by_kind(whole: Tally) -> Iterator[str]:
    yield "## By kind of mutant\n"
    yield "| kind | mutants | found with the freeze | tried without | found without |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    tried = Counter[str]()
    for (kind, _), count in whole.asked.items():
        tried[kind] += count
    for kind in sorted(whole.total):
        without = (f"{tried[kind]:,}", f"{whole.content[kind]:,}") if tried[kind] else ("", "")
        yield f"| {kind} | {whole.total[kind]:,} | {whole.frozen[kind]:,} | {without[0]} | {without[1]} |"
    yield ""


def _by_rule(whole: Tally) -> Iterator[str]:
    yield "## By rule\n"
    yield "How many mutants each rule finds at the right place; most are found by several.\n"
    yield "| rule | with the freeze | without |"
    yield "| --- | ---: | ---: |"
    for rule in sorted(whole.frozen_rules | whole.content_rules):
        yield f"| {rule} | {whole.frozen_rules[rule]:,} | {whole.content_rules[rule]:,} |"
    yield ""


def _slots(whole: Tally) -> Iterator[str]:
    yield "## Lies that only the freeze finds\n"
    yield "Before a bank is frozen, these changes of it are found by no rule. In every other slot, and in these for"
    yield "every other change, a rule finds the mutant. Left out, doubled, moved and exchanged: keys and elements."
    yield "Another value: one that is as well formed. Found elsewhere: a rule speaks, but not at the right place.\n"
    for group in known("only_the_freeze"):
        yield group.why.strip() + "\n"
        yield "| slot | mutants | found without | not found | of these found elsewhere |"
        yield "| --- | ---: | ---: | --- | ---: |"
        for slot in group.slots:
            told = {what: count for (own, what), count in whole.only_freeze.items() if own == slot}
            words = ", ".join(f"{what} {count:,}" for what, count in sorted(told.items()))
            elsewhere = max((count for (own, _), count in whole.elsewhere.items() if own == slot), default=0)
            mutants, content = whole.slots[slot], whole.slots_content[slot]
            yield f"| {slot} | {mutants:,} | {content:,} | {words} | {elsewhere or ''} |"
        yield ""


def _layout() -> Iterator[str]:
    yield "## What may change\n"
    yield "| change | why it changes nothing |"
    yield "| --- | --- |"
    for kind, why in ALLOWED.items():
        yield f"| {kind.removeprefix('layout: ')} | {why} |"
    yield "| the order of agents, data sources and prospective codes | each is a record by itself, frozen by name |"
    yield ""


def _never(whole: Tally) -> Iterator[str]:
    yield "## Not found with the freeze in place\n"
    for group in known("never"):
        yield group.why.strip() + "\n"
        for slot in group.slots:
            count = sum(
                n for (kind, own), n in whole.survivors.items() if own == slot and lie(kind) in group.slots[slot]
            )
            yield f"- {slot}: {count:,}"
        yield ""
