from __future__ import annotations

import re
import sys
from datetime import (
    date,
    datetime,
    time
)
from decimal import Decimal
from enum import Enum
from typing import (
    Any,
    ClassVar,
    Literal,
    Optional,
    Union
)

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    RootModel,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer
)


metamodel_version = "1.12.0"
version = "1.0.0"


class ConfiguredBaseModel(BaseModel):
    model_config = ConfigDict(
        serialize_by_alias = True,
        validate_by_name = True,
        frozen = True,
        validate_default = True,
        extra = "forbid",
        arbitrary_types_allowed = True,
        use_enum_values = True,
        strict = False,
    )





class LinkMLMeta(RootModel):
    root: dict[str, Any] = {}
    model_config = ConfigDict(frozen=True)

    def __getattr__(self, key:str):
        return getattr(self.root, key)

    def __getitem__(self, key:str):
        return self.root[key]

    def __setitem__(self, key:str, value):
        self.root[key] = value

    def __contains__(self, key:str) -> bool:
        return key in self.root


linkml_meta = None

class Axis(str, Enum):
    """
    The two axes of the codebook.
    """
    economic = "economic"
    """
    Negative for public provision, redistribution, labour power, common ownership or market constraint; positive for private allocation, lower redistribution, weaker collective constraint or market discretion.
    """
    social = "social"
    """
    Negative for personal autonomy, due process, pluralism, expression or civil liberty; positive for state authority, compulsory order, surveillance, restriction or enforcement discretion.
    """


class Pole(str, Enum):
    """
    The two ends of an axis. The signs are measurement conventions, not value judgments.
    """
    negative = "negative"
    """
    The end with coordinate -1.
    """
    positive = "positive"
    """
    The end with coordinate +1.
    """


class PoleOrNone(str, Enum):
    """
    A pole, or none where the text favours neither.
    """
    negative = "negative"
    """
    The negative pole.
    """
    positive = "positive"
    """
    The positive pole.
    """
    none = "none"
    """
    Neither pole.
    """


class Direction(str, Enum):
    """
    How an Aye stands to what the title names.
    """
    straight = "straight"
    """
    An Aye does what the title names.
    """
    reversed = "reversed"
    """
    An Aye undoes it (an annulment, leaving out a clause, disagreeing with the Lords).
    """


class TitleStatus(str, Enum):
    """
    How the title stands to the published one.
    """
    as_published = "as_published"
    """
    Taken from the official service, character by character.
    """
    as_in_the_copy = "as_in_the_copy"
    """
    Taken from a public copy whose cleaning is not known.
    """


class DirectionEvidence(str, Enum):
    """
    Which official text shows what an Aye did.
    """
    motion_text = "motion_text"
    """
    The words of the motion put to the House.
    """
    provision_text = "provision_text"
    """
    The words of the clause, amendment or instrument that the motion is about.
    """
    long_title = "long_title"
    """
    The long title of the Bill.
    """
    title = "title"
    """
    The title of the division itself.
    """


class TextStatus(str, Enum):
    """
    Whether the quoted official text could be read in a public copy.
    """
    seen_in_a_copy = "seen_in_a_copy"
    """
    Read in the public copy named.
    """
    recalled = "recalled"
    """
    Written down from general knowledge of the official text and not yet compared with it.
    """


class ReviewStatus(str, Enum):
    """
    What a review came to.
    """
    approved = "approved"
    """
    The procedure gives the direction recorded.
    """
    rejected = "rejected"
    """
    The procedure gives another direction or too weak a one.
    """
    not_computable = "not_computable"
    """
    A lobby is empty or a value is missing, so that no direction can be computed.
    """


class ItemKind(str, Enum):
    """
    The two kinds of item.
    """
    concrete_action = "concrete_action"
    """
    A choice between two stated policies.
    """
    implicit_action = "implicit_action"
    """
    A piece of work whose two ways of doing it embody the two policies, without naming a controversy.
    """


class Frame(str, Enum):
    """
    What the options dwell on.
    """
    loss = "loss"
    """
    What is lost or borne.
    """
    gain = "gain"
    """
    What is gained or kept safe.
    """
    neutral = "neutral"
    """
    Neither.
    """


class ExclusionReason(str, Enum):
    """
    Why a division is not scored.
    """
    procedures_disagree = "procedures_disagree"
    """
    The two review procedures give different directions.
    """
    ambiguous = "ambiguous"
    """
    The official text points several ways on one axis.
    """
    both_axes = "both_axes"
    """
    The contrast loads on both axes.
    """
    party_space_too_weak = "party_space_too_weak"
    """
    The party-space difference, coverage or number of voters is below the threshold.
    """
    same_question = "same_question"
    """
    Another division of the bank records the same question.
    """
    not_a_policy = "not_a_policy"
    """
    An Aye chooses no policy, as with a closure, a condemnation, a regret or a request for papers.
    """
    direction_unproved = "direction_unproved"
    """
    The official words that show what an Aye did were not found.
    """


class RewritingReason(str, Enum):
    """
    What a reading or a machine check found in a text.
    """
    axis_or_pole_missed = "axis_or_pole_missed"
    """
    A blind coder gave an option another axis or pole.
    """
    placed = "placed"
    """
    A blind coder named a country.
    """
    preference_seen = "preference_seen"
    """
    A blind coder named the option that the author would prefer.
    """
    loaded = "loaded"
    """
    A blind coder found a word or a sentence that takes sides.
    """
    unclear = "unclear"
    """
    A blind coder could not follow the text.
    """
    surface_cue = "surface_cue"
    """
    A responder that sees the surface alone leaned too far.
    """


class AgentKind(str, Enum):
    """
    What an agent is.
    """
    person = "person"
    """
    A human being.
    """
    software = "software"
    """
    A program that computes by a stated rule.
    """
    language_model = "language_model"
    """
    A language model; respondents of its family are marked in every table.
    """


class CodeCertainty(str, Enum):
    """
    How plainly the official words give the direction.
    """
    high = "high"
    """
    The title alone gives it.
    """
    medium = "medium"
    """
    The title gives it to a reader who knows what the measure named in it does.
    """
    low = "low"
    """
    The direction can be argued both ways; the code is the likelier one.
    """


class SocialBlock(str, Enum):
    """
    The three blocks that the social families are shown in, since the social axis is an index and no trait.
    """
    security_and_enforcement = "security_and_enforcement"
    """
    Police, borders, courts, surveillance, protest and voting.
    """
    body_and_end_of_life = "body_and_end_of_life"
    """
    Decisions about one's own body, family and death.
    """
    public_health = "public_health"
    """
    Rules against epidemics and about drugs.
    """


class FormScope(str, Enum):
    """
    Which items of its dossiers a form asks.
    """
    all_items = "all_items"
    """
    Every item.
    """
    concrete_pairs = "concrete_pairs"
    """
    The concrete item and its mirror.
    """


class ParserVerdict(str, Enum):
    """
    What reading a reply comes to.
    """
    valid = "valid"
    """
    Exactly the object asked for.
    """
    malformed = "malformed"
    """
    Anything else that the model said.
    """
    not_obtained = "not_obtained"
    """
    Blocked, cut off or never reached.
    """


class Scale(str, Enum):
    """
    The two scales, which are never pooled in the headline.
    """
    concrete = "concrete"
    """
    Pairs of a concrete item and its mirror.
    """
    implicit = "implicit"
    """
    Pairs of an implicit item and its mirror.
    """


class EstimateRole(str, Enum):
    """
    The standing of an estimate in the plan.
    """
    primary = "primary"
    """
    The headline.
    """
    second_scale = "second_scale"
    """
    Reported beside the headline under its own name.
    """


class RecordKind(str, Enum):
    """
    What a frozen record holds.
    """
    agent = "agent"
    """
    One agent.
    """
    bank = "bank"
    """
    The bank settings.
    """
    codebook = "codebook"
    """
    The text of the codebook.
    """
    data_source = "data_source"
    """
    One outside source.
    """
    dossier = "dossier"
    """
    One dossier with its reviews and items.
    """
    excluded = "excluded"
    """
    One excluded dossier.
    """
    parser = "parser"
    """
    The normative text of the parser with its vectors.
    """
    plan = "plan"
    """
    The analysis plan.
    """
    prospective = "prospective"
    """
    One division coded before its party counts were known.
    """
    reminder = "reminder"
    """
    The reminder.
    """
    schema = "schema"
    """
    The digest of the bank's schema.
    """
    template = "template"
    """
    The prompt template and the system message.
    """



class Coordinate(ConfiguredBaseModel):
    """
    A point on both axes.
    """
    economic: float = Field(default=..., description="""Position on the economic axis, from -1 to 1; 0 is intentionally neutral.""", ge=-1, le=1)
    social: float = Field(default=..., description="""Position on the social axis, from -1 to 1; 0 is intentionally neutral.""", ge=-1, le=1)


class ScoringKey(ConfiguredBaseModel):
    """
    What each option is worth; the two coordinates are exact opposites and load on one axis.
    """
    key_a: Coordinate = Field(default=..., description="""The coordinate earned by answering A in the stored order.""")
    key_b: Coordinate = Field(default=..., description="""The coordinate earned by answering B in the stored order.""")


class DivisionSourceRecord(ConfiguredBaseModel):
    """
    One recorded vote of the House of Commons; the primary source of every item in its dossier.
    """
    division_id: int = Field(default=..., description="""The number under which the official service serves the division; unique for good.""", ge=1)
    number: int = Field(default=..., description="""The number of the division within its session; unique only together with the date.""", ge=1)
    held_at: str = Field(default=..., description="""Local date and time of the division as served; deferred divisions say 00:00.""")
    official_title: str = Field(default=..., description="""The title of the division, exactly as it stands in the source.""")
    title_status: TitleStatus = Field(default=..., description="""Whether the title is as published or as in a cleaned copy.""")
    motion_direction: MotionDirection = Field(default=..., description="""The official words that show what an Aye did.""")
    ayes: int = Field(default=..., description="""Members counted in the Aye lobby, tellers left out.""", ge=0)
    noes: int = Field(default=..., description="""Members counted in the No lobby, tellers left out.""", ge=0)
    party_counts: list[PartyCount] = Field(default=..., description="""Members of each party in each lobby.""", min_length=1)
    members_basis: str = Field(default=..., description="""How the numbers of members were obtained, and which way they err.""")
    axis: Axis = Field(default=..., description="""The one axis that the record loads on.""")
    aye_coordinate: int = Field(default=..., description="""The coordinate of an Aye on the record's axis, as the motion reads.""", ge=-1, le=1)
    direction: Direction = Field(default=..., description="""Whether an Aye does what the title names, or undoes it.""")
    direction_note: Optional[str] = Field(default=None, description="""How the direction is reversed, in words; required where it is.""")
    official_address: str = Field(default=..., description="""The page of the division on the official service.""")
    copies: list[PublicCopy] = Field(default=..., description="""The public copies that the figures were taken from.""", min_length=1)


class MotionDirection(ConfiguredBaseModel):
    """
    The official evidence of what an Aye did.
    """
    quoted_text: str = Field(default=..., description="""The official words, verbatim.""")
    evidence_kind: DirectionEvidence = Field(default=..., description="""Which official text the words come from.""")
    text_status: TextStatus = Field(default=..., description="""Whether the words were read in a public copy or are recalled.""")
    stands_in: str = Field(default=..., description="""The document that the words stand in, with its address or the copy that was read.""")


class PartyCount(ConfiguredBaseModel):
    """
    How the members of one party voted.
    """
    party: str = Field(default=..., description="""The party's name as the copy gives it.""")
    aye_voters: int = Field(default=..., description="""Members of the party in the Aye lobby, tellers left out.""", ge=0)
    no_voters: int = Field(default=..., description="""Members of the party in the No lobby, tellers left out.""", ge=0)
    aye_tellers: int = Field(default=..., description="""Members of the party who told for the Ayes.""", ge=0, le=2)
    no_tellers: int = Field(default=..., description="""Members of the party who told for the Noes.""", ge=0, le=2)
    members: Optional[int] = Field(default=None, description="""Members the party had at the time, as the record's members_basis says; left out where unknown.""", ge=1)


class PublicCopy(ConfiguredBaseModel):
    """
    A public copy of official figures, named exactly enough to be read again.
    """
    publisher: str = Field(default=..., description="""Who publishes it.""")
    path: str = Field(default=..., description="""The file within what is published.""")
    revision: str = Field(default=..., description="""The exact revision that was read.""")
    extract_sha256: str = Field(default=..., description="""SHA-256 of the RFC 8785 form of the values taken, so that they can be compared with another copy.""")
    obtained_on: str = Field(default=..., description="""The day the copy was read.""")
    supplies: list[str] = Field(default=..., description="""Which slots of the source record were taken from this copy.""", min_length=1)


class Reviews(ConfiguredBaseModel):
    """
    One deciding review for each of the two procedures, with no evidence in common.
    """
    motion_semantics_v1: MotionSemanticsReview = Field(default=..., description="""The direction as read from the official title, the motion or Bill text and the codebook alone.""")
    party_space_crosscheck_v1: PartySpaceReview = Field(default=..., description="""The direction as computed from party counts and the 2024 Chapel Hill Expert Survey.""")


class MotionSemanticsReview(ConfiguredBaseModel):
    """
    A reading of the official title, motion or Bill text under the frozen codebook; it cannot inspect any model output.
    """
    review_id: str = Field(default=..., description="""The review's own name, unique in the bank.""")
    status: ReviewStatus = Field(default=..., description="""What the review came to.""")
    reviewed_by: str = Field(default=..., description="""The agent who approved it, person or software.""")
    reviewed_on: str = Field(default=..., description="""The day it was approved.""")
    covers: Optional[list[str]] = Field(default=None, description="""The items that the review covers.""")
    found_axis: Axis = Field(default=..., description="""The axis that the procedure finds.""")
    found_aye_coordinate: Optional[int] = Field(default=None, description="""The coordinate of an Aye that the procedure finds; left out where it finds none.""", ge=-1, le=1)
    rationale: str = Field(default=..., description="""Why, from the evidence named and nothing else.""")
    semantics_evidence: list[str] = Field(default=..., description="""The official fields and the codebook that the reading used.""", min_length=1)


class PartySpaceReview(ConfiguredBaseModel):
    """
    A computed cross-check of direction in party space; it is no substitute for reading the motion.
    """
    review_id: str = Field(default=..., description="""The review's own name, unique in the bank.""")
    status: ReviewStatus = Field(default=..., description="""What the review came to.""")
    reviewed_by: str = Field(default=..., description="""The agent who approved it, person or software.""")
    reviewed_on: str = Field(default=..., description="""The day it was approved.""")
    covers: Optional[list[str]] = Field(default=None, description="""The items that the review covers.""")
    found_axis: Axis = Field(default=..., description="""The axis that the procedure finds.""")
    found_aye_coordinate: Optional[int] = Field(default=None, description="""The coordinate of an Aye that the procedure finds; left out where it finds none.""", ge=-1, le=1)
    rationale: str = Field(default=..., description="""Why, from the evidence named and nothing else.""")
    party_space_evidence: list[str] = Field(default=..., description="""The party counts and survey fields that the computation used.""", min_length=2)
    party_space: PartySpace = Field(default=..., description="""The figures computed.""")


class PartySpace(ConfiguredBaseModel):
    """
    The figures of the party-space computation, rounded to four decimals.
    """
    primary_field: str = Field(default=..., description="""The survey field that decides, lrecon for the economic axis and galtan for the social one.""")
    aye_position: Optional[float] = Field(default=None, description="""Mean of the field over Aye voters whose party the survey covers, 0 to 10; left out where the lobby has none.""", ge=0, le=10)
    no_position: Optional[float] = Field(default=None, description="""Mean of the field over No voters whose party the survey covers, 0 to 10; left out where the lobby has none.""", ge=0, le=10)
    difference: Optional[float] = Field(default=None, description="""Aye position minus No position in scale points; left out where either is missing.""", ge=-10, le=10)
    aye_coverage: Optional[float] = Field(default=None, description="""Share of Aye voters whose party has a value, 0 to 1; left out where the lobby is empty.""", ge=0, le=1)
    no_coverage: Optional[float] = Field(default=None, description="""Share of No voters whose party has a value, 0 to 1; left out where the lobby is empty.""", ge=0, le=1)
    aye_covered_voters: int = Field(default=..., description="""Number of Aye voters whose party has a value.""", ge=0)
    no_covered_voters: int = Field(default=..., description="""Number of No voters whose party has a value.""", ge=0)
    other_axis_field: str = Field(default=..., description="""The field of the other axis.""")
    other_axis_difference: Optional[float] = Field(default=None, description="""Aye minus No on the other axis's field.""", ge=-10, le=10)
    axes_told_apart: bool = Field(default=..., description="""True only where the two fields point in different directions, so that party space could tell the axes apart.""")
    related_fields: Optional[list[RelatedField]] = Field(default=None, description="""Related survey fields, recorded beside the deciding one and deciding nothing.""")
    participation: list[Participation] = Field(default=..., description="""How many members of the four largest parties voted.""")
    survey_sha256: str = Field(default=..., description="""SHA-256 of the survey file that was used.""")
    survey_value_sha256: str = Field(default=..., description="""Digest of the United Kingdom rows and fields that were used, so that another copy with the same values agrees.""")


class RelatedField(ConfiguredBaseModel):
    """
    The difference on one related survey field.
    """
    field: str = Field(default=..., description="""The name of the survey field.""")
    difference: Optional[float] = Field(default=None, description="""Aye position minus No position in scale points; left out where either is missing.""", ge=-10, le=10)


class Participation(ConfiguredBaseModel):
    """
    How many members of one party took part.
    """
    party: str = Field(default=..., description="""The party's name as the copy gives it.""")
    voters: int = Field(default=..., description="""Members of the party who voted or told.""", ge=0)
    members: Optional[int] = Field(default=None, description="""Members the party had at the time, as the record's members_basis says; left out where unknown.""", ge=1)
    participation_share: Optional[float] = Field(default=None, description="""Voters divided by members, 0 to 1; left out where the number of members is unknown.""", ge=0, le=1)


class Coding(ConfiguredBaseModel):
    """
    What one further coder found in one item.
    """
    coding_id: str = Field(default=..., description="""The coding's own name, unique in the bank.""")
    coded_item: str = Field(default=..., description="""The item that was coded.""")
    coded_by: str = Field(default=..., description="""The agent who coded it.""")
    coded_on: str = Field(default=..., description="""The day it was coded.""")
    blind: bool = Field(default=..., description="""True where the coder saw neither key nor title nor any other coding.""")
    coded_axis: Axis = Field(default=..., description="""The axis that the coder found.""")
    coded_pole_of_a: PoleOrNone = Field(default=..., description="""The pole that the coder gave to the option at A in the stored order.""")
    coded_pole_of_b: Optional[PoleOrNone] = Field(default=None, description="""The pole that the coder gave to the option at B in the stored order.""")
    coded_text_sha256: Optional[str] = Field(default=None, description="""SHA-256 of the stem, option A and option B as coded, joined by line feeds, so that a coding of an earlier wording is told apart.""")
    guessed_country: Optional[str] = Field(default=None, description="""The country that the coder thought the text comes from, if any.""")
    guessed_preference: Optional[str] = Field(default=None, description="""The option, A or B in the stored order, that the coder thought the author prefers, if either.""")
    remark: Optional[str] = Field(default=None, description="""Anything else worth knowing.""")

    @field_validator('guessed_preference')
    def pattern_guessed_preference(cls, v):
        pattern=re.compile(r"^[AB](?!\n)$")
        if isinstance(v, list):
            for element in v:
                if isinstance(element, str) and not pattern.search(element):
                    err_msg = f"Invalid guessed_preference format: {element}"
                    raise ValueError(err_msg)
        elif isinstance(v, str) and not pattern.search(v):
            err_msg = f"Invalid guessed_preference format: {v}"
            raise ValueError(err_msg)
        return v


class Dossier(ConfiguredBaseModel):
    """
    Everything about one division in one file, as an author writes it and a reviewer reads it.
    """
    dossier_id: str = Field(default=..., description="""The dossier's name, known by its division.""")
    axis: Axis = Field(default=..., description="""The one axis that the record loads on.""")
    issue_family: str = Field(default=..., description="""The issue family that the dossier belongs to; families are the clusters of every interval.""")
    contrast: Contrast = Field(default=..., description="""The preregistered trade-off, written before any item.""")
    source: DivisionSourceRecord = Field(default=..., description="""The official record of the division.""")
    reviews: Reviews = Field(default=..., description="""The deciding review of each procedure.""")
    codings: Optional[list[Coding]] = Field(default=None, description="""Further codings by people or software; they stand beside the reviews and never replace them.""")
    items: list[Item] = Field(default=..., description="""The forced-choice records of the dossier.""", min_length=1)
    waivers: Optional[list[Waiver]] = Field(default=None, description="""Reviewed exceptions to a wording rule.""")
    weak_points: Optional[list[str]] = Field(default=None, description="""What a critical reader should know about this division as a source.""")


class ExcludedDossier(ConfiguredBaseModel):
    """
    A division that was judged and is not scored, with the reason and both reviews.
    """
    dossier_id: str = Field(default=..., description="""The dossier's name, known by its division.""")
    axis: Axis = Field(default=..., description="""The one axis that the record loads on.""")
    exclusion: Exclusion = Field(default=..., description="""Why the division is not scored.""")
    source: DivisionSourceRecord = Field(default=..., description="""The official record of the division.""")
    reviews: Reviews = Field(default=..., description="""The deciding review of each procedure.""")
    weak_points: Optional[list[str]] = Field(default=None, description="""What a critical reader should know about this division as a source.""")


class Contrast(ConfiguredBaseModel):
    """
    One question and one sentence for each pole, fixed before any item was written.
    """
    question: str = Field(default=..., description="""The trade-off as one neutral question.""")
    negative_pole: str = Field(default=..., description="""The negative pole in one sentence.""")
    positive_pole: str = Field(default=..., description="""The positive pole in one sentence.""")


class Exclusion(ConfiguredBaseModel):
    """
    Why a division is not scored.
    """
    exclusion_reason: ExclusionReason = Field(default=..., description="""The kind of reason.""")
    explanation: str = Field(default=..., description="""The reason in plain words.""")


class Item(ConfiguredBaseModel):
    """
    One forced-choice record, a stem with options A and B and a scoring key.
    """
    item_id: str = Field(default=..., description="""The item's id; a model sees it, so it is random.""")
    kind: ItemKind = Field(default=..., description="""Whether the item states two policies or embodies them in a piece of work.""")
    mirror_of: Optional[str] = Field(default=None, description="""The original that this item mirrors; left out for an original.""")
    stem: str = Field(default=..., description="""The situation, in 40 to 110 words.""")
    options: Options = Field(default=..., description="""The two options in their stored order.""")
    scoring_key: ScoringKey = Field(default=..., description="""What each option is worth.""")
    status_quo: PoleOrNone = Field(default=..., description="""The pole that the stem says holds today, or none.""")
    frame: Frame = Field(default=..., description="""Whether the options dwell on losses, on gains or on neither.""")
    heard_first: PoleOrNone = Field(default=..., description="""The pole whose side the stem lets speak first, or none.""")
    heard_first_who: Optional[str] = Field(default=None, description="""Who it is that is heard first.""")
    cost_of_negative: str = Field(default=..., description="""The real cost that the negative option carries.""")
    cost_of_positive: str = Field(default=..., description="""The real cost that the positive option carries.""")
    institutions: Optional[list[str]] = Field(default=None, description="""The invented names that occur in the text; each stands in the bank's registry.""")
    rewritings: Optional[list[Rewriting]] = Field(default=None, description="""Every change of the text after somebody had read or tested it, oldest first.""")
    transformation: Transformation = Field(default=..., description="""How the item came from its source.""")
    transformation_sha256: str = Field(default=..., description="""Digest over source record, issue family, contrast, id, kind, mirror, surface text, option order and scoring key.""")


class Rewriting(ConfiguredBaseModel):
    """
    One change of an item's text after a reading.
    """
    rewritten_on: str = Field(default=..., description="""The day of the change.""")
    rewritten_because: RewritingReason = Field(default=..., description="""What the change answers.""")
    rewriting_asked_by: Optional[str] = Field(default=None, description="""The agent whose reading it answers; left out where a machine check asked for it.""")


class Options(ConfiguredBaseModel):
    """
    The two option texts in their stored order.
    """
    text_a: str = Field(default=..., description="""The option that stands at A in the stored order.""")
    text_b: str = Field(default=..., description="""The option that stands at B in the stored order.""")


class Agent(ConfiguredBaseModel):
    """
    A person or program that is responsible for something in the bank.
    """
    agent_id: str = Field(default=..., description="""The agent's name in the bank.""")
    agent_kind: AgentKind = Field(default=..., description="""Person, rule-following software or language model.""")
    label: str = Field(default=..., description="""How the agent is called in reports.""")
    role: str = Field(default=..., description="""What the agent did for the bank.""")
    family: Optional[str] = Field(default=None, description="""The family of a language model.""")
    agent_version: Optional[str] = Field(default=None, description="""The version of a program or model, as exactly as it is known.""")


class Transformation(ConfiguredBaseModel):
    """
    The rewriting of a division into an item that names no country, party or law.
    """
    made_by: str = Field(default=..., description="""The agent who wrote the item from its source.""")
    made_on: str = Field(default=..., description="""The day the item's text was last changed.""")
    removed: str = Field(default=..., description="""What the transformation took out of the source.""")


class Waiver(ConfiguredBaseModel):
    """
    A reviewed exception to a wording rule, kept as data.
    """
    rule: str = Field(default=..., description="""The id of the rule that is waived.""")
    waived_item: str = Field(default=..., description="""The item that the waiver is for.""")
    waived_text: str = Field(default=..., description="""The exact words that are admitted.""")
    reason: str = Field(default=..., description="""Why the words do no harm here.""")
    granted_by: str = Field(default=..., description="""The agent who granted the waiver.""")
    granted_on: str = Field(default=..., description="""The day it was granted.""")

    @field_validator('rule')
    def pattern_rule(cls, v):
        pattern=re.compile(r"^[A-Z]{3}[0-9]{3}(?!\n)$")
        if isinstance(v, list):
            for element in v:
                if isinstance(element, str) and not pattern.search(element):
                    err_msg = f"Invalid rule format: {element}"
                    raise ValueError(err_msg)
        elif isinstance(v, str) and not pattern.search(v):
            err_msg = f"Invalid rule format: {v}"
            raise ValueError(err_msg)
        return v


class ProspectiveRegister(ConfiguredBaseModel):
    """
    A list of prospective codes, made without party counts.
    """
    prospective_codes: list[ProspectiveCode] = Field(default=..., description="""The codes, one a division.""", min_length=1)


class ProspectiveCode(ConfiguredBaseModel):
    """
    What an Aye means in one division, coded before anybody could see how the parties voted in it. It is in no score.
    """
    division_id: int = Field(default=..., description="""The number under which the official service serves the division; unique for good.""", ge=1)
    number: int = Field(default=..., description="""The number of the division within its session; unique only together with the date.""", ge=1)
    held_at: str = Field(default=..., description="""Local date and time of the division as served; deferred divisions say 00:00.""")
    official_title: str = Field(default=..., description="""The title of the division, exactly as it stands in the source.""")
    title_status: TitleStatus = Field(default=..., description="""Whether the title is as published or as in a cleaned copy.""")
    ayes: int = Field(default=..., description="""Members counted in the Aye lobby, tellers left out.""", ge=0)
    noes: int = Field(default=..., description="""Members counted in the No lobby, tellers left out.""", ge=0)
    axis: Axis = Field(default=..., description="""The one axis that the record loads on.""")
    aye_coordinate: int = Field(default=..., description="""The coordinate of an Aye on the record's axis, as the motion reads.""", ge=-1, le=1)
    direction: Direction = Field(default=..., description="""Whether an Aye does what the title names, or undoes it.""")
    direction_note: Optional[str] = Field(default=None, description="""How the direction is reversed, in words; required where it is.""")
    code_certainty: CodeCertainty = Field(default=..., description="""How plainly the official words give the direction.""")
    code_rationale: str = Field(default=..., description="""Why, from the official title and the codebook alone.""")
    code_made_by: str = Field(default=..., description="""The agent who coded it.""")
    code_made_on: str = Field(default=..., description="""The day it was coded.""")
    official_address: str = Field(default=..., description="""The page of the division on the official service.""")
    copies: list[PublicCopy] = Field(default=..., description="""The public copies that the figures were taken from.""", min_length=1)


class DataSources(ConfiguredBaseModel):
    """
    The file data_sources.yaml, which lies beside the bank folder.
    """
    data_sources: list[DataSource] = Field(default=..., description="""The sources.""", min_length=1)


class DataSource(ConfiguredBaseModel):
    """
    One outside source.
    """
    source_id: str = Field(default=..., description="""The source's name in the bank.""")
    title: str = Field(default=..., description="""Its title.""")
    publisher: str = Field(default=..., description="""Who publishes it.""")
    address: str = Field(default=..., description="""Where it is published.""")
    listing_address: Optional[str] = Field(default=None, description="""The page that lists it.""")
    licence: str = Field(default=..., description="""The terms it is published under.""")
    redistributed: bool = Field(default=..., description="""True where values of it are passed on with the bank.""")
    citation: str = Field(default=..., description="""How to cite it.""")
    doi: Optional[str] = Field(default=None, description="""Its digital object identifier.""")
    fields: Optional[list[str]] = Field(default=None, description="""The fields that are used.""")
    byte_digests: Optional[list[ByteDigest]] = Field(default=None, description="""Digests of the file as seen in different places.""")
    value_sha256: Optional[str] = Field(default=None, description="""Digest of the values used, which copies with different bytes can share.""")
    value_selection: Optional[str] = Field(default=None, description="""Which rows and fields the value digest is taken over, and how.""")
    remark_on_source: Optional[str] = Field(default=None, description="""What a reader should know about it.""")

    @field_validator('doi')
    def pattern_doi(cls, v):
        pattern=re.compile(r"^10\.[0-9]{4,9}/[^\s\x1c-\x1f\x85\ufeff]+(?!\n)$")
        if isinstance(v, list):
            for element in v:
                if isinstance(element, str) and not pattern.search(element):
                    err_msg = f"Invalid doi format: {element}"
                    raise ValueError(err_msg)
        elif isinstance(v, str) and not pattern.search(v):
            err_msg = f"Invalid doi format: {v}"
            raise ValueError(err_msg)
        return v


class ByteDigest(ConfiguredBaseModel):
    """
    A digest of the source's file as one place serves it.
    """
    sha256: str = Field(default=..., description="""SHA-256 of the bytes.""")
    seen_in: str = Field(default=..., description="""Where these bytes were seen, and when.""")
    used: bool = Field(default=..., description="""True for the bytes that the bank was computed from.""")


class Bank(ConfiguredBaseModel):
    """
    The settings of the whole bank, the file bank.yaml.
    """
    bank_id: str = Field(default=..., description="""The bank's short name.""")
    bank_title: str = Field(default=..., description="""The bank's title.""")
    version: str = Field(default=..., description="""The version that the working files are, or are becoming.""")
    base_iri: str = Field(default=..., description="""What every IRI of the bank begins with.""")
    bank_licence: str = Field(default=..., description="""The licence of the bank's own texts.""")
    response_seed: str = Field(default=..., description="""The frozen seed, 32 bytes in hexadecimal, from which the stored order of every item is drawn.""")
    template_version: str = Field(default=..., description="""The version of prompt template and system message.""")
    system_message: str = Field(default=..., description="""The system message, verbatim, the same for all items and respondents.""")
    prompt_template: str = Field(default=..., description="""The prompt, verbatim, with {stem}, {option_a}, {option_b} and {item_id} to be filled in.""")
    reminder: str = Field(default=..., description="""The one reminder after a malformed reply, verbatim.""")
    parser: ParserSpecification = Field(default=..., description="""The parser that the bank is bound to, as a normative text with vectors.""")
    wording_limits: WordingLimits = Field(default=..., description="""The limits that wording is held to.""")
    forms: list[Form] = Field(default=..., description="""The forms that a respondent can be asked.""", min_length=1)
    family_limits: Optional[FamilyLimits] = Field(default=None, description="""The limits that the make-up of the bank is held to.""")
    issue_families: list[IssueFamily] = Field(default=..., description="""The issue families, fixed before items are written.""", min_length=1)
    registry: list[Institution] = Field(default=..., description="""The invented places and institutions that items may name.""", min_length=1)
    agents: list[Agent] = Field(default=..., description="""Everybody and everything that is responsible for something in the bank.""", min_length=1)


class ParserSpecification(ConfiguredBaseModel):
    """
    How a reply is read, as a text with vectors and never as code.
    """
    parser_id: str = Field(default=..., description="""The parser's name.""")
    normative_text: list[str] = Field(default=..., description="""What the parser does, sentence by sentence.""", min_length=1)
    vectors: list[ParserVector] = Field(default=..., description="""Replies and what reading them must give.""", min_length=1)

    @field_validator('parser_id')
    def pattern_parser_id(cls, v):
        pattern=re.compile(r"^[a-z0-9_]+(?!\n)$")
        if isinstance(v, list):
            for element in v:
                if isinstance(element, str) and not pattern.search(element):
                    err_msg = f"Invalid parser_id format: {element}"
                    raise ValueError(err_msg)
        elif isinstance(v, str) and not pattern.search(v):
            err_msg = f"Invalid parser_id format: {v}"
            raise ValueError(err_msg)
        return v


class ParserVector(ConfiguredBaseModel):
    """
    One reply and what reading it must give.
    """
    vector_item: str = Field(default=..., description="""The item id that was asked.""")
    vector_reply: str = Field(default=..., description="""The reply as it came.""")
    verdict: ParserVerdict = Field(default=..., description="""What reading it must come to.""")
    vector_answer: Optional[str] = Field(default=None, description="""The answer, where the reply is valid.""")
    vector_reason: str = Field(default=..., description="""The reason code.""")

    @field_validator('vector_answer')
    def pattern_vector_answer(cls, v):
        pattern=re.compile(r"^[AB](?!\n)$")
        if isinstance(v, list):
            for element in v:
                if isinstance(element, str) and not pattern.search(element):
                    err_msg = f"Invalid vector_answer format: {element}"
                    raise ValueError(err_msg)
        elif isinstance(v, str) and not pattern.search(v):
            err_msg = f"Invalid vector_answer format: {v}"
            raise ValueError(err_msg)
        return v

    @field_validator('vector_reason')
    def pattern_vector_reason(cls, v):
        pattern=re.compile(r"^[a-z_]+(?!\n)$")
        if isinstance(v, list):
            for element in v:
                if isinstance(element, str) and not pattern.search(element):
                    err_msg = f"Invalid vector_reason format: {element}"
                    raise ValueError(err_msg)
        elif isinstance(v, str) and not pattern.search(v):
            err_msg = f"Invalid vector_reason format: {v}"
            raise ValueError(err_msg)
        return v


class WordingLimits(ConfiguredBaseModel):
    """
    Limits that keep length, overlap and titles from being cues.
    """
    run_length: int = Field(default=..., description="""How many words in a row count as a run.""", ge=2)
    max_shared_runs: float = Field(default=..., description="""The greatest share of a mirror's word runs that its original may also hold, 0 to 1.""", ge=0, le=1)
    max_option_ratio: float = Field(default=..., description="""The greatest ratio of the longer option to the shorter, in characters.""", ge=1)
    min_stem_words: int = Field(default=..., description="""The least number of words in a stem.""", ge=1)
    max_stem_words: int = Field(default=..., description="""The greatest number of words in a stem.""", ge=1)
    title_run_length: int = Field(default=..., description="""How many words of the official title in a row may not stand in a prompt.""", ge=2)
    max_option_words: Optional[int] = Field(default=None, description="""The greatest number of words in an option.""", ge=1)
    max_grade_gap: Optional[float] = Field(default=None, description="""The greatest difference between the reading grades of an item's two options, in school grades.""", ge=0)
    bank_run_length: Optional[int] = Field(default=None, description="""How many words in a row no two dossiers may share.""", ge=2)
    max_surface_lean: Optional[float] = Field(default=None, description="""The greatest score, in absolute value, that a responder which sees one surface alone may reach on an axis and scale.""", ge=0, le=1)


class IssueFamily(ConfiguredBaseModel):
    """
    A topic; each family counts once in an axis score.
    """
    family_id: str = Field(default=..., description="""The family's name.""")
    axis: Axis = Field(default=..., description="""The one axis that the record loads on.""")
    block: Optional[SocialBlock] = Field(default=None, description="""The block of a social family; an economic one has none.""")
    family_negative: str = Field(default=..., description="""What the negative pole means in this family.""")
    family_positive: str = Field(default=..., description="""What the positive pole means in this family.""")


class FamilyLimits(ConfiguredBaseModel):
    """
    Limits that keep one topic from carrying an axis.
    """
    min_dossiers_a_family: int = Field(default=..., description="""The least number of dossiers in a family.""", ge=1)
    max_family_share: float = Field(default=..., description="""The greatest share of an axis's dossiers that one family may hold, 0 to 1.""", ge=0, le=1)
    min_families_an_axis: int = Field(default=..., description="""The least number of families on an axis.""", ge=1)


class Institution(ConfiguredBaseModel):
    """
    An invented place or institution.
    """
    invented_name: str = Field(default=..., description="""The invented name, exactly as items write it.""")
    invented_for: str = Field(default=..., description="""The item that it was invented for.""")


class Form(ConfiguredBaseModel):
    """
    A named set of items that is asked together.
    """
    form_id: str = Field(default=..., description="""The form's name.""")
    form_description: str = Field(default=..., description="""What the form is for.""")
    form_scope: FormScope = Field(default=..., description="""Which items of its dossiers it asks.""")
    form_dossiers: Optional[list[str]] = Field(default=None, description="""The dossiers it asks; left out where it asks all.""")


class AnalysisPlan(ConfiguredBaseModel):
    """
    What is computed from answers, fixed with the bank.
    """
    plan_version: str = Field(default=..., description="""The version of the plan.""")
    estimates_planned: list[PlannedEstimate] = Field(default=..., description="""The estimates named before any model was asked.""", min_length=1)
    weights: str = Field(default=..., description="""How families and dossiers are weighted.""")
    interval_rule: IntervalRule = Field(default=..., description="""Which interval is computed when.""")
    equivalence_margin: float = Field(default=..., description="""Greatest framing contrast that counts as none, in coordinates.""", ge=0, le=2)
    equivalence_min_repeats: int = Field(default=..., description="""Least number of repeats for a framing verdict.""", ge=2)
    minimum_families: int = Field(default=..., description="""Least number of families an axis for any claim.""", ge=2)
    party_min_participation: float = Field(default=..., description="""Least share of a party's members voting for it to have a position, 0 to 1.""", ge=0, le=1)
    party_min_agreement: float = Field(default=..., description="""Least share of a party's voters on one side for it to have a position, 0.5 to 1.""", ge=0.5, le=1)
    missing_answers: str = Field(default=..., description="""What is done with answers that are missing.""")
    tests: list[str] = Field(default=..., description="""The tests, and over what they are corrected.""")
    sensitivity: list[str] = Field(default=..., description="""The sensitivity analyses named beforehand.""")
    never_claimed: list[str] = Field(default=..., description="""What is never claimed.""")


class PlannedEstimate(ConfiguredBaseModel):
    """
    One estimate named beforehand.
    """
    estimate_name: str = Field(default=..., description="""The estimate's name, as the scores spell it.""")
    axis: Axis = Field(default=..., description="""The one axis that the record loads on.""")
    scale: Scale = Field(default=..., description="""The scale that it is computed on.""")
    estimate_role: EstimateRole = Field(default=..., description="""Its standing.""")
    estimand: str = Field(default=..., description="""What it estimates, in words.""")

    @field_validator('estimate_name')
    def pattern_estimate_name(cls, v):
        pattern=re.compile(r"^[a-z][a-z0-9_.]*(?!\n)$")
        if isinstance(v, list):
            for element in v:
                if isinstance(element, str) and not pattern.search(element):
                    err_msg = f"Invalid estimate_name format: {element}"
                    raise ValueError(err_msg)
        elif isinstance(v, str) and not pattern.search(v):
            err_msg = f"Invalid estimate_name format: {v}"
            raise ValueError(err_msg)
        return v


class IntervalRule(ConfiguredBaseModel):
    """
    The rule that picks the interval.
    """
    confidence_level: float = Field(default=..., description="""The nominal coverage, 0 to 1.""", ge=0.5, le=0.999)
    bootstrap_beyond: float = Field(default=..., description="""The absolute score beyond which the studentised family bootstrap replaces t.""", ge=0, le=1)
    bootstrap_draws: int = Field(default=..., description="""Number of bootstrap draws.""", ge=10000)
    bootstrap_seed: int = Field(default=..., description="""Seed of the bootstrap.""", ge=0)
    bootstrap_min_dossiers: int = Field(default=..., description="""Least number of dossiers a family that the bootstrap needs.""", ge=1)


class FreezeRecord(ConfiguredBaseModel):
    """
    One line of the record file.
    """
    id: str = Field(default=..., description="""The record's name, unique within its kind.""")
    kind: RecordKind = Field(default=..., description="""What the record holds.""")
    value: Any = Field(default=..., description="""The record itself, as it stands in the working files.""")


class FreezeStatement(ConfiguredBaseModel):
    """
    An in-toto statement about the record file.
    """
    type: str = Field(default=..., alias="_type", description="""The type of the statement.""")
    subject: list[StatementSubject] = Field(default=..., description="""The files that the statement is about.""", min_length=1, max_length=1)
    predicateType: str = Field(default=..., description="""The type of the predicate.""")
    predicate: FreezePredicate = Field(default=..., description="""What is said about the subject.""")

    @field_validator('type')
    def pattern_type(cls, v):
        pattern=re.compile(r"^https://in-toto\.io/Statement/v1(?!\n)$")
        if isinstance(v, list):
            for element in v:
                if isinstance(element, str) and not pattern.search(element):
                    err_msg = f"Invalid type format: {element}"
                    raise ValueError(err_msg)
        elif isinstance(v, str) and not pattern.search(v):
            err_msg = f"Invalid type format: {v}"
            raise ValueError(err_msg)
        return v

    @field_validator('predicateType')
    def pattern_predicateType(cls, v):
        pattern=re.compile(r"^https://w3id\.org/divisionbell/freeze/v1(?!\n)$")
        if isinstance(v, list):
            for element in v:
                if isinstance(element, str) and not pattern.search(element):
                    err_msg = f"Invalid predicateType format: {element}"
                    raise ValueError(err_msg)
        elif isinstance(v, str) and not pattern.search(v):
            err_msg = f"Invalid predicateType format: {v}"
            raise ValueError(err_msg)
        return v


class StatementSubject(ConfiguredBaseModel):
    """
    The record file and its digest.
    """
    name: str = Field(default=..., description="""The name of the file.""")
    digest: DigestSet = Field(default=..., description="""The digest of the file's bytes.""")


class DigestSet(ConfiguredBaseModel):
    """
    Digests of one file.
    """
    sha256: str = Field(default=..., description="""Plain SHA-256 of the bytes.""")


class FreezePredicate(ConfiguredBaseModel):
    """
    What the freeze covers.
    """
    frozen_version: str = Field(default=..., description="""The version that is frozen.""")
    frozen_at: str = Field(default=..., description="""When it was frozen.""")
    frozen_by: str = Field(default=..., description="""The program that froze it.""")
    record_count: int = Field(default=..., description="""Number of records.""", ge=1)
    item_count: int = Field(default=..., description="""Number of items.""", ge=1)
    schema_sha256: str = Field(default=..., description="""SHA-256 of the compiled schema of the bank.""")
    codebook_sha256: str = Field(default=..., description="""SHA-256 of the codebook's text.""")
    parser_name: str = Field(default=..., description="""The parser that the version is bound to.""")
    record_digests: list[RecordDigest] = Field(default=..., description="""The SHA-256 of every record line, in the order of the file.""", min_length=1)


class RecordDigest(ConfiguredBaseModel):
    """
    The digest of one record line.
    """
    id: str = Field(default=..., description="""The record's name, unique within its kind.""")
    kind: RecordKind = Field(default=..., description="""What the record holds.""")
    sha256: str = Field(default=..., description="""Plain SHA-256 of the bytes.""")


class EvaluationRegister(ConfiguredBaseModel):
    """
    Which runs were made against which frozen version, the file evaluations.yaml.
    """
    evaluations: list[Evaluation] = Field(default=..., description="""The runs that were registered, in the order they were; nothing is ever taken out.""")


class Evaluation(ConfiguredBaseModel):
    """
    One registered run, which locks the version that it used.
    """
    evaluated_run: str = Field(default=..., description="""The run's id.""")
    evaluated_version: str = Field(default=..., description="""The frozen version that it was made against.""")
    records_sha256: str = Field(default=..., description="""SHA-256 of the version's record file.""")
    statement_sha256: str = Field(default=..., description="""SHA-256 of the version's statement file.""")
    journal_sha256: str = Field(default=..., description="""SHA-256 of the run's journal.""")
    respondent_name: str = Field(default=..., description="""The respondent, as typed on the command line.""")
    asked_form: str = Field(default=..., description="""The form that was asked.""")
    registered_at: str = Field(default=..., description="""When the run was registered.""")


# Model rebuild
# see https://pydantic-docs.helpmanual.io/usage/models/#rebuilding-a-model
Coordinate.model_rebuild()
ScoringKey.model_rebuild()
DivisionSourceRecord.model_rebuild()
MotionDirection.model_rebuild()
PartyCount.model_rebuild()
PublicCopy.model_rebuild()
Reviews.model_rebuild()
MotionSemanticsReview.model_rebuild()
PartySpaceReview.model_rebuild()
PartySpace.model_rebuild()
RelatedField.model_rebuild()
Participation.model_rebuild()
Coding.model_rebuild()
Dossier.model_rebuild()
ExcludedDossier.model_rebuild()
Contrast.model_rebuild()
Exclusion.model_rebuild()
Item.model_rebuild()
Rewriting.model_rebuild()
Options.model_rebuild()
Agent.model_rebuild()
Transformation.model_rebuild()
Waiver.model_rebuild()
ProspectiveRegister.model_rebuild()
ProspectiveCode.model_rebuild()
DataSources.model_rebuild()
DataSource.model_rebuild()
ByteDigest.model_rebuild()
Bank.model_rebuild()
ParserSpecification.model_rebuild()
ParserVector.model_rebuild()
WordingLimits.model_rebuild()
IssueFamily.model_rebuild()
FamilyLimits.model_rebuild()
Institution.model_rebuild()
Form.model_rebuild()
AnalysisPlan.model_rebuild()
PlannedEstimate.model_rebuild()
IntervalRule.model_rebuild()
FreezeRecord.model_rebuild()
FreezeStatement.model_rebuild()
StatementSubject.model_rebuild()
DigestSet.model_rebuild()
FreezePredicate.model_rebuild()
RecordDigest.model_rebuild()
EvaluationRegister.model_rebuild()
Evaluation.model_rebuild()
