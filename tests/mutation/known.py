"""What is known not to be found, read from only_the_freeze.yaml."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from divisionbell.bank.read import read

FILE = Path(__file__).with_name("only_the_freeze.yaml")


@dataclass(frozen=True)
class Group:
    """Slots with one reason, each with the lies about it that are not found."""

    why: str
    slots: dict[str, list[str]]


def known(part: str) -> list[Group]:
    """The groups of `only_the_freeze` or of `never`."""
    document = read(FILE)
    assert document.problems == [], document.problems
    return [Group(group["why"], group["slots"]) for group in document.value[part]]


def lies(part: str) -> set[tuple[str, str]]:
    """Every slot with every lie about it that is known not to be found."""
    return {(slot, lie) for group in known(part) for slot, told in group.slots.items() for lie in told}
