"""Which rule holds each promise that a shape cannot: looked up by the promises read from the schema.

A key is class.slot, or root/class.slot where one kind of file is held by another rule than the rest. An entry that
begins with "free:" says why nothing is promised.
"""

from __future__ import annotations

# A list whose element stands twice.
ONCE = {
    "Bank.forms": "REF001",
    "Bank.issue_families": "REF001",
    "Bank.registry": "REF001",
    "Bank.agents": "REF001",
    "ParserSpecification.normative_text": "REF004",
    "ParserSpecification.vectors": "REF004",
    "AnalysisPlan.estimates_planned": "REF004",
    "AnalysisPlan.tests": "REF004",
    "AnalysisPlan.sensitivity": "REF004",
    "AnalysisPlan.never_claimed": "REF004",
    "Dossier.codings": "REF001",
    "Dossier.items": "REF001",
    "Dossier.waivers": "REF004",
    "Dossier.weak_points": "REF001",
    "ExcludedDossier.weak_points": "REF001",
    "DivisionSourceRecord.party_counts": "REF001",
    "DivisionSourceRecord.copies": "REF004",
    "PartySpace.related_fields": "REV004",
    "PartySpace.participation": "REV004",
    "Item.rewritings": "free: a log; two changes of one day for one reason are two entries",
    "ProspectiveRegister.prospective_codes": "REF001",
    "ProspectiveCode.copies": "REF004",
    "EvaluationRegister.evaluations": "REF001",
    "DataSources.data_sources": "REF001",
    "DataSource.byte_digests": "REF004",
}

# The same element in another guise: these slots of the second differ.
DISGUISES = {
    "Bank.forms": ({"form_description": "Another."}, "REF001"),
    "ParserSpecification.vectors": ({"verdict": "malformed", "vector_reason": "other"}, "REF004"),
    "AnalysisPlan.estimates_planned": ({"estimand": "Another."}, "REF004"),
    "Dossier.codings": ({"coding_id": "another-name", "remark": "Read again."}, "REV005"),
    "Dossier.waivers": ({"reason": "Another.", "granted_by": "divisionbell"}, "REF004"),
    "DivisionSourceRecord.party_counts": ({"aye_voters": 0}, "REF001"),
    "DivisionSourceRecord.copies": ({"obtained_on": "2026-12-01"}, "REF004"),
    "ProspectiveRegister.prospective_codes": ({"code_rationale": "Another."}, "REF001"),
    "EvaluationRegister.evaluations": ({"evaluated_run": "run-three"}, "REF004"),
    "DataSources.data_sources": ({"title": "Another"}, "REF001"),
    "DataSource.byte_digests": ({"used": False}, "REF004"),
}

# An id that another record has already; REF001 where it is not listed.
UNIQUE = {
    "Bank.bank_id": "free: there is one bank.yaml",
    "DivisionSourceRecord.division_id": "SRC001",
    "DivisionSourceRecord.number": "REF004",
    "ProspectiveCode.number": "REF004",
}

# A well-formed name of nothing; REF002 for references to records, where it is not listed.
NAMES = {
    "MotionSemanticsReview.semantics_evidence": "REV003",
    "PartySpaceReview.party_space_evidence": "REV003",
    "Institution.invented_name": "REF005",
    "Item.institutions": "REF002",
    "PublicCopy.publisher": "SRC003",
    "PublicCopy.supplies": "SRC002",
    "ProspectiveRegister/PublicCopy.supplies": "SRC005",
    "PartySpace.primary_field": "REV004",
    "PartySpace.other_axis_field": "REV004",
    "RelatedField.field": "REV004",
    "Participation.party": "REV004",
    "PlannedEstimate.estimate_name": "REF005",
    "ParserSpecification.parser_id": "TXT010",
    "Waiver.rule": "REF005",
    "Waiver.waived_text": "REF005",
    "Evaluation.evaluated_version": "FRZ002",
    "Evaluation.asked_form": "FRZ003",
    "DataSource.fields": "SRC003",
    "DataSource.source_id": "SRC003",
}

# Text that names nothing that is kept elsewhere, or that this record itself names first.
FREE_TEXT = {
    "Bank.bank_id", "Bank.bank_title", "Bank.version", "Bank.bank_licence", "Bank.template_version",
    "ParserVector.vector_item", "ParserVector.vector_answer", "ParserVector.vector_reason",
    "ParserVector.vector_reply", "ParserSpecification.normative_text", "Bank.system_message",
    "Bank.prompt_template", "Bank.reminder", "Form.form_id", "Form.form_description", "IssueFamily.family_id",
    "IssueFamily.family_negative", "IssueFamily.family_positive", "Agent.agent_id", "Agent.label", "Agent.role",
    "Agent.family", "Agent.agent_version", "AnalysisPlan.plan_version", "AnalysisPlan.weights",
    "AnalysisPlan.missing_answers", "AnalysisPlan.tests", "AnalysisPlan.sensitivity", "AnalysisPlan.never_claimed",
    "PlannedEstimate.estimand", "Dossier.dossier_id", "ExcludedDossier.dossier_id", "Dossier.weak_points",
    "ExcludedDossier.weak_points", "Contrast.question", "Contrast.negative_pole", "Contrast.positive_pole",
    "DivisionSourceRecord.official_title", "DivisionSourceRecord.members_basis",
    "DivisionSourceRecord.direction_note", "MotionDirection.quoted_text", "MotionDirection.stands_in",
    "PartyCount.party", "PublicCopy.path", "PublicCopy.revision", "MotionSemanticsReview.review_id",
    "MotionSemanticsReview.rationale", "PartySpaceReview.review_id", "PartySpaceReview.rationale",
    "Coding.coding_id", "Coding.guessed_country", "Coding.guessed_preference", "Coding.remark", "Item.item_id",
    "Item.stem", "Item.heard_first_who", "Item.cost_of_negative", "Item.cost_of_positive", "Options.text_a",
    "Options.text_b", "Transformation.removed", "Waiver.reason", "Exclusion.explanation",
    "ProspectiveCode.official_title", "ProspectiveCode.direction_note", "ProspectiveCode.code_rationale",
    "Evaluation.evaluated_run", "Evaluation.respondent_name", "DataSource.title", "DataSource.publisher",
    "DataSource.licence", "DataSource.citation", "DataSource.doi", "DataSource.value_selection",
    "DataSource.remark_on_source", "ByteDigest.seen_in",
}  # fmt: skip

# Another digest of the right form.
DIGESTS = {
    "Bank.response_seed": "ORD001",
    "PublicCopy.extract_sha256": "SRC002",
    "ProspectiveRegister/PublicCopy.extract_sha256": "SRC005",
    "PartySpace.survey_sha256": "SRC003",
    "PartySpace.survey_value_sha256": "SRC003",
    "Coding.coded_text_sha256": "REV005",
    "Item.transformation_sha256": "HSH001",
    "Evaluation.records_sha256": "FRZ002",
    "Evaluation.statement_sha256": "FRZ002",
    "Evaluation.journal_sha256": "free: the journal lies with the run, and `runs verify` compares it",
    "DataSource.value_sha256": "SRC003",
    "ByteDigest.sha256": "SRC003",
}

# A date before what it follows, or for the date of a division one after everything; PRV002 where it is not listed.
DATES = {"Evaluation.registered_at": "FRZ003"}

# An address of the right form that leads to another page.
ADDRESSES = {
    "Bank.base_iri": "free: the author's own",
    "DivisionSourceRecord.official_address": "SRC001",
    "ProspectiveCode.official_address": "SRC005",
    "DataSource.address": "free: nobody opens it for us",
    "DataSource.listing_address": "free: nobody opens it for us",
}

# Slots that one kind of file has by its classes and never uses, with the rule that refuses them there.
UNUSED = {
    ("ExcludedDossier", "MotionSemanticsReview.covers"): "REF002",
    ("ExcludedDossier", "PartySpaceReview.covers"): "REF002",
}
