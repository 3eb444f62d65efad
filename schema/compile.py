"""Compile the LinkML schema to what the program and the editors use. Run as `make model`.

Every generator is run from this folder with relative paths, and everything that names a date, a tool version or a
path is left out, so that the output is the same bytes wherever it is made.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

from check_names import problems
from linkml.generators.jsonldcontextgen import ContextGenerator
from linkml.generators.jsonschemagen import JsonSchemaGenerator
from linkml.generators.pydanticgen import PydanticGenerator
from linkml.generators.shaclgen import ShaclGenerator
from linkml_runtime import SchemaView
from pyoxigraph import CanonicalizationAlgorithm, Dataset, RdfFormat, parse
from rdflib import SH, XSD, Graph, URIRef
from rdflib.collection import Collection

HERE = Path(__file__).resolve().parent
# Regular expressions do not mean the same everywhere. In Python `$` also stands before a last line feed, four control
# characters and U+0085 are blank, U+FEFF is not, and `.` leaves out fewer line ends than in ECMAScript. Each such piece
# is replaced by one that all engines read alike. Editors get the patterns as they are written in the schema.
PORTABLE = {
    r"[\s\S]": r"[\s\S]",
    r"[^\s": r"[^\s\x1c-\x1f\x85\ufeff",
    r"\S": r"[^\s\x1c-\x1f\x85\ufeff]",
    ".*": r"[^\n\r\u2028\u2029]*",
    "$": r"(?!\n)$",
}
PORTABLE_PIECE = re.compile(r"\[\\s\\S\]|\[\^\\s|\\S|(?<!\\)\.\*|\$$")
EDITOR_NAMES = {
    "Bank": "bank",
    "AnalysisPlan": "analysis_plan",
    "Dossier": "dossier",
    "ExcludedDossier": "excluded_dossier",
    "ProspectiveRegister": "prospective",
    "EvaluationRegister": "evaluations",
    "DataSources": "data_sources",
}


def portable(pattern: str) -> str:
    """The pattern in a form that Python, Rust and ECMAScript engines read alike."""
    return PORTABLE_PIECE.sub(lambda found: PORTABLE[found.group()], pattern)


def with_portable_patterns(schema: object) -> object:
    """A copy of a JSON Schema with every pattern made portable."""
    if isinstance(schema, list):
        return [with_portable_patterns(value) for value in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: portable(value) if key == "pattern" and isinstance(value, str) else with_portable_patterns(value)
        for key, value in schema.items()
    }


def sorted_json(value: object) -> str:
    """JSON with its keys in order."""
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def json_schema(source: str) -> dict[str, object]:
    """JSON Schema with closed classes and no nulls."""
    generator = JsonSchemaGenerator(source, not_closed=False, include_null=False)
    schema: dict[str, object] = json.loads(generator.serialize())
    for key in ("metamodel_version", "$id", "version"):
        schema.pop(key, None)
    defs = schema["$defs"]
    assert isinstance(defs, dict)
    # The generator's Any admits null and refuses lists.
    defs["Any"]["type"] = ["array", "boolean", "number", "object", "string"]
    # The generator passes over list_elements_unique.
    for slot in generator.schemaview.all_slots().values():
        for definition in defs.values():
            part = definition.get("properties", {}).get(slot.alias or slot.name)
            if slot.list_elements_unique and part is not None:
                part["uniqueItems"] = True
    # The root is chosen by the file that is read, so the document itself admits nothing.
    return {
        "$schema": "https://json-schema.org/draft/2019-09/schema",
        "title": schema["title"],
        "description": schema.get("description", ""),
        "$defs": dict(sorted(defs.items())),
    }


def only(schema: dict[str, object], root: str) -> dict[str, object]:
    """The part of a schema that one root class reaches, for editors."""
    defs = schema["$defs"]
    assert isinstance(defs, dict)
    wanted: list[str] = [root]
    for name in wanted:
        for other in re.findall(r'"#/\$defs/([A-Za-z0-9_]+)"', json.dumps(defs[name])):
            if other not in wanted:
                wanted.append(other)
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": f"Division Bell: {root}",
        "allOf": [{"$ref": f"#/$defs/{root}"}],
        "$defs": {name: defs[name] for name in sorted(wanted)},
    }


def pydantic(source: str) -> str:
    """Frozen Pydantic classes; the generator's own comments about dates and paths are dropped."""
    text: str = PydanticGenerator(source, gen_mixin_inheritance=False, metadata_mode=None, black=False).serialize()
    text = re.sub(r're\.compile\(r"(.*)"\)', lambda found: f're.compile(r"{portable(found.group(1))}")', text)
    text = text.replace("validate_assignment = True", "frozen = True").replace(
        "from __future__ import annotations \n", "from __future__ import annotations\n"
    )
    text = re.sub(r"linkml_meta = LinkMLMeta\(\{.*?\} \)\n", "", text, flags=re.S)
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def context(source: str) -> str:
    """JSON-LD context without comments."""
    text: str = ContextGenerator(source, metadata=False).serialize()
    body = json.loads(text)
    # The shapes take an address for an IRI, as RDF has it; the generator's context would make it a literal.
    for term in body["@context"].values():
        if isinstance(term, dict) and term.get("@type") == "xsd:anyURI":
            term["@type"] = "@id"
    return json.dumps({"@context": body["@context"]}, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def admit_empty_lists(graph: Graph, view: SchemaView) -> None:
    """A list that is required may still be empty, unless its least length is given; RDF cannot tell it from none."""
    for class_name in view.all_classes():
        target = URIRef(view.get_uri(class_name, expand=True))
        for slot in view.class_induced_slots(class_name):
            if slot.multivalued and not slot.minimum_cardinality:
                path = URIRef(view.get_uri(slot, expand=True))
                for shape in graph.subjects(SH.targetClass, target):
                    for part in graph.objects(shape, SH.property):
                        if (part, SH.path, path) in graph:
                            graph.remove((part, SH.minCount, None))


def leave_dates_to_their_datatype(graph: Graph) -> None:
    """Readers of RDF may rewrite a date (Z as +00:00), so that only its datatype can be held to."""
    for datatype in (XSD.date, XSD.dateTime):
        for part in list(graph.subjects(SH.datatype, datatype)):
            graph.remove((part, SH.pattern, None))


def keep_to_one_value(graph: Graph) -> None:
    """SHACL admits one pattern and one list of ignored properties a shape; the generator writes two of some."""
    for part in set(graph.subjects(SH.pattern, None)):
        patterns = sorted(graph.objects(part, SH.pattern))
        for pattern in patterns if len(patterns) > 1 else []:
            if str(pattern) == r"^\S(.*\S)?$":  # that of any line of text, beside the slot's own
                graph.remove((part, SH.pattern, pattern))
    for shape in set(graph.subjects(SH.ignoredProperties, None)):
        for extra in sorted(graph.objects(shape, SH.ignoredProperties))[1:]:
            Collection(graph, extra).clear()
            graph.remove((shape, SH.ignoredProperties, extra))


def shapes(*sources: str) -> str:
    """SHACL shapes as sorted triples (valid Turtle); blank nodes are named by what they hold, as RDFC-1.0 has it."""
    graph = Graph()
    for source in sources:
        generator = ShaclGenerator(source, closed=False, suffix="Shape")
        part = Graph().parse(data=generator.serialize(), format="turtle")
        admit_empty_lists(part, generator.schemaview)
        leave_dates_to_their_datatype(part)
        graph += part
    keep_to_one_value(graph)
    canonical = Dataset(parse(graph.serialize(format="nt"), format=RdfFormat.N_TRIPLES))
    canonical.canonicalize(CanonicalizationAlgorithm.RDFC_1_0)  # rdflib's own way to do this takes half a minute
    text = "".join(sorted(f"{quad.triple} .\n" for quad in canonical))
    names = {name: f"_:b{number}" for number, name in enumerate(dict.fromkeys(re.findall(r"_:c14n[0-9]+", text)))}
    return re.sub(r"_:c14n[0-9]+", lambda found: names[found.group()], text)


def outputs() -> dict[str, str]:
    """Every generated file by its path below the output folder."""
    os.chdir(HERE)
    bank, run = json_schema("divisionbell.yaml"), json_schema("run.yaml")
    made = {
        "bank.schema.json": sorted_json(with_portable_patterns(bank)),
        "run.schema.json": sorted_json(with_portable_patterns(run)),
        "classes.py": pydantic("divisionbell.yaml"),
        "run_classes.py": pydantic("run.yaml"),
        "context.jsonld": context("divisionbell.yaml"),
        "run_context.jsonld": context("run.yaml"),
        "shapes.ttl": shapes("divisionbell.yaml", "run.yaml"),
    }
    for root, name in EDITOR_NAMES.items():
        made[f"editor/{name}.schema.json"] = json.dumps(only(bank, root), indent=1, ensure_ascii=False) + "\n"
    return made


def main() -> int:
    wrong = problems(HERE)
    if wrong:
        print(*(f"schema/{line}" for line in wrong), "nothing was written", sep="\n", file=sys.stderr)
        return 1
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "../src/divisionbell/model")
    target = target if target.is_absolute() else (HERE / target)
    for name, text in outputs().items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        print(f"wrote {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
