"""RDF terms as text: IRIs from checked ids, literals, and the escape for characters that RDF files cannot carry.

A term is kept in the form it has in N-Triples, so that sorting triples is sorting text, and the canonical output is the
sorted triples themselves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from urllib.parse import quote

from divisionbell.diagnostics import Findings

__all__ = [
    "PREFIXES",
    "ExportError",
    "Triple",
    "address",
    "base_of",
    "escape_text",
    "iri",
    "json_text",
    "literal",
    "segment",
    "term",
    "unescape_text",
]

#: Subject, predicate and object, each in its N-Triples form.
Triple = tuple[str, str, str]

PREFIXES: Mapping[str, str] = {
    "db": "https://w3id.org/divisionbell/schema/",
    "dcterms": "http://purl.org/dc/terms/",
    "prov": "http://www.w3.org/ns/prov#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "schema": "http://schema.org/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}

# What XML 1.0 or UTF-8 cannot carry: controls but tab, line feed and carriage return; lone surrogates; U+FFFE, U+FFFF.
_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ESCAPED = re.compile(r"\\(\\|u[0-9a-f]{4})")
_NTRIPLES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\x7f": "\\u007F"})
_NOT_IN_IRI = re.compile(r'[\x00-\x20<>"{}|^`\\\ud800-\udfff]')
_BASE = re.compile(r"https?://[^/?#]+(?:[/_-]|/.*[/#_-])")


class ExportError(Findings):
    """A record that cannot be written as RDF, because it does not have the shape that the schema gives it."""

    def __init__(self, message: str) -> None:
        super().__init__(message, fix="restore the file, or export with the version of divisionbell that wrote it")


def iri(address_text: str) -> str:
    """The N-Triples form of a whole IRI that is known to be well formed."""
    return f"<{address_text}>"


def term(name: str) -> str:
    """The N-Triples form of a prefixed name such as ``prov:used``."""
    prefix, _, local = name.partition(":")
    return f"<{PREFIXES[prefix]}{local}>"


def base_of(text: object) -> str:
    """Check the IRI that all others begin with.

    Raises ExportError where it is not an http or https IRI ending in one of ``/ # _ -``.
    """
    if not isinstance(text, str) or _NOT_IN_IRI.search(text) or not _BASE.fullmatch(text):
        raise ExportError(f"base IRI {text!r} is not an http or https IRI ending in one of / # _ -")
    return text


def address(text: str) -> str:
    """The N-Triples form of an http or https address; characters that no IRI may hold are percent-encoded.

    Raises ExportError for any other scheme and for text that has no UTF-8 form.
    """
    if not text.startswith(("http://", "https://")):
        raise ExportError(f"{text!r} is not an http or https address")
    return iri(_NOT_IN_IRI.sub(lambda found: _percent(found.group()), text))


def segment(text: str | int) -> str:
    """One id as the last part of an IRI; everything but unreserved ASCII is percent-encoded, so that no two ids meet.

    Raises ExportError for an empty id and for one that has no UTF-8 form.
    """
    if text == "":
        raise ExportError("an id is empty")
    return _percent(str(text))


def _percent(text: str) -> str:
    try:
        return quote(text, safe="")
    except UnicodeEncodeError as error:
        raise ExportError(f"{text!r} has no UTF-8 form and cannot be part of an IRI") from error


def is_unsafe(text: str) -> bool:
    """True where the text holds a character that not every RDF format can carry."""
    return _UNSAFE.search(text) is not None


def escape_text(text: str) -> str:
    r"""Write ``\`` as ``\\`` and every character that an RDF file cannot carry as ``\u`` and four hexadecimal digits.

    Only texts that hold such a character are written so; their node says it with ``db:escaped_slot``.
    """
    return _UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", text.replace("\\", "\\\\"))


def unescape_text(text: str) -> str:
    """Undo escape_text."""
    return _ESCAPED.sub(lambda found: "\\" if found.group(1) == "\\" else chr(int(found.group(1)[1:], 16)), text)


def literal(text: str, datatype: str | None = None) -> str:
    """The N-Triples form of a literal; datatype is a prefixed name, a plain string where it is left out.

    Raises ExportError where the text holds a character that not every RDF format can carry.
    """
    if _UNSAFE.search(text):
        raise ExportError(f"{text!r} holds a character that RDF cannot carry here")
    quoted = f'"{text.translate(_NTRIPLES)}"'
    return quoted if datatype in (None, "xsd:string") else f"{quoted}^^{term(str(datatype))}"


def json_text(value: object) -> str:
    """A value of any shape as JSON with sorted keys and everything outside ASCII escaped.

    Raises ExportError for a number that JSON does not have.
    """
    try:
        return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    except ValueError as error:
        raise ExportError(f"a value is no JSON: {error}") from error
