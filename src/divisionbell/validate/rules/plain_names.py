"""REF005: names that stand in plain text name what is there: waivers, the registry and the plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from divisionbell.diagnostics import Diagnostic, Related
from divisionbell.validate.rule import Context, Example, ItemAt, Rule
from divisionbell.validate.words import words


def _stands_in(text: str, item: ItemAt) -> bool:
    """Whether the words stand in a row in one of the item's texts; what has no words is looked for as it is."""
    wanted = words(text)
    for (_, part), had in zip(item.parts, item.words, strict=True):
        if f" {' '.join(wanted)} " in f" {' '.join(had)} " if wanted else text in part:
            return True
    return False


def _waivers(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    from divisionbell.validate.rules import BY_ID  # the table that this rule is a row of

    waivable = [known.id for known in BY_ID.values() if known.waiver]
    for items in context.items_by_dossier:
        document, by_id = items[0].document, {item.id: item for item in reversed(items)}
        for number, waiver in enumerate(document.value.get("waivers", [])):
            named = waiver["rule"]
            if named not in waivable:
                told = f"there is no rule {named}" if named not in BY_ID else f"{named} grants no waiver"
                fix = f"name one of {', '.join(waivable)}, or remove the waiver"
                yield rule.found(document.at("waivers", number, "rule"), told, fix=fix)
            item = by_id.get(waiver["waived_item"])
            if item is not None and waiver["granted_by"] == item.value["transformation"]["made_by"]:
                yield rule.found(
                    document.at("waivers", number, "granted_by"),
                    f"{waiver['granted_by']} made the text of {item.shown}, and cannot grant it a waiver",
                    Related(item.at("transformation", "made_by"), "who made it is here"),
                    fix="have another agent review it",
                )
            if item is not None and not _stands_in(waiver["waived_text"], item):
                yield rule.found(
                    document.at("waivers", number, "waived_text"),
                    f'"{waiver["waived_text"]}" does not stand in {item.shown}',
                    Related(item.at("stem"), "its text begins here"),
                    fix="remove the waiver, or write the exact words",
                )


def _registry(rule: Rule, context: Context) -> Iterator[Diagnostic]:
    items = {item.id: item for item in context.items}
    for number, entry in enumerate((context.settings or {}).get("registry", [])):
        if entry["invented_for"] not in items:
            continue  # that it does not exist is another rule's finding
        item = items[entry["invented_for"]]
        if entry["invented_name"] not in item.invented:
            yield rule.found(
                context.bank.settings.at("registry", number, "invented_for"),
                f"{item.shown} does not list {entry['invented_name']}, which is registered for it",
                Related(item.at_key("institutions"), "its invented names are here"),
                fix="register it for the item that names it, or remove the entry",
            )


def _plan(rule: Rule, context: Context) -> Iterator[Diagnostic]:
    for number, planned in enumerate((context.plan or {}).get("estimates_planned", [])):
        spelt = f"{planned['scale']}.{planned['axis']}"
        if planned["estimate_name"] != spelt:
            yield rule.found(
                context.bank.plan.at("estimates_planned", number, "estimate_name"),
                f"the scores have no {planned['estimate_name']} on the {planned['scale']} scale"
                f" of the {planned['axis']} axis",
                *(
                    Related(context.bank.plan.at("estimates_planned", number, slot), f"its {slot} is here")
                    for slot in ("axis", "scale")
                ),
                fix=f"write {spelt}, or correct axis and scale",
            )


def _across(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    yield from _registry(rule, context)
    yield from _plan(rule, context)


FIT = Rule(
    "REF005",
    "waivers, registry and plan name what is there",
    "A waiver for words that are gone, or for a rule that grants none, hides the next mistake.",
    "correct the name, or remove the entry",
    _waivers,
    _across,
    example=Example(
        "waiver for words that are gone",
        bad="""
waivers:
  - rule: TXT006
    waived_item: 'qstltic6'
    waived_text: ruthless
""",
        good="""
waivers:
  - rule: TXT008
    waived_item: 'qstltic6'
    waived_text: street officers in veldrassow
""",
        good_case="waiver for words in a row",
    ),
)
