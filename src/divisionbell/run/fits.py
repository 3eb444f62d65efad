"""Hold run files to the run schema: what a run folder holds is untrusted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import jsonschema_rs
import orjson

from divisionbell.bank.canonical import digest
from divisionbell.diagnostics import UsageProblem, visible
from divisionbell.model import model_file

MOST_REPEATS = 1000
MOST_SHARDS = 100_000


@cache
def _validator(name: str) -> Any:
    schema = orjson.loads(model_file("run.schema.json"))
    return jsonschema_rs.validator_for({"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]})


def fits_unit(value: Any) -> bool:
    """Whether a value that holds no lone surrogate fits a unit of the run schema."""
    return bool(_validator("Unit").is_valid(value))


def misfit(name: str, value: Any) -> str | None:
    """Why a value does not fit a class of the run schema, in a sentence; None where it does."""
    if name != "RunHeader":
        # A reply may hold a lone surrogate, which the validator cannot take; its place in the schema is the same.
        value = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    try:
        error = next(_validator(name).iter_errors(value), None)
        if name == "RunHeader" and error is None:
            digest(value)  # every unit key is a digest over parts of it
            return _beyond_schema(value)
    except (ValueError, RecursionError) as problem:
        return f"it holds what has no canonical form: {problem}"
    if error is None:
        return None
    where = ".".join(str(step) for step in error.instance_path) or "it"
    return f"{where}: {error.message[:200]}"


# What a header says beside the configuration, so that a configuration alone can be held to the schema.
_BESIDE = {
    "run_id": "run",
    "run_schema_version": "0.2.0",
    "unit_count": 1,
    "not_administered_count": 0,
    "started_at": "2026-01-01T00:00:00Z",
    "software": [],
}


def refuse_unwritable(configuration: Mapping[str, Any]) -> None:
    """Raises UsageProblem where a run header could not hold the configuration: such a run could never be read again."""
    for text in (configuration["respondent"], *configuration.get("reasoning_tags", ())):
        if text != text.strip() or len(text.splitlines()) != 1:
            raise UsageProblem(f"{text[:80]!r} is no text of one line without white space around it", "write it so")
    wrong = misfit("RunHeader", _BESIDE | dict(configuration))
    if wrong is not None:
        raise UsageProblem(f"a run cannot be kept under these options: {visible(wrong)}", "give others")


def _beyond_schema(header: Mapping[str, Any]) -> str | None:
    """What no header holds that this program wrote, though it fits the schema; else None."""
    if not isinstance(header["settings"], dict):
        return "settings: they are no object"
    for name in ("repeats", "unit_count", "not_administered_count", "shard_index", "shard_count"):
        if type(header.get(name, 1)) is not int:
            return f"{name}: {header[name]} is not written as a whole number"
    if header["repeats"] > MOST_REPEATS:
        return f"repeats: {header['repeats']} is more than {MOST_REPEATS}"
    if len(header.get("reasoning_tags", ("", ""))) != 2:
        return "reasoning_tags: they are not two"
    index, count = header.get("shard_index"), header.get("shard_count")
    if (index, count) != (None, None) and not 1 <= (index or 0) <= (count or 0) <= MOST_SHARDS:
        return f"shard_index and shard_count: there is no shard {index} of {count}"
    return None
