"""Scaffold the mirror of an item: key reversed, status quo reversed, texts left to be written anew."""

from __future__ import annotations

from datetime import date
from typing import Any

from divisionbell.author.new_dossier import Blanks, draw_id, scaffold_item
from divisionbell.author.write_back import append_item, replace_block
from divisionbell.bank.order import pole_at_a
from divisionbell.bank.read import Document, read_bytes
from divisionbell.diagnostics import UsageProblem


def propose(document: Document, item_id: str, seed: str, taken: set[str], agent: str, today: date) -> tuple[str, str]:
    """The new text of the dossier and the id of the mirror that was added.

    Raises UsageProblem where the item is a mirror itself or has one.
    """
    dossier = document.value
    items: list[dict[str, Any]] = dossier["items"]
    original = next(item for item in items if item["item_id"] == item_id)
    if "mirror_of" in original:
        raise UsageProblem(f"{item_id} is a mirror itself", f"its original is {original['mirror_of']}")
    for item in items:
        if item.get("mirror_of") == item_id:
            raise UsageProblem(f"{item_id} has a mirror: {item['item_id']}", "edit that one")
    blanks = Blanks()
    mirror_id = draw_id(taken)
    at_a = pole_at_a(seed, item_id, mirror=True)
    mirror = scaffold_item(blanks, mirror_id, original["kind"], dossier["axis"], at_a, agent, today, item_id)
    mirror["status_quo"] = {"negative": "positive", "positive": "negative", "none": "none"}[original["status_quo"]]
    text = append_item(document, ("items",), mirror)
    for procedure in ("motion_semantics_v1", "party_space_crosscheck_v1"):
        changed = read_bytes(text.encode("utf-8"), Document(document.path))
        covers = [*dossier["reviews"][procedure].get("covers", []), mirror_id]
        text = replace_block(changed, ("reviews", procedure, "covers"), covers)
    return blanks.fill(text), mirror_id
