"""ORD: the stored order is drawn from the frozen seed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from divisionbell.bank.canonical import option_order
from divisionbell.bank.order import pole_at_a
from divisionbell.diagnostics import Diagnostic, Related
from divisionbell.validate.rule import Context, Example, ItemAt, Rule

# A seed that draws another order for a quarter of at least so many items is not the one that they were drawn from:
# another seed draws one for half of them.
FEWEST_ITEMS, SHARE = 8, 0.25

_Wrong = list[tuple[int, str, str]]


def _otherwise(context: Context) -> list[_Wrong]:
    """Of each dossier the items whose order is not the seed's: number, pole at A, and the pole that is drawn."""
    if context.settings is None:
        return [[] for _ in (*context.dossiers, *context.excluded)]
    seed = context.settings["response_seed"]
    return [*(_of_dossier(seed, d.value) for d in context.dossiers), *([] for _ in context.excluded)]


def _of_dossier(seed: str, dossier: dict[str, Any]) -> _Wrong:
    wrong: _Wrong = []
    ids = {item["item_id"] for item in dossier["items"]}
    for number, item in enumerate(dossier["items"]):
        if item.get("mirror_of", item["item_id"]) not in ids:
            continue  # its order is that of an original that is not there, which is another rule's finding
        expected = pole_at_a(seed, item.get("mirror_of", item["item_id"]), mirror="mirror_of" in item)
        found = option_order(dossier["axis"], item)[0]
        if found != expected:
            wrong.append((number, found, expected))
    return wrong


def _by_seed(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    wrong = [
        (ItemAt(document, number, document.value["items"][number]), found, expected)
        for document, told in zip([*context.dossiers, *context.excluded], rule.gathered(context), strict=True)
        for number, found, expected in told
    ]
    if not wrong:
        return
    seed = context.bank.settings.at("response_seed")
    if len(wrong) >= max(FEWEST_ITEMS, SHARE * len(context.items)):
        item, _, expected = wrong[0]
        yield rule.found(
            seed,
            f"{len(wrong)} of {len(context.items)} items do not stand in the order that this seed draws",
            Related(item.at_key("scoring_key"), f"the first of them is here: the seed draws {expected} at A"),
            fix="restore the seed that the orders were drawn from",
        )
        return
    for item, found, expected in wrong:
        yield rule.found(
            item.at_key("scoring_key"),
            f"{item.shown} has the {found} pole at A, the seed draws {expected}",
            Related(seed, "the seed is here"),
        )


BY_SEED = Rule(
    "ORD001",
    "the stored order is drawn from the seed",
    "Codebook: option order is generated from the frozen response seed and never chosen.",
    "if the keys were changed, restore them; if the texts are new, exchange the two options together with their keys",
    across=_by_seed,
    gather=_otherwise,
    example=Example(
        "mirror exchanged",
        bad="""
scoring_key:
  key_a: {"economic": 0, "social": -1}
  key_b: {"economic": 0, "social": 1}
""",
        good="""
scoring_key:
  key_a:
    economic: 0
    social: 1
  key_b:
    economic: 0
    social: -1
""",
        also=("MIR002",),
    ),
)
