"""`new`, `mirror` and `hash`: what is left to write is found, what is filled in is right, nothing else moves."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from divisionbell import __main__
from divisionbell.author.fill_hashes import fill, stale_digests
from divisionbell.author.write_back import replace_scalar
from divisionbell.bank.load import load
from divisionbell.bank.order import pole_at_a
from divisionbell.bank.read import Document, read
from divisionbell.diagnostics import Findings
from divisionbell.sources.ches import FIELDS
from divisionbell.validate.engine import check

SURVEY = {"CONS": 7.5, "LAB": 4.0, "LIBDEM": 4.5, "SNP": 3.5, "Plaid": 3.0, "GPEW": 2.0, "REF UK": 8.5}


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["divisionbell", *arguments])
    with pytest.raises(SystemExit) as ended:
        __main__.main()
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.fixture
def bank(copied_bank: Path) -> Path:
    """The copy, with an invented survey and the figures of an invented division beside it in both forms."""
    rows = ["country,party," + ",".join(FIELDS)]
    rows += [f"uk,{label}," + ",".join([str(value)] * len(FIELDS)) for label, value in SURVEY.items()]
    Path("survey.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")

    def members(party: str, count: int) -> list[dict[str, str]]:
        return [{"Party": party, "Name": "N"}] * count

    told = {
        "DivisionId": 99001,
        "Date": "2024-11-25T21:50:00",
        "PublicationUpdated": "2024-11-26T09:52:43",
        "Number": 47,
    }
    told |= {"Title": "Orchards &amp; Hedges", "AyeCount": 200, "NoCount": 100}
    told |= {"Ayes": members("Labour", 180) + members("Green Party", 20), "Noes": members("Conservative", 100)}
    told |= {"AyeTellers": members("Labour", 2), "NoTellers": members("Conservative", 2), "NoVoteRecorded": []}
    Path("official.json").write_text(json.dumps(told), encoding="utf-8")
    parties = {"Labour": {"aye": 180, "no": 0}, "Conservative": {"aye": 0, "no": 100}}
    row: dict[str, Any] = {"division_id": 99002, "date": "2024-11-25T21:50:00", "number": 47, "title": "Orchards"}
    row |= {"aye_count": 180, "no_count": 100, "parties": parties, "tellers": None, "source_repo": "a/b"}
    row |= {"source_path": "c.json", "source_commit": "d" * 40}
    row |= {"party_source": {"repo": "e/f", "path": "g.dat", "commit": "h" * 40}}
    other = {"division_id": 99003, "date": "2024-11-26T00:00:00", "parties": None}
    Path("copy.jsonl").write_text(json.dumps(other) + "\n" + json.dumps(row) + "\n", encoding="utf-8")
    return copied_bank


def new(monkeypatch: pytest.MonkeyPatch, number: int, figures: str, *more: str) -> int:
    fixed = ["--from", figures, "--ches", "survey.csv", "--aye", "negative", "--slug", "orchards"]
    return run(monkeypatch, "new", str(number), *fixed, "--agent", "drafting-software", *more)


def empty_places(document: Document) -> list[tuple[str | int, ...]]:
    found: list[tuple[str | int, ...]] = []

    def walk(value: Any, path: tuple[str | int, ...]) -> None:
        if isinstance(value, dict | list):
            for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
                walk(inner, (*path, step))
        elif value is None:
            found.append(path)

    walk(document.value, ())
    return found


WORDS = {
    "evidence_kind": "motion_text",
    "text_status": "seen_in_a_copy",
    "status": "approved",
    "status_quo": "none",
    "frame": "neutral",
    "heard_first": "none",
    "transformation_sha256": "a" * 64,
}


def written(path: Path) -> Document:
    """The dossier with every empty place filled: a sentence, or a word where a word is due."""
    while places := empty_places(document := read(path)):
        slot = str(places[0][-1])
        text = WORDS.get(slot, f"Sentence {len(places)} about {slot.replace('_', ' ')}.")
        path.write_text(replace_scalar(document, places[0], text), encoding="utf-8")
    return document


@pytest.mark.parametrize(("number", "figures"), [(99001, "official.json"), (99002, "copy.jsonl")])
def test_new_then_write_then_hash(bank: Path, number: int, figures: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert new(monkeypatch, number, figures, "--family", "public-protest") == 0
    path = bank / "dossiers" / "social" / "public-protest" / f"{number}-orchards.yaml"
    assert path.read_text(encoding="utf-8").startswith("# yaml-language-server: $schema=")
    document = read(path)
    assert document.problems == []
    value = document.value
    assert value["source"]["official_title"] in {"Orchards & Hedges", "Orchards"}
    review = value["reviews"]["party_space_crosscheck_v1"]
    assert (review["status"], review["found_aye_coordinate"]) == ("approved", -1)
    seed = load(bank).settings.value["response_seed"]
    for item in value["items"]:
        mirror = "mirror_of" in item
        at_a = pole_at_a(seed, item.get("mirror_of", item["item_id"]), mirror=mirror)
        assert item["scoring_key"]["key_a"]["social"] == (-1 if at_a == "negative" else 1)
    lines = {d.location.line for d in check(load(bank)).diagnostics if d.location.path == path.as_posix()}
    places = empty_places(document)
    assert len(places) > 30
    assert {document.at(*place).line for place in places} <= lines
    assert all("#" in document.lines[document.at(*place).line - 1] for place in places)
    with pytest.raises(Findings):
        fill(document)
    written(path)
    assert run(monkeypatch, "hash", "--check", str(path)) == 1
    assert run(monkeypatch, "hash", str(path)) == 0
    rules = {d.rule for d in check(load(bank)).diagnostics}
    assert not rules & {
        "SCH001",
        "SCH002",
        "HSH001",
        "SRC001",
        "SRC002",
        "ORD001",
        "MIR001",
        "MIR002",
        "MIR004",
        "REV001",
    }
    assert run(monkeypatch, "hash", "--check", str(path)) == 0
    assert new(monkeypatch, number, figures, "--family", "public-protest") == 2


def test_new_among_the_excluded(bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert new(monkeypatch, 99001, "official.json", "--axis", "social", "--exclude", "same_question") == 0
    path = bank / "excluded" / "social" / "99001-orchards.yaml"
    assert "items" not in read(path).value
    written(path)
    assert run(monkeypatch, "hash", str(path)) == 0
    told = [d.text() for d in check(load(bank)).diagnostics if d.location.path == path.as_posix()]
    assert all("SRC003" in text for text in told)  # the invented survey is not the one of data_sources.yaml


@pytest.mark.parametrize(
    "more",
    [
        ("--family", "nothing"),
        ("--axis", "social"),
        ("--exclude", "ambiguous"),
        ("--family", "public-protest", "--computed-by", "nobody"),
    ],
)
def test_new_with_wrong_words(bank: Path, more: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    before = sorted(bank.rglob("*.yaml"))
    assert new(monkeypatch, 99001, "official.json", *more) == 2
    assert sorted(bank.rglob("*.yaml")) == before


def test_new_overwrites_nothing(bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = bank / "dossiers" / "social" / "public-protest" / "99001-orchards.yaml"
    path.write_text("a: [\n", encoding="utf-8")
    assert new(monkeypatch, 99001, "official.json", "--family", "public-protest") == 2
    assert path.read_text(encoding="utf-8") == "a: [\n"


@pytest.mark.parametrize("broken", ["items: 7\n", "items: [7]\n", "- a\n", "items: [{item_id: q2345abc}]\n", "a: [\n"])
def test_a_broken_dossier_beside_does_not_stop_the_verbs(
    bank: Path, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bank / "dossiers" / "social" / "9-x.yaml").write_text(broken, encoding="utf-8")
    assert run(monkeypatch, "mirror", "q2345abc") in {1, 2}
    assert new(monkeypatch, 99001, "official.json", "--family", "public-protest") == 0
    assert run(monkeypatch, "hash") == 1


def test_mirror(bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = load(bank).dossiers[0]
    lines = list(document.lines)
    mark, _ = document.mark(("items", 1))
    gone = document.value["items"][1]["item_id"]
    original = document.value["items"][0]
    kept = [line for line in [*lines[: mark.line - 1], *lines[mark.end_line :]] if f"- {gone}" not in line]
    document.path.write_text("\n".join(kept) + "\n", encoding="utf-8")
    assert run(monkeypatch, "mirror", original["item_id"]) == 0
    changed = read(document.path)
    made = next(item for item in changed.value["items"] if item.get("mirror_of") == original["item_id"])
    assert made["item_id"] not in document.text
    assert made["scoring_key"]["key_a"] == original["scoring_key"]["key_b"]
    assert {made["status_quo"], original["status_quo"]} in ({"negative", "positive"}, {"none"})
    for review in changed.value["reviews"].values():
        assert review["covers"][-1] == made["item_id"]
    rest = [line for line in changed.lines if line in kept]
    assert rest[: len(kept)].count("") == kept.count("")
    assert [line for line in kept if line not in changed.lines] == []
    found = {d.location.line for d in check(load(bank)).diagnostics if d.location.path == document.shown}
    assert {changed.at(*place).line for place in empty_places(changed)} <= found
    assert run(monkeypatch, "mirror", original["item_id"]) in {1, 2}
    assert run(monkeypatch, "mirror", "qaaaaaaa") == 2


def test_hash_changes_digest_lines_only(bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = load(bank).dossiers[0]
    text = document.text.replace("\n", "\r\n").replace("axis:", "# a remark\r\n\r\naxis:", 1)
    text = text.replace("How should", "How might", 1).replace("    stem: >-", "    stem: >-   # why", 1)
    digest = document.value["items"][2]["transformation_sha256"]
    text = text.replace(digest, "  # run hash", 1)
    document.path.write_bytes(text.encode())
    stale = stale_digests(read(document.path))
    assert ("items", 2, "transformation_sha256") in stale
    assert run(monkeypatch, "hash") == 0
    after = document.path.read_bytes().decode()
    pairs = list(zip(text.split("\n"), after.split("\n"), strict=True))
    assert {old.split(":")[0].strip() for old, new in pairs if old != new} == {"transformation_sha256"}
    assert any(
        f"transformation_sha256: {digest}" in new and new.rstrip().endswith("# run hash") for _, new in pairs
    ) or (len(stale) > 1)
    again = document.path.stat().st_mtime_ns
    assert run(monkeypatch, "hash") == 0
    assert document.path.stat().st_mtime_ns == again
    assert check(load(bank)).counts["hashes"] == check(load(bank)).counts["items"]


def test_hash_needs_the_key(bank: Path) -> None:
    document = load(bank).dossiers[0]
    lines = [line for line in document.lines if "transformation_sha256" not in line]
    document.path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(Findings) as problem:
        fill(read(document.path))
    assert all("lacks transformation_sha256" in d.message for d in problem.value.diagnostics)


def test_a_slip_of_a_figure_gets_no_digest_of_its_own(
    copied_bank: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Unless somebody says that it was compared with the copy."""
    file = next(copied_bank.glob("dossiers/*/*/1541-*.yaml"))
    file.write_text(file.read_text(encoding="utf-8").replace("  ayes: 57\n", "  ayes: 58\n"), encoding="utf-8")
    before = read(file).value
    assert run(monkeypatch, "hash") == 1
    told = capsys.readouterr()
    assert "kept: extract_sha256 is of other figures" in told.err
    assert "divisionbell hash --extracts" in told.err
    after = read(file).value
    assert after["source"]["copies"] == before["source"]["copies"]
    assert after["items"][0]["transformation_sha256"] != before["items"][0]["transformation_sha256"]
    assert run(monkeypatch, "hash", "--extracts") == 0
    assert read(file).value["source"]["copies"] != before["source"]["copies"]
    assert run(monkeypatch, "validate") == 0


def test_a_path_without_a_dossier_is_wrong_usage(copied_bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, "hash", "--check", "data_sources.yaml") == 2
