"""KEY: a key loads on one axis with exact opposites, and everything in a dossier agrees on the axis."""

from __future__ import annotations

from collections.abc import Iterable

from divisionbell.diagnostics import Diagnostic, Related
from divisionbell.validate.rule import Context, Example, Rule

AXES = ("economic", "social")


def _opposite(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    for item in context.items:
        key = item.value["scoring_key"]
        a, b = key["key_a"], key["key_b"]
        for axis in AXES:
            if a[axis] != -b[axis]:
                yield rule.found(
                    item.at_key("scoring_key", "key_b", axis),
                    f"{item.shown}: {axis} is {b[axis]} at B and {a[axis]} at A, which are not exact opposites",
                    Related(item.at_key("scoring_key", "key_a", axis), "the coordinate at A is here"),
                )
            elif abs(a[axis]) not in {0, 1}:
                yield rule.found(
                    item.at_key("scoring_key", "key_a", axis),
                    f"{item.shown}: {axis} is {a[axis]}, and only keys of -1 and 1 can be scored",
                    fix="write -1 for the negative pole and 1 for the positive",
                )
        loaded = [axis for axis in AXES if a[axis] != 0 or b[axis] != 0]
        if len(loaded) != 1:
            axes = "no axis" if not loaded else "both axes"
            yield rule.found(
                item.at_key("scoring_key"),
                f"{item.shown} loads on {axes}",
                fix="give it one axis, or exclude the division",
            )


def _agree(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    families = {f["family_id"]: (n, f) for n, f in enumerate((context.settings or {}).get("issue_families", []))}
    for document in [*context.dossiers, *context.excluded]:
        value = document.value
        axis = value["axis"]
        if value["source"]["axis"] != axis:
            yield rule.found(
                document.at("source", "axis"),
                f"the source record's axis is {value['source']['axis']}",
                Related(document.at("axis"), f"the dossier's axis is {axis}"),
            )
        number, family = families.get(value.get("issue_family", ""), (0, None))
        if family is not None and family["axis"] != axis:
            place = context.bank.settings.at("issue_families", number, "axis")
            yield rule.found(
                document.at("issue_family"),
                f"{value['issue_family']} is a family of the {family['axis']} axis",
                Related(document.at("axis"), f"the dossier's axis is {axis}"),
                Related(place, "the family's axis is here"),
            )
    for item in context.items:
        axis = item.dossier["axis"]
        key = item.value["scoring_key"]
        loaded = [name for name in AXES if key["key_a"][name] != 0]
        if len(loaded) == 1 and loaded != [axis]:
            yield rule.found(
                item.at_key("scoring_key", "key_a", loaded[0]),
                f"{item.shown} loads on the {loaded[0]} axis",
                Related(item.document.at("axis"), f"the dossier's axis is {axis}"),
            )


OPPOSITE = Rule(
    "KEY001",
    "one axis, exact opposites",
    "Codebook: every scored item loads on exactly one axis and its two options are exact coordinate opposites.",
    "make the coordinates at A and B exact opposites on one axis and 0 on the other",
    _opposite,
    example=Example(
        "not opposite",
        bad="""
key_a:
  economic: 0
  social: -1
key_b:
  economic: 0
  social: -1
""",
        good="""
key_a:
  economic: 0
  social: -1
key_b:
  economic: 0
  social: 1
""",
        also=("MIR002",),
    ),
)
AGREE = Rule(
    "KEY002",
    "dossier, source, family and items agree on the axis",
    "An item is scored on the axis that its division was reviewed for.",
    "correct the axis that is wrong",
    _agree,
    example=Example(
        "source of the other axis",
        bad="""
axis: "economic"
aye_coordinate: -1
""",
        good="""
axis: social
aye_coordinate: -1
""",
        also=("REV002",),
    ),
)
