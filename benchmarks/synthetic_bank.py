"""Write a valid bank of any size: the pilot's source records and reviews, with texts of random words.

python benchmarks/synthetic_bank.py DOSSIERS FOLDER

The texts say nothing; they keep the rules on length, wording and repetition, so that every rule has its full work.
"""

from __future__ import annotations

import copy
import json
import random
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from divisionbell.author.write_back import emit
from divisionbell.bank.canonical import extract_sha256, transformation_sha256
from divisionbell.bank.load import load
from divisionbell.bank.order import pole_at_a
from divisionbell.bank.read import read
from divisionbell.model import model_file
from divisionbell.validate.surface import reading_grade
from divisionbell.validate.word_lists import LOADED
from divisionbell.validate.words import first_word

ROOT = Path(__file__).resolve().parent.parent
PILOT = ROOT / "tests" / "pilot"
LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
FIRST_ID = 100_000
REGISTERED = "Syntheticum"


def vocabulary() -> list[str]:
    """The words of the pilot's items that are written small and begin no term that a rule looks for."""
    texts = [
        text
        for dossier in load(PILOT / "bank").dossiers
        for item in dossier.value["items"]
        for text in (item["stem"], *item["options"].values())
    ]
    found = {word for text in texts for word in re.findall(r"(?<![\w'-])[a-z]{2,}(?![\w'-])", text)}
    names = json.loads(model_file("names.json"))
    barred = {first_word(term) for term in (*LOADED, *names["as_written"], *names["in_any_case"])}
    return sorted(found - barred)


def sentence(draw: random.Random, words: list[str], length: int) -> str:
    return " ".join(draw.choices(words, k=length)).capitalize() + "."


def options(draw: random.Random, words: list[str]) -> tuple[str, str]:
    """Two options of like length and reading grade."""
    first = sentence(draw, words, 14)
    while True:
        second = sentence(draw, words, 14)
        even = max(len(first), len(second)) / min(len(first), len(second)) <= 1.2
        if even and abs(reading_grade(first) - reading_grade(second)) < 3.5:
            return first, second


def dossier(template: dict[str, Any], number: int, draw: random.Random, words: list[str], seed: str) -> dict[str, Any]:
    """One dossier with new ids and texts, and its digests."""
    value = copy.deepcopy(template)
    division, source = FIRST_ID + number, value["source"]
    old, name = value["dossier_id"], f"commons-{division}"
    value["dossier_id"], source["division_id"], source["number"] = name, division, division
    source["official_address"] = f"https://votes.parliament.uk/votes/commons/division/{division}"
    for written in source["copies"]:
        written["extract_sha256"] = extract_sha256(source, written["supplies"])
    new: dict[str, str] = {}
    for item in value["items"]:
        new[item["item_id"]] = "q" + "".join(draw.choices(LETTERS, k=7))
        item["item_id"] = new[item["item_id"]]
        for slot in ("institutions", "rewritings"):
            item.pop(slot, None)
        if "mirror_of" in item:
            item["mirror_of"] = new[item["mirror_of"]]
        item["stem"] = " ".join(sentence(draw, words, 18) for _ in range(3))
        if division == FIRST_ID and item is value["items"][0]:
            item["stem"] += f" This is {REGISTERED}."
            item["institutions"] = [REGISTERED]
        a, b = options(draw, words)
        item["options"] = {"text_a": a, "text_b": b}
        negative_at_a = (
            pole_at_a(seed, item.get("mirror_of", item["item_id"]), mirror="mirror_of" in item) == "negative"
        )
        at_a = -1 if negative_at_a else 1
        other = "social" if value["axis"] == "economic" else "economic"
        item["scoring_key"] = {
            "key_a": {value["axis"]: at_a, other: 0},
            "key_b": {value["axis"]: -at_a, other: 0},
        }
    for procedure, slot in (
        ("motion_semantics_v1", "semantics_evidence"),
        ("party_space_crosscheck_v1", "party_space_evidence"),
    ):
        review = value["reviews"][procedure]
        review["review_id"] = review["review_id"].replace(old, name)
        review["covers"] = list(new.values())
        review[slot] = [entity.replace(f"{old}#", f"{name}#") for entity in review[slot]]
    for slot in ("codings", "waivers"):
        value.pop(slot, None)
    for item in value["items"]:
        item["transformation_sha256"] = transformation_sha256(value, item)
    return value


class _Fast(yaml.CSafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: Any, value: str) -> Any:
    style = ">" if len(value) > 100 else "'" if re.match(r"[\d.+-]", value) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Fast.add_representer(str, _text)


def settings(value: dict[str, Any], item: str) -> dict[str, Any]:
    """The pilot's settings without what names its own dossiers and items, and one name registered for an item."""
    registry = [{"invented_name": REGISTERED, "invented_for": item}]
    changed = {**value, "registry": registry, "forms": [form for form in value["forms"] if "form_dossiers" not in form]}
    changed["family_limits"] = {**value["family_limits"], "max_family_share": 1.0}
    return changed


def dossiers(count: int) -> Iterator[tuple[Path, dict[str, Any]]]:
    pilot = load(PILOT / "bank")
    draw, words = random.Random(1), vocabulary()  # noqa: S311
    seed = pilot.settings.value["response_seed"]
    for number in range(count):
        made = dossier(pilot.dossiers[number % len(pilot.dossiers)].value, number, draw, words, seed)
        name = f"{FIRST_ID + number}-synthetic.yaml"
        yield Path("dossiers", made["axis"], made["issue_family"], name), made


def write(count: int, folder: Path) -> Path:
    """A bank of `count` dossiers in `folder`, with data_sources.yaml beside it."""
    bank = folder / "bank"
    shutil.copytree(
        PILOT / "bank", bank, ignore=shutil.ignore_patterns("freeze", "dossiers", "excluded", "prospective")
    )
    shutil.copy(PILOT / "data_sources.yaml", folder / "data_sources.yaml")
    (bank / "evaluations.yaml").write_text("evaluations: []\n", encoding="utf-8")
    item = ""
    for path, value in dossiers(count):
        item = item or value["items"][0]["item_id"]
        (bank / path).parent.mkdir(parents=True, exist_ok=True)
        text = yaml.dump(value, Dumper=_Fast, sort_keys=False, allow_unicode=True, width=118)
        (bank / path).write_text(text, encoding="utf-8")
    (bank / "bank.yaml").write_text(emit(settings(read(PILOT / "bank" / "bank.yaml").value, item)), encoding="utf-8")
    return bank


if __name__ == "__main__":
    print(write(int(sys.argv[1]), Path(sys.argv[2])))
