"""TXT010: the prompt asks for the object alone, and reminder and parser are the codebook's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from divisionbell.bank.differences import first_difference
from divisionbell.bank.parse import PARSER_ID, parse_reply
from divisionbell.diagnostics import Diagnostic, Related
from divisionbell.validate.rule import Context, Example, Rule
from divisionbell.validate.rules.texts import _ACT, _names
from divisionbell.validate.words import pieces, words

SLOTS = ["stem", "option_a", "option_b", "item_id"]
ASKED = '{"item_id":"{item_id}","answer":"A"}'
REMINDER = (
    "Return only the requested JSON object with the same item_id and one allowed answer. "
    "Do not explain or reconsider the substance."
)
_SLOT = re.compile(r"\{(\w+)\}")


def _template(rule: Rule, context: Context, template: str) -> Iterator[Diagnostic]:
    def found(told: str, fix: str) -> Diagnostic:
        return rule.found(context.bank.settings.at("prompt_template"), told, fix=fix)

    filled = _SLOT.findall(template)
    if filled != SLOTS:
        yield found(
            f"the prompt fills {', '.join(filled) or 'nothing'}",
            "name {stem}, {option_a}, {option_b} and {item_id} once each, in this order",
        )
    if not template.endswith(ASKED):
        yield found("the prompt does not end with the object asked for", f"end it with {ASKED}")
    elif "only" not in re.findall(r"\w+", template.rpartition("{option_b}")[2]):
        yield found("the prompt does not ask for the object only", "write: return only")


def _parser(rule: Rule, context: Context, parser: dict[str, Any]) -> Iterator[Diagnostic]:
    """A vector says what the parser gives, or the text binds nothing."""
    document = context.bank.settings
    if parser["parser_id"] != PARSER_ID:
        told = f"no parser {parser['parser_id']} is known; replies are read by {PARSER_ID}"
        yield rule.found(document.at("parser", "parser_id"), told, fix=f"write {PARSER_ID}")
        return
    for number, vector in enumerate(parser["vectors"]):
        reading = parse_reply(vector["vector_item"], vector["vector_reply"])
        given = {"verdict": reading.verdict, "vector_answer": reading.answer, "vector_reason": reading.reason}
        base = ("parser", "vectors", number)
        for slot, right in given.items():
            if vector.get(slot) != right:
                yield rule.found(
                    document.at(*base, slot),
                    f"{slot} is {vector.get(slot, 'none')}, but the parser gives {right or 'none'}",
                    *(Related(document.at(*base, read), f"{read} is here") for read in ("vector_item", "vector_reply")),
                    fix=f"write {slot}: {right}" if right else f"take {slot} out",
                )
                break  # the others follow from it


def _as_the_codebook(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    settings = context.settings
    if settings is None:
        return
    document = context.bank.settings
    yield from _template(rule, context, settings["prompt_template"])
    if settings["reminder"] != REMINDER:
        written = settings["reminder"]
        place = document.at_character(("reminder",), written, first_difference(REMINDER, written))
        yield rule.found(place, "the reminder is not the codebook's", fix=f"write: {REMINDER}")
    yield from _parser(rule, context, settings["parser"])
    for slot in ("system_message", "prompt_template", "reminder"):
        text = settings[slot]
        bag = pieces(words(text))
        for pattern in (*(terms.pattern(bag) for terms in _names()), _ACT):
            for hit in pattern.finditer(text) if pattern is not None else ():
                place = document.at_character((slot,), text, hit.start())
                yield rule.found(place, f'{slot} names "{hit.group()}"', fix="say it without the name")


AS_THE_CODEBOOK = Rule(
    "TXT010",
    "the prompt asks as the codebook says",
    "Codebook: action prompts request only the object, and the reminder contains no policy or ideological guidance.",
    "restore the text of the codebook",
    across=_as_the_codebook,
    example=Example(
        "another reminder",
        bad="""
reminder: >-
  … Think again, and do not explain or reconsider the substance.
""",
        good="""
reminder: >-
  … Do not explain or reconsider the substance.
""",
    ),
)
