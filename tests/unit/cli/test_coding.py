"""Blind coding by its commands: a sheet without keys, codings with the digest of what was read, and the agreement."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from pathlib import Path

import pytest

import forked
from divisionbell.bank.canonical import option_order, surface_sha256
from divisionbell.bank.load import load


def divisionbell(*arguments: str) -> subprocess.CompletedProcess[str]:
    return forked.run(*arguments)


@pytest.fixture
def with_coders(copied_bank: Path) -> Path:
    file = copied_bank / "bank.yaml"
    text = file.read_text(encoding="utf-8")
    coders = "".join(
        f"  - agent_id: {name}\n    agent_kind: {kind}\n    label: {name}\n    role: Coded the items.\n{more}"
        for name, kind, more in (
            ("reader-1", "person", ""),
            ("reader-2", "language_model", "    family: Other\n    agent_version: not recorded\n"),
        )
    )
    file.write_text(text.rstrip("\n") + "\n" + coders, encoding="utf-8")
    return copied_bank


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def filled(bank: Path, rows: list[dict[str, str]], wrong: int = 0) -> list[dict[str, str]]:
    """The rows coded as keyed, the poles of the first `wrong` ones exchanged."""
    keyed = {
        item["item_id"]: (document.value["axis"], option_order(document.value["axis"], item))
        for document in load(bank).dossiers
        for item in document.value["items"]
    }
    for number, row in enumerate(rows):
        axis, poles = keyed[row["item_id"]]
        row["axis"] = axis
        row["pole_of_a"], row["pole_of_b"] = reversed(poles) if number < wrong else poles
    return rows


def written(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_sheet_shows_no_key_and_no_two_items_of_a_dossier(with_coders: Path) -> None:
    of = {i["item_id"]: d.value["dossier_id"] for d in load(with_coders).dossiers for i in d.value["items"]}
    seen: list[str] = []
    for part in range(1, 5):
        told = divisionbell("review", "sheet", "--part", f"{part}/4", "--seed", "x")
        assert told.returncode == 0, told.stderr
        rows = rows_of(told.stdout)
        assert len({of[row["item_id"]] for row in rows}) == len(rows) == 12
        assert set(rows[0]) == {
            *("item_id", "stem", "option_a", "option_b", "axis", "pole_of_a", "pole_of_b", "country", "preferred"),
            "remark",
        }
        seen += [row["item_id"] for row in rows]
    assert sorted(seen) == sorted(of)
    assert divisionbell("review", "sheet", "--part", "5/4").returncode == 2


def test_codings_come_back_and_agree(with_coders: Path, tmp_path: Path) -> None:
    sheet = rows_of(divisionbell("review", "sheet").stdout)
    one = written(tmp_path / "one.csv", filled(with_coders, [dict(row) for row in sheet], wrong=3))
    two = written(tmp_path / "two.csv", filled(with_coders, [dict(row, country="France") for row in sheet]))
    for file, agent in ((one, "reader-1"), (two, "reader-2")):
        told = divisionbell("review", "code", str(file), "--agent", agent)
        assert (told.returncode, told.stdout) == (0, f"48 codings by {agent} added\n"), told.stderr
    assert (done := divisionbell("validate")).returncode == 0, done.stdout
    assert divisionbell("fmt", "--check").returncode == 0
    found = json.loads(divisionbell("review", "agreement", "--format", "json").stdout)
    rows = {(r["reading"], r["coder"], r["axis"], r["kind"]): r for r in found["recovery"]}
    first = rows["first reading", "reader-1", "all", "all"]
    assert (first["options"], first["recovered"], first["readings"], first["whole"]) == (96, 90, 48, 45)
    assert rows["first reading", "reader-2", "all", "all"]["placed"] == 48
    assert rows["current wording", "all", "all", "all"]["whole"] == 93
    assert 0.8 < found["krippendorff_alpha"]["current wording"] < 1
    # the same sheet once more changes nothing, and another reading of the same words is refused
    before = [file.read_bytes() for file in sorted(with_coders.glob("dossiers/**/*.yaml"))]
    again = divisionbell("review", "code", str(two), "--agent", "reader-2")
    assert (again.returncode, again.stdout) == (0, "0 codings by reader-2 added, 48 were there already\n")
    refused = divisionbell("review", "code", str(one), "--agent", "reader-2")
    assert refused.returncode == 1 and "has coded these words" in refused.stderr + refused.stdout
    assert [file.read_bytes() for file in sorted(with_coders.glob("dossiers/**/*.yaml"))] == before


def test_a_sheet_with_edited_words_is_refused(with_coders: Path, tmp_path: Path) -> None:
    rows = filled(with_coders, rows_of(divisionbell("review", "sheet").stdout))
    rows[5]["stem"] += " And more."
    before = [file.read_bytes() for file in sorted(with_coders.glob("dossiers/**/*.yaml"))]
    ended = divisionbell("review", "code", str(written(tmp_path / "a.csv", rows)), "--agent", "reader-1")
    assert ended.returncode == 1 and "are not the item's words" in ended.stderr + ended.stdout
    assert [file.read_bytes() for file in sorted(with_coders.glob("dossiers/**/*.yaml"))] == before


def test_unseen_characters_of_a_remark_are_left_out(with_coders: Path, tmp_path: Path) -> None:
    rows = filled(with_coders, rows_of(divisionbell("review", "sheet", "--dossier", "1541").stdout))
    rows[0]["remark"] = "a\ufeffb\u202e\x1b[31m c"
    rows[1]["remark"] = "\u200b"
    ended = divisionbell("review", "code", str(written(tmp_path / "a.csv", rows)), "--agent", "reader-1")
    assert ended.returncode == 0, ended.stderr
    codings = next(d for d in load(with_coders).dossiers if d.value["dossier_id"] == "commons-1541").value["codings"]
    remarks = {coding["coded_item"]: coding.get("remark") for coding in codings}
    assert remarks[rows[0]["item_id"]] == "a b [31m c" and remarks[rows[1]["item_id"]] is None
    assert divisionbell("validate").returncode == 0


@pytest.mark.usefixtures("with_coders")
def test_a_sheet_goes_to_ordinary_files_only(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to(tmp_path / "elsewhere.csv")
    for out in ("/dev/null", str(tmp_path), str(tmp_path / "link.csv"), str(tmp_path / "nowhere" / "a.csv")):
        ended = divisionbell("review", "sheet", "--out", out)
        assert ended.returncode == 2, out
    assert not Path("/dev/null").is_file()


def test_a_coding_of_an_earlier_wording_is_told_apart(with_coders: Path, tmp_path: Path) -> None:
    sheet = filled(with_coders, rows_of(divisionbell("review", "sheet", "--dossier", "1541").stdout), wrong=4)
    divisionbell("review", "code", str(written(tmp_path / "a.csv", sheet)), "--agent", "reader-1")
    document = next(d for d in load(with_coders).dossiers if d.value["dossier_id"] == "commons-1541")
    stem = document.value["items"][0]["stem"]
    changed = document.path.read_text(encoding="utf-8").replace(stem.split()[0] + " ", "Surely ", 1)
    first = document.value["codings"][0]
    assert first["coded_text_sha256"] in {surface_sha256(item) for item in document.value["items"]}
    document.path.write_text(changed.replace("last autumn", "this spring"), encoding="utf-8")
    stale = rows_of(divisionbell("review", "sheet", "--dossier", "1541", "--stale").stdout)
    assert len(stale) == 1
    again = filled(with_coders, stale)
    divisionbell("review", "code", str(written(tmp_path / "b.csv", again)), "--agent", "reader-1")
    found = json.loads(divisionbell("review", "agreement", "--format", "json").stdout)["recovery"]
    rows = {(r["reading"], r["coder"], r["axis"], r["kind"]): r for r in found}
    assert rows["first reading", "all", "all", "all"]["whole"] == 0
    assert rows["current wording", "all", "all", "all"]["whole"] == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("item_id,stem\n", ":1: no coding sheet"),
        ("{head}\n{row},economics,negative,positive,,,\n", ':2: axis is "economics"'),
        ("{head}\n{row},economic,negative,up,,,\n", ':2: pole_of_b is "up"'),
        ("{head}\n{row},economic,negative,positive,,C,\n", ':2: preferred is "C"'),
        ("{head}\n{row},economic,negative,positive,,,\n{row},economic,negative,positive,,,\n", "is coded twice"),
        ("{head}\n{row},economic,negative,positive,,,\n", "are not the item's words"),
        ("{head}\nqaaaaaaa,s,a,b,economic,negative,positive,,,\n", ":2: qaaaaaaa is no item of this bank"),
    ],
)
@pytest.mark.usefixtures("with_coders")
def test_a_bad_sheet_is_told_with_its_line_and_nothing_is_written(tmp_path: Path, text: str, told: str) -> None:
    head, row = divisionbell("review", "sheet").stdout.split("\n")[:2]
    short = ",".join([*row.split(",", 1)[:1], "s", "a", "b"])
    file = tmp_path / "bad.csv"
    file.write_text(text.format(head=head, row=short), encoding="utf-8")
    before = [path.read_bytes() for path in sorted(Path("bank").glob("dossiers/**/*.yaml"))]
    ended = divisionbell("review", "code", str(file), "--agent", "reader-1")
    assert ended.returncode == 1 and told in ended.stderr + ended.stdout
    assert [path.read_bytes() for path in sorted(Path("bank").glob("dossiers/**/*.yaml"))] == before


@pytest.mark.usefixtures("with_coders")
def test_an_unknown_agent_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "sheet.csv"
    file.write_text(divisionbell("review", "sheet").stdout, encoding="utf-8")
    ended = divisionbell("review", "code", str(file), "--agent", "nobody")
    assert ended.returncode == 2 and "reader-1" in ended.stderr
    assert "0 codings" in divisionbell("review", "code", str(file), "--agent", "reader-1").stdout
    assert "no blind coding" in divisionbell("review", "agreement").stdout


@pytest.mark.usefixtures("with_coders")
def test_selftest_of_working_files_and_of_a_frozen_version() -> None:
    working = divisionbell("selftest", "--wording")
    assert (working.returncode, working.stdout.split("\n")[-2]) == (0, "the certificates hold"), (
        working.stdout + working.stderr
    )
    assert divisionbell("freeze", "0.1.0").returncode == 0
    told = json.loads(divisionbell("selftest", "--format", "json").stdout)
    assert told["holds"] and len(told["wording"]) == 8 * 4
    assert {row["respondent"] for row in told["arithmetic"]} >= {"always-a", "coin", "refuse"}
    settings = Path("bank/bank.yaml")
    settings.write_text(
        settings.read_text(encoding="utf-8").replace("max_surface_lean: 0.35", "max_surface_lean: 0.01"),
        encoding="utf-8",
    )
    strict = divisionbell("selftest", "--wording")
    assert strict.returncode == 1 and "carried by" in strict.stdout and "does not hold" in strict.stdout
