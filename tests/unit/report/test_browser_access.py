"""The page for those who read it by keyboard or by screen reader: points in reach, nothing grave for axe-core."""

from __future__ import annotations

from pathlib import Path

import pytest

from chromium import needs_chromium
from dbdyno.report import build_page
from dbdyno.store import StoredStudy
from page_visit import Visit

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = needs_chromium

AXE = Path(__file__).parents[3] / "web" / "node_modules" / "axe-core" / "axe.min.js"
GRAVE = ("serious", "critical")


@pytest.fixture(scope="module")
def address(results: StoredStudy, tmp_path_factory: pytest.TempPathFactory) -> str:
    return build_page(results, tmp_path_factory.mktemp("page") / "report.html").as_uri()


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: make pages")
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (360, "light")])
def test_axe_finds_nothing_grave(browser: playwright.Browser, address: str, width: int, scheme: str) -> None:
    visit = Visit(browser, address, width, scheme, before=AXE.read_text(encoding="utf-8"))
    visit.all_drawn()
    found = visit.page.evaluate("axe.run(document)")
    checked = {rule["id"] for rule in found["passes"]}
    assert {"color-contrast", "button-name", "heading-order", "region"} <= checked
    grave = [(rule["id"], rule["nodes"][0]["html"]) for rule in found["violations"] if rule["impact"] in GRAVE]
    assert grave == []
    visit.context.close()


def test_points_of_a_chart_are_read_and_opened_by_keyboard(browser: playwright.Browser, address: str) -> None:
    visit = Visit(browser, address)
    visit.page.locator("#chart-answer .vega-embed svg").wait_for()
    visit.page.locator("[data-chart=answer]").focus()
    readout = visit.page.locator("#chart-answer .readout")
    heard = []
    for _ in range(9):
        visit.page.keyboard.press("ArrowRight")
        heard.append(readout.text_content())
    assert len(set(heard)) == 9
    assert [words.count(", 1 connection:") for words in heard] == [1] * 3 + [0] * 6
    assert all("TPS" in words for words in heard)
    assert visit.page.locator("#chart-answer .pointed").count() == 1
    visit.page.keyboard.press("Enter")
    visit.run_drawn()
    target = heard[-1].partition(",")[0]
    assert visit.page.locator("#detail-title").text_content().startswith(f"{target} at 512 MiB and 16 connections")
    visit.context.close()
