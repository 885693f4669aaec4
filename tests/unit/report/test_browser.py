"""The page in headless Chromium: no console message, no request, everything drawn, on desktop, phone and paper."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbdyno.report import build_page
from dbdyno.store import Results

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine: apt-get install chromium"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[playwright.Browser]:
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address(results: Results, tmp_path_factory: pytest.TempPathFactory) -> str:
    return build_page(results, tmp_path_factory.mktemp("page") / "report.html").as_uri()


class Visit:
    """A page that notes whatever it says or asks for."""

    def __init__(self, browser: playwright.Browser, address: str, width: int, scheme: str) -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(address)

    def all_drawn(self) -> None:
        # The page's own policy forbids evaluated text, so waiting is done by selectors.
        playwright.expect(self.page.locator("[data-chart]:not(:has(svg))")).to_have_count(0, timeout=30_000)

    def run_drawn(self) -> None:
        self.page.locator("#detail-panels svg").nth(8).wait_for(timeout=30_000)

    def open_first_run(self) -> None:
        self.page.locator("button[data-run]").first.click()
        self.run_drawn()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (360, "light")])
def test_the_page_is_drawn_without_a_word_or_a_request(
    browser: playwright.Browser, address: str, width: int, scheme: str
) -> None:
    visit = Visit(browser, address, width, scheme)
    visit.all_drawn()
    visit.open_first_run()
    assert visit.said == []
    assert [url for url in visit.asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visit.context.close()


def test_charts_read_their_text_inside_their_frame(browser: playwright.Browser, address: str) -> None:
    visit = Visit(browser, address, 360, "light")
    visit.all_drawn()
    outside = visit.page.evaluate(
        """[...document.querySelectorAll('[data-chart] svg')].flatMap((svg) => {
             const right = svg.getBoundingClientRect().right + 1;
             return [...svg.querySelectorAll('text')]
               .filter((text) => text.getBoundingClientRect().right > right).map((text) => text.textContent);
           })"""
    )
    assert outside == []
    visit.context.close()


def test_a_link_restores_the_opened_run_and_keys_move_its_cursor(browser: playwright.Browser, address: str) -> None:
    visit = Visit(browser, address, 1280, "light")
    run = visit.page.locator("button[data-run]").nth(3).get_attribute("data-run")
    visit.context.close()
    visit = Visit(browser, f"{address}#run={run}", 1280, "light")
    visit.run_drawn()
    assert visit.page.locator("#detail-run").input_value() == run
    visit.page.locator("#detail-panels").focus()
    for _ in range(6):
        visit.page.keyboard.press("ArrowRight")
    words = visit.page.locator("#detail-cursor").text_content()
    assert words.startswith("Second 5 (window): throughput")
    assert "p95" in words
    visit.context.close()


def test_the_pointer_moves_one_cursor_over_all_panels(browser: playwright.Browser, address: str) -> None:
    visit = Visit(browser, address, 1280, "light")
    visit.open_first_run()
    visit.page.locator("#detail-panels svg").nth(1).hover()
    words = visit.page.locator("#detail-cursor").text_content()
    assert words.startswith("Second 7") or words.startswith("Second 8")
    visit.context.close()


def test_tables_and_charts_can_be_saved(browser: playwright.Browser, address: str, tmp_path: Path) -> None:
    visit = Visit(browser, address, 1280, "light")
    visit.all_drawn()
    visit.page.locator("#throughput details").first.locator("summary").click()
    with visit.page.expect_download() as download:
        visit.page.locator("table[data-csv=cells] caption button").click()
    download.value.save_as(tmp_path / "cells.csv")
    lines = (tmp_path / "cells.csv").read_text().splitlines()
    assert len(lines) == 1 + 18
    assert lines[0].startswith('"target","workload","memory","connections","TPS"')
    with visit.page.expect_download() as download:
        visit.page.locator("#throughput .save button").first.click()
    download.value.save_as(tmp_path / "chart.svg")
    assert "var(--" not in (tmp_path / "chart.svg").read_text()
    with visit.page.expect_download() as download:
        visit.page.locator("#throughput .save button").nth(1).click()
    download.value.save_as(tmp_path / "chart.png")
    assert (tmp_path / "chart.png").stat().st_size > 5000
    assert visit.said == []
    visit.context.close()


def test_the_theme_can_be_switched_and_paper_is_always_light(browser: playwright.Browser, address: str) -> None:
    visit = Visit(browser, address, 1280, "dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    assert visit.page.evaluate(ground) == "rgb(20, 24, 28)"
    visit.page.locator("#theme").click()
    assert visit.page.evaluate(ground) == "rgb(255, 255, 255)"
    visit.page.locator("#theme").click()
    visit.page.emulate_media(media="print")
    assert visit.page.evaluate(ground) == "rgb(255, 255, 255)"
    assert len(visit.page.pdf()) > 20_000
    visit.context.close()


def test_controls_have_names_and_images_have_words(browser: playwright.Browser, address: str) -> None:
    visit = Visit(browser, address, 1280, "light")
    visit.all_drawn()
    nameless = visit.page.evaluate(
        """[...document.querySelectorAll('button, select, [role=img], [role=region]')]
             .filter((e) => !(e.getAttribute('aria-label') || e.textContent).trim()).length"""
    )
    assert nameless == 0
    assert visit.page.evaluate("document.documentElement.lang") == "en"
    visit.context.close()
