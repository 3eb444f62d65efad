"""The answer's shape as a server can be made to keep it: a GBNF grammar, or a JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

Decoding = Literal["free", "json-schema", "grammar"]
GRAMMAR = r'root ::= "{\"item_id\":\"ITEM_ID\",\"answer\":\"" [AB] "\"}"'
JSON_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "item_id": {"type": "string", "const": "ITEM_ID"},
        "answer": {"type": "string", "enum": ["A", "B"]},
    },
    "required": ["item_id", "answer"],
    "additionalProperties": False,
}


def grammar(item_id: str) -> str:
    """The GBNF text that admits `{"item_id":"<item_id>","answer":"A"}`, the same with B, and nothing else.

    The id is escaped twice: as a JSON string and again as a GBNF literal; ASCII JSON needs only `\\` and `"` escaped.
    """
    return GRAMMAR.replace("ITEM_ID", json.dumps(json.dumps(item_id)[1:-1])[1:-1])


def json_schema(item_id: str) -> dict[str, Any]:
    """The JSON Schema that admits exactly the object asked for, with A or with B."""
    properties = {**JSON_SCHEMA["properties"], "item_id": {"type": "string", "const": item_id}}
    return {**JSON_SCHEMA, "properties": properties}


def request_fields(decoding: Decoding, item_id: str) -> dict[str, Any]:
    """What a chat completion request carries so that the server keeps the shape; nothing under free decoding."""
    if decoding == "grammar":
        return {"grammar": grammar(item_id)}
    if decoding == "json-schema":
        described = {"name": "answer", "strict": True, "schema": json_schema(item_id)}
        return {"response_format": {"type": "json_schema", "json_schema": described}}
    return {}


def settings(decoding: Decoding) -> dict[str, Any]:
    """What stands in a run's settings about it; nothing under free decoding, as in older runs."""
    if decoding == "free":
        return {}
    shape: dict[str, Any] = {"grammar": GRAMMAR} if decoding == "grammar" else {"json_schema": dict(JSON_SCHEMA)}
    return {"decoding": decoding, **shape}
