"""HSH: the transformation digest holds, and covers what it must."""

from __future__ import annotations

from collections.abc import Iterable

from divisionbell.bank.canonical import COVERED, FROZEN_IN_PARTS, UNCOVERED, transformation_digests
from divisionbell.diagnostics import Diagnostic, Location, Related
from divisionbell.validate.rule import Context, Example, ItemAt, Rule
from divisionbell.validate.shape import class_slots


def _digest(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    for items in context.items_by_dossier:
        expected = transformation_digests(items[0].dossier)
        wrong = [(item, digest) for item, digest in zip(items, expected, strict=True) if _stored(item) != digest]
        context.counts["hashes"] += len(items) - len(wrong)
        if len(wrong) == len(items) > 1:  # most likely it is what they share that changed
            more = f" and {len(items) - 1} more items of this dossier are"
            yield _not_hashed(rule, *wrong[0], more)
            continue
        for item, digest in wrong:
            yield _not_hashed(rule, item, digest)


def _stored(item: ItemAt) -> str:
    digest: str = item.value["transformation_sha256"]
    return digest


def _not_hashed(rule: Rule, item: ItemAt, expected: str, more: str = " is") -> Diagnostic:
    return rule.found(
        item.at("transformation_sha256"),
        f"{item.shown}{more} not what was hashed: expected {expected}",
        Related(item.at_key("item_id"), "the item begins here"),
        Related(item.document.at_key("source"), "its source record is here"),
    )


def _coverage(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    for name, covered in COVERED.items():
        declared = {*covered, *UNCOVERED[name]}
        for slot in class_slots(name):
            if slot not in declared:
                yield rule.found(
                    Location("src/divisionbell/bank/canonical.py"),
                    f"the schema's {name}.{slot} is in no digest and not declared uncovered",
                )
    for name, held in FROZEN_IN_PARTS.items():
        for slot in class_slots(name):
            if slot not in held:
                yield rule.found(
                    Location("src/divisionbell/bank/canonical.py"),
                    f"the schema's {name}.{slot} is in no frozen record",
                    fix="make a record of it in manifest.py, and name it in FROZEN_IN_PARTS",
                )


DIGEST = Rule(
    "HSH001",
    "the transformation digest holds",
    "Codebook: each transformation hash covers source record, issue family, text, option order and scoring key.",
    "undo the change, or where it is meant: divisionbell hash",
    _digest,
    example=Example(
        "contrast",
        bad="""
negative_pole: A gathering that disrupts daily life is dealt with under the rules that bind everyone equally.
""",
        good="""
negative_pole: A gathering that disrupts daily life is dealt with under the rules that bind everyone alike.
""",
    ),
)
COVERAGE = Rule(
    "HSH002",
    "every slot is covered or declared uncovered",
    "A slot added to the schema cannot slip past the digest unseen.",
    "add it to COVERED, or to UNCOVERED with its reason",
    across=_coverage,
    example=Example(
        "slot of the item",
        bad="""
# src/divisionbell/bank/canonical.py
"Item": ("item_id", "kind", "mirror_of", "options", "scoring_key"),
""",
        good="""
# src/divisionbell/bank/canonical.py
"Item": ("item_id", "kind", "mirror_of", "stem", "options", "scoring_key"),
""",
    ),
)
