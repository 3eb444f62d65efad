"""FAM: no topic carries an axis, since each family counts once in a score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from divisionbell.diagnostics import Diagnostic, Related, percent
from divisionbell.validate.rule import Context, Example, Rule


def _balance(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    settings = context.settings
    if settings is None or "family_limits" not in settings:
        return
    if len(context.sound) < sum(1 for _ in context.bank.documents()):
        return  # a dossier that does not fit the schema may be the one that is missing
    limits, document = settings["family_limits"], context.bank.settings
    held = Counter(dossier.value["issue_family"] for dossier in context.dossiers)
    for axis in ("economic", "social"):
        families = [(n, f) for n, f in enumerate(settings["issue_families"]) if f["axis"] == axis]
        of_axis = sum(held[family["family_id"]] for _, family in families)
        if len(families) < limits["min_families_an_axis"]:
            yield rule.found(
                document.at("family_limits", "min_families_an_axis"),
                f"the {axis} axis has {len(families)} families, not {limits['min_families_an_axis']}",
                fix="write dossiers of further families, or change the limit",
            )
        for number, family in families:
            name = family["family_id"]
            count = held[name]
            if count < limits["min_dossiers_a_family"]:
                limit = Related(document.at("family_limits", "min_dossiers_a_family"), "the limit is here")
                yield rule.found(
                    document.at("issue_families", number, "family_id"),
                    f"{name} has {count} dossiers, not {limits['min_dossiers_a_family']}",
                    limit,
                    fix="write another dossier, or merge the family into one that it belongs to",
                )
            if of_axis and count / of_axis > limits["max_family_share"]:
                limit = Related(document.at("family_limits", "max_family_share"), "the limit is here")
                yield rule.found(
                    document.at("issue_families", number, "family_id"),
                    f"{name} has {count} of the {of_axis} dossiers of the {axis} axis, {percent(count / of_axis)}",
                    limit,
                    fix="leave out a dossier of this family, or write others",
                )


def _blocks(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    if context.settings is None:
        return
    for number, family in enumerate(context.settings["issue_families"]):
        name, social = family["family_id"], family["axis"] == "social"
        if social != ("block" in family):
            yield rule.found(
                context.bank.settings.at("issue_families", number, "family_id"),
                f"{name} is social and stands in no block" if social else f"{name} is economic and stands in a block",
                fix=None if social else "remove block",
            )


BALANCE = Rule(
    "FAM001",
    "families keep the limits of the bank",
    "Each family counts once in an axis score: a family of one is one vote, and a large one carries the axis.",
    "balance the families",
    across=_balance,
    example=Example(
        "too few families",
        bad="""
min_families_an_axis: 7
""",
        good="""
min_families_an_axis: 6
""",
    ),
)
BLOCKS = Rule(
    "FAM002",
    "every social family stands in a block",
    "The social axis is an index and no trait: its three blocks are shown beside the mean.",
    "add block: security_and_enforcement, body_and_end_of_life or public_health",
    across=_blocks,
    example=Example(
        "social family without a block",
        bad="""
- family_id: public-protest
  axis: social
  family_negative: There is wide room for loud and obstructive assembly.
""",
        good="""
- family_id: public-protest
  axis: social
  block: security_and_enforcement
  family_negative: There is wide room for loud and obstructive assembly.
""",
    ),
)
