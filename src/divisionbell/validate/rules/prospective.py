"""SRC005, SRC006: codes made before party counts were known stand apart, hold their figures and are never changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from divisionbell.bank.canonical import extract_sha256
from divisionbell.diagnostics import Diagnostic, Location, shown_path
from divisionbell.validate.common import codes_in
from divisionbell.validate.rule import Context, Example, Rule

SUPPLIED = frozenset(("division_id", "number", "held_at", "official_title", "ayes", "noes"))


def _codes(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    for document in context.prospective:
        for number, code in enumerate(document.value["prospective_codes"]):
            place = ("prospective_codes", number)
            address = f"https://votes.parliament.uk/votes/commons/division/{code['division_id']}"
            if code["official_address"] != address:
                told = "is not the official page of this division"
                yield rule.found(document.at(*place, "official_address"), told, fix=f"write {address}")
            if code["aye_coordinate"] == 0:
                yield rule.found(
                    document.at(*place, "aye_coordinate"),
                    "a code without a direction cannot be tested",
                    fix="remove it",
                )
            supplied: set[str] = set()
            for copy_number, copy in enumerate(code["copies"]):
                supplied.update(copy["supplies"])
                foreign = [(n, slot) for n, slot in enumerate(copy["supplies"]) if slot not in SUPPLIED]
                for element, slot in foreign:
                    yield rule.found(
                        document.at(*place, "copies", copy_number, "supplies", element),
                        f"the code was made without {slot}",
                        fix="name only: " + ", ".join(sorted(SUPPLIED)),
                    )
                if not foreign and copy["extract_sha256"] != extract_sha256(code, copy["supplies"]):
                    yield rule.found(
                        document.at(*place, "copies", copy_number, "extract_sha256"),
                        "the figures are not those of the extract: these have the digest "
                        + extract_sha256(code, copy["supplies"]),
                        fix="restore the figures",
                    )
            missing = sorted(SUPPLIED - supplied)
            if missing:
                yield rule.found(document.at_key(*place, "copies"), f"no copy is named for {', '.join(missing)}")


def _once_frozen(context: Context) -> dict[str, tuple[str, Any]]:
    """Every code that some frozen version holds: its id, with the first such version and the code."""
    found: dict[str, tuple[str, Any]] = {}
    for version in context.whole.frozen_versions():
        sound = context.whole.sound_versions.get(version)
        try:
            path = context.bank.freeze_folder / f"{version}.records.jsonl"
            codes = sound.codes if sound is not None else codes_in(context.whole.frozen_file(path))
        except (ValueError, KeyError, TypeError):
            continue  # a damaged frozen file is another rule's finding
        for name, code in codes.items():
            found.setdefault(name, (version, code))
    return found


def _kept(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    frozen = _once_frozen(context)
    for document in context.prospective:
        for number, code in enumerate(document.value["prospective_codes"]):
            version, was = frozen.pop(f"commons-{code['division_id']}", ("", code))
            for slot in ("axis", "aye_coordinate", "direction"):
                if code[slot] != was.get(slot):
                    yield rule.found(
                        document.at("prospective_codes", number, slot),
                        f"{slot} is {code[slot]}; frozen {version} has {was.get(slot)}",
                    )
    if len(context.prospective) == len(context.bank.prospective):
        for name, (version, _) in frozen.items():
            place = Location(shown_path(context.bank.folder / "prospective"))
            yield rule.found(place, f"the code of {name}, frozen in {version}, is missing")


KEPT = Rule(
    "SRC006",
    "a prospective code is never changed",
    "A code that could be turned round once the counts are known would test nothing.",
    "restore the code as it was frozen; say in a new note what is thought now",
    across=_kept,
    example=Example(
        "sign turned round under a new version",
        bad="""
axis: social
aye_coordinate: 1
""",
        good="""
axis: social
aye_coordinate: -1
""",
    ),
)
CODES = Rule(
    "SRC005",
    "prospective codes were made without party counts",
    "They test the reading against counts that come later, so nobody could have selected for them.",
    "correct the code",
    across=_codes,
    example=Example(
        "no direction",
        bad="""
axis: social
aye_coordinate: 0
""",
        good="""
axis: social
aye_coordinate: -1
""",
    ),
)
