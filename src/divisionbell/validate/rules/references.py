"""REF: ids are unique, what is named exists, and files lie where their content says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from divisionbell.bank.read import Document, Path_
from divisionbell.diagnostics import Diagnostic, Location, Related
from divisionbell.validate.rule import Context, Example, Rule
from divisionbell.validate.shape_words import perhaps

# Where a name stands: looked up in the file only where something is found there.
Place = tuple[Document, Path_]
# What is named, its name, and where.
Named = tuple[str, str, Place]


def _location(place: Place) -> Location:
    document, path = place
    return document.at(*path)


def _ids_of(document: Document) -> Iterator[tuple[str, str, Path_]]:
    """Every id of a dossier with its kind and path."""
    value = document.value
    yield "dossier", value["dossier_id"], ("dossier_id",)
    for procedure, review in value["reviews"].items():
        yield "review", review["review_id"], ("reviews", procedure, "review_id")
    for number, coding in enumerate(value.get("codings", [])):
        yield "coding", coding["coding_id"], ("codings", number, "coding_id")
    for number, item in enumerate(value.get("items", [])):
        yield "item", item["item_id"], ("items", number, "item_id")


def _dossier_ids(context: Context) -> list[list[tuple[str, str, Path_]]]:
    return [list(_ids_of(document)) for document in [*context.dossiers, *context.excluded]]


def _other_ids(context: Context) -> Iterator[Named]:
    """Every id of the other files with its kind and place."""
    for document in context.prospective:
        for number, code in enumerate(document.value["prospective_codes"]):
            place = (document, ("prospective_codes", number, "division_id"))
            yield "dossier", f"commons-{code['division_id']}", place
    settings = context.settings
    if settings is not None:
        for slot, name in (
            ("agents", "agent_id"),
            ("issue_families", "family_id"),
            ("forms", "form_id"),
            ("registry", "invented_name"),
        ):
            for number, entry in enumerate(settings[slot]):
                yield slot, entry[name], (context.bank.settings, (slot, number, name))
    if context.sources is not None:
        for number, entry in enumerate(context.sources["data_sources"]):
            yield "source", entry["source_id"], (context.bank.sources, ("data_sources", number, "source_id"))
    if context.evaluations is not None and context.bank.evaluations is not None:
        for number, entry in enumerate(context.evaluations["evaluations"]):
            yield "run", entry["evaluated_run"], (context.bank.evaluations, ("evaluations", number, "evaluated_run"))


def _unique_across(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    seen: dict[tuple[str, str], Place] = {}
    copy_of: dict[int, Document] = {}  # a dossier that stands twice is told once, not each of its ids
    documents = [*context.dossiers, *context.excluded]
    of_dossiers = (
        (kind, name, (document, path))
        for document, ids in zip(documents, rule.gathered(context), strict=True)
        for kind, name, path in ids
    )
    for kind, name, place in chain(of_dossiers, _other_ids(context)):
        first = seen.setdefault((kind, name), place)
        if first is not place:
            if copy_of.get(id(place[0])) is first[0]:
                continue
            if kind == "dossier":
                copy_of[id(place[0])] = first[0]
            told = Related(_location(first), "it stands here first")
            yield rule.found(_location(place), f"{name} stands twice", told)


def _unique_within(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    for document in [*context.dossiers, *context.excluded]:
        yield from _repeated(rule, document, ("weak_points",))
        for procedure, slot in (
            ("motion_semantics_v1", "covers"),
            ("party_space_crosscheck_v1", "covers"),
            ("motion_semantics_v1", "semantics_evidence"),
            ("party_space_crosscheck_v1", "party_space_evidence"),
        ):
            yield from _repeated(rule, document, ("reviews", procedure, slot))
        parties: dict[str, int] = {}
        for number, row in enumerate(document.value["source"]["party_counts"]):
            earlier = parties.setdefault(row["party"], number)
            if earlier != number:
                here, there = (document.at("source", "party_counts", n, "party") for n in (number, earlier))
                yield rule.found(here, f"{row['party']} stands twice", Related(there, "it stands here first"))
    for item in context.items:
        yield from _repeated(rule, item.document, ("items", item.number, "institutions"))


def _repeated(rule: Rule, document: Document, path: tuple[str | int, ...]) -> Iterator[Diagnostic]:
    values = document.value
    for step in path:
        if isinstance(values, dict) and step not in values:
            return
        values = values[step]
    if len(set(values)) == len(values):
        return
    seen: dict[str, int] = {}
    for number, value in enumerate(values):
        earlier = seen.setdefault(value, number)
        if earlier != number:
            here, there = (document.at(*path, n) for n in (number, earlier))
            yield rule.found(here, f"{value} stands twice", Related(there, "it stands here first"))


def _references_of(document: Document) -> Iterator[Named]:
    """Every reference of a dossier with the kind of thing that it must name."""
    value = document.value

    def of(*path: str | int) -> Place:
        return document, path

    if "issue_family" in value:
        yield "issue family", value["issue_family"], of("issue_family")
    for procedure, review in value["reviews"].items():
        yield "agent", review["reviewed_by"], of("reviews", procedure, "reviewed_by")
        for number, name in enumerate(review.get("covers", [])):
            yield "item of this dossier", name, of("reviews", procedure, "covers", number)
    for number, coding in enumerate(value.get("codings", [])):
        yield "item of this dossier", coding["coded_item"], of("codings", number, "coded_item")
        yield "agent", coding["coded_by"], of("codings", number, "coded_by")
    for number, waiver in enumerate(value.get("waivers", [])):
        yield "item of this dossier", waiver["waived_item"], of("waivers", number, "waived_item")
        yield "agent", waiver["granted_by"], of("waivers", number, "granted_by")
    for place, item in enumerate(value.get("items", [])):
        for number, change in enumerate(item.get("rewritings", [])):
            if "rewriting_asked_by" in change:
                asked_by = of("items", place, "rewritings", number, "rewriting_asked_by")
                yield "agent", change["rewriting_asked_by"], asked_by
        if "mirror_of" in item:
            yield "original of this dossier", item["mirror_of"], of("items", place, "mirror_of")
        yield "agent", item["transformation"]["made_by"], of("items", place, "transformation", "made_by")
        for number, name in enumerate(item.get("institutions", [])):
            yield "invented name", name, of("items", place, "institutions", number)


def _other_references(context: Context) -> Iterator[Named]:
    """Every reference of the other files."""
    for document in context.prospective:
        for number, code in enumerate(document.value["prospective_codes"]):
            yield "agent", code["code_made_by"], (document, ("prospective_codes", number, "code_made_by"))
    if context.settings is not None:
        for number, form in enumerate(context.settings["forms"]):
            for place, name in enumerate(form.get("form_dossiers", [])):
                yield "dossier", name, (context.bank.settings, ("forms", number, "form_dossiers", place))
        for number, entry in enumerate(context.settings["registry"]):
            yield "item", entry["invented_for"], (context.bank.settings, ("registry", number, "invented_for"))


def _known(context: Context) -> dict[str, set[str]]:
    """The names of what the settings hold, by kind."""
    settings = context.settings
    if settings is None:
        return {}
    return {
        "agent": {entry["agent_id"] for entry in settings["agents"]},
        "issue family": {entry["family_id"] for entry in settings["issue_families"]},
        "invented name": {entry["invented_name"] for entry in settings["registry"]},
    }


class _Hints:
    """Asks whether another name was meant, of the first findings only: to compare names takes long."""

    def __init__(self) -> None:
        self.left = 50

    def of(self, name: str, known: set[str]) -> str:
        self.left -= 1
        return perhaps(name, sorted(known)) if self.left >= 0 else ""


def _exist_within(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    known = _known(context)
    hints = _Hints()
    for document in [*context.dossiers, *context.excluded]:
        items = document.value.get("items", [])
        own = {
            "item of this dossier": {item["item_id"] for item in items},
            "original of this dossier": {item["item_id"] for item in items if "mirror_of" not in item},
        }
        for kind, name, place in _references_of(document):
            if kind in own and name not in own[kind]:
                yield rule.found(_location(place), f"{name} is no {kind}{hints.of(name, own[kind])}")
            elif kind in known and name not in known[kind]:
                yield rule.found(_location(place), f"{name} names no {kind}{hints.of(name, known[kind])}")


def _exist_across(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    known = _known(context)
    if not context.unsound:  # what does not fit the schema may be what is named
        known["item"] = {item["item_id"] for document in context.dossiers for item in document.value["items"]}
        known["dossier"] = {document.value["dossier_id"] for document in context.dossiers}
    hints = _Hints()
    for kind, name, place in _other_references(context):
        if kind in known and name not in known[kind]:
            yield rule.found(_location(place), f"{name} names no {kind}{hints.of(name, known[kind])}")


def _place(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    for folder, documents in (("dossiers", context.dossiers), ("excluded", context.excluded)):
        for document in documents:
            value = document.value
            number = value["dossier_id"].removeprefix("commons-")
            family = (value["issue_family"],) if folder == "dossiers" else ()
            expected = (folder, value["axis"], *family)
            found = document.path.relative_to(context.bank.folder).parts
            if found[:-1] != expected or not found[-1].startswith(f"{number}-"):
                wanted = "/".join((*expected, f"{number}-<slug>.yaml"))
                yield rule.found(
                    document.at("dossier_id"), f"the file lies in {'/'.join(found)}", fix=f"move it to {wanted}"
                )


UNIQUE = Rule(
    "REF001",
    "ids are unique",
    "An id names one thing, so that a reply, a review or a key cannot be taken for another's.",
    "rename or remove one of the two",
    _unique_within,
    _unique_across,
    _dossier_ids,
    example=Example(
        "source twice",
        bad="""
data_sources:
  - source_id: ches-2024
    …
  - source_id: "ches-2024"
    title: Commons Votes, divisions of the House of Commons
""",
        good="""
data_sources:
  - source_id: ches-2024
    …
  - source_id: commons-votes
    title: Commons Votes, divisions of the House of Commons
""",
    ),
)
EXIST = Rule(
    "REF002",
    "what is named exists",
    "Every reference leads somewhere, and to a thing of the right kind.",
    "correct the name, add the record that it names, or take the reference out",
    _exist_within,
    _exist_across,
    example=Example(
        "unknown agent",
        bad="""
status: approved
reviewed_by: "somebody"
""",
        good="""
status: approved
reviewed_by: drafting-software
""",
    ),
)
PLACE = Rule(
    "REF003",
    "files lie where their content says",
    "A reader finds a dossier by axis, family and division.",
    "move the file",
    _place,
    example=Example(
        "other family",
        bad="""
# bank/dossiers/social/abortion-access/1541-disruptive-gatherings.yaml
dossier_id: commons-1541
axis: social
issue_family: public-protest
""",
        good="""
# bank/dossiers/social/public-protest/1541-disruptive-gatherings.yaml
dossier_id: commons-1541
axis: social
issue_family: public-protest
""",
    ),
)
