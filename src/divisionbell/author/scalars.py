"""How one scalar stands in a bank file: plain where it can, quoted where it must, long text folded.

Text is quoted where YAML 1.2 would read something else, and where YAML 1.1 would, so that other readers agree.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import yaml

WIDTH = 118
FOLDED_FROM = 101
_NUMBER_LIKE = re.compile(r"[-+]?(\.?[0-9][0-9.]*([eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+)\Z")
_DATE_LIKE = re.compile(r"\d{4}-\d\d-\d\d")
# Controls, the line breaks that YAML 1.2 does not know (U+0085, U+2028, U+2029), the byte order mark, non-characters.
_ESCAPED = re.compile("[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_NOT_PLAIN = re.compile(r"""---|\.\.\.|[#,\[\]{}&*!|>'"%@`]|[-?:](\s|\Z)""")
_ENDS_PLAIN = re.compile(r":(\s|\Z)|\s#")
_FOLDS = re.compile(r"(?<=\S) (?=\S)")
_SHORT = {"\0": "0", "\a": "a", "\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r", "\x1b": "e",
          '"': '"', "\\": "\\", "\x85": "N", "\u2028": "L", "\u2029": "P"}  # fmt: skip


def scalar(value: Any, indent: int) -> tuple[str, list[str]]:
    """What stands on the line of the key or dash, and the lines of a block below it, indented by `indent`.

    Null is nothing at all. Raises TypeError for what is no scalar of JSON.
    """
    if isinstance(value, str):
        return _text(value, indent)
    if value is None:
        return "", []
    if isinstance(value, bool):
        return ("true" if value else "false"), []
    if isinstance(value, int | float):
        return repr(value), []
    raise TypeError(f"{type(value).__name__} cannot be written")


def key(text: str) -> str:
    """A key on one line."""
    return _on_one_line(text)


def _text(text: str, indent: int) -> tuple[str, list[str]]:
    last = "\n" if text.endswith("\n") else ""
    body = text.removesuffix("\n")
    if len(body) < FOLDED_FROM and "\n" not in body:
        return _on_one_line(text), []
    if _ESCAPED.search(text) or _odd(body):
        return _double_quoted(text), []
    blanks, chomped = " " * indent, "" if last else "-"
    if "\n" in body:
        if body.endswith(("\n", " ")) or " \n" in body:
            return _double_quoted(text), []
        hint = "2" if body[0] in " \n" else ""
        return f"|{hint}{chomped}", [blanks + line if line else "" for line in body.split("\n")]
    if body != body.strip():
        return _on_one_line(text), []
    return f">{chomped}", [blanks + line for line in _folded(body, WIDTH - indent)]


def _folded(text: str, width: int) -> list[str]:
    """The lines of a text: each is broken at the first single blank behind `width`."""
    lines: list[str] = []
    line = ""
    for word in _FOLDS.split(text):
        if len(line) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]


def _odd(text: str) -> bool:
    """Whether a line begins or ends with a blank other than the space: a block of it could not be read back."""
    return any(line.strip() != line.strip(" ") for line in text.split("\n"))


def _on_one_line(text: str) -> str:
    return _short(text) if len(text) < FOLDED_FROM else _quoted_or_plain(text)


@lru_cache(maxsize=8192)
def _short(text: str) -> str:
    return _quoted_or_plain(text)


def _quoted_or_plain(text: str) -> str:
    if "\n" in text or _ESCAPED.search(text) or _odd(text):
        return _double_quoted(text)
    if (
        text
        and text == text.strip()
        and not _NOT_PLAIN.match(text)
        and not _ENDS_PLAIN.search(text)
        and not _typed(text)
    ):
        return text
    return "'" + text.replace("'", "''") + "'"


def _typed(text: str) -> bool:
    """Whether a plain text would be read as something else than text, by YAML 1.2 or by YAML 1.1."""
    if _NUMBER_LIKE.match(text) or _DATE_LIKE.match(text):
        return True
    resolvers = yaml.SafeDumper.yaml_implicit_resolvers.get(text[0], [])
    return any(pattern.match(text) for _, pattern in resolvers)


def _double_quoted(text: str) -> str:
    return '"' + re.sub(r'["\\\n]|' + _ESCAPED.pattern, _escape, text) + '"'


def _escape(found: re.Match[str]) -> str:
    character = found.group()
    if character in _SHORT:
        return "\\" + _SHORT[character]
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
