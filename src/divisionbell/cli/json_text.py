"""JSON for standard output, which may be a terminal."""

from __future__ import annotations

import json
from typing import Any


def json_text(told: Any) -> str:
    """A document, indented. Control and format characters, which a terminal could obey, stand in it as escapes."""
    text = json.dumps(told, ensure_ascii=False, indent=1)
    if text.replace("\n", "").isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" or "\ud800" <= c <= "\udfff" else _escape(c) for c in text)


def _escape(character: str) -> str:
    return json.dumps(character)[1:-1]
