"""Where lines end, and the characters that a bank file may not hold.

Lines end at LF, CR LF and CR alone, as in YAML 1.2 and in editors. The parser knows YAML 1.1, in which NEL, LS and PS
end a line too and a byte order mark may begin one: what an editor shows as a comment could be content to the parser.
Files that hold one of these are refused, so that reader, parser and editor see the same lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE_END = re.compile(r"\r\n|\r|\n")
_LINE_ENDS_OF_OLD = "at which YAML 1.1 begins another line and editors do not"
_READ_APART = {
    "\x85": f"holds NEL (U+0085), {_LINE_ENDS_OF_OLD}",
    "\u2028": f"holds LS (U+2028), {_LINE_ENDS_OF_OLD}",
    "\u2029": f"holds PS (U+2029), {_LINE_ENDS_OF_OLD}",
    "\ufeff": "holds a byte order mark (U+FEFF), which nobody sees, behind its beginning",
}
# Whatever YAML does not admit, and what is read apart. Compiled when searched for: few files need it, and it is slow.
_FOREIGN = "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
# Any but that of YAML 1.2: it could name another version, or a million tags, which the parser compares with each other.
_DIRECTIVE = r"(?:\A|(?<=[\n\r]))%(?!YAML 1\.2[ \t]*(?:[\n\r]|[ \t]#|\Z))[^\s]*"


@dataclass(frozen=True)
class Foreign:
    """Something that no bank file holds: the index of its first character, what it is, and the way to mend it."""

    index: int
    message: str
    fix: str


def split_lines(text: str) -> list[str]:
    """The lines of a text without their ends; an end at the end of the text begins no further line."""
    lines = _LINE_END.split(text)
    if not lines[-1]:
        lines.pop()
    return lines


def place_behind(text: str) -> tuple[int, int]:
    """Line and column, from 1, of what comes behind a text."""
    lines = split_lines(text + "|")
    return len(lines), len(lines[-1])


def is_native(text: str) -> bool:
    """Whether a text is quickly seen to hold no directive and no character that is read apart; the parser refuses
    other characters itself."""
    if "%" in text and (text[0] == "%" or "\n%" in text or "\r%" in text):
        return False
    return text.isascii() or not any(sign in text for sign in _READ_APART)


def first_foreign(text: str) -> Foreign | None:
    """The first character or directive of a text, given without a leading byte order mark, that no bank file holds."""
    sign = re.search(_FOREIGN, text)
    directive = re.search(_DIRECTIVE, text)
    if directive is not None and (sign is None or directive.start() < sign.start()):
        name = directive.group()
        return Foreign(directive.start(), f"directive {name} is not allowed", "take the line out, or indent its text")
    if sign is None:
        return None
    character = sign.group()
    told = _READ_APART.get(character, f"the character U+{ord(character):04X} is not allowed")
    return Foreign(sign.start(), told, "take it out; where a text needs it, write it as an escape in double quotes")
