"""The page as drawn: no console message, no request, text in its frame, names for screen readers, points in reach.

Checks that change nothing share one visit for each width and scheme.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from chromium import needs_chromium
from dbdyno.core import Caveat
from dbdyno.report import build_page
from dbdyno.store import StoredRun, StoredStudy
from page_visit import Visit

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = needs_chromium

MAP_STUDY = """
name = "map"
targets = ["mariadb:10.11", "mariadb:11.8", "mysql:5.7", "mysql:8.0", "mysql:8.4", "mysql:9.7"]
[workload]
name = "sysbench/oltp_read_write"
[axes]
tier = ["64MB", "512MB"]
concurrency = [1]
[measure]
warm_up = "4s"
window = "12s"
repeats = 2
"""
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


def test_the_map_of_cells_is_reached_by_tab_walked_by_arrow_keys_and_opened_by_enter(
    browser: playwright.Browser, write: Callable[..., StoredStudy], tmp_path: Path
) -> None:
    results = write(tmp_path / "study", text=MAP_STUDY)
    visit = Visit(browser, build_page(results, tmp_path / "report.html").as_uri())
    visit.page.locator("#chart-answer .vega-embed svg").wait_for()
    keyboard, readout = visit.page.keyboard, visit.page.locator("#chart-answer .readout")
    for _ in range(60):
        keyboard.press("Tab")
        if visit.page.evaluate("document.activeElement.dataset.chart") == "answer":
            break
    heard = []
    for key in ("Right", "Right", "Right", "Down", "Left", "Up", "Up", "Left"):
        keyboard.press(f"Arrow{key}")
        heard.append(", ".join(readout.text_content().split(", ")[:2]))
    old, new = ([f"MariaDB {version}, {size} MiB" for size in (64, 512)] for version in ("10.11", "11.8"))
    assert heard == [old[0], old[1], old[1], new[1], new[0], old[0], old[0], old[0]]
    keyboard.press("Enter")
    visit.run_drawn()
    assert visit.page.locator("#detail-title").text_content().startswith("MariaDB 10.11 at 64 MiB and 1 connection")
    visit.context.close()


def test_the_id_of_a_quirk_opens_what_it_does(
    browser: playwright.Browser, write: Callable[..., StoredStudy], tmp_path: Path
) -> None:
    def change(run: StoredRun) -> StoredRun:
        caveat = Caveat("quirk-broke-condition", "after the run, order lines do not hold (Q-ST-4).")
        return replace(run, record=replace(run.record, caveats=(caveat,)))

    results = write(tmp_path / "study", text=MAP_STUDY, change=change)
    visit = Visit(browser, build_page(results, tmp_path / "report.html").as_uri())
    meaning = visit.page.locator("#quirk-q-st-4")
    assert not meaning.is_visible()
    visit.page.locator(".weak summary").click()
    visit.page.locator(".weak a", has_text="Q-ST-4").click()
    meaning.wait_for(state="visible")
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
