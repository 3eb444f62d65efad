"""The report in a real browser: it asks for nothing, says nothing in the console, and fits its window."""

from __future__ import annotations

import asyncio
import base64
import io
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "unit" / "report")]

from chromium_page import CHROMIUM, NEEDS, opened  # noqa: E402
from report_sample import sample  # noqa: E402
from several_models import several  # noqa: E402

from divisionbell.report.write import write_report  # noqa: E402

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=NEEDS)

FITS = "[document.documentElement.scrollWidth, innerWidth]"
GROUND = "getComputedStyle(document.body).backgroundColor"
OPEN_ALL = "document.querySelectorAll('details').forEach(d => { d.open = true }); document.querySelectorAll('*').length"
LOADED = "performance.getEntriesByType('resource').map(e => e.name)"
VISIBLE_FIGURES = """[...document.querySelectorAll('figure')].map(f =>
  [...f.querySelectorAll('svg')].filter(s => s.getBoundingClientRect().width > 0).length)"""
OVERLAPS = """(() => { const out = [];
  for (const s of document.querySelectorAll('figure svg')) { const w = s.getBoundingClientRect();
    if (!w.width) continue;
    for (const t of s.querySelectorAll('text')) { const b = t.getBoundingClientRect();
      if (b.left < w.left - 1 || b.right > w.right + 1 || b.bottom > w.bottom + 1) out.push(t.textContent); } }
  return out; })()"""


@pytest.fixture(scope="module", params=["demonstration", "several models"])
def page_file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    given = several() if request.param == "several models" else sample(demonstration=True)
    return write_report(given, tmp_path_factory.mktemp("report") / "report.html").page


async def _look(path: Path, width: int, scheme: str) -> dict[str, Any]:
    async with opened() as page:
        await page.look(path, width, scheme)
        closed = await page.evaluate(FITS)
        found = {
            "closed": closed,
            "ground": await page.evaluate(GROUND),
            "loaded": await page.evaluate(LOADED),
            "figures": await page.evaluate(VISIBLE_FIGURES),
            "outside": await page.evaluate(OVERLAPS),
        }
        await page.evaluate(OPEN_ALL)
        found["open"] = await page.evaluate(FITS)
        found["title"] = await page.evaluate("document.title")
        found["events"] = page.events
        return found


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_fits_and_is_quiet(page_file: Path, width: int) -> None:
    by_scheme = {scheme: asyncio.run(_look(page_file, width, scheme)) for scheme in ("light", "dark")}
    for found in by_scheme.values():
        for wide, window in (found["closed"], found["open"]):
            assert window == width
            assert wide <= window
        assert found["title"].startswith("Division Bell report: openai:lakeside")
        assert found["loaded"] == []
        assert set(found["figures"]) == {1}
        assert found["outside"] == []
        for event in found["events"]:
            assert event["method"] not in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"), (
                event
            )
            if event["method"] == "Network.requestWillBeSent":
                assert event["params"]["request"]["url"].startswith(("file:", "data:")), event
    assert by_scheme["light"]["ground"] != by_scheme["dark"]["ground"]


CUT_OFF = """[...document.querySelectorAll('.scroll')].filter(e => e.checkVisibility()
  && e.scrollWidth > e.clientWidth + 1).map(e => e.getAttribute('aria-label'))"""
BAR = """[...document.querySelectorAll('.scroll')].map(e => getComputedStyle(e, '::-webkit-scrollbar').height)"""


async def _cut_off(path: Path, width: int) -> tuple[list[str], set[str]]:
    async with opened() as page:
        await page.look(path, width, "light")
        await page.evaluate("document.querySelectorAll('details.print').forEach(d => { d.open = true })")
        return await page.evaluate(CUT_OFF), set(await page.evaluate(BAR))


def test_tables_fit_a_wide_window_and_show_their_scroll_bar_in_a_narrow_one(page_file: Path) -> None:
    assert asyncio.run(_cut_off(page_file, 1280))[0] == []
    cut, bars = asyncio.run(_cut_off(page_file, 390))
    assert cut and bars == {"10px"}


A4, MARGINS = (595.3, 841.9), 30  # points; both side margins of the sheet in millimetres
TOO_WIDE = """[...document.querySelectorAll('body *')].filter(e => {
  const r = e.getBoundingClientRect();
  return r.width && r.right > innerWidth + 1 && !e.closest('svg') }).map(e => e.tagName + ' ' + e.className)"""
ON_PAPER = """[...document.querySelectorAll(
  'h1, h2, h3, h4, caption, .finding p, .paste p, #citation p, #citation pre'
)].filter(e => !e.closest('details:not(.print)')).map(e => e.textContent)"""
CUT = """[...document.querySelectorAll('main .scroll, main pre, main .raw')].filter(e => e.checkVisibility()
  && (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1)).map(e => e.textContent.slice(0, 40))"""
FOLDED = """(() => { const closed = [...document.querySelectorAll('details:not([open])')];
  const shown = d => d.querySelector('.inside').checkVisibility();
  return [closed.filter(d => d.matches('.print')).every(shown), closed.filter(d => !d.matches('.print')).some(shown),
    [...document.querySelectorAll('.on-paper')].every(e => e.checkVisibility())] })()"""


async def _printed(path: Path) -> dict[str, Any]:
    async with opened() as page:
        await page.look(path, 1280, "dark")
        found = {"said on the screen": await page.evaluate("document.querySelector('.on-paper').checkVisibility()")}
        dark = {"name": "prefers-color-scheme", "value": "dark"}
        await page.call("Emulation.setEmulatedMedia", media="print", features=[dark])
        width = round((210 - MARGINS) / 25.4 * 96)
        await page.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
        )
        for name, expression in (
            ("ground", GROUND),
            ("too wide", TOO_WIDE),
            ("on paper", ON_PAPER),
            ("cut", CUT),
            ("folded", FOLDED),
            ("figures", VISIBLE_FIGURES),
            ("wide figures", "document.querySelectorAll('figure .wide').length"),
            ("narrow", "[...document.querySelectorAll('figure .narrow')].some(e => e.checkVisibility())"),
        ):
            found[name] = await page.evaluate(expression)
        made = await page.call("Page.printToPDF", preferCSSPageSize=True)
        found["pdf"] = base64.b64decode(made["data"])
        return found


def _bare(text: str) -> str:
    """Without white space and ligatures, which a printed page has its own of."""
    return "".join(unicodedata.normalize("NFKC", text).split())


@pytest.mark.parametrize("page_file", ["several models"], indirect=True)
def test_the_page_prints_whole_on_a4(page_file: Path) -> None:
    pypdf = pytest.importorskip("pypdf", reason="reading a printed page needs pypdf: pip install pypdf")
    found = asyncio.run(_printed(page_file))
    assert found["ground"] in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)") and found["said on the screen"] is False
    assert found["too wide"] == [] and found["cut"] == []
    assert set(found["figures"]) == {1} and found["narrow"] is False and found["wide figures"] > 5
    assert found["folded"] == [True, False, True]
    pages = pypdf.PdfReader(io.BytesIO(found["pdf"])).pages
    starts: list[float] = []
    told = ""
    for sheet in pages:
        assert (float(sheet.mediabox.width), float(sheet.mediabox.height)) == pytest.approx(A4, abs=1)

        def place(text: str, cm: list[float], tm: list[float], *_: object) -> None:
            if text.strip():
                starts.append(tm[4] * cm[0] + tm[5] * cm[2] + cm[4])

        told += sheet.extract_text(visitor_text=place)
    assert starts and min(starts) > 20 and max(starts) < A4[0] - 20
    read = _bare(told)
    assert len(found["on paper"]) > 40
    assert [words for words in found["on paper"] if _bare(words) not in read] == []
    assert "Leftoutonpaper:thewordsoftheitems" in read and "Leftoutonpaper:thetablesofeverynumber" in read
