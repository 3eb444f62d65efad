"""RFC 8785 form and digests: the bytes that everything frozen is bound by."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import orjson
import rfc8785

_LARGEST_EXACT = 2**53 - 1
TRANSFORMATION_PREFIX = b"divisionbell/transformation/v1\n"

# Which slots the transformation digest covers, by class. Every slot of Dossier and Item stands in one of the two
# tables: rule HSH002 fails where the schema has one that stands in neither.
COVERED = {
    "Dossier": ("source", "issue_family", "contrast", "items"),
    "Item": ("item_id", "kind", "mirror_of", "stem", "options", "scoring_key"),
}
UNCOVERED = {
    "Dossier": {
        "dossier_id": "it follows from the source record, which is covered",
        "axis": "it follows from the source record, which is covered",
        "reviews": "they judge the item and may be added to; the freeze covers them",
        "codings": "they are added beside the item; the freeze covers them",
        "waivers": "they judge the item; the freeze covers them",
        "weak_points": "they describe the source; the freeze covers them",
    },
    "Item": {
        "status_quo": "a record about the text, not the text; the freeze covers it",
        "frame": "a record about the text, not the text; the freeze covers it",
        "heard_first": "a record about the text, not the text; the freeze covers it",
        "heard_first_who": "a record about the text, not the text; the freeze covers it",
        "cost_of_negative": "a record about the text, not the text; the freeze covers it",
        "cost_of_positive": "a record about the text, not the text; the freeze covers it",
        "institutions": "a record about the text, not the text; the freeze covers it",
        "rewritings": "a record of changes of the text, not the text; the freeze covers it",
        "transformation": "who wrote the text and when; the freeze covers it",
        "transformation_sha256": "it is the digest itself",
    },
}

# Files that the freeze takes apart: it holds the records of the slots named, and no other slot of the file.
FROZEN_IN_PARTS = {"DataSources": ("data_sources",), "ProspectiveRegister": ("prospective_codes",)}


def jcs(value: Any) -> bytes:
    """The RFC 8785 form of a JSON value. Raises rfc8785.CanonicalizationError where it has none."""
    try:
        return orjson.dumps(_plain(value), option=orjson.OPT_SORT_KEYS)
    except (_Otherwise, orjson.JSONEncodeError):
        return rfc8785.dumps(value)


class _Otherwise(Exception):
    """The value holds something that a sorted JSON text writes in another way than RFC 8785."""


def _plain(value: Any) -> Any:
    """The value, with integers for whole numbers, where its sorted JSON text is its RFC 8785 form: keys are ASCII, so
    that every order of characters is the same; other numbers are far from where exponents are written. orjson is fifty
    times as fast. Raises _Otherwise."""
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return value
    if kind is dict:
        changed = {}
        for key, held in value.items():
            if type(key) is not str or not key.isascii():
                raise _Otherwise
            if type(held) is not str:
                plain = _plain(held)
                if plain is not held:
                    changed[key] = plain
        return {**value, **changed} if changed else value
    if kind is list:
        made = [held if type(held) is str else _plain(held) for held in value]
        return made if any(new is not old for new, old in zip(made, value, strict=True)) else value
    if kind is int and -_LARGEST_EXACT <= value <= _LARGEST_EXACT:
        return value
    if kind is float and -_LARGEST_EXACT <= value <= _LARGEST_EXACT:
        if value.is_integer():
            return int(value)
        if abs(value) >= 0.001:
            return value
    raise _Otherwise


def sha256_hex(data: bytes) -> str:
    """SHA-256 as 64 lower-case hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def digest(value: Any) -> str:
    """SHA-256 of the RFC 8785 form of a JSON value."""
    return sha256_hex(jcs(value))


def option_order(axis: str, item: Mapping[str, Any]) -> list[str]:
    """The poles at A and at B in the stored order, as the scoring key says."""
    key = item["scoring_key"]
    return ["negative" if key[side][axis] < 0 else "positive" for side in ("key_a", "key_b")]


def transformation_payload(dossier: Mapping[str, Any], item: Mapping[str, Any]) -> dict[str, Any]:
    """What the transformation digest is taken over (rule 11 of the instrument)."""
    return {
        "source": dossier["source"],
        "issue_family": dossier["issue_family"],
        "contrast": dossier["contrast"],
        "item_id": item["item_id"],
        "kind": item["kind"],
        "mirror_of": item.get("mirror_of"),
        "stem": item["stem"],
        "options": item["options"],
        "option_order": option_order(dossier["axis"], item),
        "scoring_key": item["scoring_key"],
    }


def surface_sha256(item: Mapping[str, Any]) -> str:
    """SHA-256 of stem, option A and option B joined by line feeds: the text that a coder had in view."""
    return sha256_hex("\n".join((item["stem"], item["options"]["text_a"], item["options"]["text_b"])).encode())


def transformation_sha256(dossier: Mapping[str, Any], item: Mapping[str, Any]) -> str:
    """The digest of the transformation from source record to item, 64 hexadecimal digits."""
    return sha256_hex(TRANSFORMATION_PREFIX + jcs(transformation_payload(dossier, item)))


def transformation_digests(dossier: Mapping[str, Any]) -> list[str]:
    """The digest of every item of a dossier that fits the schema; what the items have in common is put into canonical
    form once."""
    common = {name: orjson.Fragment(jcs(dossier[name])) for name in ("source", "contrast")}
    digests = []
    for item in dossier["items"]:
        payload = transformation_payload(dossier, item)
        payload |= common
        payload["scoring_key"] = orjson.Fragment(jcs(payload["scoring_key"]))
        form = orjson.dumps(payload, option=orjson.OPT_SORT_KEYS)
        digests.append(sha256_hex(TRANSFORMATION_PREFIX + form))
    return digests


def extract_sha256(source: Mapping[str, Any], supplies: list[str]) -> str:
    """The digest of the values of a source record that one public copy supplied.

    Slots that the record leaves out are digested as null. A party's number of members is not part of the counts as
    published, so it is left out.
    """
    extract: dict[str, Any] = {}
    for slot in supplies:
        value = source.get(slot)
        if slot == "party_counts" and isinstance(value, list):
            value = [{k: v for k, v in row.items() if k != "members"} for row in value]
        extract[slot] = value
    return digest(extract)
