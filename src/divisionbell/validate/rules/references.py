"""REF: ids are unique, what is named exists, and files lie where their content says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from divisionbell.bank.read import Document
from divisionbell.diagnostics import Diagnostic, Location, Related
from divisionbell.validate.rule import Context, Rule


def _ids(context: Context) -> Iterator[tuple[str, str, Location]]:
    """Every id with its kind and place."""
    for document in [*context.dossiers, *context.excluded]:
        yield "dossier", document.value["dossier_id"], document.at("dossier_id")
        for procedure, review in document.value["reviews"].items():
            yield "review", review["review_id"], document.at("reviews", procedure, "review_id")
        for number, coding in enumerate(document.value.get("codings", [])):
            yield "coding", coding["coding_id"], document.at("codings", number, "coding_id")
    for document in context.prospective:
        for number, code in enumerate(document.value["prospective_codes"]):
            place = document.at("prospective_codes", number, "division_id")
            yield "dossier", f"commons-{code['division_id']}", place
    for item in context.items:
        yield "item", item.id, item.at("item_id")
    settings = context.settings
    if settings is not None:
        for slot, name in (
            ("agents", "agent_id"),
            ("issue_families", "family_id"),
            ("forms", "form_id"),
            ("registry", "invented_name"),
        ):
            for number, entry in enumerate(settings[slot]):
                yield slot, entry[name], context.bank.settings.at(slot, number, name)
    if context.sources is not None:
        for number, entry in enumerate(context.sources["data_sources"]):
            yield "source", entry["source_id"], context.bank.sources.at("data_sources", number, "source_id")
    if context.evaluations is not None and context.bank.evaluations is not None:
        for number, entry in enumerate(context.evaluations["evaluations"]):
            yield "run", entry["evaluated_run"], context.bank.evaluations.at("evaluations", number, "evaluated_run")


def _unique(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    seen: dict[tuple[str, str], Location] = {}
    for kind, name, place in _ids(context):
        first = seen.setdefault((kind, name), place)
        if first != place:
            yield rule.found(place, f"{name} stands twice", Related(first, "it stands here first"))
    for document in [*context.dossiers, *context.excluded]:
        yield from _repeated(rule, document, ("weak_points",))
        for procedure, slot in (
            ("motion_semantics_v1", "covers"),
            ("party_space_crosscheck_v1", "covers"),
            ("motion_semantics_v1", "semantics_evidence"),
            ("party_space_crosscheck_v1", "party_space_evidence"),
        ):
            yield from _repeated(rule, document, ("reviews", procedure, slot))
        parties: dict[str, Location] = {}
        for number, row in enumerate(document.value["source"]["party_counts"]):
            place = document.at("source", "party_counts", number, "party")
            first = parties.setdefault(row["party"], place)
            if first != place:
                yield rule.found(place, f"{row['party']} stands twice", Related(first, "it stands here first"))
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


def _references(context: Context) -> Iterator[tuple[str, str, Location]]:
    """Every reference with the kind of thing that it must name."""
    for document in [*context.dossiers, *context.excluded]:
        value = document.value
        if "issue_family" in value:
            yield "issue family", value["issue_family"], document.at("issue_family")
        for procedure, review in value["reviews"].items():
            yield "agent", review["reviewed_by"], document.at("reviews", procedure, "reviewed_by")
            for number, name in enumerate(review.get("covers", [])):
                yield "item of this dossier", name, document.at("reviews", procedure, "covers", number)
        for number, coding in enumerate(value.get("codings", [])):
            yield "item of this dossier", coding["coded_item"], document.at("codings", number, "coded_item")
            yield "agent", coding["coded_by"], document.at("codings", number, "coded_by")
        for number, waiver in enumerate(value.get("waivers", [])):
            yield "item of this dossier", waiver["waived_item"], document.at("waivers", number, "waived_item")
            yield "agent", waiver["granted_by"], document.at("waivers", number, "granted_by")
    for document in context.prospective:
        for number, code in enumerate(document.value["prospective_codes"]):
            yield "agent", code["code_made_by"], document.at("prospective_codes", number, "code_made_by")
    for item in context.items:
        for number, change in enumerate(item.value.get("rewritings", [])):
            if "rewriting_asked_by" in change:
                yield "agent", change["rewriting_asked_by"], item.at("rewritings", number, "rewriting_asked_by")
        if item.is_mirror:
            yield "original of this dossier", item.value["mirror_of"], item.at("mirror_of")
        yield "agent", item.value["transformation"]["made_by"], item.at("transformation", "made_by")
        for number, name in enumerate(item.value.get("institutions", [])):
            yield "invented name", name, item.at("institutions", number)
    settings = context.settings
    if settings is not None:
        for number, form in enumerate(settings["forms"]):
            for place, name in enumerate(form.get("form_dossiers", [])):
                yield "dossier", name, context.bank.settings.at("forms", number, "form_dossiers", place)
        for number, entry in enumerate(settings["registry"]):
            yield "item", entry["invented_for"], context.bank.settings.at("registry", number, "invented_for")


def _exist(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    settings = context.settings
    known: dict[str, set[str]] = {
        "item": set(context.item_by_id),
        "dossier": {document.value["dossier_id"] for document in context.dossiers},
    }
    if settings is not None:
        known["agent"] = {entry["agent_id"] for entry in settings["agents"]}
        known["issue family"] = {entry["family_id"] for entry in settings["issue_families"]}
        known["invented name"] = {entry["invented_name"] for entry in settings["registry"]}
    whole = len(context.sound) == sum(1 for _ in context.bank.documents())
    for kind, name, place in _references(context):
        if kind.endswith("of this dossier"):
            own = {
                i.id
                for i in context.items
                if i.document.shown == place.path and not (i.is_mirror and "original" in kind)
            }
            if name not in own:
                yield rule.found(place, f"{name} is no {kind}")
        elif kind in known and name not in known[kind] and (whole or kind not in {"item", "dossier"}):
            yield rule.found(place, f"{name} names no {kind}")


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
    _unique,
)
EXIST = Rule(
    "REF002",
    "what is named exists",
    "Every reference leads somewhere, and to a thing of the right kind.",
    "correct the name, or add the record that it names",
    _exist,
)
PLACE = Rule(
    "REF003",
    "files lie where their content says",
    "A reader finds a dossier by axis, family and division.",
    "move the file",
    _place,
)
