"""The report in a real browser: it asks for nothing, says nothing in the console, and fits its window."""

from __future__ import annotations

import asyncio
import sys
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
