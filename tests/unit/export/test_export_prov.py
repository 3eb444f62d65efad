"""The RDF export: that it is valid, complete, the same every time, and honest about where a review comes from."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import random
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import export_bank as made
import jsonschema
import pyoxigraph
import pyshacl
import pytest
import rdflib
from rdflib import PROV, RDF, SH, Literal, URIRef
from rdflib.compare import to_isomorphic

from divisionbell.export.prov import FORMATS, ExportError, bank_triples, run_triples, serialise
from divisionbell.export.slots import BANK, RUN, class_of, read_model
from divisionbell.export.terms import Triple, base_of, escape_text, iri, literal, segment, term, unescape_text

# rdflib's own readers use what rdflib deprecates.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib")

DB = rdflib.Namespace("https://w3id.org/divisionbell/schema/")
B = rdflib.Namespace(made.BASE)
QUERY = files("divisionbell.export").joinpath("queries/no_review_from_output.rq").read_text(encoding="utf-8")
PARSED_AS = {
    "turtle": "turtle",
    "ntriples": "nt",
    "nquads": "nquads",
    "trig": "trig",
    "jsonld": "json-ld",
    "rdfxml": "xml",
}
RUN_PART = made.header()["run_id"].replace("/", "%2F").replace(":", "%3A")


def everything() -> list[Triple]:
    bank = bank_triples(made.records(), made.statement())
    return bank + run_triples(made.BASE, made.header(), made.units(), made.score())


def parsed(data: bytes, format: str = "ntriples") -> rdflib.Graph:
    if format in ("trig", "nquads", "jsonld"):
        dataset = rdflib.Dataset()
        dataset.parse(data=data, format=PARSED_AS[format])
        assert all(graph.identifier == rdflib.graph.DATASET_DEFAULT_GRAPH_ID for graph in dataset.graphs())
        graph = rdflib.Graph()
        for row in dataset.quads():
            graph.add(row[:3])
        return graph
    return rdflib.Graph().parse(data=data, format=PARSED_AS[format])


@pytest.fixture(scope="module")
def triples() -> list[Triple]:
    return everything()


@pytest.fixture(scope="module")
def graph(triples: list[Triple]) -> rdflib.Graph:
    return parsed(serialise(triples, "ntriples"))


@pytest.fixture(scope="module")
def shapes() -> rdflib.Graph:
    return rdflib.Graph().parse(str(files("divisionbell.model").joinpath("shapes.ttl")), format="turtle")


def test_fixture_fits_the_schemas() -> None:
    def check(schema: str, name: str, value: object) -> None:
        whole = read_model(schema) | {"$ref": f"#/$defs/{name}"}
        jsonschema.Draft201909Validator(whole).validate(value)

    kinds = {
        "agent": "Agent",
        "data_source": "DataSource",
        "dossier": "Dossier",
        "excluded": "ExcludedDossier",
        "parser": "ParserSpecification",
        "plan": "AnalysisPlan",
        "prospective": "ProspectiveCode",
    }
    for record in made.records():
        check(BANK[0], "FreezeRecord", record)
        if record["kind"] in kinds:
            check(BANK[0], kinds[record["kind"]], record["value"])
    assert {record["kind"] for record in made.records()} == set(read_model(BANK[0])["$defs"]["RecordKind"]["enum"])
    check(BANK[0], "Bank", made.settings())
    check(BANK[0], "FreezeStatement", made.statement())
    check(RUN[0], "RunHeader", made.header())
    check(RUN[0], "ScoreDocument", made.score())
    for unit in made.units():
        check(RUN[0], "Unit", unit)


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_holds_the_same_graph(triples: list[Triple], graph: rdflib.Graph, format: str) -> None:
    data = serialise(triples, format)
    found = parsed(data, format)
    assert len(found) == len(set(triples))
    assert to_isomorphic(found) == to_isomorphic(graph)
    media = pyoxigraph.RdfFormat.from_media_type(FORMATS[format])
    assert media is not None
    lines = {str(quad.triple) for quad in pyoxigraph.parse(data, format=media)}
    canonical = pyoxigraph.parse(serialise(triples, "ntriples"), format=pyoxigraph.RdfFormat.N_TRIPLES)
    assert lines == {str(quad.triple) for quad in canonical}


def test_no_blank_nodes_and_every_iri_is_well_formed(triples: list[Triple]) -> None:
    for subject, predicate, held in triples:
        assert subject.startswith("<http") and predicate.startswith("<http")
        assert held.startswith(("<http", '"'))
    data = serialise(triples, "ntriples")
    assert b"_:" not in b"\n".join(line.split(b' "')[0] for line in data.splitlines())
    assert data.decode("utf-8").count("\n") == len(set(triples))


def conforms(graph: rdflib.Graph, shapes: rdflib.Graph, meta: bool = False) -> tuple[bool, str]:
    fine, _report, text = pyshacl.validate(graph, shacl_graph=shapes, meta_shacl=meta)
    return fine, text


def test_shapes_hold(graph: rdflib.Graph, shapes: rdflib.Graph) -> None:
    fine, text = conforms(graph, shapes, meta=True)
    assert fine, text


@pytest.mark.parametrize(
    ("remove", "add"),
    [
        ((B.item_qaaaaaaa, DB.stem, None), None),
        ((B.item_qaaaaaaa, PROV.wasGeneratedBy, None), None),
        (None, (B["review_semantics-1541"], PROV.used, Literal("commons-1541#title"))),
        (None, (B.division_1541, DB.ayes, Literal("many"))),
        (None, (B["dossier_commons-1541"], PROV.hadPrimarySource, B.division_1660)),
        ((B["agent_writer"], DB.agent_kind, None), None),
        (None, (B[f"run_{RUN_PART}"], DB.repeats, Literal(2))),
        (None, (B["statement_1.0.0"], DB.statement_type, Literal("other"))),
    ],
)
def test_shapes_find_a_planted_fault(graph: rdflib.Graph, shapes: rdflib.Graph, remove: tuple, add: tuple) -> None:  # type: ignore[type-arg]
    spoilt = rdflib.Graph() + graph
    if remove:
        assert list(spoilt.triples(remove)), "nothing to remove"
        spoilt.remove(remove)
    if add:
        spoilt.add(add)
    assert not conforms(spoilt, shapes)[0]


def test_every_predicate_is_one_that_the_shapes_know(shapes: rdflib.Graph) -> None:
    """Context and shapes are compiled apart; the exporter follows the context, and the shapes must agree with it."""
    for model in (BANK, RUN):
        for name, part in read_model(model[0])["$defs"].items():
            if "properties" not in part:
                continue
            class_iri, slots = class_of(model, name)
            targets = list(shapes.subjects(SH.targetClass, URIRef(class_iri[1:-1])))
            assert len(targets) == 1, name
            paths = {path for each in shapes.objects(targets[0], SH.property) for path in shapes.objects(each, SH.path)}
            assert {URIRef(slot.predicate[1:-1]) for slot in slots.values()} == paths, name


HASHING = """
import sys, hashlib
sys.path.insert(0, sys.argv[1])
import export_bank as made
from divisionbell.export.prov import FORMATS, bank_triples, run_triples, serialise
triples = bank_triples(made.records(), made.statement())
triples += run_triples(made.BASE, made.header(), made.units(), made.score())
for format in FORMATS:
    print(format, hashlib.sha256(serialise(triples, format)).hexdigest())
"""


def test_bytes_are_the_same_every_time(triples: list[Triple]) -> None:
    expected = {format: serialise(triples, format) for format in FORMATS}
    assert expected == {format: serialise(everything(), format) for format in FORMATS}
    draw = random.Random(3)
    for _ in range(3):
        records, units = made.records(), made.units()
        draw.shuffle(records)
        draw.shuffle(units)
        records = [dict(draw.sample(list(record.items()), len(record))) for record in records]
        again = bank_triples(records, made.statement())
        again += run_triples(made.BASE, made.header(), units, made.score())
        draw.shuffle(again)
        assert expected == {format: serialise(again, format) for format in FORMATS}
    digests = "".join(f"{format} {hashlib.sha256(data).hexdigest()}\n" for format, data in expected.items())
    for seed in ("0", "4711"):
        ran = subprocess.run(
            [sys.executable, "-c", HASHING, str(Path(__file__).parent)],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert ran.stdout == digests


def test_items_name_their_division_directly_and_by_the_qualified_forms(graph: rdflib.Graph) -> None:
    items = {item_id: division for division, ids in made.ITEM_IDS.items() for item_id in ids}
    assert {str(each) for each in graph.subjects(RDF.type, DB.Item)} == {f"{made.BASE}item_{each}" for each in items}
    for item_id, division in items.items():
        item, source, act = B[f"item_{item_id}"], B[f"division_{division}"], B[f"transformation_{item_id}"]
        assert list(graph.objects(item, PROV.wasDerivedFrom)) == [source]
        assert list(graph.objects(item, PROV.hadPrimarySource)) == [source]
        assert list(graph.objects(item, PROV.wasGeneratedBy)) == [act]
        assert (act, PROV.used, source) in graph
        assert (act, PROV.used, B[f"dossier_commons-{division}_contrast"]) in graph
        assert (act, PROV.wasAssociatedWith, B.agent_writer) in graph
        for qualified, influence in (
            ("qualifiedDerivation", "Derivation"),
            ("qualifiedPrimarySource", "PrimarySource"),
        ):
            (node,) = graph.objects(item, PROV[qualified])
            assert (node, RDF.type, PROV[influence]) in graph
            assert list(graph.objects(node, PROV.entity)) == [source]
            assert list(graph.objects(node, PROV.hadActivity)) == [act]
        for label in "AB":
            assert (B[f"option_{item_id}_{label}"], rdflib.DCTERMS.isPartOf, item) in graph
    assert (B.item_qaaaaaab, PROV.alternateOf, B.item_qaaaaaaa) in graph


def test_reviews_used_disjoint_evidence_that_belongs_to_its_source(graph: rdflib.Graph) -> None:
    meaning, space = B["review_semantics-1541"], B["review_party-space-1541"]
    assert set(graph.objects(meaning, PROV.used)) == {
        B.division_1541_title,
        B.division_1541_motion_direction,
        B["codebook_1.1"],
    }
    assert set(graph.objects(space, PROV.used)) == {B.division_1541_party_counts, B["ches-2024_lrecon"]}
    assert (B.division_1541_title, rdflib.DCTERMS.isPartOf, B.division_1541) in graph
    assert (B["ches-2024_lrecon"], rdflib.DCTERMS.isPartOf, B["source_ches-2024"]) in graph
    assert (B["source_ches-2024"], RDF.type, rdflib.SDO.Dataset) not in graph  # the schema says http, not https
    assert (B["source_ches-2024"], RDF.type, URIRef("http://schema.org/Dataset")) in graph
    for review in (meaning, space):
        assert (review, RDF.type, PROV.Activity) in graph
        assert graph.value(review, PROV.endedAtTime) == Literal("2025-02-03", datatype=rdflib.XSD.date)
        assert graph.value(B[review.removeprefix(made.BASE) + "_outcome"], DB.status) == Literal("approved")
    assert (meaning, PROV.wasAssociatedWith, B["agent_reader-model"]) in graph


def test_the_freeze_and_the_run_meet_in_the_bank_version(graph: rdflib.Graph) -> None:
    run, version = B[f"run_{RUN_PART}"], B["version_1.0.0"]
    assert (version, PROV.wasGeneratedBy, B["freeze_1.0.0"]) in graph
    assert (run, PROV.used, version) in graph
    assert graph.value(version, DB.sha256) == graph.value(run, DB.bank_sha256) == Literal(made.SHA)
    members = set(graph.objects(version, PROV.hadMember))
    assert {B.item_qbbbbbbd, B["dossier_commons-1700"], B["codebook_CODEBOOK.md"], B["plan_1.0.0"]} <= members
    assert (B["codebook_1.1"], PROV.alternateOf, B["codebook_CODEBOOK.md"]) in graph
    assert all((member, RDF.type, None) in graph for member in members)
    excluded = B["dossier_commons-1700_exclusion"]
    assert graph.value(excluded, DB.exclusion_reason) == Literal("procedures_disagree")
    concepts = set(graph.subjects(rdflib.SKOS.inScheme, B["scheme_issue-families"]))
    assert concepts == {B["family_income-tax"], B["family_public-order"]}
    assert (B["dossier_commons-1541"], rdflib.DCTERMS.subject, B["family_income-tax"]) in graph
    score, journal = B[f"score_{RUN_PART}"], B[f"journal_{RUN_PART}"]
    assert (score, PROV.wasDerivedFrom, journal) in graph and (journal, PROV.wasGeneratedBy, run) in graph
    estimate = B[f"estimate_{RUN_PART}_position_economic_concrete"]
    assert (estimate, PROV.wasDerivedFrom, journal) in graph
    assert graph.value(estimate, DB.value) == Literal("-0.25", datatype=rdflib.XSD.double)
    reply = B[f"reply_{RUN_PART}_{'a' * 64}_2"]
    assert {run, B[f"unit_{RUN_PART}_{'a' * 64}"]} == set(graph.objects(reply, PROV.wasGeneratedBy))
    assert (B[f"unit_{RUN_PART}_{'c' * 64}"], PROV.used, B.item_qaaaaaac) in graph


def links(graph: rdflib.Graph) -> list[tuple[str, str]]:
    store = pyoxigraph.Store()
    store.load(graph.serialize(format="nt", encoding="utf-8"), format=pyoxigraph.RdfFormat.N_TRIPLES)
    fast = [(row["review"].value, row["output"].value) for row in store.query(QUERY)]
    slow = [(str(row.review), str(row.output)) for row in graph.query(QUERY)]
    assert sorted(fast) == sorted(slow)
    return fast


def test_no_review_leads_back_to_an_output(graph: rdflib.Graph) -> None:
    assert len(list(graph.subjects(RDF.type, DB.MotionSemanticsReview))) == 3
    assert len(list(graph.subjects(RDF.type, DB.PartySpaceReview))) == 3
    assert links(graph) == []


REPLY = B[f"reply_{RUN_PART}_{'b' * 64}_1"]
X, Y = URIRef("https://a.example/x"), URIRef("https://a.example/y")


@pytest.mark.parametrize(
    "planted",
    [
        [(B["review_semantics-1541"], PROV.used, X), (X, PROV.wasDerivedFrom, REPLY)],
        [(B["review_party-space-1660"], PROV.used, REPLY)],
        [
            (B["review_semantics-1700"], PROV.wasInformedBy, X),
            (X, PROV.used, Y),
            (Y, PROV.wasGeneratedBy, B[f"run_{RUN_PART}"]),
        ],
        [(B["codebook_CODEBOOK.md"], PROV.wasDerivedFrom, X), (X, PROV.hadPrimarySource, B[f"score_{RUN_PART}"])],
        [
            (B["division_1541_title"], PROV.qualifiedDerivation, X),
            (X, PROV.entity, Y),
            (Y, PROV.specializationOf, REPLY),
        ],
        [(B["review_semantics-1541"], PROV.used, B[f"journal_{RUN_PART}"])],
    ],
    ids=["two steps", "one step", "informed by", "through the codebook", "qualified", "through the journal"],
)
def test_a_planted_chain_is_found(graph: rdflib.Graph, planted: list[tuple[URIRef, URIRef, URIRef]]) -> None:
    spoilt = rdflib.Graph() + graph
    for each in planted:
        assert each[0] in (X, Y) or (each[0], None, None) in spoilt
        assert each[2] in (X, Y) or (each[2], None, None) in spoilt
        spoilt.add(each)
    found = links(spoilt)
    assert found
    if planted[0][0] == B["review_semantics-1541"] and planted[-1][2] == REPLY:
        assert (str(B["review_semantics-1541"]), str(REPLY)) in found


@pytest.mark.parametrize("format", FORMATS)
def test_raw_replies_come_back(triples: list[Triple], format: str) -> None:
    found = parsed(serialise(triples, format), format)
    hostile, awkward = B[f"reply_{RUN_PART}_{'a' * 64}_1"], REPLY
    assert str(found.value(awkward, DB.reply_text)) == made.AWKWARD
    assert found.value(awkward, DB.escaped_slot) is None
    assert found.value(hostile, DB.escaped_slot) == Literal("reply_text")
    assert unescape_text(str(found.value(hostile, DB.reply_text))) == made.HOSTILE
    assert str(found.value(B[f"reply_{RUN_PART}_{'b' * 64}_2"], DB.reply_text)) == ""
    (settings,) = found.objects(B[f"run_{RUN_PART}"], DB.settings)
    assert json.loads(str(settings)) == made.header()["settings"]


@pytest.mark.parametrize("text", ["", "\\", "\\u0000", "\x00\\u0000", "\\\\\x00", "\ud83d\ude00\ud83d", "\ufffe\uffff"])
def test_the_escape_can_be_undone(text: str) -> None:
    assert unescape_text(escape_text(text)) == text
    escape_text(text).encode("utf-8")


def test_a_new_slot_is_exported_without_new_code(monkeypatch: pytest.MonkeyPatch) -> None:
    bank = copy.deepcopy(read_model(BANK[0]))
    context = copy.deepcopy(read_model(BANK[1]))
    bank["$defs"]["Item"]["properties"]["readability"] = {"type": "number"}
    bank["$defs"]["Item"]["properties"]["read_by"] = {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"}
    context["@context"]["read_by"] = {"@id": "prov:wasInfluencedBy", "@type": "@id"}
    monkeypatch.setattr("divisionbell.export.slots.read_model", lambda name: {BANK[0]: bank, BANK[1]: context}[name])
    class_of.cache_clear()
    records = made.records()
    value = next(each["value"] for each in records if each["kind"] == "dossier")
    value["items"][0] |= {"readability": 61, "read_by": "human-coder"}
    try:
        found = set(bank_triples(records))
    finally:
        class_of.cache_clear()
    item = iri(f"{made.BASE}item_qaaaaaaa")
    assert (item, term("db:readability"), literal("61.0", "xsd:double")) in found
    assert (item, term("prov:wasInfluencedBy"), iri(f"{made.BASE}agent_human-coder")) in found


def test_faults_are_told() -> None:
    def spoilt(kind: str, change: dict[str, object]) -> list[dict[str, object]]:
        records = made.records()
        next(each["value"] for each in records if each["kind"] == kind).update(change)
        return records

    for records, why in (
        ([], "0 records of kind bank"),
        ([*made.records(), {"id": "x", "kind": "poem", "value": "x"}], "unknown kind 'poem'"),
        (spoilt("bank", {"base_iri": "https://a.example/b> <c"}), "base IRI"),
        (spoilt("bank", {"base_iri": "https://a.example/b"}), "base IRI"),
        (spoilt("dossier", {"poem": "x"}), "no slot 'poem'"),
        (spoilt("dossier", {"items": {}}), "is not a list"),
        (spoilt("dossier", {"dossier_id": "commons-1> <x"}), "not such an id"),
        (spoilt("dossier", {"issue_family": "No Slug"}), "does not admit"),
        (spoilt("agent", {"agent_kind": "ghost"}), "does not admit"),
        (spoilt("plan", {"minimum_families": True}), "does not admit"),
        (spoilt("plan", {"tests": [1]}), "not text"),
    ):
        with pytest.raises(ExportError, match=why):
            bank_triples(records, made.statement())
    records = made.records()
    del next(each["value"] for each in records if each["kind"] == "dossier")["reviews"]
    with pytest.raises(ExportError, match="'reviews' is missing"):
        bank_triples(records)
    with pytest.raises(ExportError, match="scores are those of run"):
        run_triples(made.BASE, made.header(), [], made.score() | {"scored_run": "other"})
    with pytest.raises(ExportError, match="does not admit"):
        run_triples(made.BASE, made.header(), [made.units()[0] | {"asked_item": "q> <x"}])
    with pytest.raises(ExportError, match="not one of"):
        serialise([], "hdt")
    for text in ("", "\ud800"):
        with pytest.raises(ExportError):
            segment(text)


@pytest.mark.parametrize(
    "base", ["https://a.example/", "http://a.example/b#", "https://a.example/b_", "https://a.example/b-"]
)
def test_bases_that_are_admitted(base: str) -> None:
    assert base_of(base) == base
