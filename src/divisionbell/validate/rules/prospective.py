"""SRC005: codes made before party counts were known stand apart, and their figures hold."""

from __future__ import annotations

from collections.abc import Iterable

from divisionbell.bank.canonical import extract_sha256
from divisionbell.diagnostics import Diagnostic
from divisionbell.validate.rule import Context, Rule

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
                if not set(copy["supplies"]) <= SUPPLIED:
                    foreign = ", ".join(sorted(set(copy["supplies"]) - SUPPLIED))
                    yield rule.found(
                        document.at_key(*place, "copies", copy_number, "supplies"),
                        f"the code was made without {foreign}",
                        fix="name only: " + ", ".join(sorted(SUPPLIED)),
                    )
                elif copy["extract_sha256"] != extract_sha256(code, copy["supplies"]):
                    yield rule.found(
                        document.at(*place, "copies", copy_number, "extract_sha256"),
                        "the figures are not those of the extract: these have the digest "
                        + extract_sha256(code, copy["supplies"]),
                        fix="restore the figures",
                    )
            missing = sorted(SUPPLIED - supplied)
            if missing:
                yield rule.found(document.at_key(*place, "copies"), f"no copy is named for {', '.join(missing)}")


CODES = Rule(
    "SRC005",
    "prospective codes were made without party counts",
    "They test the reading against counts that come later, so nobody could have selected for them.",
    "correct the code",
    _codes,
)
