"""ORD: the stored order is drawn from the frozen seed."""

from __future__ import annotations

from collections.abc import Iterable

from divisionbell.bank.canonical import option_order
from divisionbell.bank.order import pole_at_a
from divisionbell.diagnostics import Diagnostic, Related
from divisionbell.validate.rule import Context, Example, Rule


def _by_seed(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    if context.settings is None:
        return
    seed = context.settings["response_seed"]
    for item in context.items:
        original = item.value.get("mirror_of", item.id)
        expected = pole_at_a(seed, original, mirror=item.is_mirror)
        found = option_order(item.dossier["axis"], item.value)[0]
        if found != expected:
            yield rule.found(
                item.at_key("scoring_key"),
                f"{item.shown} has the {found} pole at A, the seed draws {expected}",
                Related(context.bank.settings.at("response_seed"), "the seed is here"),
            )


BY_SEED = Rule(
    "ORD001",
    "the stored order is drawn from the seed",
    "Codebook: option order is generated from the frozen response seed and never chosen.",
    "exchange the two options together with their keys",
    _by_seed,
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
