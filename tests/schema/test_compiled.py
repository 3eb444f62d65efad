"""The compiled schema is what the compiler makes of the LinkML files, and it is closed, described and free of nulls."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pydantic
import pytest
import rdflib
import yaml
from rdflib.namespace import RDF, SH

from divisionbell.model import classes, run_classes

jsonschema = pytest.importorskip("jsonschema")

pytestmark = pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning")

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MODEL = ROOT / "src" / "divisionbell" / "model"
SOURCES = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "schema").glob("*.yaml"))
}
# names.json is compiled from Unicode CLDR by a script of its own, and its content goes with the version of CLDR.
NOT_FROM_THE_SCHEMA = {"__init__.py", "names.json", "places.bin", "place_words.bin"}
SCHEMAS = sorted(path.relative_to(MODEL).as_posix() for path in MODEL.rglob("*.schema.json"))
DB = rdflib.Namespace("https://w3id.org/divisionbell/schema/")
PROV = rdflib.Namespace("http://www.w3.org/ns/prov#")
DCTERMS = rdflib.Namespace("http://purl.org/dc/terms/")


def parts(kind: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """File, name and body of every class, slot, enum or type."""
    for file, source in SOURCES.items():
        for name, body in source.get(kind, {}).items():
            yield file, name, body


def load(name: str) -> Any:
    return json.loads((MODEL / name).read_text(encoding="utf-8"))


def walk(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a JSON value."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from walk(part)


def test_committed_output_is_current(tmp_path: Path) -> None:
    """Compiled twice under different hash seeds and from another folder, byte for byte what is committed."""
    pytest.importorskip("linkml")
    runs = {}
    for seed in ("1", "2"):
        target = tmp_path / seed
        target.mkdir()
        runs[target] = subprocess.Popen(
            [sys.executable, str(ROOT / "schema" / "compile.py"), str(target)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
    committed = {
        path.relative_to(MODEL).as_posix(): path.read_bytes()
        for path in MODEL.rglob("*")
        if path.is_file() and path.suffix != ".pyc" and path.name not in NOT_FROM_THE_SCHEMA
    }
    for target, run in runs.items():
        said, _ = run.communicate(timeout=600)  # a busy machine takes minutes
        assert run.returncode == 0, said
        made = {path.relative_to(target).as_posix(): path.read_bytes() for path in target.rglob("*") if path.is_file()}
        assert sorted(made) == sorted(committed)
        stale = [name for name in made if made[name] != committed[name]]
        assert stale == [], "compile the schema again (make model) and commit what it writes"


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema_is_closed_and_without_null(name: str) -> None:
    schema = load(name)
    jsonschema.validators.validator_for(schema).check_schema(schema)
    jsonschema_rs.meta.validate(schema)
    for title, body in schema["$defs"].items():
        if "properties" in body:
            assert body["additionalProperties"] is False, title
            assert set(body.get("required", [])) <= set(body["properties"]), title
    for body in walk(schema):
        kinds = body.get("type", [])
        assert "null" not in ([kinds] if isinstance(kinds, str) else kinds)
        assert None not in body.get("enum", [])
        if "$ref" in body:
            assert body["$ref"].removeprefix("#/$defs/") in schema["$defs"]


@pytest.mark.parametrize("name", SCHEMAS)
def test_any_admits_lists(name: str) -> None:
    for title, body in load(name)["$defs"].items():
        if title == "Any":
            assert set(body["type"]) == {"array", "boolean", "number", "object", "string"}


@pytest.mark.parametrize("name", SCHEMAS)
def test_no_text_is_without_a_pattern(name: str) -> None:
    """Text that may be empty or anything at all is a decision; these are the slots it was taken for."""
    free = {
        "vector_reply", "content", "reply_text", "finish_reason", "refusal_field", "transport_error", "served_model",
        "fingerprint", "reasoning_text", "token",
    }  # fmt: skip
    for title, body in load(name)["$defs"].items():
        for slot, value in body.get("properties", {}).items():
            text = value.get("items", value)
            if text.get("type") == "string" and slot not in free:
                assert "pattern" in text, f"{title}.{slot}"


def test_everything_is_described() -> None:
    undescribed = []
    for file, source in SOURCES.items():
        described = {file: source}
        for kind in ("classes", "slots", "enums", "types"):
            for name, body in source.get(kind, {}).items():
                described[f"{file}: {name}"] = body
                for value, meaning in body.get("permissible_values", {}).items():
                    described[f"{file}: {name}.{value}"] = meaning
                for number, rule in enumerate(body.get("rules", [])):
                    described[f"{file}: {name}, rule {number}"] = rule
        for place, body in described.items():
            text = (body or {}).get("description", "")
            if not (text.endswith(".") and not text.endswith("..") and text == text.strip()):
                undescribed.append(place)
    assert undescribed == []


@pytest.mark.parametrize("kind", ["classes", "slots", "enums", "types"])
def test_names_are_given_once(kind: str) -> None:
    """One meaning each; only Any is needed in both schemas."""
    names = Counter(name for _, name, _ in parts(kind))
    assert [name for name, count in names.items() if count > 1 and name != "Any"] == []


def test_slots_of_classes_exist_and_are_used() -> None:
    slots = {name for _, name, _ in parts("slots")}
    used = [slot for _, _, body in parts("classes") for slot in body.get("slots", [])]
    assert set(used) == slots
    for _, name, body in parts("classes"):
        assert len(body.get("slots", [])) == len(set(body.get("slots", []))), name


def test_slots_of_rules_exist() -> None:
    """A misspelt slot in a rule is silent: the rule never applies, or it refuses everything."""
    for _, name, body in parts("classes"):
        for rule in body.get("rules", []):
            assert rule.keys() <= {"description", "preconditions", "postconditions"}, name
            for side in ("preconditions", "postconditions"):
                assert rule[side].keys() == {"slot_conditions"}, name
                assert set(rule[side]["slot_conditions"]) <= set(body["slots"]), (name, side)


def test_rules_are_compiled() -> None:
    """As many conditions in the JSON Schema as rules in the source, each of them saying something."""
    compiled = {**load("bank.schema.json")["$defs"], **load("run.schema.json")["$defs"]}
    for _, name, body in parts("classes"):
        conditions = [part for part in [compiled[name], *compiled[name].get("allOf", [])] if "if" in part]
        assert len(conditions) == len(body.get("rules", [])), name
        for part in conditions:
            assert part["if"]["required"] and all(part["if"]["properties"].values()), name
            assert part["then"]["required"], name


def uri(file: str, body: dict[str, Any], key: str, name: str) -> str:
    """The full IRI of a class or slot."""
    prefix, _, local = body.get(key, f"db:{name}").partition(":")
    return str(SOURCES[file]["prefixes"][prefix]) + local


def test_no_iri_is_shared() -> None:
    """Shapes and contexts go by IRI, so two classes with one IRI would become one."""
    of_classes = Counter(uri(file, body, "class_uri", name) for file, name, body in parts("classes") if name != "Any")
    assert [iri for iri, count in of_classes.items() if count > 1] == []
    of_slots = {name: uri(file, body, "slot_uri", name) for file, name, body in parts("slots")}
    for _, name, body in parts("classes"):
        shared = Counter(of_slots[slot] for slot in body.get("slots", []))
        assert [iri for iri, count in shared.items() if count > 1] == [], name


def test_names_in_documents_are_told_apart() -> None:
    """Two slots of one class may not have the same name in documents."""
    alias = {name: body.get("alias", name) for _, name, body in parts("slots")}
    for _, name, body in parts("classes"):
        names = [alias[slot] for slot in body.get("slots", [])]
        assert len(names) == len(set(names)), name


# Characters that engines disagree about, with neighbours that they agree about.
ODD = [
    "\n", "\r", "\r\n", "\t", "\v", "\f", " ", "\x00", "\x1b", "\x1c", "\x1d", "\x1e", "\x1f", "\x7f", "\x85", "\xa0",
    "\u1680", "\u180e", "\u2000", "\u200a", "\u200b", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\ufeff",
    "\u0661", "\uff11", "\u0131", "\u017f", "\u212a", "\U0001f600",
]  # fmt: skip


def matching(pattern: str) -> list[str]:
    """Texts that a pattern is meant for, taken from the valid examples."""
    texts = set()

    def gather(value: Any) -> None:
        if isinstance(value, dict | list):
            for part in value.values() if isinstance(value, dict) else value:
                gather(part)
        elif isinstance(value, str) and re.search(pattern, value):
            texts.add(value)

    for path in sorted((HERE / "valid").glob("*.yaml")):
        gather(yaml.safe_load(path.read_text(encoding="utf-8")))
    return sorted(texts, key=lambda text: (len(text), text))[:3]


@pytest.mark.parametrize("name", ["bank.schema.json", "run.schema.json"])
def test_patterns_mean_the_same_in_both_engines(name: str) -> None:
    schema = load(name)
    for pattern in sorted({body["pattern"] for body in walk(schema) if isinstance(body.get("pattern"), str)}):
        one = {"$schema": schema["$schema"], "pattern": pattern}
        reference, fast = jsonschema.Draft201909Validator(one), jsonschema_rs.validator_for(one)
        texts = matching(pattern)
        assert texts, f"no valid example has a text for {pattern}"
        for text in texts:
            middle = len(text) // 2
            for odd in ODD:
                for tried in (odd, odd + text, text[:middle] + odd + text[middle:], text + odd):
                    assert reference.is_valid(tried) == fast.is_valid(tried), (pattern, tried)
            if pattern.startswith("^") and pattern.endswith("$"):
                assert not fast.is_valid(text + "\n"), pattern
                assert not fast.is_valid(""), pattern


def test_patterns_are_anchored() -> None:
    """A pattern without anchors holds wherever a part of the text fits; these two are meant to."""
    written = [body["pattern"] for kind in ("types", "slots") for _, _, body in parts(kind) if "pattern" in body]
    assert [pattern for pattern in written if not (pattern[0] == "^" and pattern[-1] == "$")] == [r"\S"]


MODELS = [
    value
    for module in (classes, run_classes)
    for value in vars(module).values()
    if isinstance(value, type)
    and issubclass(value, pydantic.BaseModel)
    and value.__module__ == module.__name__
    and not issubclass(value, pydantic.RootModel)
    and value.__name__ not in ("ConfiguredBaseModel", "Any")
]


def test_every_class_is_a_pydantic_class() -> None:
    assert sorted(model.__name__ for model in MODELS) == sorted({n for _, n, _ in parts("classes")} - {"Any"})


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_pydantic_class_is_frozen_and_closed(model: type[pydantic.BaseModel]) -> None:
    path = sorted((HERE / "valid").glob(f"{model.__name__}-*.yaml"))[0]
    made = model.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    for field in model.model_fields:
        with pytest.raises(pydantic.ValidationError, match="frozen"):
            setattr(made, field, getattr(made, field))
    with pytest.raises((pydantic.ValidationError, ValueError)):
        made.no_such_field = 1  # type: ignore[attr-defined]
    assert model.model_config["extra"] == "forbid"


def expanded(name: str, example: str, context: str = "context.jsonld") -> rdflib.Graph:
    """An example as RDF."""
    value = yaml.safe_load((HERE / "valid" / f"{example}.yaml").read_text(encoding="utf-8"))
    document = {"@context": load(context)["@context"], "@type": name, **value}
    graph = rdflib.Graph()
    graph.parse(data=json.dumps(document), format="json-ld", publicID="https://bank.example.org/")
    return graph


def test_context_expands_an_item() -> None:
    graph = expanded("Item", "Item-mirror-none-heard-first")
    item = rdflib.URIRef("https://bank.example.org/qf4gh5ij")
    assert (item, RDF.type, DB.Item) in graph
    assert set(graph.predicates(item)) == {
        RDF.type, PROV.alternateOf, PROV.wasGeneratedBy, DB.kind, DB.stem, DB.options, DB.scoring_key, DB.status_quo,
        DB.frame, DB.heard_first, DB.cost_of_negative, DB.cost_of_positive, DB.institutions, DB.transformation_sha256,
    }  # fmt: skip
    assert str(graph.value(item, PROV.alternateOf)).endswith("qab2cd3e")
    made = graph.value(item, PROV.wasGeneratedBy)
    assert str(graph.value(made, PROV.wasAssociatedWith)).endswith("drafting-model")
    assert graph.value(made, PROV.endedAtTime) == rdflib.Literal("2026-01-12", datatype=rdflib.XSD.date)
    key = graph.value(graph.value(item, DB.scoring_key), DB.key_a)
    assert float(graph.value(key, DB.social)) == 1


def test_context_expands_a_dossier() -> None:
    graph = expanded("Dossier", "Dossier-full")
    dossier = rdflib.URIRef("https://bank.example.org/commons-1541")
    source = graph.value(dossier, PROV.hadPrimarySource)
    assert graph.value(source, DCTERMS.title) == rdflib.Literal("Example Assemblies Bill: Third Reading")
    assert int(graph.value(source, DCTERMS.identifier)) == 1541
    assert len(list(graph.objects(dossier, DB["items"]))) == 2
    assert set(graph.objects(None, PROV.used)) == {
        rdflib.URIRef(f"https://bank.example.org/{name}")
        for name in (
            "commons-1541#title", "commons-1541#motion_direction", "codebook-1.1",
            "commons-1541#party_counts", "ches-2024#galtan",
        )
    }  # fmt: skip


def test_context_expands_a_unit() -> None:
    graph = expanded("Unit", "Unit-valid-at-first", "run_context.jsonld")
    unit = next(graph.subjects(RDF.type, DB.Unit))
    assert str(graph.value(unit, DB.outcome)) == "valid_at_first"
    assert graph.value(unit, PROV.endedAtTime) == rdflib.Literal("2026-02-03T09:00:01Z", datatype=rdflib.XSD.dateTime)


@pytest.mark.parametrize("name", ["context.jsonld", "run_context.jsonld"])
def test_context_names_every_slot(name: str) -> None:
    context = load(name)["@context"]
    wanted = {
        body.get("alias", slot)
        for file, slot, body in parts("slots")
        if (file == "run") == (name == "run_context.jsonld")
    }
    assert wanted <= context.keys()


def test_shapes_parse_and_cover_every_class() -> None:
    graph = rdflib.Graph().parse(MODEL / "shapes.ttl", format="turtle")
    targets = set(graph.objects(None, SH.targetClass))
    wanted = {
        rdflib.URIRef(uri(file, body, "class_uri", name)) for file, name, body in parts("classes") if name != "Any"
    }
    assert wanted <= targets
    for shape in graph.subjects(RDF.type, SH.NodeShape):
        assert len(list(graph.objects(shape, SH.targetClass))) == 1


def typed(name: str, value: Any, definitions: dict[str, Any]) -> Any:
    """A document with the class of every object in it, as the shapes ask for."""
    properties = definitions[name]["properties"]
    made = {"@type": name}
    for slot, part in value.items():
        body = properties[slot]
        reference = body.get("items", body).get("$ref", "").removeprefix("#/$defs/")
        if "properties" not in definitions.get(reference, {}):
            made[slot] = part
        elif isinstance(part, list):
            made[slot] = [typed(reference, one, definitions) for one in part]
        else:
            made[slot] = typed(reference, part, definitions)
    return made


# A frozen record holds any JSON value, of which RDF has no form.
IN_RDF = [path for path in sorted((HERE / "valid").glob("*.yaml")) if not path.name.startswith("FreezeRecord-")]


@pytest.mark.parametrize("path", IN_RDF, ids=lambda path: path.stem)
def test_shapes_accept_valid_examples(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyshacl = pytest.importorskip("pyshacl")
    # Left to itself, rdflib writes the Z of a time in UTC as +00:00, which is not the text that was given.
    monkeypatch.setattr(rdflib, "NORMALIZE_LITERALS", False)
    name = path.stem.split("-")[0]
    bank = load("bank.schema.json")["$defs"]
    prefix, definitions = ("", bank) if name in bank else ("run_", load("run.schema.json")["$defs"])
    value = typed(name, yaml.safe_load(path.read_text(encoding="utf-8")), definitions)
    document = {"@context": load(f"{prefix}context.jsonld")["@context"], **value}
    parsed = rdflib.Graph().parse(data=json.dumps(document), format="json-ld", publicID="https://bank.example.org/")
    # Written out and read again, because the JSON-LD parser gives a literal of 0 as a float the value of an integer.
    graph = rdflib.Graph().parse(data=parsed.serialize(format="nt"), format="nt")
    conforms, _, said = pyshacl.validate(graph, shacl_graph=shapes())
    assert conforms, said


@cache
def shapes() -> rdflib.Graph:
    return rdflib.Graph().parse(MODEL / "shapes.ttl", format="turtle")


def test_shapes_refuse_a_wrong_value() -> None:
    """Shapes that no node is a target of would accept everything."""
    pyshacl = pytest.importorskip("pyshacl")
    graph = rdflib.Graph()
    graph.add((rdflib.URIRef("https://bank.example.org/qab2cd3e"), RDF.type, DB.Item))
    conforms, _, said = pyshacl.validate(graph, shacl_graph=shapes())
    assert not conforms and "stem" in said
