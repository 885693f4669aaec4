"""The first screen of 1280 × 800 pixels, in headless Chromium: what a reader sees without scrolling."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from chromium import needs_chromium
from dbdyno.report import build_page
from dbdyno.store import StoredStudy
from page_visit import Visit

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = needs_chromium

SCREEN_PX = 800
MOST_SCREENS = 6
UPGRADE = ["mariadb:10.11", "mariadb:11.8"]
OTHERS = [f"mysql:{version}" for version in ("5.7", "8.0", "8.4", "9.7")]
OTHERS += [*(f"percona:{version}" for version in ("5.7", "8.0", "8.4")), "mariadb:11.8+rocksdb"]
STUDY = """
name = "screen"
targets = {targets}
[workload]
name = "sysbench/oltp_read_write"
[axes]
tier = {tiers}
concurrency = {concurrency}
[measure]
warm_up = "4s"
window = "12s"
repeats = {repeats}
"""


def study_text(
    targets: list[str], tiers: tuple[str, ...] = ("512MB",), concurrency: tuple[int, ...] = (1, 16), repeats: int = 1
) -> str:
    return STUDY.format(targets=targets, tiers=list(tiers), concurrency=list(concurrency), repeats=repeats)


@pytest.mark.parametrize(
    "targets", [UPGRADE, [*UPGRADE, "mysql:9.7"], [*UPGRADE, *OTHERS]], ids=["two", "three", "ten"]
)
def test_the_first_chart_is_above_the_fold(
    browser: playwright.Browser, write: Callable[..., StoredStudy], tmp_path: Path, targets: list[str]
) -> None:
    results = write(tmp_path / "study", text=study_text(targets))
    visit = Visit(browser, build_page(results, tmp_path / "report.html").as_uri())
    visit.page.locator("#chart-answer .vega-embed svg").wait_for()
    box = visit.page.locator("main figure").first.bounding_box()
    assert box is not None
    assert box["y"] > 0
    assert box["y"] + box["height"] <= SCREEN_PX
    visit.context.close()


def test_a_comparison_of_two_is_six_screens_before_anything_is_opened(
    browser: playwright.Browser, write: Callable[..., StoredStudy], tmp_path: Path
) -> None:
    text = study_text(UPGRADE, tiers=("64MB", "512MB"), concurrency=(1, 4, 16, 64), repeats=3)
    visit = Visit(browser, build_page(write(tmp_path / "study", text=text), tmp_path / "report.html").as_uri())
    visit.page.locator("main > section figure [data-chart]:not(.vega-embed):visible").first.wait_for(state="detached")
    height = visit.page.evaluate("document.documentElement.scrollHeight")
    assert 2 * SCREEN_PX < height <= MOST_SCREENS * SCREEN_PX
    visit.context.close()
