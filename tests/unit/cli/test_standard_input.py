"""`validate -`: one bank file from standard input, in the place of the one that it is a version of."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from divisionbell.bank.load import load
from divisionbell.bank.read import MAX_BYTES
from divisionbell.cli.standard_input import ROOTS, document_of, put_in, root_of

KINDS = [
    ("bank/bank.yaml", "Bank"),
    ("bank/analysis_plan.yaml", "AnalysisPlan"),
    ("bank/evaluations.yaml", "EvaluationRegister"),
    ("bank/prospective/later.yaml", "ProspectiveRegister"),
    ("data_sources.yaml", "DataSources"),
    ("bank/dossiers/social/public-protest/1541-disruptive-gatherings.yaml", "Dossier"),
    ("bank/excluded/economic/1094-levy-for-care.yaml", "ExcludedDossier"),
]


@pytest.mark.usefixtures("copied_bank")
@pytest.mark.parametrize(("file", "root"), KINDS)
def test_every_kind_takes_the_place_of_its_file(file: str, root: str, divisionbell: Callable[..., Any]) -> None:
    data = Path(file).read_bytes()
    ended = divisionbell("validate", "-", given=data)
    assert (ended.code, ended.err) == (0, "")
    assert ended.text.splitlines()[0].endswith(f"in the place of {file}")
    told = json.loads(divisionbell("validate", "-", "--format", "json", given=data).text)
    assert told["standard_input"] == {"class": root, "replaces": file}
    assert told["counts"]["items"] == 48
    # The file in the bank may be in any state: its place is taken all the same, where it can be told.
    if root not in {"Dossier", "ExcludedDossier"}:
        Path(file).write_text("a: [", encoding="utf-8")
        assert divisionbell("validate", "-", given=data).code == 0


def test_every_kind_is_tried() -> None:
    assert sorted(root for _, root in KINDS) == sorted(ROOTS)


def test_findings_stand_at_stdin_with_their_line(dossier: Path, divisionbell: Callable[..., Any]) -> None:
    text = dossier.read_text(encoding="utf-8").replace("    stem: >-\n      ", "    stem: >-\n      Z", 1)
    ended = divisionbell("validate", "-", given=text.encode())
    assert ended.code == 1
    places = [line for line in ended.text.splitlines() if re.search(r": (error\[|note:)", line)]
    assert places
    assert all(line.startswith("<stdin>:") for line in places)
    assert "  189 |   - item_id: qstltic6" in ended.text
    assert divisionbell("validate").code == 0


def test_only_findings_in_it_are_shown(broken: Path, divisionbell: Callable[..., Any]) -> None:
    ended = divisionbell("validate", "-", given=Path("bank/analysis_plan.yaml").read_bytes())
    assert ended.code == 0
    assert broken.name not in ended.text
    assert "; 1 finding in other files not shown" in ended.text.splitlines()[0]


def test_an_additional_dossier_stands_beside_the_others(dossier: Path, divisionbell: Callable[..., Any]) -> None:
    text = dossier.read_text(encoding="utf-8").replace("dossier_id: commons-1541", "dossier_id: commons-9999")
    ended = divisionbell("validate", "-", given=text.encode())
    assert ended.code == 1
    assert "checked as a dossier, beside the others" in ended.text
    assert "13 dossiers" in ended.text.splitlines()[-1]
    # What it repeats is found in it, not in the file that it repeats.
    assert "error[REF001] qstltic6 stands twice" in ended.text
    assert not re.search(r"^bank.*error\[", ended.text, re.MULTILINE)


def test_where_it_lies_is_no_question(dossier: Path, divisionbell: Callable[..., Any]) -> None:
    data = dossier.read_bytes()
    wrong = dossier.with_name("wrong.yaml")
    dossier.rename(wrong)
    assert "error[REF003]" in divisionbell("validate").text
    ended = divisionbell("validate", "-", given=data)
    assert (ended.code, "REF003" in ended.text) == (0, False)
    wrong.unlink()
    assert divisionbell("validate", "-", given=data).code == 0


def test_an_excluded_dossier_that_is_taken_up_again_replaces_its_file(copied_bank: Path) -> None:
    bank = load(copied_bank)
    excluded = bank.excluded[0]
    text = re.sub("^dossier_id: .*", f"dossier_id: {excluded.value['dossier_id']}", bank.dossiers[0].text, flags=re.M)
    given = document_of(text.encode(), copied_bank)
    assert root_of(given.value) == "Dossier"
    assert put_in(bank, "Dossier", given) is excluded
    assert excluded not in bank.excluded
    assert bank.dossiers[-1] is given


def test_of_several_registers_the_one_that_shares_divisions_is_replaced(copied_bank: Path) -> None:
    register = copied_bank / "prospective" / "later.yaml"
    text = register.read_text(encoding="utf-8")
    other = re.sub(r"division_id: (\d+)", r"division_id: 9\1", text)
    (copied_bank / "prospective" / "other.yaml").write_text(other, encoding="utf-8")
    replaced = put_in(load(copied_bank), "ProspectiveRegister", document_of(other.encode(), copied_bank))
    assert replaced is not None
    assert replaced.path.name == "other.yaml"
    third = re.sub(r"division_id: (\d+)", r"division_id: 8\1", text)
    assert put_in(load(copied_bank), "ProspectiveRegister", document_of(third.encode(), copied_bank)) is None


@pytest.mark.usefixtures("copied_bank")
@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "<stdin>:1:1: error[SCH001] is empty"),
        (b"a: [", "<stdin>:1:5: error[SCH001] is not YAML"),
        (b"\xff", "<stdin>:1:1: error[SCH001] byte 0 is not UTF-8"),
        (b"a: 1\nb: &x 2\n", "<stdin>:2:4: error[SCH001] anchor &x is not allowed"),
        (b"- dossier\n", "<stdin>:1:1: error[SCH001] is no file of a bank"),
        (b"# nothing\nnonsense: 1\n", "<stdin>:2:1: error[SCH001] is no file of a bank"),
        (b"a" * (MAX_BYTES + 1), "<stdin>:1:1: error[SCH001] is larger than 4,000,000 bytes"),
        (b"dossier_id: 7\nexclusion: 1\n", "<stdin>:1:13: error[SCH002] dossier_id"),
        (b"dossier_id: x\naxis: e\xcc\x81\n", "<stdin>:2:7: error[SCH001] text is not in Unicode form NFC"),
    ],
)
def test_what_cannot_be_read_is_a_finding(data: bytes, told: str, divisionbell: Callable[..., Any]) -> None:
    ended = divisionbell("validate", "-", given=data)
    assert (ended.code, ended.err) == (1, "")
    assert told in ended.text
    document = json.loads(divisionbell("validate", "-", "--format", "json", given=data).text)
    assert {finding["path"] for finding in document["findings"]} == {"<stdin>"}


@pytest.mark.usefixtures("copied_bank")
def test_wrong_usage(divisionbell: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments in (("-", "bank"), ("-", "-"), ("-", "--watch")):
        ended = divisionbell("validate", *arguments, given=b"")
        assert (ended.code, ended.out) == (2, b"")
    monkeypatch.setattr(sys, "stdin", None)
    ended = divisionbell("validate", "-")
    assert ended.code == 2
    assert "standard input is closed" in ended.err


@pytest.mark.usefixtures("copied_bank")
def test_no_more_is_read_than_a_bank_file_may_have(
    divisionbell: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Endless(io.RawIOBase):
        taken = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            self.taken += len(buffer)
            assert self.taken < 2 * MAX_BYTES
            buffer[:] = b"a" * len(buffer)
            return len(buffer)

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Endless())))
    assert "is larger than" in divisionbell("validate", "-").text


@pytest.mark.usefixtures("copied_bank")
def test_on_a_terminal_it_says_that_it_waits(program: Callable[..., subprocess.Popen[Any]]) -> None:
    near, far = pty.openpty()
    started = program("validate", "-", stdin=far, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    os.close(far)
    assert started.stderr is not None
    assert (
        started.stderr.readline()
        == b"reading one bank file from the terminal: end it with Ctrl-D, give up with Ctrl-C\n"
    )
    os.write(near, b"nonsense: 1\n\x04")
    out, _ = started.communicate(timeout=20)
    os.close(near)
    assert started.returncode == 1
    assert b"<stdin>:1:1: error[SCH001] is no file of a bank" in out
