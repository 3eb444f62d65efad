"""Compile the names that no prompt may hold, from Unicode CLDR as packaged by Babel. Run as `make model`.

Countries come from CLDR's territories, demonyms from its languages (a language's name is mostly the demonym), both in
English. A name that is an ordinary word in small letters (china, polish, labour) by the dictionary that spylls packages
is matched as written, with a capital; every other in any case. This parliament's own words are kept here by hand.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from babel import Locale
from compile_places import spellings
from spylls.hunspell import Dictionary

# Places and peoples of the jurisdiction that CLDR does not list under a name of their own.
JURISDICTION = [
    "Britain",
    "Britons",
    "British",
    "Briton",
    "England",
    "English",
    "Scotland",
    "Scottish",
    "Scots",
    "Wales",
    "Welsh",
    "Ireland",
    "Irish",
    "Ulster",
    "Northern-Ireland",
    "London",
    "Westminster",
    "Whitehall",
    "Holyrood",
    "Stormont",
    "Cardiff",
    "Edinburgh",
    "Belfast",
    "Manchester",
    "Birmingham",
    "Scotsman",
    "UK",
    "U.K.",
    "GB",
    "USA",
    "US",
    "U.S.",
    "America",
    "American",
    "Americans",
    "Europe",
    "European",
    "EU",
    "Commonwealth",
]

# Official bodies and the words of parliamentary business, which would tell where an item came from.
OFFICIAL = [
    "parliament",
    "parliamentary",
    "commons",
    "lords",
    "minister",
    "ministers",
    "ministry",
    "mp",
    "mps",
    "peer",
    "peers",
    "whip",
    "whips",
    "chancellor",
    "treasury",
    "cabinet",
    "whitehall",
    "hansard",
    "backbench",
    "backbencher",
    "select-committee",
    "home-office",
    "foreign-office",
    "prime-minister",
    "secretary-of-state",
    "downing-street",
    "crown-court",
    "magistrates",
    "ofsted",
    "ofcom",
    "ofgem",
    "ofwat",
    "nhs",
    "hmrc",
    "dwp",
    "mi5",
    "mi6",
    "gchq",
    "council-tax",
    "stamp-duty",
    "national-insurance",
    "vat",
    "universal-credit",
    "statutory-instrument",
    "royal-assent",
    "second-reading",
    "third-reading",
    "division-bell",
    "white-paper",
    "green-paper",
    "devolution",
    "devolved",
]

# Party names of the House, as words that would be read as such.
PARTIES = [
    "Conservative",
    "Conservatives",
    "Tory",
    "Tories",
    "Labour",
    "Labour-Party",
    "Conservative-Party",
    "Tory-Party",
    "Liberal-Democrat",
    "Liberal-Democrats",
    "Lib-Dem",
    "Plaid-Cymru",
    "Sinn-Fein",
    "Reform-UK",
    "Green-Party",
    "Democratic-Unionist",
    "Ulster-Unionist",
    "Alliance-Party",
    "Workers-Party",
]

# Words in the dictionary that in small letters are hardly ever another thing than the name.
RARE = {"Japan", "Morocco", "Panama", "Wales", "Welsh", "Ulster", "Tory", "Tories"}


def names() -> dict[str, list[str]]:
    english = Locale("en")
    territories = {name for code, name in english.territories.items() if not code.isdigit() and len(code) == 2}
    languages = {name for code, name in english.languages.items() if len(code) in (2, 3)}
    split = re.compile(r"[(),]")
    simple = {part.strip() for name in territories | languages for part in split.split(name)}
    cased = {name for name in simple if name[:1].isupper() and len(name) > 2}
    cased -= {"Ido", "Northern", "Southern", "Western"}
    cased |= {word.replace("-", " ") for word in (*JURISDICTION, *PARTIES)}
    # Two words with a capital each are a name in small letters too; of one word the dictionary tells.
    known = Dictionary.from_files("en_US").lookup
    single = {name for name in cased if " " not in name} - RARE
    ordinary = {name for name in single if any(known(word) for word in spellings(name.lower()))}
    ordinary |= {name for name in cased if " " in name and not name.split()[-1][0].isupper()} | {"Unknown Region"}
    return {
        "as_written": sorted(ordinary),
        "in_any_case": sorted({word.replace("-", " ") for word in OFFICIAL} | (cased - ordinary)),
    }


def main() -> int:
    here = Path(__file__).resolve().parent
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else here.parent / "src" / "divisionbell" / "model"
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(names(), ensure_ascii=False, indent=0) + "\n"
    (folder / "names.json").write_text(text, encoding="utf-8", newline="\n")
    print("wrote names.json")
    return 0


if __name__ == "__main__":
    sys.exit(main())
