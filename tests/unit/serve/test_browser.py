"""The pages in headless Chromium: no console message, no other host, hostile names stay text, a run moves on."""

from __future__ import annotations

from pathlib import Path

import pytest

from chromium import Visit, needs_chromium
from dbdyno.serve import serving

from .conftest import HOSTILE, Running, second

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = needs_chromium


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_the_list_shows_every_study_and_opens_one(
    browser: playwright.Browser, address: str, width: int, scheme: str
) -> None:
    visit = Visit(browser, address, width, scheme)
    playwright.expect(visit.page.locator(".study")).to_have_count(4, timeout=30_000)
    assert visit.fits()
    visit.page.locator(".study a", has_text="nights/one").click()
    playwright.expect(visit.page.locator("#answer p").first).to_contain_text("MariaDB 11.8", timeout=30_000)
    playwright.expect(visit.page.locator("#cells tbody tr")).to_have_count(2)
    same = "All with sysbench/oltp_read_write, 64 MiB, 4 connections, socket."
    playwright.expect(visit.page.locator("#cells-common")).to_have_text(same)
    titles = ["target", "TPS", "95 % interval", "runs", "states"]
    playwright.expect(visit.page.locator("#cells th")).to_have_text(titles)
    playwright.expect(visit.page.locator("#live")).to_be_hidden()
    assert visit.fits()
    visit.page.locator("#report").click()
    visit.page.locator("#answer").first.wait_for(timeout=60_000)
    assert visit.said == []
    assert [url for url in visit.asked if not url.startswith((address, "data:", "blob:"))] == []
    visit.context.close()


def test_hostile_names_stay_text(browser: playwright.Browser, address: str) -> None:
    visit = Visit(browser, address)
    playwright.expect(visit.page.locator(".study")).to_have_count(4, timeout=30_000)
    visit.page.locator(".study a", has_text=HOSTILE).click()
    playwright.expect(visit.page.locator("#title")).to_have_text(HOSTILE, timeout=30_000)
    playwright.expect(visit.page.locator("#cells tbody td").first).to_have_text(HOSTILE)
    assert visit.page.locator("img").count() == 0
    assert visit.said == []
    visit.context.close()


def test_studies_are_found_by_words(browser: playwright.Browser, address: str) -> None:
    visit = Visit(browser, address)
    playwright.expect(visit.page.locator(".study")).to_have_count(4, timeout=30_000)
    visit.page.locator("#find").fill("mysql stopped")
    playwright.expect(visit.page.locator(".study")).to_have_count(1)
    visit.context.close()


def test_a_run_under_way_moves_on_without_a_reload(browser: playwright.Browser, tmp_path: Path) -> None:
    running = Running(tmp_path / "live")
    with serving(tmp_path, "127.0.0.1", 0) as (host, port), running.open() as log:
        visit = Visit(browser, f"http://{host}:{port}/")
        playwright.expect(visit.page.locator(".study.running")).to_have_count(1, timeout=30_000)
        visit.page.locator(".study a").click()
        playwright.expect(visit.page.locator("#live-run")).to_contain_text("Run 1 of 4", timeout=30_000)
        for number in range(1, 13):
            log.tell("second", second(number, 200.0 + number))
        playwright.expect(visit.page.locator("#live-figures")).to_contain_text("window, 12 of 12 s", timeout=30_000)
        playwright.expect(visit.page.locator("#live-figures")).to_contain_text("212")
        playwright.expect(visit.page.locator("#live-words")).to_contain_text("TPS ±")
        playwright.expect(visit.page.locator("#live-tps .line")).to_have_count(1)
        assert visit.said == []
        log.begin()
        log.tell("doing", {"text": "mysql:9.7: load 9 of 10 rows"})
        playwright.expect(visit.page.locator("#live-run")).to_have_text("mysql:9.7: load 9 of 10 rows", timeout=30_000)
        visit.context.close()


def test_benches_of_a_running_study_stand_in_a_table(browser: playwright.Browser, tmp_path: Path) -> None:
    running = Running(tmp_path / "live")
    with serving(tmp_path, "127.0.0.1", 0) as (host, port), running.open_benches("a", "b", "c") as logs:
        logs[0].tell("second", second(3, 120.0))
        visit = Visit(browser, f"http://{host}:{port}/")
        visit.page.locator(".study a").click()
        rows = visit.page.locator("#live-benches tbody tr")
        playwright.expect(rows).to_have_count(3, timeout=30_000)
        playwright.expect(rows.nth(0)).to_contain_text("120")
        playwright.expect(rows.nth(1)).to_contain_text("Run 2 of 4")
        playwright.expect(rows.nth(2)).to_contain_text("load 9 of 10 rows")
        playwright.expect(visit.page.locator("#live-run")).to_contain_text("a: Run 1 of 4")
        assert visit.said == []
        assert visit.fits()
        visit.context.close()


def test_a_server_that_went_away_is_told(browser: playwright.Browser, tmp_path: Path) -> None:
    Running(tmp_path / "live")
    with serving(tmp_path, "127.0.0.1", 0) as (host, port):
        visit = Visit(browser, f"http://{host}:{port}/")
        playwright.expect(visit.page.locator(".study")).to_have_count(1, timeout=30_000)
    playwright.expect(visit.page.locator("#note")).to_contain_text("may be old", timeout=30_000)
    visit.context.close()
