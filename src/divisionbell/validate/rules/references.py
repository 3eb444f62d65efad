"""REF: ids are unique, what is named exists, and files lie where their content says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from divisionbell.bank.read import Document, Path_
from divisionbell.diagnostics import Diagnostic, Location, Related
from divisionbell.validate.rule import Context, ItemAt, Rule


@dataclass(frozen=True, slots=True)
class Place:
    """Where a name stands; looked up in the file only where something is found there."""

    document: Document
    path: Path_

    @property
    def location(self) -> Location:
        return self.document.at(*self.path)


def _in(document: Document, *path: str | int) -> Place:
    return Place(document, path)


def _of(item: ItemAt, *path: str | int) -> Place:
    return Place(item.document, ("items", item.number, *path))


def _ids(context: Context) -> Iterator[tuple[str, str, Place]]:
    """Every id with its kind and place."""
    for document in [*context.dossiers, *context.excluded]:
        yield "dossier", document.value["dossier_id"], _in(document, "dossier_id")
        for procedure, review in document.value["reviews"].items():
            yield "review", review["review_id"], _in(document, "reviews", procedure, "review_id")
        for number, coding in enumerate(document.value.get("codings", [])):
            yield "coding", coding["coding_id"], _in(document, "codings", number, "coding_id")
    for document in context.prospective:
        for number, code in enumerate(document.value["prospective_codes"]):
            place = _in(document, "prospective_codes", number, "division_id")
            yield "dossier", f"commons-{code['division_id']}", place
    for item in context.items:
        yield "item", item.id, _of(item, "item_id")
    settings = context.settings
    if settings is not None:
        for slot, name in (
            ("agents", "agent_id"),
            ("issue_families", "family_id"),
            ("forms", "form_id"),
            ("registry", "invented_name"),
        ):
            for number, entry in enumerate(settings[slot]):
                yield slot, entry[name], _in(context.bank.settings, slot, number, name)
    if context.sources is not None:
        for number, entry in enumerate(context.sources["data_sources"]):
            yield "source", entry["source_id"], _in(context.bank.sources, "data_sources", number, "source_id")
    if context.evaluations is not None and context.bank.evaluations is not None:
        for number, entry in enumerate(context.evaluations["evaluations"]):
            yield "run", entry["evaluated_run"], _in(context.bank.evaluations, "evaluations", number, "evaluated_run")


def _unique(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    seen: dict[tuple[str, str], Place] = {}
    for kind, name, place in _ids(context):
        first = seen.setdefault((kind, name), place)
        if first is not place:
            told = Related(first.location, "it stands here first")
            yield rule.found(place.location, f"{name} stands twice", told)
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
    for number, value in enumerate(values):
        if value in values[:number]:
            first = document.at(*path, values.index(value))
            yield rule.found(
                document.at(*path, number), f"{value} stands twice", Related(first, "it stands here first")
            )


def _references(context: Context) -> Iterator[tuple[str, str, Place]]:
    """Every reference with the kind of thing that it must name."""
    for document in [*context.dossiers, *context.excluded]:
        value = document.value
        if "issue_family" in value:
            yield "issue family", value["issue_family"], _in(document, "issue_family")
        for procedure, review in value["reviews"].items():
            yield "agent", review["reviewed_by"], _in(document, "reviews", procedure, "reviewed_by")
            for number, name in enumerate(review.get("covers", [])):
                yield "item of this dossier", name, _in(document, "reviews", procedure, "covers", number)
        for number, coding in enumerate(value.get("codings", [])):
            yield "item of this dossier", coding["coded_item"], _in(document, "codings", number, "coded_item")
            yield "agent", coding["coded_by"], _in(document, "codings", number, "coded_by")
        for number, waiver in enumerate(value.get("waivers", [])):
            yield "item of this dossier", waiver["waived_item"], _in(document, "waivers", number, "waived_item")
            yield "agent", waiver["granted_by"], _in(document, "waivers", number, "granted_by")
    for document in context.prospective:
        for number, code in enumerate(document.value["prospective_codes"]):
            yield "agent", code["code_made_by"], _in(document, "prospective_codes", number, "code_made_by")
    for item in context.items:
        for number, change in enumerate(item.value.get("rewritings", [])):
            if "rewriting_asked_by" in change:
                yield "agent", change["rewriting_asked_by"], _of(item, "rewritings", number, "rewriting_asked_by")
        if item.is_mirror:
            yield "original of this dossier", item.value["mirror_of"], _of(item, "mirror_of")
        yield "agent", item.value["transformation"]["made_by"], _of(item, "transformation", "made_by")
        for number, name in enumerate(item.value.get("institutions", [])):
            yield "invented name", name, _of(item, "institutions", number)
    settings = context.settings
    if settings is not None:
        for number, form in enumerate(settings["forms"]):
            for place, name in enumerate(form.get("form_dossiers", [])):
                yield "dossier", name, _in(context.bank.settings, "forms", number, "form_dossiers", place)
        for number, entry in enumerate(settings["registry"]):
            yield "item", entry["invented_for"], _in(context.bank.settings, "registry", number, "invented_for")


def _exist(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    settings = context.settings
    known: dict[str, set[str]] = {
        "item": {item.id for item in context.items},
        "dossier": {document.value["dossier_id"] for document in context.dossiers},
    }
    if settings is not None:
        known["agent"] = {entry["agent_id"] for entry in settings["agents"]}
        known["issue family"] = {entry["family_id"] for entry in settings["issue_families"]}
        known["invented name"] = {entry["invented_name"] for entry in settings["registry"]}
    whole = len(context.sound) == sum(1 for _ in context.bank.documents())
    items: dict[int, set[str]] = {}
    originals: dict[int, set[str]] = {}
    for item in context.items:
        items.setdefault(id(item.document), set()).add(item.id)
        if not item.is_mirror:
            originals.setdefault(id(item.document), set()).add(item.id)
    for kind, name, place in _references(context):
        if kind.endswith("of this dossier"):
            own = originals if "original" in kind else items
            if name not in own.get(id(place.document), ()):
                yield rule.found(place.location, f"{name} is no {kind}")
        elif kind in known and name not in known[kind] and (whole or kind not in {"item", "dossier"}):
            yield rule.found(place.location, f"{name} names no {kind}")


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
    across=_unique,
)
EXIST = Rule(
    "REF002",
    "what is named exists",
    "Every reference leads somewhere, and to a thing of the right kind.",
    "correct the name, or add the record that it names",
    across=_exist,
)
PLACE = Rule(
    "REF003",
    "files lie where their content says",
    "A reader finds a dossier by axis, family and division.",
    "move the file",
    across=_place,
)
