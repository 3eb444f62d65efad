"""Every example of every class is read by three validators: the reference, the fast one and the Pydantic class.

Examples lie in valid/<Class>-<what>.yaml and invalid/<Class>-<why>.yaml. An invalid example has exactly one fault and
begins with `# expect: <JSON pointer> <keyword>`. The pointer of a whole document is the empty string, so that only the
keyword stands there. For a missing or an unknown key the pointer is that of the object.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema_rs
import pydantic
import pytest
import yaml

from divisionbell.bank.document import Document
from divisionbell.model import classes, run_classes
from divisionbell.validate.shape import fits, schema, validator

jsonschema = pytest.importorskip("jsonschema")

HERE = Path(__file__).resolve().parent
SCHEMA = HERE.parents[1] / "schema"
MODEL = HERE.parents[1] / "src" / "divisionbell" / "model"
VALID = sorted((HERE / "valid").glob("*.yaml"))
INVALID = sorted((HERE / "invalid").glob("*.yaml"))
SOURCES = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(SCHEMA.glob("*.yaml"))}
CLASSES = sorted({name for source in SOURCES.values() for name in source.get("classes", {})} - {"Any"})
RULES = [
    (name, rule)
    for source in SOURCES.values()
    for name, body in source.get("classes", {}).items()
    for rule in body.get("rules", [])
]
# Slots with a pattern of their own, under the name they have in a document; Pydantic checks these and no others.
OWN_PATTERN = {
    body.get("alias", name)
    for source in SOURCES.values()
    for name, body in source.get("slots", {}).items()
    if "pattern" in body
}

# What the Pydantic classes are not expected to find. Documents are always read with the JSON Schema first; the classes
# are there to hand values on under their names.
LAXER = {
    "pattern of a type": "the generator writes patterns of slots into the class, and none of types",
    "rule": "the generator writes no rules",
    "uniqueItems": "the generator writes no uniqueness of list elements",
    "coercion": "text that spells a number or a truth value is taken for it, and true for 1",
    "null": "a slot that may be left out has the default None, which may then also be given",
    "Any": "a slot of range Any takes everything, None included",
}


@cache
def documents(name: str) -> tuple[dict[str, Any], ModuleType]:
    """The JSON Schema document and the module that a class stands in."""
    for file, module in (("bank.schema.json", classes), ("run.schema.json", run_classes)):
        schema = json.loads((MODEL / file).read_text(encoding="utf-8"))
        if name in schema["$defs"]:
            return schema, module
    raise KeyError(name)


@cache
def engines(name: str) -> tuple[Any, Any, type[pydantic.BaseModel]]:
    """Reference validator, fast validator and Pydantic class."""
    schema, module = documents(name)
    rooted = {**schema, "$ref": f"#/$defs/{name}"}
    reference = jsonschema.validators.validator_for(rooted)
    assert reference is jsonschema.Draft201909Validator
    return reference(rooted), jsonschema_rs.validator_for(rooted), getattr(module, name)


@cache
def read(path: Path) -> tuple[str, Any]:
    """The class that an example is for, and the example."""
    return path.stem.split("-")[0], yaml.safe_load(path.read_text(encoding="utf-8"))


def pointer(path: Any) -> str:
    """A JSON pointer (RFC 6901)."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def expected(path: Path) -> tuple[str, str]:
    """Pointer and keyword from the first line of an invalid example."""
    first = path.read_text(encoding="utf-8").splitlines()[0]
    found = re.fullmatch(r"# expect: (?:(/\S*) )?([A-Za-z]+)", first)
    assert found, f"{path.name} does not begin with '# expect: <JSON pointer> <keyword>'"
    return found.group(1) or "", found.group(2)


def holder(name: str, path: list[str | int]) -> dict[str, Any]:
    """The definition of the object or list that holds the last part of an instance path."""
    definitions = documents(name)[0]["$defs"]
    body = definitions[name]
    for part in path[:-1]:
        body = body["properties"][part] if isinstance(part, str) else body["items"]
        if "$ref" in body:
            body = definitions[body["$ref"].rsplit("/", 1)[1]]
    return body  # type: ignore[no-any-return]


def why_laxer(name: str, error: Any) -> str | None:
    """The entry of LAXER that a fault falls under, by what the reference validator says of it."""
    path = list(error.absolute_path)
    slot = next(part for part in [*reversed(path), ""] if isinstance(part, str))
    if error.validator == "pattern" and slot not in OWN_PATTERN:
        return "pattern of a type"
    if "then" in error.absolute_schema_path:
        return "rule"
    if error.validator == "uniqueItems":
        return "uniqueItems"
    if error.validator != "type":
        return None
    wanted = error.schema["type"]
    if error.instance is None:
        if isinstance(wanted, list):
            return "Any"
        # In a list of texts, null is no text; elsewhere it stands for a slot left out, where that may be.
        optional = isinstance(path[-1], str) and slot not in holder(name, path).get("required", [])
        return "null" if optional else None
    if wanted == "boolean" and error.instance in ("no", "yes", "true", "false"):
        return "coercion"
    if wanted in ("integer", "number") and re.fullmatch(r"True|-?[0-9]+(\.[0-9]+)?", str(error.instance)):
        return None if wanted == "integer" and "." in str(error.instance) else "coercion"
    return None


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_valid(path: Path) -> None:
    name, value = read(path)
    reference, fast, model = engines(name)
    assert [f"{pointer(error.absolute_path)}: {error.message}" for error in reference.iter_errors(value)] == []
    assert [f"{pointer(error.instance_path)}: {error.message}" for error in fast.iter_errors(value)] == []
    made = model.model_validate(value)
    # Nothing is lost or changed on the way through the class.
    assert made.model_dump(by_alias=True, exclude_unset=True) == value


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_invalid(path: Path) -> None:
    name, value = read(path)
    reference, fast, model = engines(name)
    found = list(reference.iter_errors(value))
    assert [(pointer(error.absolute_path), error.validator) for error in found] == [expected(path)]
    assert [(pointer(error.instance_path), error.schema_path[-1]) for error in fast.iter_errors(value)] == [
        expected(path)
    ]

    reason = why_laxer(name, found[0])
    if reason is not None:
        model.model_validate(value)  # Should this raise, the class has become stricter and LAXER can lose an entry.
        assert reason in LAXER
        return
    with pytest.raises(pydantic.ValidationError) as caught:
        model.model_validate(value)
    assert caught.value.error_count() == 1
    place, keyword = expected(path)
    if keyword not in ("required", "additionalProperties"):
        assert pointer(caught.value.errors()[0]["loc"]) == place


def test_every_reason_for_laxness_is_met() -> None:
    met = set()
    for path in INVALID:
        name, value = read(path)
        met.update(why_laxer(name, error) for error in engines(name)[0].iter_errors(value))
    assert met - {None} == set(LAXER)


@pytest.mark.parametrize("name", CLASSES)
def test_class_has_examples(name: str) -> None:
    assert [path for path in VALID if read(path)[0] == name], f"no valid example of {name}"
    assert [path for path in INVALID if read(path)[0] == name], f"no invalid example of {name}"


def test_every_file_is_an_example() -> None:
    """A file of another ending or in a folder below would be read by nobody."""
    files = {path for folder in ("valid", "invalid") for path in (HERE / folder).rglob("*") if path.is_file()}
    assert files == set(VALID + INVALID)


def test_examples_are_of_known_classes() -> None:
    assert {read(path)[0] for path in VALID + INVALID} == set(CLASSES)


def test_every_slot_is_used_in_a_valid_example() -> None:
    """A slot that no example uses could be spelt or typed wrongly without being noticed."""
    wanted, used = set(), set()
    for name in CLASSES:
        wanted.update((name, slot) for slot in documents(name)[0]["$defs"][name]["properties"])
        for path in VALID:
            if read(path)[0] == name:
                used.update((name, slot) for slot in read(path)[1])
    assert wanted - used == set()


def test_every_kind_of_fault_occurs() -> None:
    """Every keyword that the schemas use has an example that it refuses."""
    keywords = {expected(path)[1] for path in INVALID}
    used = set()
    for name in ("bank", "run"):
        text = (MODEL / f"{name}.schema.json").read_text(encoding="utf-8")
        used.update(
            re.findall(r'^ +"(enum|pattern|m(?:in|ax)(?:imum|Items|Length)|uniqueItems|const)":', text, flags=re.M)
        )
    # `const` stands only in the conditions of rules.
    assert keywords == (used - {"const"}) | {"required", "additionalProperties", "type"}


def meets(value: dict[str, Any], conditions: dict[str, Any]) -> bool:
    """Whether a document meets the conditions of a rule; only the kinds of condition that the schema uses."""
    for slot, condition in conditions.items():
        (kind, wanted), *more = condition.items()
        assert not more and kind in ("equals_string", "pattern"), f"this test cannot read the condition on {slot}"
        if slot not in value:
            return False
        if not (value[slot] == wanted if kind == "equals_string" else re.search(wanted, value[slot])):
            return False
    return True


@pytest.mark.parametrize(("name", "rule"), RULES, ids=[rule["description"] for _, rule in RULES])
def test_rule_has_examples(name: str, rule: dict[str, Any]) -> None:
    """Each slot that a rule requires is missing in an example of its own, where nothing but the rule can refuse it."""
    conditions = rule["preconditions"]["slot_conditions"]
    demanded = rule["postconditions"]["slot_conditions"]
    assert all(condition == {"required": True} for condition in demanded.values()), "this test cannot read the rule"
    broken = [read(path)[1] for path in INVALID if read(path)[0] == name and expected(path) == ("", "required")]
    kept = [read(path)[1] for path in VALID if read(path)[0] == name]
    for slot in demanded:
        assert [value for value in broken if meets(value, conditions) and demanded.keys() - value.keys() == {slot}], (
            f"no example of {name} where the rule holds and {slot} is missing"
        )
    assert [value for value in kept if meets(value, conditions)], f"no valid {name} that the rule applies to"
    assert [value for value in kept if not meets(value, conditions) and demanded.keys() - value.keys()], (
        f"no valid {name} that the rule does not apply to"
    )


def test_every_value_of_a_rule_pattern_has_an_example() -> None:
    """Where a rule takes several values of an enum, each is shown with the slot missing."""
    for name, rule in RULES:
        for slot, condition in rule["preconditions"]["slot_conditions"].items():
            definitions = documents(name)[0]["$defs"]
            values = definitions[definitions[name]["properties"][slot]["$ref"].rsplit("/", 1)[1]]["enum"]
            wanted = {value for value in values if meets({slot: value}, {slot: condition})}
            assert wanted, f"the rule on {slot} of {name} never applies"
            shown = {
                read(path)[1].get(slot)
                for path in INVALID
                if read(path)[0] == name and expected(path) == ("", "required")
            }
            assert wanted <= shown, (name, slot)


def test_the_quick_validator_agrees_on_every_example() -> None:
    seen = 0
    for path in (*VALID, *INVALID):
        root, value = read(path)
        if root in schema()["$defs"]:
            seen += 1
            assert fits(root, Document(path, value)) is validator(root).is_valid(value), path.name
    assert seen > 200
