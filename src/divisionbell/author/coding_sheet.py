"""Blind coding: a sheet that shows a coder the items without keys or titles, and the way back into the dossiers."""

from __future__ import annotations

import csv
import hashlib
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from divisionbell.author.layout import emit
from divisionbell.author.write_back import replace_block
from divisionbell.bank.canonical import surface_sha256
from divisionbell.bank.files import read_given
from divisionbell.bank.read import Document
from divisionbell.diagnostics import Findings, shown_path

GIVEN = ("item_id", "stem", "option_a", "option_b")
ASKED = ("axis", "pole_of_a", "pole_of_b", "country", "preferred", "remark")
MAX_BYTES = 50_000_000
AXES = ("economic", "social")
POLES = ("negative", "positive", "none")


def _drawn(seed: str, item_id: str) -> bytes:
    return hashlib.sha256(f"{seed}/{item_id}".encode()).digest()


def sheet_items(dossiers: Iterable[Mapping[str, Any]], seed: str, part: int, parts: int) -> list[Mapping[str, Any]]:
    """The items of one part of a sheet, in an order drawn from the seed.

    A dossier's items are dealt out over the parts, so that with four parts no part holds two items of one dossier.
    """
    dealt: list[Mapping[str, Any]] = []
    for dossier in dossiers:
        ranked = sorted(dossier["items"], key=lambda item: _drawn(seed, item["item_id"]))
        dealt += ranked[part - 1 :: parts]
    return sorted(dealt, key=lambda item: _drawn(seed, item["item_id"]))


def sheet(items: Iterable[Mapping[str, Any]]) -> str:
    """The sheet as CSV: what is given, and empty columns for what is asked."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow((*GIVEN, *ASKED))
    for item in items:
        options = item["options"]
        writer.writerow((item["item_id"], item["stem"], options["text_a"], options["text_b"], *("" for _ in ASKED)))
    return out.getvalue()


@dataclass(frozen=True)
class CodedRow:
    """One filled-in row of a sheet."""

    line: int
    item_id: str
    text_sha256: str
    coding: Mapping[str, Any]


def read_sheet(path: Path) -> list[CodedRow]:
    """The filled-in rows of a sheet; rows without axis and poles were not coded and are passed over.

    Raises UsageProblem where the file cannot be read, Findings with file and line where it is no sheet, an id stands
    twice, or a value is not among those asked for.
    """
    shown = shown_path(path)
    try:
        text = read_given(path, MAX_BYTES, "name the filled-in sheet").decode("utf-8-sig")
        table = csv.DictReader(io.StringIO(text), strict=True)
        missing = {*GIVEN, *ASKED} - set(table.fieldnames or ())
        if missing:
            raise Findings(
                f"{shown}:1: no coding sheet: it lacks the columns {', '.join(sorted(missing))}",
                fix="divisionbell review sheet writes one",
            )
        rows, seen = [], set()
        for row in table:
            made = _coded(shown, table.line_num, row)
            if made is None:
                continue
            if made.item_id in seen:
                raise Findings(f"{shown}:{made.line}: {made.item_id} is coded twice", fix="remove one of the two rows")
            seen.add(made.item_id)
            rows.append(made)
    except (UnicodeDecodeError, csv.Error) as problem:
        raise Findings(f"{shown}: cannot be read as a coding sheet: {problem}", fix="save it as CSV in UTF-8") from None
    return rows


def _plain(text: str) -> str:
    """The text on one line, without control, format and other characters that no reader sees."""
    seen = "".join(" " if unicodedata.category(c).startswith(("C", "Z")) else c for c in text)
    return re.sub(r"\s+", " ", unicodedata.normalize("NFC", seen)).strip()


def _coded(shown: str, line: int, row: Mapping[str, str | None]) -> CodedRow | None:
    told = {name: (row.get(name) or "").strip() for name in (*GIVEN, *ASKED)}
    if None in row or not any(told[name] for name in ("axis", "pole_of_a", "pole_of_b")):
        if None in row:
            raise Findings(f"{shown}:{line}: the row has too many columns", fix="quote texts that hold a comma")
        return None
    wanted = {"axis": AXES, "pole_of_a": POLES, "pole_of_b": POLES, "preferred": ("", "A", "B")}
    for name, values in wanted.items():
        if told[name] not in values:
            listed = ", ".join(value or "nothing" for value in values)
            raise Findings(f'{shown}:{line}: {name} is "{told[name][:40]}"', fix=f"write one of: {listed}")
    coding: dict[str, Any] = {
        "coded_axis": told["axis"],
        "coded_pole_of_a": told["pole_of_a"],
        "coded_pole_of_b": told["pole_of_b"],
    }
    for slot, name in (("guessed_country", "country"), ("guessed_preference", "preferred"), ("remark", "remark")):
        if _plain(told[name]):
            coding[slot] = _plain(told[name])
    text = {"stem": row["stem"], "options": {"text_a": row["option_a"], "text_b": row["option_b"]}}
    return CodedRow(line, told["item_id"], surface_sha256(text), coding)


def codings(
    dossier: Mapping[str, Any], rows: Mapping[str, CodedRow], agent: str, day: date, blind: bool, sheet: Path
) -> Iterator[dict[str, Any]]:
    """The new codings of a dossier's items from the rows of one coder, under the digest of the words that were read.

    One that is there already is passed over. Raises Findings where the words of a row are neither the item's nor such
    as were coded before, and where the coder coded the same words otherwise.
    """
    had = {coding["coding_id"]: coding for coding in dossier.get("codings", [])}
    read = {(coding["coded_item"], coding.get("coded_text_sha256")) for coding in had.values()}
    for item in dossier["items"]:
        row = rows.get(item["item_id"])
        if row is None:
            continue
        if row.text_sha256 != surface_sha256(item) and (row.item_id, row.text_sha256) not in read:
            raise Findings(
                f"{shown_path(sheet)}:{row.line}: stem or options of {row.item_id} are not the item's words",
                fix="copy the first four columns from a fresh sheet: divisionbell review sheet",
            )
        name = f"{row.item_id}-{agent}-{row.text_sha256[:8]}"
        made = {
            "coding_id": name,
            "coded_item": row.item_id,
            "coded_by": agent,
            "coded_on": day.isoformat(),
            "blind": blind,
            **{slot: row.coding[slot] for slot in ("coded_axis", "coded_pole_of_a", "coded_pole_of_b")},
            "coded_text_sha256": row.text_sha256,
            **{slot: kept for slot, kept in row.coding.items() if not slot.startswith("coded_")},
        }
        if name not in had:
            yield made
        elif {**had[name], "coded_on": made["coded_on"]} != made:
            raise Findings(
                f"{shown_path(sheet)}:{row.line}: {agent} has coded these words of {row.item_id} otherwise",
                fix="a first reading is not changed afterwards; leave the row out, or code as another agent",
            )


def with_codings(document: Document, made: list[dict[str, Any]]) -> str:
    """The text of the dossier with these codings after those it has."""
    if "codings" in document.value:
        return replace_block(document, ("codings",), [*document.value["codings"], *made])
    text = document.text if document.text.endswith("\n") else document.text + "\n"
    return text + emit({"codings": made})
