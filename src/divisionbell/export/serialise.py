"""Triples as the bytes of one RDF format, the same bytes for the same set of triples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pyoxigraph import RdfFormat, parse, serialize

from divisionbell.export.terms import PREFIXES, ExportError, Triple

__all__ = ["FORMATS", "serialise"]

#: Format name → media type.
FORMATS: Mapping[str, str] = {
    "turtle": "text/turtle",
    "ntriples": "application/n-triples",
    "nquads": "application/n-quads",
    "trig": "application/trig",
    "jsonld": "application/ld+json",
    "rdfxml": "application/rdf+xml",
}
_WRITERS = {
    "turtle": RdfFormat.TURTLE,
    "trig": RdfFormat.TRIG,
    "jsonld": RdfFormat.JSON_LD,
    "rdfxml": RdfFormat.RDF_XML,
}


def serialise(triples: Iterable[Triple], format: str) -> bytes:
    """The triples, sorted and each once, in one of FORMATS; all stand in the default graph.

    Raises ExportError for a format that is not in FORMATS.
    """
    if format not in FORMATS:
        raise ExportError(f"{format!r} is not one of {', '.join(FORMATS)}")
    lines = sorted({f"{subject} {predicate} {held} .\n" for subject, predicate, held in triples})
    canonical = "".join(lines).encode("utf-8")
    if format not in _WRITERS:
        return canonical
    quads = parse(canonical, format=RdfFormat.N_TRIPLES)
    rows = quads if format in ("trig", "jsonld") else (quad.triple for quad in quads)
    written = serialize(rows, format=_WRITERS[format], prefixes=dict(PREFIXES))
    assert written is not None
    # An XML reader turns a bare carriage return into a line feed; written as a reference it stays.
    written = written.replace(b"\r", b"&#13;") if format == "rdfxml" else written
    if format in ("turtle", "trig"):
        # The writer puts the prefixes in the order of a hash table.
        *head, rest = written.split(b"\n", len(PREFIXES))
        written = b"\n".join([*sorted(head), rest])
    return written if written.endswith(b"\n") else written + b"\n"
