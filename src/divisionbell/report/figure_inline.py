"""A figure's SVG as it stands inside the page: colours by variable, short, and with its styles told once for all."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_UNIT = re.compile(r"(?<![\w#-])(-?\d+\.\d{3,})")


def in_tags(svg: str, change: Callable[[str], str]) -> str:
    """Change the tags and leave every text as it is: texts hold names that were not written here."""
    return re.sub(r"<[^>]*>", lambda match: change(match[0]), svg)


def inline(svg: str, prefix: str, variables: Mapping[str, str]) -> str:
    """The page's form: colours by variable, ids of its own, no size of its own, hidden from readers of the label."""
    svg = re.sub(r"\s*<style[^>]*>.*?</style>", "", svg, flags=re.DOTALL)
    used = set(re.findall(r'(?:xlink:href="#|url\(#)([^")]+)', "".join(re.findall(r"<[^>]*>", svg))))
    svg = in_tags(svg, lambda tag: _short(tag, used))
    svg = _without_plain_groups(svg)
    svg = in_tags(svg, lambda tag: _own(tag, prefix, variables))
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    svg = svg.replace("<svg ", '<svg aria-hidden="true" focusable="false" ', 1)
    return re.sub(r">\s+<", "><", svg).strip()


def _short(tag: str, used: set[str]) -> str:
    """A tag without ids that nothing names, with places in hundredths and white space at its least."""
    tag = re.sub(r' id="([^"]+)"', lambda m: m[0] if m[1] in used else "", tag)
    tag = _UNIT.sub(lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), tag)
    return re.sub(r'\s+(?=")|\s+(?=/?>)', "", re.sub(r"\s+", " ", tag))


def _without_plain_groups(svg: str) -> str:
    """The same without groups that say nothing."""
    kept: list[bool] = []

    def change(tag: str) -> str:
        if tag == "<g>":
            kept.append(False)
            return ""
        if tag.startswith("<g "):
            kept.append(True)
        elif tag == "</g>" and not kept.pop():
            return ""
        return tag

    return in_tags(svg, change)


def _own(tag: str, prefix: str, variables: Mapping[str, str]) -> str:
    tag = re.sub(r' id="([^"]+)"', rf' id="{prefix}-\1"', tag)
    tag = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", tag)
    tag = re.sub(r'href="#([^"]+)"', rf'href="#{prefix}-\1"', tag)
    return re.sub(r"#[0-9a-f]{6}\b", lambda m: f"var({variables[m[0]]})" if m[0] in variables else m[0], tag)


class Styles:
    """The style attributes of all figures of a page, each told once as a class."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def by_class(self, svg: str) -> str:
        """The SVG with classes in place of its style attributes."""
        return in_tags(svg, lambda tag: re.sub(r' style="([^"]*)"', self._class, tag))

    def _class(self, found: re.Match[str]) -> str:
        return f' class="{self._names.setdefault(found[1], f"f{len(self._names)}")}"'

    @property
    def css(self) -> str:
        """The rules of every class; the styles were written by the drawer and hold no text from elsewhere."""
        return "\n".join(f".{name}{{{style}}}" for style, name in self._names.items())
