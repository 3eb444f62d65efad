"""Fill in the digests that bank files must carry, each at its place, and change nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from divisionbell.author.write_back import as_read, replace_scalar, rewrite_checked
from divisionbell.bank.canonical import extract_sha256, transformation_sha256
from divisionbell.bank.read import Document, Path_, read_bytes
from divisionbell.diagnostics import Diagnostic, Findings
from divisionbell.validate.shape import shape_problems

EXTRACT = "extract_sha256"


def wanted_digests(value: dict[str, object]) -> Iterator[tuple[Path_, str]]:
    """The path and the right value of every digest that a dossier carries over its own content."""
    source = value["source"]
    assert isinstance(source, dict)
    for number, copy in enumerate(source["copies"]):
        yield ("source", "copies", number, EXTRACT), extract_sha256(source, copy["supplies"])
    items = value.get("items", [])
    assert isinstance(items, list)
    for number, item in enumerate(items):
        yield ("items", number, "transformation_sha256"), transformation_sha256(value, item)


def stale_digests(document: Document) -> list[Path_]:
    """The paths of digests that are missing or stale. Raises Findings as `fill` does."""
    _held_to_schema(document)
    return [path for path, digest in wanted_digests(document.value) if _at(document, path) != digest]


def _held_to_schema(document: Document) -> None:
    excluded = isinstance(document.value, dict) and "exclusion" in document.value
    root = "ExcludedDossier" if excluded else "Dossier"
    others = [] if document.problems else [p for p in shape_problems(root, document) if not _is_digest(p)]
    if document.problems or others:
        raise Findings(
            f"{document.shown} does not fit the schema yet: no digest was written",
            (*document.problems, *others),
            "write what is missing first",
        )


def _is_digest(problem: Diagnostic) -> bool:
    """Whether a finding is about the value of a digest. One whose key is missing has no place to be written to."""
    return "sha256" in problem.message and " lacks " not in problem.message


def kept_extracts(document: Document) -> list[Path_]:
    """The paths of extract digests that are there and are not of these figures. Raises Findings as `fill` does."""
    return [path for path in stale_digests(document) if path[-1] == EXTRACT and _at(document, path)]


def fill(document: Document, extracts: bool = False) -> list[Path_]:
    """Write every digest that is missing or stale, and return their paths.

    An extract digest says which figures stood in the copy. One that is there and is not of these figures stays as it is
    unless `extracts`: else a slip of a figure would have a digest of its own. The extract digests come first, since the
    transformation digests cover them. Raises Findings where the dossier does not fit the schema apart from its digests,
    NotWritten where the file cannot be replaced.
    """
    kept = kept_extracts(document)
    if extracts:
        kept = []
    read = document
    changed: list[Path_] = []
    while True:
        stale = [
            (path, digest)
            for path, digest in wanted_digests(document.value)
            if path not in kept and _at(document, path) != digest
        ]
        if not stale:
            break
        path, digest = stale[0]
        as_read(document)
        text = replace_scalar(document, path, digest)
        changed.append(path)
        document = read_bytes(text.encode("utf-8"), Document(document.path))
    if changed:
        rewrite_checked(read, document.text)
    return changed


def _at(document: Document, path: Path_) -> object:
    value = document.value
    for step in path:
        value = value[step]
    return value
