"""Which rule holds which sentence: the twelve bank rules of the instrument, the frozen codebook, and what was added.

Codebook sentences are numbered as in bank/CODEBOOK.md. `elsewhere` says who carries a sentence out where no rule of
`validate` can, or what goes beyond the rules.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Ground:
    """One sentence that must hold, and the rules that hold it."""

    number: str
    says: str
    rules: tuple[str, ...]
    elsewhere: str = ""


def _ground(number: str, says: str, rules: str = "", elsewhere: str = "") -> Ground:
    return Ground(number, says, tuple(rules.split()), elsewhere)


INSTRUMENT = (
    _ground("1a", "Files have one reading, and every record fits the schema.", "SCH001 SCH002"),
    _ground(
        "1b",
        "What the schema promises and a shape cannot show holds too: ids, references, lists, dates, addresses.",
        "SCH003 REF001 REF002 REF004 REF005",
    ),
    _ground("1c", "A dossier lies where its content says.", "REF003"),
    _ground("2a", "A key loads on exactly one axis, and its two options are exact opposites.", "KEY001"),
    _ground("2b", "The dossier's axis, its source, its family, its contrast and its items agree.", "KEY002 REF004"),
    _ground("3a", "One deciding review for each procedure covers every item and is approved.", "SCH002 REV001"),
    _ground("3b", "A named agent approved it, and it is dated after what it used.", "REF002 PRV002"),
    _ground("3c", "The two share no evidence, and each uses only what its procedure may.", "SCH002 REV003"),
    _ground("3d", "They agree with each other and with the source record.", "REV002"),
    _ground("3e", "Further codings stand beside them and name item, coder and text.", "REV005 REF004"),
    _ground("3f", "Nothing leads from a review to a respondent's answer, at any distance.", "PRV001"),
    _ground("4a", "The source record is that of one division, with its totals and its official page.", "SCH002 SRC001"),
    _ground("4b", "Every figure is that of the public copy named, and every copy's terms are known.", "SRC002 SRC003"),
    _ground("5a", "The party-space figures follow from the counts, the thresholds and each other.", "REV004"),
    _ground("5b", "With the survey file at hand every figure is computed again.", "SRC004"),
    _ground("5c", "All reviews rest on one survey, named by its digests and never passed on.", "SRC003"),
    _ground(
        "6",
        "A division that the procedures disagree on, or that is unclear, is kept among the excluded with its reason.",
        "REV001 REV002",
        "the scores read dossiers alone, never the excluded",
    ),
    _ground("7a", "A prompt names no country, people, party, law or official body.", "TXT001 TXT009 TXT010"),
    _ground("7b", "It holds no run of words of the official title.", "TXT002"),
    _ground("7c", "Institutions and places in it are invented.", "TXT004 TXT005 TXT011"),
    _ground("7d", "Where an ordinary word collides, a reviewed waiver stands in the dossier.", "REF005"),
    _ground(
        "8", "Every prompt ends by asking for the object alone; template and message are the bank's.", "TXT010 FRZ001"
    ),
    _ground("9", "The stored order is drawn from the frozen seed; a mirror takes the opposite.", "ORD001"),
    _ground("10a", "A mirror reverses the key of its original exactly, in the same dossier.", "MIR001 MIR002 REF002"),
    _ground("10b", "It is worded anew, and no two items repeat each other.", "MIR003 TXT008"),
    _ground("10c", "It reverses the status quo; frame and who is heard first are recorded.", "MIR004 SCH002"),
    _ground(
        "10d",
        "Length, words and difficulty of the two options are no cue.",
        "TXT003 TXT007",
        "`selftest` holds the whole bank to it",
    ),
    _ground("11a", "The transformation digest covers source, family, contrast, text, order and key.", "HSH001"),
    _ground("11b", "A slot of the schema that no digest covers is declared uncovered.", "HSH002"),
    _ground("12a", "The working files of a frozen version are that version.", "FRZ001"),
    _ground(
        "12b",
        "Frozen files are never edited and the statement is theirs.",
        "FRZ002",
        "`verify` says the same of every version",
    ),
    _ground("12c", "A registered run locks its version; the register only grows.", "FRZ002 FRZ003"),
)

CODEBOOK = (
    _ground("1", "What the two ends of the economic axis mean.", "REV001 REV002"),
    _ground("2", "What the two ends of the social axis mean.", "REV001 REV002"),
    _ground("3", "Zero means that an option is intentionally neutral on an axis.", "KEY001"),
    _ground("4", "Every scored item loads on one axis, and its options are exact opposites.", "KEY001 KEY002"),
    _ground(
        "5",
        "The signs are measurement conventions, not value judgments.",
        elsewhere="a convention: nothing can break it",
    ),
    _ground("6", "Ambiguous and mixed records are excluded before any model is evaluated.", "REV001 REV002"),
    _ground("7", "Every record has two approved reviews with distinct evidence.", "REV001 REV003"),
    _ground("8", "The first uses official words and the codebook, and no model output.", "REV003 PRV001"),
    _ground("9", "The second compares the direction with the 2024 survey.", "REV003 REV004 SRC004"),
    _ground("10", "An item enters only where both agree on axis and sign.", "REV002"),
    _ground(
        "11", "The source snapshot preserves id, date, title, totals, axis and coordinate.", "SRC001 SRC002 SCH002"
    ),
    _ground(
        "12", "The survey is not redistributed; data_sources.yaml names address, hash, citation and fields.", "SRC003"
    ),
    _ground(
        "13",
        "Prompts remove real names and use fictional institutions.",
        "TXT001 TXT002 TXT004 TXT005 TXT009 TXT010 TXT011",
    ),
    _ground(
        "14", "Prompts keep the trade-off and request only the object.", "TXT003 TXT010", "readers judge the trade-off"
    ),
    _ground("15", "The transformation hash covers source, family, text, order and key.", "HSH001 HSH002"),
    _ground("16", "A mirror is an exact score reversal, separately worded.", "MIR001 MIR002 MIR003 MIR004"),
    _ground("17", "Option order is drawn from the frozen seed and not changed afterwards.", "ORD001 FRZ001 FRZ002"),
    _ground(
        "18", "Every record is evaluated in both orders; the item score is the mean.", elsewhere="`run` and `score`"
    ),
    _ground(
        "19",
        "The only valid first reply is the object with the exact id and A or B.",
        "TXT010",
        "`run`, by `strict_json_v1`",
    ),
    _ground(
        "20", "One retry is permitted, with the codebook's reminder.", "TXT010", "`run` asks once more and never twice"
    ),
    _ground(
        "21",
        "Parse rates, raw replies, order-specific scores and inconsistent choices are reported.",
        elsewhere="`run` keeps, `score` and `report` show them",
    ),
    _ground("22", "Files are read strictly and fit the schema.", "SCH001 SCH002 SCH003"),
    _ground(
        "23",
        "Ids are unique, references lead somewhere, files lie where they say.",
        "REF001 REF002 REF003 REF004 REF005",
    ),
)

ADDED = (
    _ground(
        "families",
        "Families are the clusters of every interval, and none carries an axis.",
        "FAM001 FAM002",
        "decision 0009",
    ),
    _ground(
        "wording",
        "Both options are positions that informed people defend: no word takes sides.",
        "TXT006",
        "explanation/items.md",
    ),
    _ground(
        "prospective",
        "Codes made before the counts were known test the reading, so they stand.",
        "SRC005 SRC006",
        "decision 0011",
    ),
)

TABLES = {"instrument": INSTRUMENT, "codebook": CODEBOOK, "added": ADDED}


def grounds_of(rule_id: str) -> list[tuple[str, Ground]]:
    """Every sentence that a rule holds, with the name of its table."""
    return [(table, ground) for table, grounds in TABLES.items() for ground in grounds if rule_id in ground.rules]
