"""MIR: every original has a mirror that reverses it exactly and is worded anew."""

from __future__ import annotations

from collections.abc import Iterable

from divisionbell.diagnostics import Diagnostic, Related, percent
from divisionbell.validate.rule import Context, Example, ItemAt, Rule

REVERSED = {"negative": "positive", "positive": "negative", "none": "none"}


def _paired(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    of: dict[tuple[int, str], list[ItemAt]] = {}
    for mirror, original in context.mirrors:
        of.setdefault((id(mirror.document), original.id), []).append(mirror)
        if mirror.value["kind"] != original.value["kind"]:
            yield rule.found(
                mirror.at("kind"),
                f"mirror {mirror.shown} is of another kind than its original {original.shown}",
                Related(original.at("kind"), "the original's kind is here"),
                fix="give both the same kind, or correct mirror_of",
            )
    for item in context.items:
        if item.is_mirror:
            continue
        mirrors = of.get((id(item.document), item.id), [])
        if len(mirrors) == 1 or (not mirrors and _leads_nowhere(item)):
            continue
        rest = [Related(m.at("item_id"), "a mirror of it is here") for m in mirrors]
        fix = (
            "correct the mirror_of of one of them, or remove it"
            if mirrors
            else f"name {item.id} in its mirror's mirror_of, or write one: divisionbell mirror {item.id}"
        )
        yield rule.found(item.at("item_id"), f"{item.shown} has {len(mirrors)} mirrors, not one", *rest, fix=fix)


def _leads_nowhere(item: ItemAt) -> bool:
    """Whether a mirror of this kind names no item of the dossier: that is told there, and may be what lacks."""
    items = item.dossier["items"]
    ids = {other["item_id"] for other in items}
    return any(other["kind"] == item.value["kind"] and other.get("mirror_of", item.id) not in ids for other in items)


def _reversal(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    exact = 0
    for mirror, original in context.mirrors:
        key, of = mirror.value["scoring_key"], original.value["scoring_key"]
        if key["key_a"] == of["key_b"] and key["key_b"] == of["key_a"]:
            exact += 1
            continue
        wrong = "A the same coordinate" if key["key_a"] == of["key_a"] else "a key that is not the reverse"
        yield rule.found(
            mirror.at_key("scoring_key"),
            f"mirror {mirror.shown} gives {wrong} as its original {original.shown}"
            if "same" in wrong
            else f"mirror {mirror.shown} has {wrong} of its original {original.shown}",
            Related(original.at_key("scoring_key"), "the original's key is here"),
        )
    context.counts["mirrors exact"] += exact


def _worded(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    length = context.run_length("run_length")
    if context.settings is None or length is None:
        return
    limits = context.settings["wording_limits"]
    for mirror, original in context.mirrors:
        own, of = (item.surface_runs(length) for item in (mirror, original))
        shared = own & of
        share = len(shared) / len(own) if own else 1.0
        if share > limits["max_shared_runs"]:
            shown = "; ".join(" ".join(run) for run in sorted(shared)[:3])
            yield rule.found(
                mirror.at("stem"),
                f"mirror {mirror.shown} shares {percent(share)} of its runs of {length} words"
                " with its original" + (f": {shown}" if shown else ""),
                Related(original.at("stem"), "the original's text is here"),
                *context.limits("run_length", "max_shared_runs"),
            )


def _status_quo(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    for mirror, original in context.mirrors:
        expected = REVERSED[original.value["status_quo"]]
        if mirror.value["status_quo"] != expected:
            yield rule.found(
                mirror.at("status_quo"),
                f"mirror {mirror.shown} has status quo {mirror.value['status_quo']}, not {expected}",
                Related(original.at("status_quo"), f"the original's is {original.value['status_quo']}"),
            )


PAIRED = Rule(
    "MIR001",
    "every original has one mirror of its kind",
    "The pair of original and mirror is the unit that is scored.",
    "name the original in its mirror's mirror_of, or write the mirror: divisionbell mirror ITEM",
    _paired,
    example=Example(
        "no mirror",
        bad="""
- item_id: qgunvinl
  kind: concrete_action
  stem: >-
""",
        good="""
- item_id: qgunvinl
  kind: concrete_action
  mirror_of: qstltic6
""",
    ),
)
REVERSAL = Rule(
    "MIR002",
    "a mirror reverses its original's key exactly",
    "Codebook: the validation gate rejects a mirror that is not an exact score reversal.",
    "reverse the mirror's scoring_key, or correct mirror_of",
    _reversal,
    example=Example(
        "same key as the original",
        bad="""
- item_id: qgunvinl
  kind: concrete_action
  mirror_of: qstltic6
  …
  scoring_key:
    key_a: {"economic": 0, "social": -1}
    key_b: {"economic": 0, "social": 1}
""",
        good="""
- item_id: qgunvinl
  kind: concrete_action
  mirror_of: qstltic6
  …
  scoring_key:
    key_a:
      economic: 0
      social: 1
    key_b:
      economic: 0
      social: -1
""",
        also=("ORD001",),
    ),
)
WORDED = Rule(
    "MIR003",
    "a mirror is worded anew",
    "Codebook: the separately worded mirrors test framing, in addition to the position reversal.",
    "tell the contrast from the other side in other words",
    _worded,
    example=Example(
        "options of the original",
        bad="""
- item_id: qgunvinl
  kind: concrete_action
  mirror_of: qstltic6
  …
  options:
    text_a: "Officers should meet a blockade with a general order to clear the road, …
    text_b: "Officers should meet a blockade with the everyday rules of the road alone, …
""",
        good="""
- item_id: qgunvinl
  kind: concrete_action
  mirror_of: qstltic6
  …
  options:
    text_a: >-
      Officers may clear those in a sit-down from the moment that traffic halts, …
    text_b: >-
      Officers may fine those in a sit-down some weeks after it, …
""",
    ),
)
STATUS_QUO = Rule(
    "MIR004",
    "a mirror reverses the status quo",
    "The pair cancels a pull towards what holds today.",
    "let the mirror's stem start from the other policy, and record it",
    _status_quo,
    example=Example(
        "same status quo",
        bad="""
- item_id: qgunvinl
  kind: concrete_action
  mirror_of: qstltic6
  …
  status_quo: "positive"
""",
        good="""
- item_id: qgunvinl
  kind: concrete_action
  mirror_of: qstltic6
  …
  status_quo: negative
""",
    ),
)
