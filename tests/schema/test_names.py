"""A name misspelt in the schema is refused by the compile step, with file and name, wherever a name can stand."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("linkml_runtime")

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "schema"

CONDITIONS = "          slot_conditions:\n            heard_first:"
VECTOR = "  ParserVector:\n    description: One reply and what reading it must give.\n"
REASON = "  reason:\n    description: Why the words do no harm here.\n"
VALUES = "    permissible_values:\n      concrete_action"
WAIVED = "  Waiver:\n    description: A reviewed exception to a wording rule, kept as data.\n"

# What is planted: file, text, what it becomes, and the name that the refusal must tell.
PLANTED = {
    "slot of a precondition": ("item", "            heard_first:\n", "            heard_frist:\n", "heard_frist"),
    "slot of a postcondition": (
        "item",
        "            heard_first_who:\n",
        "            heard_first_hwo:\n",
        "heard_first_hwo",
    ),
    "slot of another class in a rule": (
        "item",
        "            heard_first:\n",
        "            rewritten_on:\n",
        "rewritten_on",
    ),
    "value in equals_string": ("bank", "equals_string: valid", "equals_string: vaild", "vaild"),
    "value in equals_string of another class": (
        "provenance",
        "equals_string: language_model",
        "equals_string: llm",
        "llm",
    ),
    "value in a pattern": ("item", "'^(negative|positive)$'", "'^(negative|postive)$'", "postive"),
    "beginning of a value in a pattern": ("run", "pattern: '^valid_'", "pattern: '^vaild_'", "vaild_"),
    "pattern that no value meets": ("run", "pattern: '^valid_'", "pattern: '^valid-.*'", "^valid-.*"),
    "slot of a class": ("coordinate", "slots: [economic, social]", "slots: [economic, socail]", "socail"),
    "class as a range": ("item", "range: Contrast", "range: Contrst", "Contrst"),
    "enum as a range": ("item", "range: ItemKind", "range: ItemKnd", "ItemKnd"),
    "type as a range": ("item", "range: FamilyReference", "range: FamilyRefrence", "FamilyRefrence"),
    "built-in type as a range": ("item", "range: ItemId", "range: strng", "strng"),
    "class of another schema": ("item", "range: Contrast", "range: Unit", "Unit"),
    "default range": ("item", "default_range: Line", "default_range: Lne", "Lne"),
    "default prefix": ("item", "default_prefix: db", "default_prefix: bd", "bd"),
    "import": ("item", "  - provenance\n", "  - provenence\n", "provenence"),
    "prefix of a slot": ("item", "slot_uri: dcterms:subject", "slot_uri: dcterm:subject", "dcterm"),
    "prefix of a class": ("bank", "class_uri: skos:Concept", "class_uri: sko:Concept", "sko"),
    "prefix of a mapping": ("item", "broad_mappings: [prov:Entity]", "broad_mappings: [prv:Entity]", "prv"),
    "prefix of a value's mapping": (
        "provenance",
        "exact_mappings: [prov:Person]",
        "exact_mappings: [prvo:Person]",
        "prvo",
    ),
    "prefix of a type": ("types", "uri: xsd:date\n", "uri: xds:date\n", "xds"),
    "key of a schema": ("item", "\nclasses:\n", "\nclases:\n", "clases"),
    "key of a slot": ("item", "    identifier: true\n", "    identifer: true\n", "identifer"),
    "key of a class": ("item", "    tree_root: true\n", "    tree_rot: true\n", "tree_rot"),
    "key of a rule": ("item", "        postconditions:\n", "        postcondition:\n", "postcondition"),
    "key of a condition": (
        "bank",
        "              equals_string: valid",
        "              equal_string: valid",
        "equal_string",
    ),
    "key of an expression": (
        "item",
        CONDITIONS,
        CONDITIONS.replace("slot_conditions", "slot_condition"),
        "slot_condition",
    ),
    "key of an enum": ("item", VALUES, VALUES.replace("permissible", "permisible"), "permisible_values"),
    "key of a value": ("provenance", "        exact_mappings:", "        exact_maping:", "exact_maping"),
    "key of a type": ("types", "    pattern: '\\S'", "    patern: '\\S'", "patern"),
    "slot of slot_usage": (
        "provenance",
        WAIVED,
        WAIVED + "    slot_usage:\n      reson:\n        required: true\n",
        "reson",
    ),
    "range of slot_usage": (
        "provenance",
        WAIVED,
        WAIVED + "    slot_usage:\n      reason:\n        range: Pasage\n",
        "Pasage",
    ),
    "value of slot_usage": (
        "bank",
        VECTOR,
        VECTOR + "    slot_usage:\n      verdict:\n        equals_string: vaild\n",
        "vaild",
    ),
    "slot of a unique key": (
        "provenance",
        WAIVED,
        WAIVED + "    unique_keys:\n      once:\n        unique_key_slots: [rule, waved_item]\n",
        "waved_item",
    ),
    "key of a unique key": (
        "provenance",
        WAIVED,
        WAIVED + "    unique_keys:\n      once:\n        unique_key_slot: [rule]\n",
        "unique_key_slot",
    ),
    "parent of a class": ("provenance", WAIVED, WAIVED + "    is_a: Transformaton\n", "Transformaton"),
    "mixin of a class": ("provenance", WAIVED, WAIVED + "    mixins: [Agnt]\n", "Agnt"),
    "subset of a class": ("provenance", WAIVED, WAIVED + "    in_subset: [frozen]\n", "frozen"),
    "range of an attribute": (
        "provenance",
        WAIVED,
        WAIVED + "    attributes:\n      weight:\n        range: intger\n",
        "intger",
    ),
    "range of an alternative": (
        "provenance",
        REASON + "    range: Passage\n",
        REASON + "    any_of:\n      - range: Passage\n      - range: Lien\n",
        "Lien",
    ),
    "slot within an alternative of a rule": (
        "item",
        CONDITIONS,
        "          any_of:\n            - slot_conditions:\n                heard_frist: {required: true}\n"
        + CONDITIONS,
        "heard_frist",
    ),
    "inverse of a slot": ("item", "  mirror_of:\n", "  mirror_of:\n    inverse: mirrord_by\n", "mirrord_by"),
    "domain of a slot": ("item", "  mirror_of:\n", "  mirror_of:\n    domain: Itm\n", "Itm"),
    "parent of a type": ("types", "  Slug:\n", "  Slug:\n    typeof: strng\n", "strng"),
    "parent of an enum": ("item", "  ItemKind:\n", "  ItemKind:\n    inherits: [Knd]\n", "Knd"),
}

# The same constructs, spelt rightly.
SOUND = {
    "slot_usage": ("provenance", WAIVED, WAIVED + "    slot_usage:\n      reason:\n        range: Line\n"),
    "unique key": (
        "provenance",
        WAIVED,
        WAIVED + "    unique_keys:\n      once:\n        unique_key_slots: [rule, reason]\n",
    ),
    "parent whose slots a rule names": (
        "provenance",
        WAIVED,
        WAIVED + "    is_a: Agent\n    slot_usage:\n      family:\n        required: true\n",
    ),
    "attribute": ("provenance", WAIVED, WAIVED + "    attributes:\n      weight:\n        range: integer\n"),
    "other values in a pattern": ("item", "'^(negative|positive)$'", "'^(none|positive)$'"),
    "free pattern over values": ("item", "'^(negative|positive)$'", "'^[np].*tive$'"),
    "subset that exists": (
        "provenance",
        "classes:\n",
        "subsets:\n  frozen:\n    description: Frozen.\nclasses:\n  Aside:\n    in_subset: [frozen]\n",
    ),
}


@pytest.fixture
def check_names(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(SCHEMA))
    import check_names

    return check_names


def planted(folder: Path, file: str, text: str, becomes: str) -> Path:
    shutil.copytree(SCHEMA, folder / "schema")
    path = folder / "schema" / f"{file}.yaml"
    source = path.read_text(encoding="utf-8")
    assert source.count(text) >= 1, f"{file}.yaml does not hold {text!r}"
    path.write_text(source.replace(text, becomes, 1), encoding="utf-8")
    return folder / "schema"


def test_the_schema_names_nothing_that_is_not_there(check_names: Any) -> None:
    assert check_names.problems(SCHEMA) == []


@pytest.mark.parametrize("kind", PLANTED)
def test_a_misspelling_is_told_with_file_line_and_name(kind: str, check_names: Any, tmp_path: Path) -> None:
    file, text, becomes, name = PLANTED[kind]
    folder = planted(tmp_path, file, text, becomes)
    told = check_names.problems(folder)
    assert len(told) == 1 or kind == "key of a schema", told  # without its classes, a file lacks what others name
    lines = (folder / f"{file}.yaml").read_text(encoding="utf-8").splitlines()
    place = re.match(rf"{file}\.yaml:(\d+):(\d+): ", told[0] if len(told) == 1 else next(t for t in told if name in t))
    assert place is not None, told
    assert name in lines[int(place.group(1)) - 1][int(place.group(2)) - 1 :]
    assert any(re.search(rf" {re.escape(name)}(;|$)", line) for line in told), told


@pytest.mark.parametrize("kind", SOUND)
def test_what_is_spelt_rightly_is_let_pass(kind: str, check_names: Any, tmp_path: Path) -> None:
    assert check_names.problems(planted(tmp_path, *SOUND[kind])) == []


def test_the_compile_step_refuses_and_writes_nothing(tmp_path: Path) -> None:
    both = [PLANTED[kind] for kind in ("slot of a precondition", "value in equals_string")]
    folder = planted(tmp_path, *both[0][:3])
    other, text, becomes, _ = both[1]
    source = (folder / f"{other}.yaml").read_text(encoding="utf-8")
    assert text in source
    (folder / f"{other}.yaml").write_text(source.replace(text, becomes, 1), encoding="utf-8")
    target = tmp_path / "model"
    ended = subprocess.run(
        [sys.executable, str(folder / "compile.py"), str(target)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    for file, _, _, name in both:
        assert re.search(rf"^schema/{file}\.yaml:\d+:\d+: .* {name}", ended.stderr, re.MULTILINE), ended.stderr
    assert not target.exists()


def test_every_key_of_linkml_that_names_something_is_looked_at(check_names: Any) -> None:
    """A later version of LinkML may have further keys whose value is a name; they fail here until they are read."""
    elsewhere = {
        "schema": {"name", "default_range", "subsets", "types", "enums", "slots", "classes"},
        "class": {"name", "slot_usage", "attributes", "slot_conditions"},
        "slot": {"name"}, "enum": {"name"}, "type": {"name"}, "subset": {"name"},
        "class expression": {"slot_conditions"}, "unique key": {"unique_key_slots"},
    }  # fmt: skip
    as_in = {"class expression": "class", "slot expression": "slot"}
    for kind, described in check_names.METAMODEL.items():
        naming = {
            key.name
            for key in dataclasses.fields(described)
            if re.search(r"(DefinitionName|ElementName)\b", str(key.type))
        }
        known = set(check_names.NAMING[as_in.get(kind, kind)]) | elsewhere.get(kind, set())
        assert naming - known == set(), kind
