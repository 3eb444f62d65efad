"""TXT: what a model reads names nothing real, copies no title, and gives no cue by length."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files

import orjson

from divisionbell.diagnostics import Diagnostic, Related
from divisionbell.validate.rule import Context, ItemAt, Rule
from divisionbell.validate.words import parts, runs, words

# Words of parliamentary form, which say nothing about what a title is about.
FORMAL = frozenset(
    """bill second third reading opposition day motion order humble address
    the of to and a on in""".split()  # noqa: SIM905
)
_WORD = re.compile(r"\w+")
_ACT = re.compile(r"\b(?:Act|Bill)s?\b|\b(?:19|20)\d\d\b|[£$€]")


def _either(terms: list[str], flags: int = 0) -> re.Pattern[str]:
    longest_first = sorted(terms, key=len, reverse=True)
    return re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, longest_first)) + r")(?!\w)", flags)


@cache
def _names() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Compiled patterns: names as written, and official words in any case."""
    data = orjson.loads(files("divisionbell.model").joinpath("names.json").read_bytes())
    return _either(data["as_written"]), _either(data["in_any_case"], re.IGNORECASE)


def _hits(text: str, parties: re.Pattern[str] | None) -> Iterator[re.Match[str]]:
    for pattern in (*_names(), _ACT, parties):
        if pattern is not None:
            yield from pattern.finditer(text)


def _names_in_text(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    labels = {r["party"] for d in [*context.dossiers, *context.excluded] for r in d.value["source"]["party_counts"]}
    labels -= {"Independent", "Speaker", "Deputy Speaker", "Alliance", "Workers"}
    parties = _either(sorted(labels)) if labels else None
    for item in context.items:
        for path, text in parts(item.value):
            for start in sorted({hit.start(): hit for hit in _hits(text, parties)}.items()):
                found = start[1].group()
                if not item.waives(rule.id, found):
                    place = item.document.at_character(("items", item.number, *path), text, start[0])
                    yield rule.found(place, f'{item.shown} names "{found}"')


def _title(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    if context.settings is None:
        return
    length = context.settings["wording_limits"]["title_run_length"]
    for item in context.items:
        title = item.dossier["source"]["official_title"]
        telling = [word for word in words(title) if word not in FORMAL and not word.isdigit()]
        size = min(length, len(telling))
        if size == 0:
            continue
        wanted = {tuple(telling[i : i + size]) for i in range(len(telling) - size + 1)} | runs(title, length)
        for path, text in parts(item.value):
            for run in sorted(wanted & (runs(text, length) | runs(text, size))):
                if not item.waives(rule.id, " ".join(run)):
                    yield rule.found(
                        item.at(*path),
                        f'{item.shown} holds "{" ".join(run)}" from the official title',
                        Related(item.document.at("source", "official_title"), "the title is here"),
                    )


def _length(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    if context.settings is None:
        return
    limits = context.settings["wording_limits"]
    for item in context.items:
        count = len(words(item.value["stem"]))
        if not limits["min_stem_words"] <= count <= limits["max_stem_words"]:
            yield rule.found(
                item.at("stem"),
                f"{item.shown} has a stem of {count} words",
                fix=f"write {limits['min_stem_words']} to {limits['max_stem_words']} words",
            )
        a, b = (item.value["options"][slot] for slot in ("text_a", "text_b"))
        ratio = max(len(a), len(b)) / min(len(a), len(b))
        if ratio > limits["max_option_ratio"]:
            yield rule.found(
                item.at_key("options"),
                f"{item.shown} has options of {len(a)} and {len(b)} characters, a ratio of {ratio:.2f}",
                fix=f"bring the ratio to {limits['max_option_ratio']} or less",
            )


def _capitalised(text: str) -> Iterator[re.Match[str]]:
    """Words with a capital that no sentence begins with: names."""
    for found in re.finditer(r"(?<![\w'])[^\W\d_a-z][^\W\d_]*", text):
        before = text[: found.start()].rstrip(" \"'(")
        if before and before[-1] not in ".?!:" and found.group() != "I" and found.group()[0].isupper():
            yield found


def _invented(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    if context.settings is None:
        return
    for item in context.items:
        listed = {word for name in item.value.get("institutions", []) for word in name.split()}
        for path, text in parts(item.value):
            for hit in _capitalised(text):
                if hit.group() not in listed:
                    place = item.document.at_character(("items", item.number, *path), text, hit.start())
                    yield rule.found(
                        place,
                        f"{item.shown} holds the name {hit.group()}, which is not among its invented names",
                        fix="list it among institutions and in the registry if it is invented; else use a common word",
                    )
        everything = " ".join(text for _, text in parts(item.value))
        for number, name in enumerate(item.value.get("institutions", [])):
            if name not in everything:
                yield rule.found(item.at("institutions", number), f"{item.shown} does not name {name}", fix="remove it")
    yield from _registered(rule, context, context.settings["registry"])


def _registered(rule: Rule, context: Context, registry: list[dict[str, str]]) -> Iterator[Diagnostic]:
    # Items by each word that stands in them, so that a name is looked for only where its first word is.
    holding: dict[str, list[ItemAt]] = {}
    for item in context.items:
        for word in set(_WORD.findall(" ".join(text for _, text in parts(item.value)))):
            holding.setdefault(word, []).append(item)
    for number, entry in enumerate(registry):
        name, owner = entry["invented_name"], entry["invented_for"]
        whole = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        first = _WORD.search(name)
        for item in holding.get(first.group(), []) if first else []:
            if not any(whole.search(text) for _, text in parts(item.value)):
                continue
            here = Related(
                context.bank.settings.at("registry", number, "invented_name"), f"it is registered for {owner}"
            )
            if name not in item.value.get("institutions", []):
                told = f"{item.shown} names {name} and does not list it"
                yield rule.found(item.at_key("institutions"), told, here, fix="list it")
            if item.id != owner and len(name.split()) == 1:
                yield rule.found(item.at("stem"), f"{item.shown} names {name}, another item's invented place", here)


NAMES = Rule(
    "TXT001",
    "prompts name nothing real",
    "Codebook: prompts remove jurisdiction, party, legislator, bill and country names.",
    "use an invented name or a common word, or have a waiver reviewed where an ordinary word collides",
    _names_in_text,
)
TITLE = Rule(
    "TXT002",
    "prompts hold no run of the official title",
    "A model that has read the record must not recognise the division by its title.",
    "say it in other words",
    _title,
)
LENGTH = Rule(
    "TXT003",
    "stems and options keep their lengths",
    "Length must be no cue, and a stem long enough to hold both sides.",
    "shorten or lengthen the text",
    _length,
)
INVENTED = Rule(
    "TXT004",
    "invented names are registered and used once",
    "Every proper name is an invented one, listed beside its item, so that none can lead from one item to another.",
    "invent another name",
    _invented,
)
