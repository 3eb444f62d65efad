"""The list of items in a real browser: searched by keyboard, readable without JavaScript, harmless with any reply."""

from __future__ import annotations

import asyncio
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "unit" / "report")]

from chromium_page import CHROMIUM, NEEDS, opened  # noqa: E402
from report_sample import LEANING, bank, run  # noqa: E402
from several_models import several  # noqa: E402

from divisionbell.report.evidence import ReportInput  # noqa: E402
from divisionbell.report.write import write_report  # noqa: E402

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=NEEDS)

COUNT = "document.getElementById('filter-count').textContent"
SHOWN = "[...document.querySelectorAll('details.item')].filter(i => i.checkVisibility()).length"
FOCUSED = "document.activeElement.id"
LOUD = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
HOSTILE = (
    "</div></details></script><script>window.hit = 1; document.title = 'hit'</script>"
    "<img src='https://example.invalid/x.png' onerror='window.hit = 2'>"
    "<svg onload='window.hit = 3'></svg><style>body { display: none }</style>"
    "<a href='javascript:window.hit = 4'>x</a>\u202eright to left\u202c\u2066\u200f\x00\x1b[31m"
)


def hostile(item: str, order: str, number: int) -> Any:
    texts = {0: "A" * 1_048_576, 1: "\u202e" * 4000, 2: HOSTILE * 3}
    return "malformed", None, [(texts.get(number, HOSTILE), "no_json"), (HOSTILE, "no_json")]


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(several(), tmp_path_factory.mktemp("report") / "report.html").page


@pytest.fixture(scope="module")
def hostile_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    used = bank()
    evil = run(used, f"openai:{HOSTILE}", LEANING, hostile, settings={HOSTILE: HOSTILE})
    noted = replace(evil, score=evil.score.model_copy(update={"notes": [HOSTILE]}))
    return write_report(ReportInput(used, (noted,)), tmp_path_factory.mktemp("report") / "report.html").page


def quiet(events: list[dict[str, Any]]) -> None:
    """Nothing was said in the console, and nothing was asked for but the file itself."""
    assert [event for event in events if event["method"] in LOUD] == []
    asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    assert all(url.startswith(("file:", "data:")) for url in asked), asked
    assert sum(url.startswith("file:") for url in asked) == 1


async def _press(page: Any, key: str, code: int = 0, text: str = "") -> None:
    for kind in ("keyDown", "keyUp"):
        more = {"text": text} if text and kind == "keyDown" else {}
        await page.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **more)


async def _settled(page: Any, before: str) -> str:
    """The count after it has changed."""
    for _ in range(60):
        now = str(await page.evaluate(COUNT))
        if now != before:
            return now
        await asyncio.sleep(0.05)
    return before


async def _by_keyboard(path: Path) -> dict[str, Any]:
    async with opened() as page:
        await page.look(path, 1280, "light")
        found: dict[str, Any] = {"all": await page.evaluate(COUNT)}
        await page.evaluate("document.getElementById('filter-text').focus()")
        await page.call("Input.insertText", text="qaaaaaaa")
        found["text"] = await _settled(page, found["all"])
        found["text shown"] = await page.evaluate(SHOWN)
        await page.call("Input.insertText", text=" nothing holds this")
        found["none"] = await _settled(page, found["text"])
        found["none said"] = await page.evaluate("document.getElementById('filter-none').checkVisibility()")
        order = []
        for _ in range(5):
            await _press(page, "Tab", 9)
            order.append(await page.evaluate(FOCUSED))
        found["order"] = order
        await _press(page, "Enter", 13, "\r")
        found["cleared"] = await _settled(page, found["none"])
        found["focus"] = await page.evaluate(FOCUSED)
        await _press(page, "Tab", 9)
        await _press(page, "s", 83, "s")
        found["axis"] = await _settled(page, found["cleared"])
        for _ in range(3):
            await _press(page, "Tab", 9)
        await _press(page, " ", 32, " ")
        found["differs"] = await _settled(page, found["axis"])
        found["left"] = await page.evaluate(
            "[...document.querySelectorAll('details.item')].filter(i => i.checkVisibility())"
            ".map(i => [i.closest('.dossier').dataset.axis, 'differs' in i.dataset])"
        )
        found["headings"] = await page.evaluate(
            "[...document.querySelectorAll('.dossier')].filter(d => d.checkVisibility())"
            ".every(d => d.querySelector('details.item:not([hidden])'))"
        )
        found["live"] = await page.evaluate("document.getElementById('filter-count').getAttribute('aria-live')")
        found["named"] = await page.evaluate(
            "[...document.querySelectorAll('#filter input, #filter select')].every(f => f.labels.length === 1)"
        )
        found["events"] = page.events
        return found


def test_the_list_is_searched_and_narrowed_by_keyboard_alone(page_file: Path) -> None:
    found = asyncio.run(_by_keyboard(page_file))
    assert found["all"] == "All 32 items"
    assert found["text"] == "1 of 32 items" and found["text shown"] == 1
    assert found["none"] == "0 of 32 items" and found["none said"] is True
    assert found["order"] == [f"filter-{name}" for name in ("axis", "family", "outcome", "differs", "clear")]
    assert found["cleared"] == "All 32 items" and found["focus"] == "filter-text"
    assert found["axis"] == "16 of 32 items"
    assert found["left"] and all(axis == "social" and differs for axis, differs in found["left"])
    assert found["differs"] == f"{len(found['left'])} of 32 items" and len(found["left"]) < 16
    assert found["headings"] is True
    assert found["live"] == "polite" and found["named"] is True
    quiet(found["events"])


async def _without_script(path: Path) -> dict[str, Any]:
    async with opened() as page:
        await page.call("Emulation.setScriptExecutionDisabled", value=True)
        await page.look(path, 390, "light")
        found = {
            "filter": await page.evaluate("document.getElementById('filter').checkVisibility()"),
            "items": await page.evaluate(SHOWN),
            "count": await page.evaluate(COUNT),
            "wide": await page.evaluate("document.documentElement.scrollWidth"),
        }
        where = await page.evaluate(
            "(() => { const s = document.querySelector('details.item summary'); s.scrollIntoView({block: 'center'});"
            " const r = s.getBoundingClientRect(); return [r.left + 20, r.top + r.height / 2] })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            await page.call("Input.dispatchMouseEvent", type=kind, x=where[0], y=where[1], button="left", clickCount=1)
        found["open"] = await page.evaluate("document.querySelector('details.item').open")
        found["reply"] = await page.evaluate("document.querySelector('details.item .replies td p').checkVisibility()")
        found["events"] = page.events
        return found


def test_everything_is_readable_without_javascript(page_file: Path) -> None:
    found = asyncio.run(_without_script(page_file))
    assert found["filter"] is False and found["count"] == ""
    assert found["items"] == 32
    assert found["open"] is True and found["reply"] is True
    assert found["wide"] <= 390
    quiet(found["events"])


async def _hostile(path: Path, width: int) -> dict[str, Any]:
    async with opened() as page:
        await page.look(path, width, "dark")
        await page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true }); 0")
        found = {
            "hit": await page.evaluate("typeof window.hit"),
            "title": await page.evaluate("document.title"),
            "images": await page.evaluate("document.images.length"),
            "scripts": await page.evaluate("document.scripts.length"),
            "wide": await page.evaluate("document.documentElement.scrollWidth"),
            "evil links": await page.evaluate("[...document.links].filter(a => a.protocol === 'javascript:').length"),
            "shown": await page.evaluate("getComputedStyle(document.body).display"),
            "text": await page.evaluate("document.body.innerText.includes('window.hit = 2')"),
            "marks": await page.evaluate("/[\\u202a-\\u202e\\u2066-\\u2069\\u200f]/.test(document.body.textContent)"),
            "remark": await page.evaluate(
                "[...document.querySelectorAll('.replies td')].filter(t => t.textContent.includes('1,048,576 characters"
                "; the first 2,000 are shown, the whole stands in journal.jsonl of run run-openai-')).length"
            ),
            "longest": await page.evaluate(
                "Math.max(...[...document.querySelectorAll('.raw')].map(r => r.textContent.length))"
            ),
        }
        found["events"] = page.events
        return found


@pytest.mark.parametrize("width", [390, 1280])
def test_hostile_replies_are_shown_and_do_nothing(hostile_file: Path, width: int) -> None:
    found = asyncio.run(_hostile(hostile_file, width))
    assert found["hit"] == "undefined" and found["title"].startswith("Division Bell report: ")
    assert (found["images"], found["scripts"], found["evil links"]) == (0, 1, 0)
    assert found["shown"] == "block" and found["text"] is True
    assert found["marks"] is False
    assert hostile_file.stat().st_size < 3_000_000
    assert found["remark"] == 2 and found["longest"] <= 2000 * 6
    assert found["wide"] <= width
    quiet(found["events"])


async def _another_script(path: Path) -> dict[str, Any]:
    async with opened() as page:
        await page.look(path, 1280, "light")
        return {"title": await page.evaluate("document.title"), "events": page.events}


def test_the_policy_stops_every_other_script(page_file: Path, tmp_path: Path) -> None:
    text = page_file.read_text(encoding="utf-8")
    evil = tmp_path / "evil.html"
    evil.write_text(
        text.replace("<main>", "<main><script>document.title = 'hit'</script><img src='https://example.invalid/x'>")
    )
    found = asyncio.run(_another_script(evil))
    assert found["title"] != "hit"
    said = [e["params"]["entry"]["text"] for e in found["events"] if e["method"] == "Log.entryAdded"]
    assert any("script-src" in one for one in said) and any("img-src" in one for one in said)


async def _linked(path: Path) -> bool:
    async with opened() as page:
        await page.look(path, 1280, "light")
        await page.evaluate("location.hash = document.querySelectorAll('details.item')[5].id; 0")
        await asyncio.sleep(0.3)
        return bool(await page.evaluate("document.querySelectorAll('details.item')[5].open"))


def test_a_link_to_an_item_opens_it(page_file: Path) -> None:
    assert asyncio.run(_linked(page_file))


def _axe() -> Path | None:
    """The script of axe-core where npm has it on this machine or can fetch it; None otherwise."""
    npm = shutil.which("npm")
    if npm is None:
        return None
    import subprocess
    import tempfile

    folder = Path(tempfile.gettempdir()) / "divisionbell-axe"
    script = folder / "node_modules" / "axe-core" / "axe.min.js"
    if not script.exists():
        command = [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--ignore-scripts", "axe-core@4"]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=60)
        except (subprocess.SubprocessError, OSError):
            return None
    return script if script.exists() else None


async def _broken_rules(path: Path, script: str, scheme: str) -> list[str]:
    async with opened() as page:
        await page.call("Page.setBypassCSP", enabled=True)
        await page.look(path, 1280, scheme)
        await page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true }); 0")
        await page.evaluate(f"{script}; 0")
        told = await page.call(
            "Runtime.evaluate",
            expression="axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.map("
            "v => v.id + ': ' + v.nodes.length + ' ' + v.nodes[0].target + ' ' + v.nodes[0].failureSummary))",
            awaitPromise=True,
            returnByValue=True,
        )
        return list(told["result"]["value"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(page_file: Path, hostile_file: Path, scheme: str) -> None:
    axe = _axe()
    if axe is None:
        pytest.skip("axe-core cannot be had: needs npm and its registry")
    for path in (page_file, hostile_file) if scheme == "dark" else (page_file,):
        assert asyncio.run(_broken_rules(path, axe.read_text(encoding="utf-8"), scheme)) == []
