"""Whatever lies under the name of a frozen file: a clear problem, in bounded time and memory, and no path elsewhere."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from divisionbell.bank import frozen_file as module
from divisionbell.bank.frozen_file import (
    FrozenFileProblem,
    frozen_paths,
    frozen_records,
    is_version,
    listing_must_hold,
    read_frozen_file,
)
from divisionbell.bank.load import Bank, load
from divisionbell.bank.manifest import parse_record_file
from divisionbell.diagnostics import Diagnostic, DivisionBellError, Findings
from divisionbell.freeze.frozen_bank import read_frozen
from divisionbell.freeze.verify import verify
from divisionbell.validate.engine import check
from divisionbell.validate.rule import Context
from divisionbell.validate.rules.freeze import INTACT

VERSION = "0.1.0"


@pytest.mark.parametrize("text", ["0.1.0", "1.0.0", "10.20.30"])
def test_versions(text: str) -> None:
    assert is_version(text)
    assert frozen_paths(Path("f"), text) == (Path(f"f/{text}.records.jsonl"), Path(f"f/{text}.json"))


@pytest.mark.parametrize(
    "text",
    [
        *("", "1", "1.0", "1.0.0.0", "01.0.0", "1.0.0\n", " 1.0.0", "../../x", "1.0.0/../../x", "1.0.0\0", "١.٠.٠"),
        *("/etc/passwd", "1.0.x", "-1.0.0", 1, None, ["1.0.0"], f"{'1' * 70}.0.0"),
    ],
)
def test_what_is_no_version_names_no_path(text: object) -> None:
    assert not is_version(text)
    with pytest.raises(FrozenFileProblem):
        frozen_paths(Path("f"), text)  # type: ignore[arg-type]


# What may lie there, made at a path.


def fifo(path: Path) -> None:
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.mkdir()


def link_out(path: Path) -> None:
    outside = path.parent.parent.parent / "outside"
    outside.write_bytes(b"{}\n")
    path.symlink_to(outside.resolve())


def link_loop(path: Path) -> None:
    path.symlink_to(path.name)


def link_nowhere(path: Path) -> None:
    path.symlink_to("nothing")


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def gigabyte(path: Path) -> None:
    with path.open("wb") as stream:
        stream.truncate(1_000_000_000)


def ten_million_lines(path: Path) -> None:
    path.write_bytes(b"1\n" * 10_000_000)


def ten_million_records(path: Path) -> None:
    path.write_bytes(b'{"id":"a","kind":"agent","value":1}\n' * 5_000_000)


def many_values(path: Path) -> None:
    path.write_bytes(b'{"id":"a","kind":"agent","value":[' + b"0," * 15_000_000 + b"0]}\n")


def deep(path: Path) -> None:
    path.write_bytes(b'{"id":"a","kind":"agent","value":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n")


def less_deep(path: Path) -> None:
    path.write_bytes(b'{"id":"a","kind":"agent","value":' + b"[" * 400 + b"]" * 400 + b"}\n")


def huge_number(path: Path) -> None:
    path.write_bytes(b'{"id":"a","kind":"agent","value":' + b"9" * 1_000_000 + b"}\n")


def not_a_number(path: Path) -> None:
    path.write_bytes(b'{"id":"a","kind":"agent","value":NaN}\n')


def binary(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 1000)


HOSTILE = [fifo, folder, link_out, link_loop, link_nowhere, device, gigabyte, ten_million_lines, ten_million_records]
HOSTILE += [many_values, deep, less_deep, huge_number, not_a_number, binary]


def found_by_rule(bank: Bank) -> list[Diagnostic]:
    """What FRZ002 says of a bank."""
    return list(INTACT.run(Context(bank, [])))


@pytest.mark.parametrize("end", ["records.jsonl", "json"])
def test_whatever_lies_there_is_a_finding(frozen_bank: Path, end: str) -> None:
    file = frozen_bank / "freeze" / f"{VERSION}.{end}"
    for make in HOSTILE:
        shutil.rmtree(file) if file.is_dir() and not file.is_symlink() else file.unlink()
        make(file)
        started = time.monotonic()
        with pytest.raises(Findings) as told:
            read_frozen(frozen_bank / "freeze", VERSION)
        assert told.value.message.isprintable()
        bank = load(frozen_bank)
        found = found_by_rule(bank)
        assert {Path(d.location.path).name for d in found} <= {f"{VERSION}.records.jsonl", f"{VERSION}.json"}, make
        assert any(file.name == Path(d.location.path).name for d in found), make
        assert len(found) < 20
        assert all(len(line) < 400 for d in found for line in d.text().splitlines())
        assert verify(bank, None).all_findings
        assert time.monotonic() - started < 60
    assert "FRZ002" in {d.rule for d in check(load(frozen_bank)).diagnostics}


@pytest.mark.parametrize("make", [many_values, ten_million_lines, ten_million_records, gigabyte])
def test_memory_is_bounded(frozen_bank: Path, make: Callable[[Path], None]) -> None:
    file = frozen_bank / "freeze" / f"{VERSION}.records.jsonl"
    file.unlink()
    make(file)

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (2_000_000_000, 2_000_000_000))

    # One thread for the libraries that reserve address space for each.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "divisionbell", "verify"],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limited,
        env=environment,
        timeout=120,
    )
    assert done.returncode == 1, done.stderr
    assert "error[FRZ002]" in done.stdout


def with_statement(frozen_bank: Path, data: bytes) -> None:
    """Write a record file, and put its digests into the statement so that it tells nothing."""
    path, told = (frozen_bank / "freeze" / f"{VERSION}.{end}" for end in ("records.jsonl", "json"))
    statement = json.loads(told.read_bytes())
    statement["subject"][0]["digest"]["sha256"] = hashlib.sha256(data).hexdigest()
    digests = []
    for line in data.removesuffix(b"\n").split(b"\n"):
        try:
            record = json.loads(line)
            digests.append({"id": record["id"], "kind": record["kind"], "sha256": hashlib.sha256(line).hexdigest()})
        except (ValueError, KeyError, TypeError):
            continue
    statement["predicate"]["record_digests"] = digests
    statement["predicate"]["record_count"] = len(digests)
    path.write_bytes(data)
    told.write_bytes(json.dumps(statement, indent=2, ensure_ascii=False).encode() + b"\n")


def lines_of(frozen_bank: Path) -> list[bytes]:
    return (frozen_bank / "freeze" / f"{VERSION}.records.jsonl").read_bytes().splitlines(keepends=True)


def test_the_helper_alone_tells_nothing(frozen_bank: Path) -> None:
    with_statement(frozen_bank, b"".join(lines_of(frozen_bank)))
    assert read_frozen(frozen_bank / "freeze", VERSION)
    assert check(load(frozen_bank)).clean


def swapped(lines: list[bytes]) -> list[bytes]:
    return [lines[1], lines[0], *lines[2:]]


def doubled(lines: list[bytes]) -> list[bytes]:
    return [lines[0], *lines]


def without(kind: bytes) -> Callable[[list[bytes]], list[bytes]]:
    return lambda lines: [line for line in lines if b'"kind":"' + kind + b'"' not in line]


def substituted(old: bytes, new: bytes) -> Callable[[list[bytes]], list[bytes]]:
    return lambda lines: b"".join(lines).replace(old, new, 1).splitlines(keepends=True)


def more(line: bytes) -> Callable[[list[bytes]], list[bytes]]:
    return lambda lines: [*lines, line]


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        pytest.param(swapped, "out of order", id="swapped"),
        pytest.param(doubled, "stands twice", id="doubled"),
        *(
            pytest.param(without(kind), "no record of kind", id=f"without-{kind.decode()}")
            for kind in (b"bank", b"codebook", b"parser", b"plan", b"reminder", b"schema", b"template")
        ),
        pytest.param(more(b'{"id":"x","kind":"ufo","value":1}\n'), "no known kind", id="unknown-kind"),
        pytest.param(more(b'{"id":"x","kind":"template","value":{}}\n'), "more than one template", id="two-templates"),
        pytest.param(substituted(b"\n", b"\r\n"), "line 1 is not in canonical form", id="crlf"),
        pytest.param(substituted(b"{", b"\xef\xbb\xbf{"), "line 1 is not a frozen record", id="byte-order-mark"),
        pytest.param(substituted(b'"kind":', b'"kind": '), "line 1 is not in canonical form", id="blank"),
        pytest.param(
            substituted(b'"label":', b'"label":"first","label":'), "line 1 is not in canonical form", id="key-twice"
        ),
        pytest.param(substituted(b'"label":', b'"k":NaN,"label":'), "line 1 is not a frozen record", id="nan"),
        pytest.param(substituted(b'"label":', b'"k":1e999,"label":'), "line 1 is not a frozen record", id="infinity"),
        pytest.param(
            substituted(b'"label":', b'"k":123456789012345678,"label":'), "line 1 is not a frozen record", id="inexact"
        ),
        pytest.param(substituted(b'"label":', b'"k":1.0,"label":'), "line 1 is not in canonical form", id="number"),
        pytest.param(
            substituted(b'"label":', b'"k":' + b"[" * 300 + b"]" * 300 + b',"label":'),
            "line 1 is not a frozen record: Recursion",
            id="deep",
        ),
        pytest.param(substituted(b"\n", b"\n\n"), "line 2 is not a frozen record", id="empty-line"),
        pytest.param(lambda lines: [*lines[:-1], lines[-1].rstrip()], "does not end with a line feed", id="no-end"),
    ],
)
def test_a_record_file_that_its_statement_agrees_with_must_still_be_canonical(
    frozen_bank: Path, edit: Callable[[list[bytes]], list[bytes]], told: str
) -> None:
    data = b"".join(edit(lines_of(frozen_bank)))
    with pytest.raises(FrozenFileProblem, match=told):
        frozen_records(data)
    with_statement(frozen_bank, data)
    with pytest.raises(Findings, match=told):
        read_frozen(frozen_bank / "freeze", VERSION)
    bank = load(frozen_bank)
    assert verify(bank, None).all_findings
    assert found_by_rule(bank)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (b'"version":"0.1.0"', b'"version":"0.2.0"', "is of version 0.2.0, not 0.1.0"),
        (b'"dossier_id":"commons-1541"', b'"dossier_id":"commons-1542"', "calls itself commons-1542"),
        (b'"agent_id":"divisionbell"', b'"agent_id":"someone"', "calls itself someone"),
        (b'{"reminder":"Return', b'{"reminder":"Give', "has another reminder than the bank settings"),
        (b'"frame":', b'"fram":"x","frame":', "does not fit"),
        (b'"frame":"loss"', b'"frame":"lost"', "does not fit"),
        (b'"issue_family":"', b'"issue_family":"x', "is not what was hashed: it has the digest"),
    ],
)
def test_records_must_be_one_whole_bank(frozen_bank: Path, old: bytes, new: bytes, told: str) -> None:
    data = b"".join(lines_of(frozen_bank))
    assert old in data
    changed = [line.replace(old, new, 1) for line in data.splitlines(keepends=True)]
    number = next(n for n, line in enumerate(data.splitlines(keepends=True)) if old in line)
    lines = data.splitlines(keepends=True)
    lines[number] = changed[number]
    with_statement(frozen_bank, b"".join(lines))
    with pytest.raises(Findings, match=told) as raised:
        read_frozen(frozen_bank / "freeze", VERSION)
    assert f"{VERSION}.records.jsonl:{number + 1}:1: " in raised.value.message
    (found,) = verify(load(frozen_bank), None).all_findings
    assert (found.location.path, found.location.line) == (f"bank/freeze/{VERSION}.records.jsonl", number + 1)


def test_a_freeze_under_another_name_is_found(frozen_bank: Path) -> None:
    for end in ("records.jsonl", "json"):
        file = frozen_bank / "freeze" / f"{VERSION}.{end}"
        data = file.read_bytes()
        (frozen_bank / "freeze" / f"0.9.0.{end}").write_bytes(
            data.replace(b'"frozen_version": "0.1.0"', b'"frozen_version": "0.9.0"').replace(
                b'"name": "0.1.0.records', b'"name": "0.9.0.records'
            )
        )
    with pytest.raises(Findings, match=r"is of version 0\.1\.0, not 0\.9\.0"):
        read_frozen(frozen_bank / "freeze", "0.9.0")


def test_limits_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"[1,2]\n")
    assert read_frozen_file(file, 6) == b"[1,2]\n"
    with pytest.raises(FrozenFileProblem, match="is larger than 5 bytes"):
        read_frozen_file(file, 5)
    monkeypatch.setattr(module, "MAX_PARTS", 1)
    with pytest.raises(FrozenFileProblem, match="holds more than 1 values"):
        read_frozen_file(file, 6)
    monkeypatch.setattr(module, "MAX_RECORDS", 0)
    with pytest.raises(FrozenFileProblem, match="holds more than 0 records"):
        frozen_records(b"{}\n")
    inside = tmp_path / "inside"
    inside.symlink_to("f")
    monkeypatch.undo()
    assert read_frozen_file(inside, 10) == b"[1,2]\n"


def test_the_listing_of_a_shipped_version_holds(repository: Path) -> None:
    for path in sorted((repository / "bank" / "freeze").glob("*.records.jsonl")):
        made = parse_record_file(path.read_bytes())
        listing_must_hold((record.kind, record.id) for record in made)
        assert len(frozen_records(path.read_bytes())) == len(made)


@pytest.mark.parametrize("named", ["../../outside", "1.0.0/../../../outside", "", "x"])
def test_a_version_in_the_settings_leads_nowhere(frozen_bank: Path, named: str) -> None:
    outside = Path("outside.records.jsonl")
    outside.write_bytes(b"{}\n")
    outside.with_name("outside.json").write_bytes(b"{}\n")
    settings = frozen_bank / "bank.yaml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace("version: '0.1.0'", f"version: '{named}'", 1), encoding="utf-8")
    assert settings.read_text(encoding="utf-8") != text
    report = check(load(frozen_bank))
    assert {d.rule for d in report.diagnostics} >= {"SCH002"}
    assert not any("outside" in d.location.path for d in report.diagnostics)
    assert not any("outside" in d.location.path for d in verify(load(frozen_bank), None).all_findings)
    with pytest.raises(DivisionBellError):
        read_frozen(frozen_bank / "freeze", named)


def test_one_record_has_bounds_of_its_own(tmp_path: Path) -> None:
    """A record of a million keys is refused before it is parsed, wherever it stands and whatever its kind."""
    wide = b'{"id":"x","kind":"dossier","value":{' + b",".join(b'"%d":0' % n for n in range(200_001)) + b"}}"
    path = tmp_path / "0.1.0.records.jsonl"
    path.write_bytes(b"{}\n" + wide + b"\n")
    for read in (lambda: read_frozen_file(path, 10_000_000), lambda: frozen_records(path.read_bytes())):
        with pytest.raises(FrozenFileProblem, match="line 2 holds more than 200,000 values") as raised:
            read()
        assert raised.value.line == 2


def test_a_kind_is_looked_at_before_a_value() -> None:
    """The value is not even JSON."""
    with pytest.raises(FrozenFileProblem, match="line 1 is a record of no known kind"):
        frozen_records(b'{"id":"x","kind":"y","value":\n')
