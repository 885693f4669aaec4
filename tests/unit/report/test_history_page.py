"""The page of a history in headless Chromium: drawn without a word or a request, on desktop and phone."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import history_studies
from chromium import needs_chromium
from dbdyno.report.history import build_history_page, gather_history

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = needs_chromium
HOSTILE = "it's \\ \"<b>new</b>"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    top = tmp_path_factory.mktemp("history")
    for night in range(9):
        name = HOSTILE.replace("/", "") if night == 6 else f"night-{night}"
        history_studies.write_night(top / name, night, lambda run, n=night: 200.0 * math.exp(-0.1 * (n >= 6)))
    return build_history_page(gather_history([top]), "tps", top / "history.html").as_uri()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_it_is_drawn_without_a_word_or_a_request(
    browser: playwright.Browser, address: str, width: int, scheme: str, tmp_path: Path
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    for canvas in page.locator("[data-chart]").all():
        canvas.scroll_into_view_if_needed()
    playwright.expect(page.locator("[data-chart]:has(svg)")).to_have_count(2, timeout=60_000)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("b").count() == 0
    assert page.locator("#moves").inner_text().count(HOSTILE.replace("/", "")) >= 1
    with page.expect_download() as download:
        page.locator("table[data-csv=change-points] caption button").click()
    download.value.save_as(tmp_path / "moves.csv")
    assert (tmp_path / "moves.csv").read_text().startswith('"series","change, 95 %"')
    assert said == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    context.close()
