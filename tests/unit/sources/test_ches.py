"""Reading the survey: a small invented one, and the real one where it lies beside the checkout."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from divisionbell.bank.load import load
from divisionbell.diagnostics import Findings, UsageProblem
from divisionbell.sources.ches import FIELDS, read_survey
from divisionbell.sources.party_space import SURVEY_LABEL, lobby
from divisionbell.validate.engine import check

LABELS = list(dict.fromkeys(SURVEY_LABEL.values()))


def survey_text(**changed: str) -> str:
    rows = ["country,party,extra," + ",".join(FIELDS)]
    for number, label in enumerate(LABELS):
        cells = [changed.get(f"{label}.{field}".replace(" ", "_"), f"{number}.6666665") for field in FIELDS]
        rows.append(f"uk,{label},x," + ",".join(cells))
    return "\n".join([*rows, "fr,LAB,x," + ",".join(["9"] * len(FIELDS))]) + "\n"


def write(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "survey.csv"
    file.write_bytes(text.encode())
    return file


def test_values_are_rounded_and_empty_ones_are_none(tmp_path: Path) -> None:
    survey = read_survey(write(tmp_path, survey_text(**{"Plaid.spendvtax": ""})))
    assert list(survey.values) == LABELS
    assert survey.values["LAB"]["lrecon"] == round(LABELS.index("LAB") + 0.6666665, 6)
    assert survey.values["Plaid"]["spendvtax"] is None
    assert survey.values["Plaid"]["lrecon"] is not None


@pytest.mark.parametrize("end", ["\r\n", "\r\r\n", "\r"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_line_ends_change_bytes_and_no_value(tmp_path: Path, end: str, start: str) -> None:
    plain = read_survey(write(tmp_path, survey_text()))
    other = read_survey(write(tmp_path, start + survey_text().replace("\n", end)))
    assert other.value_sha256 == plain.value_sha256
    assert other.values == plain.values
    assert other.sha256 != plain.sha256


def test_one_value_changes_the_digest(tmp_path: Path) -> None:
    plain = read_survey(write(tmp_path, survey_text()))
    assert read_survey(write(tmp_path, survey_text(**{"SNP.galtan": "3.67"}))).value_sha256 != plain.value_sha256


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a,b\n1,2\n",
        survey_text().replace("galtan", "gal"),
        survey_text().replace("uk,SNP", "uk,XXX"),
        survey_text(**{"SNP.galtan": "high"}),
        survey_text(**{"SNP.galtan": "nan"}),
        survey_text(**{"SNP.galtan": "11"}),
        survey_text(**{"SNP.galtan": "-1"}),
    ],
)
def test_what_is_not_the_survey_is_said_so(tmp_path: Path, text: str) -> None:
    with pytest.raises(Findings):
        read_survey(write(tmp_path, text))


def test_bytes_size_and_absence(tmp_path: Path) -> None:
    file = tmp_path / "survey.csv"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(Findings, match="is not UTF-8"):
        read_survey(file)
    file.write_bytes(b"x" * 6_000_000)
    with pytest.raises(UsageProblem, match="is larger than"):
        read_survey(file)
    with pytest.raises(UsageProblem):
        read_survey(tmp_path / "absent.csv")


@pytest.fixture
def shared(repository: Path) -> Path:
    folder = repository.parent / "shared" / "data"
    if not folder.exists():
        pytest.skip("the data are not beside this checkout")
    return folder


def test_both_copies_of_the_real_survey_agree(shared: Path, repository: Path) -> None:
    survey = read_survey(shared / "ches" / "CHES_2024_final_v2.csv")
    other = read_survey(shared / "ches" / "CHES_2024_final_v2.crcrlf.csv")
    assert survey.value_sha256 == other.value_sha256
    named = load(repository / "tests" / "pilot" / "bank").sources.value["data_sources"][0]
    assert named["value_sha256"] == survey.value_sha256
    digests = {entry["sha256"] for entry in named["byte_digests"]}
    assert {survey.sha256, other.sha256} <= digests
    assert survey.values["Plaid"]["spendvtax"] is None


def test_the_wave_of_2019_is_refused_or_has_other_values(shared: Path) -> None:
    survey = read_survey(shared / "ches" / "CHES_2024_final_v2.csv")
    try:
        other = read_survey(shared / "ches" / "CHES2019V3.csv")
    except Findings:
        return
    assert other.value_sha256 != survey.value_sha256


def test_the_bank_is_recomputed_from_the_real_survey(shared: Path, repository: Path) -> None:
    report = check(load(repository / "tests" / "pilot" / "bank"), shared / "ches" / "CHES_2024_final_v2.csv")
    assert [d.text() for d in report.diagnostics if d.rule == "SRC004"] == []
    assert report.counts["recomputed"] == report.counts["dossiers"] + report.counts["excluded"] > 0


def test_lobby_means_agree_with_the_coded_shortlist(shared: Path) -> None:
    values = read_survey(shared / "ches" / "CHES_2024_final_v2.csv").values
    lines = (shared / "commons" / "divisions.jsonl").read_text(encoding="utf-8").splitlines()
    divisions = {row["division_id"]: row for row in map(json.loads, lines)}
    compared = 0
    with (shared / "commons" / "shortlist.csv").open(encoding="utf-8", newline="") as stream:
        for coded in csv.DictReader(stream):
            parties = divisions[int(coded["division_id"])].get("parties")
            if not parties:
                continue
            counts = [{"party": p, "aye_voters": s["aye"], "no_voters": s["no"]} for p, s in parties.items()]
            for field in ("lrecon", "galtan"):
                for side in ("aye", "no"):
                    found = lobby(counts, f"{side}_voters", field, values).position
                    told = coded[f"{field}_{side}"]
                    if told == "":
                        assert found is None
                        continue
                    assert found is not None
                    assert abs(found - float(told)) < 0.001, (coded["division_id"], field, side)
            compared += 1
    assert compared >= 150
