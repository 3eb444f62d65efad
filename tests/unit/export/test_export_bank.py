"""The repository's own bank, frozen and exported: through the functions and through the command line."""

from __future__ import annotations

import copy
import json
import shutil
from importlib.resources import files
from pathlib import Path

import export_bank as made
import pyoxigraph
import pyshacl
import pytest
import rdflib
from click.testing import CliRunner, Result
from rdflib import PROV, RDF, URIRef

from divisionbell.cli import VERBS, root
from divisionbell.cli.export import FORMATS as OFFERED
from divisionbell.cli.export import command
from divisionbell.diagnostics import Findings, UsageProblem
from divisionbell.export.prov import FORMATS, ExportError, bank_triples, run_triples, serialise
from divisionbell.export.terms import Triple
from divisionbell.freeze.frozen_bank import FrozenBank, read_frozen

REPOSITORY = Path(__file__).resolve().parents[3]
DB = rdflib.Namespace("https://w3id.org/divisionbell/schema/")
QUERY = files("divisionbell.export").joinpath("queries/no_review_from_output.rq").read_text(encoding="utf-8")
MEDIA = {name: pyoxigraph.RdfFormat.from_media_type(media) for name, media in FORMATS.items()}
Json = dict[str, object]


def call(*words: str | Path) -> Result:
    return CliRunner().invoke(root, [str(word) for word in words])


def refused(*words: str | Path) -> str:
    """The message of a UsageProblem; nothing may have been written to standard output."""
    result = call("export", "rdf", *words)
    assert isinstance(result.exception, UsageProblem), result.output
    assert result.exception.fix and result.stdout == ""
    return result.exception.message


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the bank, frozen, with no run registered against an earlier freeze."""
    place = tmp_path_factory.mktemp("own")
    bank = place / "bank"
    shutil.copytree(REPOSITORY / "tests" / "pilot" / "bank", bank, ignore=shutil.ignore_patterns("freeze"))
    shutil.copy(REPOSITORY / "tests" / "pilot" / "data_sources.yaml", place)
    (bank / "evaluations.yaml").write_text("evaluations: []\n", encoding="utf-8")
    result = call("freeze", version_of(bank), "--bank", bank)
    assert result.exit_code == 0 and result.exception is None, (result.output, result.exception)
    return bank


def version_of(bank: Path) -> str:
    lines = (bank / "bank.yaml").read_text(encoding="utf-8").splitlines()
    return next(line.split(":")[1].strip(" '\"") for line in lines if line.startswith("version:"))


@pytest.fixture(scope="module")
def frozen(folder: Path) -> FrozenBank:
    return read_frozen(folder / "freeze", version_of(folder))


@pytest.fixture(scope="module")
def run(folder: Path) -> Path:
    place = folder.parent / "run"
    result = call("run", "scripted:coin", "--form", "short", "--bank", folder, "--out", place)
    assert result.exit_code == 0 and result.exception is None, (result.output, result.exception)
    return place


@pytest.fixture(scope="module")
def triples(frozen: FrozenBank) -> list[Triple]:
    return bank_triples([vars_of(record) for record in frozen.records], frozen.statement)


@pytest.fixture(scope="module")
def exported(folder: Path, run: Path) -> bytes:
    """Bank and run as the command line writes them, in N-Triples."""
    return call("export", "rdf", "--bank", folder, "--run", run, "--format", "ntriples").stdout_bytes


def vars_of(record: object) -> Json:
    return {name: getattr(record, name) for name in ("id", "kind", "value")}


def lines(data: bytes, format: str) -> set[str]:
    media = MEDIA[format]
    assert media is not None
    return {str(quad.triple) for quad in pyoxigraph.parse(data, format=media)}


def links(data: bytes, *more: str) -> list[tuple[str, str]]:
    """What the query finds in N-Triples and some more of them."""
    store = pyoxigraph.Store()
    store.load(data + "".join(more).encode("utf-8"), format=pyoxigraph.RdfFormat.N_TRIPLES)
    return [(row["review"].value, row["output"].value) for row in store.query(QUERY)]


def test_bank_and_run_fit_the_shapes(exported: bytes) -> None:
    shapes = rdflib.Graph().parse(str(files("divisionbell.model").joinpath("shapes.ttl")), format="turtle")
    graph = rdflib.Graph().parse(data=exported, format="nt")
    fine, _, said = pyshacl.validate(graph, shacl_graph=shapes)
    assert fine, said
    item = next(graph.subjects(RDF.type, DB.Item))
    graph.remove((item, DB.stem, None))
    fine, _, said = pyshacl.validate(graph, shacl_graph=shapes)
    assert not fine and str(item) in said


def test_everything_frozen_is_there(frozen: FrozenBank, triples: list[Triple]) -> None:
    graph = rdflib.Graph().parse(data=serialise(triples, "ntriples"), format="nt")
    base = frozen.settings.base_iri
    wanted = {
        "Item": {f"item_{item.item_id}" for dossier in frozen.dossiers for item in dossier.items},
        "Dossier": {f"dossier_{dossier.dossier_id}" for dossier in frozen.dossiers},
        "ExcludedDossier": {f"dossier_{dossier.dossier_id}" for dossier in frozen.excluded},
        "Form": {f"form_{form.form_id}" for form in frozen.settings.forms},
    }
    for name, nodes in wanted.items():
        assert {str(node) for node in graph.subjects(RDF.type, DB[name])} == {base + node for node in nodes}, name
    for name in ("Bank", "ParserSpecification", "AnalysisPlan", "FreezeStatement"):
        assert len(list(graph.subjects(RDF.type, DB[name]))) == 1, name
    assert {str(node).removeprefix(f"{base}agent_") for node in graph.subjects(RDF.type, PROV.Agent)} == {
        agent.agent_id for agent in frozen.settings.agents
    }
    for review in graph.subjects(RDF.type, DB.MotionSemanticsReview):
        used = set(graph.objects(review, PROV.used))
        assert URIRef(f"{base}codebook_1.1") in used
        for node in used:
            assert (node, RDF.type, PROV.Entity) in graph
    assert (URIRef(f"{base}codebook_1.1"), PROV.alternateOf, URIRef(f"{base}codebook_CODEBOOK.md")) in graph
    page = next(record.value for record in frozen.records if record.kind == "codebook")
    assert str(graph.value(URIRef(f"{base}codebook_CODEBOOK.md"), rdflib.URIRef("http://schema.org/text"))) == page
    # Whatever a review, an item or the freeze points to has a type: no reference leads nowhere.
    typed = set(graph.subjects(RDF.type, None))
    inside = {node for node in graph.objects() if isinstance(node, URIRef) and str(node).startswith(base)}
    assert inside - typed == {URIRef(base)}


def test_numbers_keep_their_value(frozen: FrozenBank, triples: list[Triple]) -> None:
    """Every number of the party-space reviews comes back as the same double."""
    found = {str(held) for _, predicate, held in triples if predicate == f"<{DB.difference}>"}
    stored = {
        entry["difference"]
        for record in frozen.records
        if record.kind in ("dossier", "excluded")
        for space in [record.value["reviews"]["party_space_crosscheck_v1"]["party_space"]]
        for entry in [space, *space.get("related_fields", [])]
        if "difference" in entry
    }
    assert {float(held.split('"')[1]) for held in found} == {float(number) for number in stored}
    assert all(held.endswith(f"^^<{rdflib.XSD.double}>") for held in found)


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_on_the_command_line(
    folder: Path, run: Path, exported: bytes, tmp_path: Path, format: str
) -> None:
    words = ["export", "rdf", "--bank", folder, "--run", run, "--format", format]
    out = tmp_path / "bank.rdf"
    told = call(*words, "--out", out)
    assert told.exit_code == 0 and told.stdout.endswith(f": {len(exported.splitlines())} triples\n")
    assert call(*words).stdout_bytes == out.read_bytes()
    assert lines(out.read_bytes(), format) == lines(exported, "ntriples")
    assert [path.name for path in tmp_path.iterdir()] == ["bank.rdf"]


def test_no_review_leads_back_to_an_output(frozen: FrozenBank, exported: bytes) -> None:
    judged = len(frozen.dossiers) + len(frozen.excluded)
    for name, count in (
        ("MotionSemanticsReview", judged),
        ("PartySpaceReview", judged),
        ("RunHeader", 1),
        ("Attempt", 32),
    ):
        assert exported.count(f"#type> <{DB}{name}> .".encode()) == count, name
    assert links(exported) == []


@pytest.mark.parametrize("start", ["review", "codebook"])
def test_a_planted_chain_is_found(frozen: FrozenBank, exported: bytes, start: str) -> None:
    base = frozen.settings.base_iri
    reviews = sorted(
        record.value["reviews"]["motion_semantics_v1"]["review_id"]
        for record in frozen.records
        if record.kind in ("dossier", "excluded")
    )
    reply = next(
        line.split(b" ")[0].decode()[1:-1] for line in exported.splitlines() if f"{DB}Attempt>".encode() in line
    )
    first = f"<{base}review_{reviews[0]}> <{PROV.used}> <https://a.example/x> .\n"
    if start == "codebook":
        first = f"<{base}codebook_CODEBOOK.md> <{PROV.wasDerivedFrom}> <https://a.example/x> .\n"
    found = links(exported, first, f"<https://a.example/x> <{PROV.wasDerivedFrom}> <{reply}> .\n")
    hit = {review for review, output in found if output == reply}
    assert hit == {f"{base}review_{name}" for name in (reviews[:1] if start == "review" else reviews)}


def test_the_frozen_files_are_read_and_not_the_working_ones(
    folder: Path, triples: list[Triple], tmp_path: Path
) -> None:
    bank = tmp_path / "bank"
    (bank / "freeze").mkdir(parents=True)
    for path in (folder / "freeze").iterdir():
        shutil.copy(path, bank / "freeze")
    (bank / "bank.yaml").write_text(f"version: '{version_of(folder)}'\n", encoding="utf-8")
    data = call("export", "rdf", "--bank", bank).stdout_bytes
    assert data == serialise(triples, "turtle")
    (bank / "bank.yaml").write_text("version: '9.9.9'\n", encoding="utf-8")
    assert "9.9.9 is not frozen" in refused("--bank", bank)
    assert call("export", "rdf", "--bank", bank, "--version", version_of(folder)).stdout_bytes == data


def test_a_torn_last_line_and_a_missing_journal(folder: Path, run: Path, exported: bytes, tmp_path: Path) -> None:
    words = ["export", "rdf", "--bank", folder, "--format", "ntriples", "--run"]
    torn = tmp_path / "torn"
    shutil.copytree(run, torn)
    with (torn / "journal.jsonl").open("ab") as journal:
        journal.write(b'{"unit_key": "0123')
    assert call(*words, torn).stdout_bytes == exported
    (torn / "journal.jsonl").unlink()
    assert isinstance(call(*words, torn).exception, Findings)


def test_a_unit_that_was_reached_later_stands_once(folder: Path, run: Path, exported: bytes, tmp_path: Path) -> None:
    again = tmp_path / "again"
    shutil.copytree(run, again)
    journal = (again / "journal.jsonl").read_bytes()
    failed = json.loads(journal.splitlines()[0]) | {
        "outcome": "transport_failed",
        "finished_at": "2026-01-01T00:00:00Z",
    }
    del failed["answer"]
    (again / "journal.jsonl").write_bytes(json.dumps(failed).encode() + b"\n" + journal)
    words = ["export", "rdf", "--bank", folder, "--format", "ntriples", "--run", again]
    assert call(*words).stdout_bytes == exported


def test_scores_are_written_where_they_are_of_this_journal(folder: Path, run: Path, tmp_path: Path) -> None:
    scored = tmp_path / "scored"
    shutil.copytree(run, scored)
    assert call("score", scored, "--bank", folder).exit_code == 0
    score = json.loads((scored / "score.json").read_bytes())
    words = ["export", "rdf", "--bank", folder, "--run", scored, "--format", "ntriples"]
    data = call(*words).stdout_bytes
    assert data.count(f"{DB}Estimate> .".encode()) == len(score["estimates"])
    assert links(data) == []
    for text in ("{", "[]"):
        (scored / "score.json").write_text(text, encoding="utf-8")
        assert isinstance(call(*words).exception, Findings)
    (scored / "score.json").write_text(json.dumps(score | {"scored_journal_sha256": made.SHA}), encoding="utf-8")
    assert made.SHA in refused(*words[2:])


def test_what_is_refused(folder: Path, run: Path, tmp_path: Path) -> None:
    assert "no bank found" in refused("--bank", tmp_path)
    assert "9.9.9 is not frozen" in refused("--bank", folder, "--version", "9.9.9")
    assert "is no version" in refused("--bank", folder, "--version", "../0.1.0")
    assert "is no run" in refused("--bank", folder, "--run", tmp_path)
    assert "does not exist" in refused("--bank", folder, "--out", tmp_path / "none" / "x.ttl")
    assert "is no file" in refused("--bank", folder, "--out", "/dev/null")
    other = tmp_path / "other"
    shutil.copytree(run, other)
    header = json.loads((other / "run.json").read_bytes())
    (other / "run.json").write_text(json.dumps(header | {"bank_sha256": made.SHA}), encoding="utf-8")
    out = tmp_path / "x.ttl"
    assert made.SHA in refused("--bank", folder, "--run", other, "--out", out)
    assert not out.exists()
    assert call("export", "rdf", "--format", "hdt").exit_code == 2


def test_faults_of_a_record_are_findings(frozen: FrozenBank) -> None:
    records = copy.deepcopy([vars_of(record) for record in frozen.records])
    assert issubclass(ExportError, Findings)
    with pytest.raises(Findings, match="no slot 'poem'") as caught:
        bank_triples(
            [*records[:-1], records[-1] | {"kind": "plan", "value": {"plan_version": "1.0.0", "poem": 1}}],
            frozen.statement,
        )
    assert caught.value.exit_code == 1 and caught.value.fix
    for number in (float("nan"), float("inf"), 10**400):
        with pytest.raises(ExportError, match="does not admit"):
            run_triples(made.BASE, made.header() | {"repeats": number}, [])
    with pytest.raises(ExportError, match="no JSON"):
        run_triples(made.BASE, made.header() | {"settings": {"temperature": float("nan")}}, [])


def test_the_verb_is_listed_as_it_is() -> None:
    assert set(OFFERED) == set(FORMATS)
    assert VERBS["export"][1] == command.short_help
