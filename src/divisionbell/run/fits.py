"""Hold run files to the run schema: what a run folder holds is untrusted."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import jsonschema_rs
import orjson

from divisionbell.bank.canonical import digest
from divisionbell.model import model_file


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
    except (ValueError, RecursionError) as problem:
        return f"it holds what has no canonical form: {problem}"
    if error is None:
        return None
    where = ".".join(str(step) for step in error.instance_path) or "it"
    return f"{where}: {error.message[:200]}"
