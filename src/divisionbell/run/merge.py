"""Put parts of one run together: shards, or a run that was gone on with elsewhere."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from divisionbell import __version__
from divisionbell.bank.canonical import sha256_hex
from divisionbell.diagnostics import Findings, UsageProblem, shown_path
from divisionbell.freeze.freeze import write_whole
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.administer import RUN_SCHEMA_VERSION
from divisionbell.run.find_runs import new_run
from divisionbell.run.journal import HEADER, JOURNAL, header_text, line_of, parse_journal, read_header
from divisionbell.run.planned_keys import CONFIGURATION, planned_keys
from divisionbell.run.regular import open_regular
from divisionbell.run.shard import shard_in, shard_of
from divisionbell.run.verify_run import declined_dossiers

MOST_TOLD = 8
ASKED_AGAIN = "transport_failed"


@dataclass(frozen=True)
class Part:
    """One run folder that goes into the merge: its header, its journal's digest, and every whole line in order."""

    folder: Path
    header: Mapping[str, Any]
    journal_sha256: str
    units: tuple[dict[str, Any], ...]

    def place(self, number: int) -> str:
        """Where the line of a unit stands."""
        return f"{shown_path(self.folder / JOURNAL)}:{number}"


@dataclass(frozen=True)
class Merged:
    """A whole run in the order of the plan, and the keys of the units that no part has."""

    header: dict[str, Any]
    units: tuple[dict[str, Any], ...]
    missing: tuple[str, ...]
    shard_count: int | None


def read_part(folder: Path) -> Part:
    """Read a run folder. Raises UsageProblem where it is none, Findings where it cannot be read."""
    header = read_header(folder) if folder.is_dir() else None
    if header is None:
        raise UsageProblem(f"{shown_path(folder)} is no run: it has no {HEADER}", "name run folders, or one of shards")
    units, _ = parse_journal(folder / JOURNAL)
    try:
        with open_regular(folder / JOURNAL) as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        digest = sha256_hex(b"")  # a run that ended before its first unit
    except OSError as error:
        raise Findings(f"{shown_path(folder / JOURNAL)} cannot be read: {error.strerror}") from None
    return Part(folder, header, digest, tuple(units))


def merge(bank: FrozenBank, parts: Sequence[Part]) -> Merged:
    """The run that the parts are of.

    Raises UsageProblem where they are not of one configuration, naming what differs, and Findings where a unit belongs
    to none of them or was obtained twice and not alike, naming both places.
    """
    refuse_mixed(parts)
    first = min(parts, key=lambda part: (part.header.get("shard_index", 0), part.header["started_at"]))
    if first.header["bank_sha256"] != bank.sha256:
        raise UsageProblem(
            f"{shown_path(first.folder)} was asked from records {first.header['bank_sha256']}, "
            f"version {bank.version} has {bank.sha256}",
            "name the bank that was asked: --bank DIR",
        )
    planned = planned_keys(bank, first.header)
    standing = _standing(planned, parts)
    counts = {shard.count for part in parts if (shard := shard_in(part.header))}
    units = tuple(standing[key] for key in planned if key in standing)
    missing = tuple(key for key in planned if standing.get(key, {"outcome": ASKED_AGAIN})["outcome"] == ASKED_AGAIN)
    return Merged(_header(first, parts, planned, bank), units, missing, counts.pop() if len(counts) == 1 else None)


def refuse_mixed(parts: Sequence[Part]) -> None:
    """Raises UsageProblem where two parts were not asked under one configuration, naming what differs."""
    one = parts[0]
    for other in parts[1:]:
        told = [
            line
            for name in CONFIGURATION
            if one.header.get(name) != other.header.get(name)
            for line in _difference(name, one.header.get(name), other.header.get(name))
        ]
        if told:
            raise UsageProblem(
                f"{shown_path(one.folder)} and {shown_path(other.folder)} are not parts of one run: {'; '.join(told)}",
                "merge parts that were asked alike",
            )


def _difference(name: str, one: Any, other: Any) -> list[str]:
    """What differs in one slot of the header; of settings, which of them."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = sorted(key for key in {*one, *other} if one.get(key) != other.get(key))
        return [f"{name}.{key} is {one.get(key)!r:.80} and {other.get(key)!r:.80}" for key in keys]
    return [f"{name} is {one!r:.80} and {other!r:.80}"]


def _standing(planned: Mapping[str, tuple[str, str, int]], parts: Sequence[Part]) -> dict[str, dict[str, Any]]:
    """The line of each unit that stands. Equal ones fold; one that was not reached gives way to any that came later,
    and to what was obtained whenever that was."""
    standing: dict[str, dict[str, Any]] = {}
    places: dict[str, str] = {}
    for part in parts:
        shard = shard_in(part.header)
        for number, unit in enumerate(part.units, start=1):
            key, place = unit["unit_key"], part.place(number)
            known = planned.get(key) == (unit["asked_item"], unit["asked_order"], unit["repeat"])
            if not known or (shard is not None and not shard.holds(key)):
                raise Findings(f"{place}: unit {key[:12]} is none of {shard or 'this run'}", fix="restore the journal")
            before = standing.get(key)
            if before is not None and not _gives_way(before, unit):
                if unit["outcome"] == ASKED_AGAIN or unit == before:
                    continue
                raise Findings(
                    f"{place}: unit {key[:12]} was obtained here and at {places[key]}, and not alike",
                    fix="a unit has one answer: leave out the part that was asked by mistake",
                )
            standing[key], places[key] = unit, place
    return standing


def _gives_way(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    if before["outcome"] != ASKED_AGAIN:
        return False
    return now["outcome"] != ASKED_AGAIN or str(now["finished_at"]) > str(before["finished_at"])


def _header(first: Part, parts: Sequence[Part], planned: Mapping[str, Any], bank: FrozenBank) -> dict[str, Any]:
    declined = declined_dossiers(bank, first.header["respondent"])
    dossiers = {one.item.item_id: one.dossier.dossier_id for one in bank.form(first.header["form"])}
    made = {name: first.header[name] for name in CONFIGURATION if name in first.header}
    made |= {"preflight": first.header["preflight"]} if "preflight" in first.header else {}
    programs = [one for part in parts for one in part.header["software"]]
    programs.append({"software_name": "divisionbell", "software_version": __version__})
    return {
        "run_id": new_run(bank.version, first.header["respondent"], first.folder)[1],
        "run_schema_version": RUN_SCHEMA_VERSION,
        **made,
        "unit_count": len(planned),
        "not_administered_count": sum(dossiers[item] in declined for item, _, _ in planned.values()),
        "merged_from": [_source(part) for part in parts],
        "started_at": min(part.header["started_at"] for part in parts),
        "software": [one for number, one in enumerate(programs) if one not in programs[:number]],
    }


def _source(part: Part) -> dict[str, Any]:
    told = {"merged_run": part.header["run_id"], "merged_journal_sha256": part.journal_sha256}
    shard = shard_in(part.header)
    return told if shard is None else told | {"shard_index": shard.index}


def holes(merged: Merged) -> str:
    """Which units are missing, by shard where the run was cut into one number of them."""
    if merged.shard_count is None:
        return f"{len(merged.missing)} units"
    by_shard = Counter(shard_of(key, merged.shard_count) for key in merged.missing)
    told = [f"shard {index} of {merged.shard_count}: {count} units" for index, count in sorted(by_shard.items())]
    more = f" and {len(told) - MOST_TOLD} more shards" if len(told) > MOST_TOLD else ""
    return ", ".join(told[:MOST_TOLD]) + more


def write_run(merged: Merged, out: Path) -> None:
    """Write the run folder, whole or not at all. Raises UsageProblem where it exists or cannot be written."""
    if out.is_symlink() or (out.exists() and not (out.is_dir() and not any(out.iterdir()))):
        raise UsageProblem(f"{shown_path(out)} exists", "a merge writes a new run: name another --out")
    out = Path(os.path.abspath(out))  # noqa: PTH100
    part = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        part.mkdir()
        write_whole(part / JOURNAL, b"".join(line_of(unit) for unit in merged.units))
        write_whole(part / HEADER, header_text(merged.header))
        part.rename(out)
    except OSError as error:
        raise UsageProblem(f"{shown_path(out)} cannot be written: {error.strerror}", "name another --out") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
