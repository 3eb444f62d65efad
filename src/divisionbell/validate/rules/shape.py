"""SCH: files are read strictly and fit the schema."""

from __future__ import annotations

from collections.abc import Iterable

from divisionbell.diagnostics import Diagnostic
from divisionbell.validate.rule import Context, Example, Rule
from divisionbell.validate.shape import shape_problems


def _read(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    yield from context.bank.problems
    for _, document in context.bank.documents():
        yield from document.problems


def _shape(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    for root, document in context.unsound:
        if not document.problems:
            yield from shape_problems(root, document)


READ = Rule(
    "SCH001",
    "files are read strictly",
    "Every file has one reading: no tags, aliases, duplicate keys or foreign files that two readers could take apart.",
    "write plain YAML in UTF-8, one document a file",
    across=_read,
    example=Example(
        "duplicate key",
        bad="""
dossier_id: commons-1541
axis: social
axis: social
""",
        good="""
dossier_id: commons-1541
axis: social
issue_family: public-protest
""",
    ),
)
SHAPE = Rule(
    "SCH002",
    "records fit the schema",
    "Every record has exactly the slots that the schema names, each of its kind.",
    "correct the value; the schema says what it admits",
    across=_shape,
    example=Example(
        "misspelt slot",
        bad="""
statusquo: positive
frame: loss
""",
        good="""
status_quo: positive
frame: loss
""",
    ),
)
