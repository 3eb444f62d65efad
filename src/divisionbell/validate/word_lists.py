"""The word lists that wording is held to. They are short on purpose: each word has a reason to be here."""

from __future__ import annotations

# Words that carry nothing of their own: left out where it counts which words an option shares with its stem.
FUNCTION_WORDS = frozenset(
    """a about after again all also although an and any are as at be because been before being both but by can could
    did do does each either even every few for from had has have having he her here him his how i if in into is
    it its itself many may me might more most much must my neither no nobody none nor not nothing now of off on
    once one only or other our out over own per same shall she should since so some such than that the their
    them then there these they this those though through till to too under until up upon us very was we were
    what whatever when where whether which while who whom whose why will with within without would yet you
    your""".split()  # noqa: SIM905
)

# Number words; digits count as well. "One" is left out: it stands for a person or a thing more often than for a count.
NUMBER_WORDS = frozenset(
    """two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million half third quarter
    fifth sixth seventh eighth tenth twelfth twentieth fortieth hundredth dozen double twice once""".split()  # noqa: SIM905
)

# Words that promise something good whatever the subject.
BENEFIT_WORDS = frozenset(
    """able afford affordable aid assured benefit benefits best better calm careful certain clean clear comfort
    confident easier easily easy efficient enjoy fair fairer faster flourish free freely freer gain gains
    generous good grow growth healthy help helped helpful helps improve improved improves improvement kind
    kinder peace protect protected protection protects quick quicker quickly ready relief reliable safe safely
    safer safety save saved saves savings secure security simple simpler sound spare stable steady support
    supported supports sure thrive well welcome""".split()  # noqa: SIM905
)

# Words for whoever acts with public authority.
PUBLIC_BODY_WORDS = frozenset(
    """agencies agency assembly auditor auditors authorities authority board boards bureau chamber clerk clerks
    commission commissioner committee council councils court courts customs department district guards inspector
    inspectors judge judges magistrate magistrates minister ministry municipal office officer officers official
    officials panel police prosecutor public regulator registrar registry state treasurer treasury tribunal
    tribunals warden wardens""".split()  # noqa: SIM905
)

# Words of invented institutions that are common nouns: no part of a name that could be a real place.
COMMON_NAME_WORDS = frozenset(
    """advice agency archive assembly assistance authority basin bay bench board border bridge bureau centre chamber
    city clinic club coach coast college commission committee company cooperative council counter court delta
    department desk district docks estates exchange federation ferry finance fund furnace gate guild hall
    harbour health homes hospital house housing infirmary island isle judges labour lake lands law league
    learning library line lines market meeting mills mine mines museum network north office panel park pier
    plain point port post press purse quarter quay rail reception records region regional relief resort revenue
    ridge river rooms school services society south square station support telephone town trades transit
    transport treasury trust trustees tribunal union university valley waterworks watch water west east
    workplace workshop works yard of the and for nursing deeds""".split()  # noqa: SIM905
)

# What a careful questionnaire leaves out of an option or a stem: each word with the reason.
LOADED: dict[str, str] = {
    "abuse": "accuses",
    "abuses": "accuses",
    "abused": "accuses",
    "bloated": "blames size itself",
    "bureaucracy": "a word of blame for administration",
    "bureaucratic": "a word of blame for administration",
    "burden": "says that the thing is too heavy",
    "burdens": "says that the thing is too heavy",
    "burdensome": "says that the thing is too heavy",
    "common sense": "makes one side the sensible one",
    "crackdown": "a headline's word for enforcement",
    "criminals": "judges persons before a court does",
    "cruel": "condemns",
    "crisis": "presses the reader",
    "decent": "makes one side the decent one",
    "deserve": "settles the question of merit",
    "deserves": "settles the question of merit",
    "deserving": "settles the question of merit",
    "draconian": "condemns a rule as too hard",
    "elite": "sets the reader against a group",
    "elites": "sets the reader against a group",
    "exploit": "accuses",
    "exploits": "accuses",
    "exploitation": "accuses",
    "extremist": "names people by a verdict",
    "extremists": "names people by a verdict",
    "fair share": "says what is fair",
    "fairness": "both sides claim it",
    "fat cat": "a word of abuse",
    "flood": "makes people a disaster",
    "freedom": "both sides claim it",
    "freeloader": "a word of abuse",
    "greed": "accuses",
    "greedy": "accuses",
    "handout": "belittles support",
    "handouts": "belittles support",
    "hard-working": "praises one group",
    "hardworking": "praises one group",
    "harsh": "condemns a rule as too hard",
    "heartless": "condemns",
    "heavy-handed": "condemns enforcement",
    "illegals": "names people by an offence",
    "innocent": "settles who is right",
    "intrusive": "condemns a power",
    "justice": "both sides claim it",
    "lavish": "blames spending",
    "lenient": "blames a sentence as too mild",
    "liberty": "both sides claim it",
    "mob": "names a crowd by a verdict",
    "nanny": "mocks a rule",
    "ordinary people": "sets the reader against a group",
    "oppressive": "condemns",
    "orwellian": "condemns by allusion",
    "privileged": "sets the reader against a group",
    "profiteer": "accuses",
    "profiteering": "accuses",
    "punish": "says that the purpose is to hurt",
    "punished": "says that the purpose is to hurt",
    "punishes": "says that the purpose is to hurt",
    "punishing": "says that the purpose is to hurt",
    "punitive": "says that the purpose is to hurt",
    "radical": "makes one side the extreme one",
    "ransom": "accuses those who bargain",
    "reckless": "condemns",
    "red tape": "a word of blame for rules",
    "reform": "calls a change good",
    "reforms": "calls a change good",
    "rigged": "accuses",
    "ruthless": "condemns",
    "scandal": "condemns",
    "scrounger": "a word of abuse",
    "scroungers": "a word of abuse",
    "selfish": "condemns",
    "snooping": "a word of blame for looking",
    "spying": "a word of blame for looking",
    "squander": "blames spending",
    "squandered": "blames spending",
    "suffer": "asks for pity on one side",
    "suffering": "asks for pity on one side",
    "swamped": "makes people a disaster",
    "thug": "a word of abuse",
    "thugs": "a word of abuse",
    "tough": "praises or blames by tone",
    "tragic": "asks for pity on one side",
    "tyranny": "condemns",
    "unfair": "says what is fair",
    "unjust": "says what is just",
    "vulnerable": "asks for pity on one side",
    "waste": "blames spending",
    "wasteful": "blames spending",
    "wealthy": "sets the reader against a group",
    "workshy": "a word of abuse",
}
