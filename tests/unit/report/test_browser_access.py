"""The page as drawn: no console message, no request, text in its frame, names for screen readers, points in reach.

Checks that change nothing share one visit for each width and scheme.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chromium import needs_chromium
from page_visit import Visit

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = needs_chromium

AXE = Path(__file__).parents[3] / "web" / "node_modules" / "axe-core" / "axe.min.js"
GRAVE = ("serious", "critical")


@pytest.fixture(
    scope="module", params=[(1280, "light"), (1280, "dark"), (360, "light")], ids=["light", "dark", "phone"]
)
def drawn_visit(browser: playwright.Browser, address: str, request: pytest.FixtureRequest) -> Iterator[Visit]:
    width, scheme = request.param
    visit = Visit(browser, address, width, scheme, before=AXE.read_text(encoding="utf-8") if AXE.exists() else "")
    visit.all_drawn()
    yield visit
    visit.context.close()


def test_charts_read_their_text_inside_their_frame(drawn_visit: Visit) -> None:
    outside = drawn_visit.page.evaluate(
        """[...document.querySelectorAll('[data-chart] svg')].flatMap((svg) => {
             const right = svg.getBoundingClientRect().right + 1;
             return [...svg.querySelectorAll('text')]
               .filter((text) => text.getBoundingClientRect().right > right).map((text) => text.textContent);
           })"""
    )
    assert outside == []


def test_controls_have_names_and_images_have_words(drawn_visit: Visit) -> None:
    nameless = drawn_visit.page.evaluate(
        """[...document.querySelectorAll('button, select, [role=img], [role=application], [role=region]')]
             .filter((e) => !(e.getAttribute('aria-label') || e.textContent).trim()).length"""
    )
    assert nameless == 0
    assert drawn_visit.page.evaluate("document.documentElement.lang") == "en"


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: make pages")
def test_axe_finds_nothing_grave(drawn_visit: Visit) -> None:
    found = drawn_visit.page.evaluate("axe.run(document)")
    checked = {rule["id"] for rule in found["passes"]}
    assert {"color-contrast", "button-name", "heading-order", "region"} <= checked
    grave = [(rule["id"], rule["nodes"][0]["html"]) for rule in found["violations"] if rule["impact"] in GRAVE]
    assert grave == []


def test_the_page_is_drawn_and_a_run_opened_without_a_word_or_a_request(drawn_visit: Visit) -> None:
    # Last of those that share a visit, as it changes the page.
    drawn_visit.open_first_run()
    assert drawn_visit.said == []
    assert [url for url in drawn_visit.asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert drawn_visit.fits()


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
