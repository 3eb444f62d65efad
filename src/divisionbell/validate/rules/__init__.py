"""The table of rules. `explain`, the reference page and the tests follow from it; nothing else lists rules."""

from __future__ import annotations

from divisionbell.validate.rule import Rule
from divisionbell.validate.rules import (
    freeze,
    hashes,
    keys,
    mirrors,
    order,
    provenance,
    references,
    reviews,
    shape,
    sources,
    texts,
)

RULES: tuple[Rule, ...] = (
    shape.READ,
    shape.SHAPE,
    references.UNIQUE,
    references.EXIST,
    references.PLACE,
    keys.OPPOSITE,
    keys.AGREE,
    reviews.APPROVED,
    reviews.AGREE,
    reviews.DISTINCT,
    reviews.COMPUTED,
    sources.OFFICIAL,
    sources.COPIES,
    sources.SURVEY,
    sources.RECOMPUTED,
    texts.NAMES,
    texts.TITLE,
    texts.LENGTH,
    texts.INVENTED,
    order.BY_SEED,
    mirrors.PAIRED,
    mirrors.REVERSAL,
    mirrors.WORDED,
    mirrors.STATUS_QUO,
    hashes.DIGEST,
    hashes.COVERAGE,
    freeze.UNCHANGED,
    freeze.INTACT,
    provenance.NO_OUTPUT,
)
BY_ID: dict[str, Rule] = {rule.id: rule for rule in RULES}
