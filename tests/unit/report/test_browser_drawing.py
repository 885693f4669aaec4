"""When charts are drawn: those in view first, the rest when the reader is idle, and all that print needs at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from chromium import needs_chromium
from dbdyno.report import build_page
from dbdyno.store import StoredStudy
from page_visit import Visit

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = needs_chromium

NEVER_IDLE = "window.requestIdleCallback = () => 0;"
UNPACKED = "body[data-charts=unpacked]"
UNDRAWN = "[data-chart]:not(.vega-embed)"


@pytest.fixture
def packed(results: StoredStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The page of the same study, packed as a page of many cells is."""
    monkeypatch.setattr("dbdyno.report._page.MOST_SPEC_BYTES", 0)
    monkeypatch.setattr("dbdyno.report._html.MOST_ROWS", 5)
    return build_page(results, tmp_path / "report.html").as_uri()


def test_charts_out_of_view_wait_for_idle_moments_or_for_the_reader(browser: playwright.Browser, address: str) -> None:
    visit = Visit(browser, address, 1280, "light", before=NEVER_IDLE)
    visit.page.locator("#chart-answer .vega-embed svg").wait_for()
    assert visit.page.locator(UNDRAWN).count() > 4
    visit.page.locator("#chart-window-1").scroll_into_view_if_needed()
    visit.page.locator("#chart-window-1 .vega-embed svg").wait_for()
    assert visit.page.locator(UNDRAWN).count() > 4
    visit.context.close()


def test_printed_at_once_every_chart_is_on_the_paper(browser: playwright.Browser, address: str) -> None:
    visit = Visit(browser, address, 1280, "light", before=NEVER_IDLE)
    visit.page.locator("#chart-answer .vega-embed svg").wait_for()
    visit.page.locator(UNPACKED).wait_for(state="attached")
    assert visit.page.locator(UNDRAWN).count() > 4
    at_once = visit.page.pdf()
    visit.context.close()
    visit = Visit(browser, address, 1280, "light")
    visit.all_drawn()
    drawn_before = visit.page.pdf()
    assert abs(len(at_once) / len(drawn_before) - 1) < 0.01
    assert visit.said == []
    visit.context.close()


def test_a_chart_that_the_filter_emptied_is_drawn_again_after_it(browser: playwright.Browser, address: str) -> None:
    """One connection alone has too few transactions for p99.9."""
    visit = Visit(browser, address)
    visit.all_drawn()
    emptied = visit.page.locator("figure.empty")
    drawn = visit.page.locator("#chart-latency-1-p999 svg .mark-symbol")
    assert emptied.count() == 0 < drawn.count()
    visit.page.select_option("#connections", label="Connections: 1")
    playwright.expect(emptied).not_to_have_count(0)
    playwright.expect(drawn).to_have_count(0)
    assert visit.fits()
    visit.page.locator("#filters .reset").click()
    playwright.expect(emptied).to_have_count(0)
    playwright.expect(drawn).not_to_have_count(0)
    assert visit.said == []
    visit.context.close()


@pytest.mark.parametrize("width", [1280, 960])
def test_the_names_of_lines_stand_at_their_ends_or_above(browser: playwright.Browser, address: str, width: int) -> None:
    """At 960 pixels two charts stand next to each other, each too narrow for names at the ends."""
    visit = Visit(browser, address, width)
    visit.all_drawn()
    places = visit.page.evaluate(
        """[...document.querySelectorAll('figure:has(.names)')].map((figure) => [
             figure.querySelector('.names').getClientRects().length > 0,
             [...figure.querySelectorAll('svg text')].some((text) => text.textContent === 'MariaDB 11.8'),
           ])"""
    )
    assert len(places) > 4
    assert all(is_above != is_at_end for is_above, is_at_end in places)
    assert any(is_above for is_above, _ in places) == (width == 960)
    visit.context.close()


def test_packed_charts_are_drawn_like_others(browser: playwright.Browser, packed: str) -> None:
    visit = Visit(browser, packed, 1280, "light")
    visit.all_drawn()
    assert visit.said == []
    visit.context.close()


def test_paper_says_which_long_tables_are_not_on_it(browser: playwright.Browser, packed: str) -> None:
    visit = Visit(browser, packed, 1280, "light")
    visit.page.emulate_media(media="print")
    rows = "document.querySelector('tbody[data-packed]').dataset.rows"
    words = "getComputedStyle(document.querySelector('tbody[data-packed]'), '::after').content"
    assert visit.page.evaluate(words).lstrip("'\"").startswith(visit.page.evaluate(rows))
    visit.context.close()


def test_paper_says_what_the_filter_leaves(browser: playwright.Browser, address: str) -> None:
    visit = Visit(browser, f"{address}#target=mysql:9.7", 1280, "light")
    visit.page.emulate_media(media="print")
    playwright.expect(visit.page.locator("#filter-note")).to_be_visible()
    playwright.expect(visit.page.locator("#filter-note")).to_contain_text("Shown: targets: MySQL 9.7.")
    visit.context.close()


def test_every_chart_is_seen_before_any_is_drawn(browser: playwright.Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 360, "height": 800})
    page = context.new_page()
    page.goto(address)
    assert page.locator("[data-chart] > svg.still").count() == page.locator("[data-chart]").count() > 10
    ids = page.locator("svg.still [id]")
    assert len({ids.nth(index).get_attribute("id") for index in range(ids.count())}) == ids.count()
    context.close()


def test_packed_stills_are_seen_while_nothing_can_be_drawn(
    browser: playwright.Browser, results: StoredStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dbdyno.report._stills.MOST_INLINE_CHARS", 0)
    address = build_page(results, tmp_path / "report.html").as_uri()
    visit = Visit(browser, address, 1280, "light", before=NEVER_IDLE)
    visit.page.locator("#chart-latency-1-p99 svg.still").wait_for(state="attached")
    assert visit.page.locator(UNDRAWN).count() > 4
    assert visit.said == []
    visit.context.close()


def test_a_filtered_view_shows_no_still_of_something_else(
    browser: playwright.Browser, results: StoredStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dbdyno.report._stills.MOST_INLINE_CHARS", 0)
    address = build_page(results, tmp_path / "report.html").as_uri()
    visit = Visit(browser, f"{address}#target=mysql:9.7", 1280, "light", before=NEVER_IDLE)
    visit.page.locator("#chart-answer .vega-embed svg").wait_for()
    visit.page.locator("#chart-latency-1-p99 [data-still]").wait_for(state="detached")
    assert visit.page.locator("svg.still").count() == 0
    visit.context.close()
