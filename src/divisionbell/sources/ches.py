"""Read the 2024 Chapel Hill Expert Survey: the United Kingdom rows and the fields that the cross-check uses."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from pathlib import Path

from divisionbell.bank.canonical import digest, sha256_hex
from divisionbell.bank.files import read_given
from divisionbell.diagnostics import Findings, shown_path
from divisionbell.sources.party_space import RELATED, SURVEY_LABEL

FIELDS = ("lrecon", "galtan", *RELATED["economic"], *RELATED["social"])
SELECTION = (
    "United Kingdom rows of the parties "
    + ", ".join(dict.fromkeys(SURVEY_LABEL.values()))
    + "; fields "
    + ", ".join(FIELDS)
    + "; each value rounded to six decimals, null where empty; SHA-256 of the RFC 8785 form of party -> field -> value"
)
MAX_BYTES = 5_000_000


@dataclass(frozen=True)
class Survey:
    """Values by survey label and field, with the digest of the bytes and the digest of the values."""

    values: dict[str, dict[str, float | None]]
    sha256: str
    value_sha256: str


def read_survey(path: Path) -> Survey:
    """Read the survey file. Line ends may be LF, CRLF or CR CR LF: the values are the same.

    Raises UsageProblem where the file cannot be read, Findings where it is not the survey.
    """
    data = read_given(path, MAX_BYTES, "name the survey file with --ches FILE")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Findings(f"{shown_path(path)}: byte {error.start} is not UTF-8") from None
    lines = [line for line in text.replace("\r", "\n").split("\n") if line]
    try:
        return _survey(csv.DictReader(io.StringIO("\n".join(lines))), data, path)
    except csv.Error as error:
        raise Findings(f"{shown_path(path)} is not the 2024 survey: {error}") from None


def _survey(rows: csv.DictReader[str], data: bytes, path: Path) -> Survey:
    absent = [name for name in ("country", "party", *FIELDS) if name not in (rows.fieldnames or [])]
    if absent:
        raise Findings(f"{shown_path(path)} is not the 2024 survey: it has no column {', '.join(absent)}")
    values: dict[str, dict[str, float | None]] = {}
    for number, row in enumerate(rows, start=2):
        if row["country"] == "uk" and row["party"] in SURVEY_LABEL.values():
            values[row["party"]] = {name: _value(row[name], path, number, name) for name in FIELDS}
    missing = sorted(set(SURVEY_LABEL.values()) - set(values))
    if missing:
        raise Findings(f"{shown_path(path)} has no row for {', '.join(missing)}")
    return Survey(values, sha256_hex(data), digest(values))


def _value(text: str | None, path: Path, line: int, name: str) -> float | None:
    if text is None or text == "":
        return None
    try:
        number = float(text)
    except ValueError:
        raise Findings(f"{shown_path(path)}:{line}: {name} is {text!r}, not a number") from None
    if not math.isfinite(number) or not 0 <= number <= 10:
        raise Findings(f"{shown_path(path)}:{line}: {name} is {text}, not on the scale from 0 to 10")
    return round(number, 6)
