"""The page in headless Chromium: links, filters, saved files, themes and paper, on desktop and phone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

import chromium
from dbdyno.report import build_page
from dbdyno.store import StoredStudy
from page_visit import Visit

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = chromium.needs_chromium


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


def chosen_view(visit: Visit) -> dict[str, list[str]]:
    """What the address says of the view."""
    return parse_qs(urlsplit(visit.page.url).fragment)


def choose_target(visit: Visit, name: str) -> None:
    menu = visit.page.locator("details.facet[data-facet=target]")
    menu.locator("summary").click()
    menu.locator("label", has_text=name).locator("button.only").click()


def test_a_filter_acts_on_charts_tables_and_strips(browser: playwright.Browser, address: str) -> None:
    visit = Visit(browser, address, 1280, "light")
    visit.all_drawn()
    choose_target(visit, "MySQL 9.7")
    visit.page.select_option("#connections", label="Connections: 4")
    playwright.expect(visit.page.locator("#filter-count")).to_have_text("4 of 36 runs")
    playwright.expect(visit.page.locator("#filter-note")).to_be_visible()
    playwright.expect(visit.page.locator("#chart-throughput-1 svg")).not_to_contain_text("MyRocks")
    playwright.expect(visit.page.locator("#chart-throughput-1 svg")).to_contain_text("MySQL 9.7")
    visit.page.locator("#chart-map-1").scroll_into_view_if_needed()
    playwright.expect(visit.page.locator("#chart-map-1 svg")).not_to_contain_text("MyRocks")
    rows = "[...document.querySelectorAll('table[data-csv=%s] tbody tr')].filter((row) => !row.hidden).length"
    assert visit.page.evaluate(rows % "cells") == 2
    assert visit.page.evaluate(rows % "comparisons") == 0
    assert visit.page.locator("button[data-run]:visible").count() == 4
    head = (
        "[...document.querySelector('table[data-csv=differences]').tHead.rows[0].cells].filter((c) => !c.hidden).length"
    )
    assert visit.page.evaluate(head) == 2
    visit.page.locator("#filters .reset").click()
    assert visit.page.evaluate(rows % "cells") == 18
    assert visit.said == []
    visit.context.close()


def test_a_link_holds_filter_run_second_and_opened_tables(browser: playwright.Browser, address: str) -> None:
    visit = Visit(browser, address, 1280, "light")
    choose_target(visit, "MyRocks")
    visit.page.locator("button[data-run]:visible").first.click()
    visit.run_drawn()
    visit.page.locator("#detail-panels").focus()
    for _ in range(8):
        visit.page.keyboard.press("ArrowRight")
    visit.page.locator("#throughput details").first.locator("summary").click()
    visit.page.wait_for_url("**second=7**open=cells**")
    link, words = visit.page.url, visit.page.locator("#detail-cursor").text_content()
    visit.context.close()
    again = Visit(browser, link, 1280, "light")
    again.run_drawn()
    assert chosen_view(again)["target"] == ["mariadb:11.8-rocksdb"]
    assert again.page.locator("#detail-cursor").text_content() == words
    assert again.page.locator("table[data-csv=cells]").is_visible()
    assert again.page.locator("#filter-count").text_content() == "12 of 36 runs"
    assert again.said == []
    again.context.close()


def test_going_back_undoes_one_choice_at_a_time(browser: playwright.Browser, address: str) -> None:
    visit = Visit(browser, address, 1280, "light")
    visit.page.select_option("#connections", label="Connections: 4")
    visit.page.select_option("#connections", label="Connections: 16")
    visit.page.locator("button[data-run]:visible").first.click()
    visit.run_drawn()
    visit.page.go_back()
    playwright.expect(visit.page.locator("#detail")).to_be_hidden()
    assert chosen_view(visit)["connections"] == ["16"]
    visit.page.go_back()
    playwright.expect(visit.page.locator("#connections")).to_have_value("1")
    visit.page.go_back()
    playwright.expect(visit.page.locator("#connections")).to_have_value("")
    visit.page.go_forward()
    playwright.expect(visit.page.locator("#filter-count")).to_have_text("12 of 36 runs")
    visit.context.close()


def test_a_click_on_a_point_opens_its_run(browser: playwright.Browser, address: str) -> None:
    visit = Visit(browser, f"{address}#chart-map-1", 1280, "light")
    playwright.expect(visit.page.locator("#chart-map-1")).to_be_in_viewport()  # the link has opened its fold
    visit.all_drawn()
    choose_target(visit, "MySQL 9.7")
    visit.page.locator("#chart-map-1").scroll_into_view_if_needed()
    playwright.expect(visit.page.locator("#chart-map-1 svg")).not_to_contain_text("MyRocks")
    visit.page.locator("#chart-map-1 svg .mark-rect path").first.click(position={"x": 40, "y": 18})
    visit.run_drawn()
    assert visit.page.locator("#detail-title").text_content().startswith("MySQL 9.7 at 64 MiB and 16 connections")
    visit.context.close()


def test_a_filtered_chart_is_saved_with_its_title_and_filter(
    browser: playwright.Browser, address: str, tmp_path: Path
) -> None:
    visit = Visit(browser, address, 1280, "light")
    visit.all_drawn()
    choose_target(visit, "MySQL 9.7")
    with visit.page.expect_download() as download:  # at once, before it may be drawn anew
        visit.page.evaluate("document.querySelector('#chart-window-1 .save button').click()")
    download.value.save_as(tmp_path / "boxes.svg")
    text = (tmp_path / "boxes.svg").read_text()
    assert "64 MiB memory" in text
    assert "first · targets: MySQL 9.7" in text
    assert "MyRocks" not in text
    visit.context.close()


def test_on_a_phone_the_filter_is_behind_a_button(browser: playwright.Browser, address: str) -> None:
    visit = Visit(browser, address, 390, "dark")
    playwright.expect(visit.page.locator("#connections")).to_be_hidden()
    visit.page.locator("#filter-toggle").click()
    visit.page.select_option("#connections", label="Connections: 16")
    playwright.expect(visit.page.locator("#filter-toggle")).to_have_text("Filter (1)")
    assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visit.context.close()


def test_hostile_names_stay_text_wherever_they_are_shown(
    browser: playwright.Browser, write: Callable[..., StoredStudy], tmp_path: Path
) -> None:
    script = "<script>document.title='owned'</script><img src=x onerror=document.title='owned'>"
    names = [script, "quotes \"'` & #?=%", "long " + "x" * 10_000]
    engines = "".join(f"[[target]]\nname = {json.dumps(name)}\nengine = 'mysql:9.7'\n" for name in names)
    results = write(tmp_path / "hostile", text=HOSTILE_STUDY + engines)
    visit = Visit(browser, build_page(results, tmp_path / "hostile.html").as_uri(), 390, "light")
    visit.all_drawn()
    visit.page.locator("#filter-toggle").click()
    visit.page.locator("details.facet[data-facet=target] summary").click()
    visit.page.locator("button.only").first.click()
    visit.open_first_run()
    assert visit.page.locator("#detail-title").text_content().startswith(script)
    assert visit.page.evaluate("document.querySelectorAll('img').length") == 0
    assert "owned" not in visit.page.title()
    assert len(visit.page.url) < 2000
    assert visit.said == []
    assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visit.context.close()


HOSTILE_STUDY = """
name = "hostile"
[workload]
name = "sysbench/oltp_read_write"
[axes]
tier = ["64MB"]
concurrency = [1, 4]
[measure]
warm_up = "4s"
window = "12s"
repeats = 1
"""
