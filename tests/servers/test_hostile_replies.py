"""Replies that are hard to keep whole: through the journal, the score and the page of a report."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

from driving import Home, units
from misbehaving import Call, Said, Server, completion

HOSTILE = (
    "a next line \u0085 within",
    "separators \u2028 and \u2029 within",
    "NUL \x00 and a terminal's red \x1b[31m",
    "cut \ud83d and \udc00\ud800 end",
    "x" * 1_000_000,
    "</script></style></td><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7 * 7 }}",
    '{"unit_key":"0"}\r\n{"unit_key":"1"}\n',
    "\u202eA\u202c \ufeff \U0001f5f3",
)


class Tags(HTMLParser):
    """The names of all elements of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.handlers: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.handlers |= {name for name, _ in attrs if name.startswith("on")}


def text_for(item: str) -> str:
    return HOSTILE[sum(item.encode()) % len(HOSTILE)]


def test_journal_score_and_report_stay_whole(home: Home, tmp_path: Path) -> None:
    async def says(call: Call) -> Said:
        return 200, completion(call.answer() if call.reminded else text_for(call.item))

    out, page = tmp_path / "run", tmp_path / "report.html"
    with Server(says) as server:
        home.run(server.url, out, "--form", "full")
        quoted = {(call.item, call.asked["messages"][2]["content"]) for call in server.calls if call.reminded}
    made = units(out)
    assert {text_for(unit["asked_item"]) for unit in made} == set(HOSTILE)
    assert [unit["outcome"] for unit in made] == ["valid_after_retry"] * 96
    for unit in made:
        assert unit["attempts"][0]["reply_text"] == text_for(unit["asked_item"])
    # A lone surrogate has no UTF-8: what is sent back to the server has the replacement character in its place.
    for item, text in quoted:
        assert text == text_for(item).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    home.do("score", str(out))
    home.do("report", str(out), "--out", str(page))
    tags = Tags()
    tags.feed(page.read_text(encoding="utf-8"))
    assert "table" in tags.names
    assert not tags.names & {"iframe", "object"} and not tags.handlers
    assert page.read_text(encoding="utf-8").count("<script") == 1  # its own, which the policy allows by its digest
    assert page.stat().st_size < 10_000_000
    assert "\x00" not in page.read_text(encoding="utf-8")
