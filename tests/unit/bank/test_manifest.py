"""What a freeze covers."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from divisionbell.bank.load import load
from divisionbell.bank.manifest import Record, parse_record_file, record_file, records


def test_records_of_the_shipped_bank(repository: Path) -> None:
    bank = load(repository / "tests" / "pilot" / "bank")
    made = records(bank)
    keys = [(record.kind, record.id) for record in made]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)
    kinds = {kind for kind, _ in keys}
    assert kinds == set(
        "agent bank codebook data_source dossier excluded parser plan prospective reminder schema template".split()  # noqa: SIM905
    )
    data = record_file(made)
    assert [(r.kind, r.id, r.value) for r in parse_record_file(data)] == [(r.kind, r.id, r.value) for r in made]
    assert record_file(parse_record_file(data)) == data
    codebook = next(record.value for record in made if record.kind == "codebook")
    file = repository / "tests" / "pilot" / "bank" / "CODEBOOK.md"
    assert hashlib.sha256(codebook.encode()).hexdigest() == hashlib.sha256(file.read_bytes()).hexdigest()


def test_a_record_that_was_read_back_gives_its_value_anew() -> None:
    line = b'{"id":"a","kind":"dossier","value":{"x":[1,null]}}'
    (read,) = parse_record_file(line + b"\n")
    read.value["x"].append(2)
    assert read.value == {"x": [1, None]}
    assert read.line() == line
    nothing = Record("dossier", "a", None)
    assert nothing.value is None
    assert parse_record_file(nothing.line() + b"\n")[0].value is None


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"[]",
        b"{}",
        b'{"id":"a","kind":"b"}',
        b'{"kind":"b","id":"a","value":1}',
        b'{"id":"a","kind":"b","value":1.0}',
        b'{"id": "a","kind":"b","value":1}',
        b'{"id":"a","kind":"b","value":1,"x":2}',
        b'{"id":"a","kind":"b","value":9007199254740993}',
        b'{"id":"a","kind":"b","value":' + b"[" * 90_000 + b"]" * 90_000 + b"}",
        b'{"id":"a","id":"a","kind":"b","value":1}',
        b"\xff",
    ],
)
def test_lines_that_are_no_record(line: bytes) -> None:
    good = b'{"id":"a","kind":"b","value":1}\n'
    assert len(parse_record_file(good)) == 1
    with pytest.raises(ValueError, match="line 2"):
        parse_record_file(good + line + b"\n")
