"""How a reader reads a chart: one text for all targets at a place, a key that hides them, a plot as wide as a phone."""

from __future__ import annotations

import pytest

from chromium import needs_chromium
from dbdyno.report import analyse_study
from dbdyno.store import StoredStudy
from page_visit import Visit

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = needs_chromium


def first_drawn(visit: Visit) -> None:
    visit.page.locator("#chart-answer .vega-embed svg").wait_for()


def test_pointing_anywhere_near_a_place_reads_all_targets_there(browser: playwright.Browser, address: str) -> None:
    visit = Visit(browser, address)
    first_drawn(visit)
    for path in visit.page.locator("#chart-answer .mark-symbol path").all()[:3]:
        path.hover(force=True)
        lines = visit.page.locator("#vg-tooltip-element").inner_text().split("\n")
        assert len(lines) == 4
        assert lines[0].split()[1].startswith("connection")
        assert {line.partition(":")[0] for line in lines[1:]} == {
            "MariaDB 11.8",
            "MariaDB 11.8 + MyRocks",
            "MySQL 9.7",
        }
    visit.context.close()


@pytest.mark.parametrize("chart", ["answer", "latency-1-p99"])
def test_a_line_reads_the_place_under_the_pointer_and_opens_no_run(
    browser: playwright.Browser, address: str, chart: str
) -> None:
    """A line is one mark, whose datum is that of its first place."""
    visit = Visit(browser, address)
    visit.all_drawn()
    for px_before_end in (12, 60, 120, 180):
        x, y = visit.page.evaluate(
            """([chart, before]) => {
                 const lines = [...document.querySelectorAll(`#chart-${chart} .mark-line path`)];
                 const line = lines.filter((each) => each.getAttribute('stroke-dasharray') === '1,0').at(-1);
                 line.scrollIntoView({ block: 'center' });
                 const at = line.getPointAtLength(line.getTotalLength() - before);
                 const seen = new DOMPoint(at.x, at.y).matrixTransform(line.getScreenCTM());
                 return [seen.x, seen.y];
               }""",
            [chart, px_before_end],
        )
        visit.page.mouse.move(x, y)
        if px_before_end == 12:
            assert visit.page.locator("#vg-tooltip-element").inner_text().startswith("16 connections\n")
        visit.page.mouse.click(x, y)
        playwright.expect(visit.page.locator("#detail")).to_be_hidden()
    visit.context.close()


def test_a_bar_of_the_order_of_runs_opens_its_own_run(
    browser: playwright.Browser, address: str, results: StoredStudy
) -> None:
    visit = Visit(browser, f"{address}#chart-timeline")
    visit.all_drawn()
    repeated = next(record.run for record in analyse_study(results).stored if record.run.repeat == 2)
    bars = "[...document.querySelectorAll('#chart-timeline .mark-rect path')]"
    orders = visit.page.evaluate(f"{bars}.map((bar) => bar.__data__.datum.order)")
    bar = visit.page.locator("#chart-timeline .mark-rect path").nth(orders.index(repeated.order_index + 1))
    bar.click()
    visit.run_drawn()
    assert visit.page.locator("#detail-run").input_value() == repeated.run_id
    visit.context.close()


def test_a_click_on_a_name_of_the_key_hides_it_and_another_shows_it(browser: playwright.Browser, address: str) -> None:
    visit = Visit(browser, address)
    first_drawn(visit)
    name = visit.page.locator("button[data-target='2']")
    lines = visit.page.locator("#chart-answer .mark-line path")
    before = lines.count()
    name.click()
    playwright.expect(name).to_have_attribute("aria-pressed", "false")
    playwright.expect(name).to_be_visible()
    playwright.expect(lines).to_have_count(before * 2 // 3)
    name.click()
    playwright.expect(name).to_have_attribute("aria-pressed", "true")
    playwright.expect(lines).to_have_count(before)
    assert visit.said == []
    visit.context.close()


def test_on_a_phone_the_plot_takes_the_width(browser: playwright.Browser, address: str) -> None:
    visit = Visit(browser, address, 360)
    first_drawn(visit)
    share = visit.page.evaluate(
        """document.querySelector('#chart-answer .mark-rule line, #chart-answer .role-axis-domain line')
             .closest('svg').querySelector('.role-axis-grid').getBoundingClientRect().width / innerWidth"""
    )
    assert share > 0.7
    playwright.expect(visit.page.locator("#chart-answer .names")).to_contain_text("MariaDB 11.8 + MyRocks")
    visit.context.close()
