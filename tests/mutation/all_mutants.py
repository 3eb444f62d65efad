"""Every mutant of the values, keys and lists of a bank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mutant import Mutant
from of_structure import of_dossier, of_element, of_key, of_neighbours
from of_values import Pool, of_value, pool_key
from slots import NAMES, Site, sites

from divisionbell.bank.document import Document
from divisionbell.bank.load import Bank


def all_sites(bank: Bank) -> dict[int, list[Site]]:
    """Document, by its id() -> its sites."""
    return {id(document): list(sites(root, document)) for root, document in bank.documents()}


def pool_of(found: Mapping[int, list[Site]]) -> Pool:
    """The names that occur in the bank, by range; see of_values.pool_key."""
    pool: dict[str, dict[str, None]] = {}
    for listed in found.values():
        for site in listed:
            if site.is_scalar and site.range in NAMES:
                pool.setdefault(pool_key(site), {})[site.value] = None
    return {name: list(values) for name, values in pool.items()}


def of_site(site: Site, following: Site | None, pool: Pool) -> Iterator[Mutant]:
    """Every mutant of one site; `following` is the next element, where it is an element with one."""
    if site.is_scalar:
        yield from of_value(site, pool)
    if site.is_element:
        yield from of_element(site, following.mark if following else None)
    else:
        yield from of_key(site)


def following(found: list[Site]) -> dict[int, Site]:
    """Site, by its id() -> the next element of the same list."""
    last: dict[object, Site] = {}
    after: dict[int, Site] = {}
    for site in found:
        if site.is_element:
            before = last.get(site.path[:-1])
            if before is not None:
                after[id(before)] = site
            last[site.path[:-1]] = site
    return after


def neighbours(found: list[Site]) -> Iterator[Mutant]:
    """Two neighbouring values of one mapping exchanged."""
    within: dict[object, list[Site]] = {}
    for site in found:
        within.setdefault(site.path[:-1], []).append(site)
    for listed in within.values():
        yield from of_neighbours(listed)


def of_document(document: Document, found: list[Site], pool: Pool) -> Iterator[Mutant]:
    """Every mutant of one document by itself."""
    after = following(found)
    for site in found:
        yield from of_site(site, after.get(id(site)), pool)
    yield from neighbours(found)
    if document.value.get("items"):
        yield from of_dossier(document, found)
