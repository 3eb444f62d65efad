"""A run is not gone on with under another configuration; what differs is named, and nothing is asked or written."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from driving import Home
from misbehaving import Server, good


@pytest.fixture(scope="module")
def begun(home: Home, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A complete run and the address it was asked at."""
    out = tmp_path_factory.mktemp("begun") / "run"
    with Server(good) as server:
        home.run(server.url, out)
        return out, server.url


def test_another_address_is_named(home: Home, begun: tuple[Path, str]) -> None:
    out, url = begun
    with Server(good) as server:
        told = home.run(server.url, out, "--resume", code=2)
        assert f"another base_url: {url} there, {server.url} now" in told
        assert server.calls == []


def test_another_model_form_or_number_of_repeats_is_named(home: Home, begun: tuple[Path, str]) -> None:
    out, url = begun
    base = ("--base-url", url, "--out", str(out), "--resume")
    for arguments, name in (
        (("openai:other-model", "--form", "short"), "respondent: openai:asked-model there, openai:other-model now"),
        (("openai:asked-model", "--form", "full"), "form: short there, full now"),
        (("openai:asked-model", "--form", "short", "--repeats", "3"), "repeats: 1 there, 3 now"),
    ):
        _, told = home.do("run", *arguments, *base, code=2)
        assert f"another {name}" in told


@pytest.mark.parametrize(
    ("slot", "value"),
    [
        ("bank_sha256", "0" * 64),
        ("template_sha256", "1" * 64),
        ("parser_used", "lenient_v1"),
    ],
)
def test_a_run_of_other_records_template_or_parser_is_refused(
    home: Home, begun: tuple[Path, str], tmp_path: Path, slot: str, value: object
) -> None:
    out, url = begun
    other = tmp_path / "run"
    shutil.copytree(out, other)
    header = json.loads((other / "run.json").read_text())
    header[slot] = value
    (other / "run.json").write_text(json.dumps(header))
    before = (other / "journal.jsonl").read_bytes()
    told = home.run(url, other, "--resume", code=2)
    assert f"another {slot}: {value} there" in told
    assert (other / "journal.jsonl").read_bytes() == before


@pytest.mark.parametrize(("name", "value"), [("temperature", 0.7), ("max_tokens", 512)])
def test_other_sampling_is_refused_whether_it_is_said_or_written_into_the_header(
    home: Home, begun: tuple[Path, str], tmp_path: Path, name: str, value: object
) -> None:
    out, url = begun
    other = tmp_path / "run"
    shutil.copytree(out, other)
    told = home.run(url, other, "--resume", f"--{name.replace('_', '-')}", str(value), code=2)
    assert f"another {name}: " in told and f", {value} now" in told
    header = json.loads((other / "run.json").read_text())
    header["settings"][name] = value
    (other / "run.json").write_text(json.dumps(header))
    told = home.run(url, other, "--resume", code=2)
    assert "the journal holds 32 units that are not of this run" in told


def test_a_setting_that_is_null_there_and_left_out_here_is_another(
    home: Home, begun: tuple[Path, str], tmp_path: Path
) -> None:
    out, url = begun
    other = tmp_path / "run"
    shutil.copytree(out, other)
    header = json.loads((other / "run.json").read_text())
    header["settings"]["of_a_later_version"] = None
    (other / "run.json").write_text(json.dumps(header))
    told = home.run(url, other, "--resume", code=2)
    assert "another of_a_later_version: None there, nothing now" in told
