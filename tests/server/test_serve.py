"""A study that really runs, seen from outside: list, page and metrics, while it is written."""

from __future__ import annotations

import json
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from chromium import launched, skip_without
from dbdyno.cli import main
from dbdyno.serve import serving

pytestmark = pytest.mark.server
STUDY = """
name = "watched"
targets = ["mariadb:11.8"]
[workload]
name = "sysbench/oltp_read_write"
tables = 1
rows = 2000
[axes]
tier = ["64MB"]
concurrency = [2]
[pacing]
rate_per_s = 50
[measure]
warm_up = "2s"
window = "6s"
repeats = 2
equivalence_events = 0
"""


class Watcher(threading.Thread):
    """Asks again and again until the study is over, and keeps what it saw."""

    def __init__(self, look: Callable[[], bool]) -> None:
        super().__init__()
        self.look, self.over = look, threading.Event()
        self.errors: list[BaseException] = []

    def run(self) -> None:
        while not self.over.is_set():
            try:
                self.look()
            except BaseException as error:
                self.errors.append(error)
                return
            time.sleep(0.3)


def _run_watched(tmp_path: Path, look: Callable[[], bool]) -> None:
    (tmp_path / "watched.toml").write_text(STUDY)
    watcher = Watcher(look)
    watcher.start()
    try:
        output = str(tmp_path / "results" / "watched")
        assert main(["run", str(tmp_path / "watched.toml"), "-o", output, "--quiet", "--no-calibrate"]) == 0
    finally:
        watcher.over.set()
        watcher.join()
    assert watcher.errors == []


def test_a_real_study_is_seen_while_it_runs(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    seen: list[dict[str, Any]] = []
    figures: list[dict[str, float]] = []
    with serving(tmp_path / "results", "127.0.0.1", 0) as (host, port):
        address = f"http://{host}:{port}"

        def ask(path: str) -> bytes:
            with urllib.request.urlopen(address + path, timeout=60) as reply:
                return bytes(reply.read())

        def look() -> bool:
            for card in json.loads(ask("/studies.json"))["studies"]:
                seen.append(json.loads(ask(f"/studies/{card['key']}.json")))
            families = text_string_to_metric_families(ask("/metrics").decode())
            figures.append({sample.name: sample.value for family in families for sample in family.samples})
            return True

        _run_watched(tmp_path, look)
        look()
    live = [study["live"] for study in seen if study["live"] and not study["live"]["doing"]]
    assert {"warm-up", "window"} <= {run["phase"] for run in live}
    assert max(run["window_s"] for run in live) >= 4
    assert {run["number"] for run in live} == {1, 2}
    assert any(study["left_s"] for study in seen)
    driven = [figure for figure in figures if figure.get("dbdyno_run_transactions_per_second", 0) > 0]
    assert driven and all(figure["dbdyno_run_connections"] == 2 for figure in driven)
    assert [study["state"] for study in seen][-1] == "finished"
    assert seen[-1]["live"] is None
    assert not (tmp_path / "results" / "watched" / "live.jsonl").exists()


@pytest.mark.browser
@skip_without
def test_the_page_of_a_real_study_moves_on(tmp_path: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    (tmp_path / "results").mkdir()
    phases: list[str] = []
    said: list[str] = []

    def browse(address: str, over: threading.Event) -> None:
        with playwright.sync_playwright() as driver:
            browser = launched(driver)
            page = browser.new_page()
            page.on("console", lambda message: said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            page.goto(address)
            page.locator(".study.running a").click(timeout=120_000)
            while not over.is_set():
                phases.append(page.locator("#live-figures").inner_text().replace("\n", " "))
                page.wait_for_timeout(300)
            playwright.expect(page.locator("#facts")).to_contain_text("finished · 2 of 2 runs", timeout=60_000)
            browser.close()

    with serving(tmp_path / "results", "127.0.0.1", 0) as (host, port):
        over = threading.Event()
        visitor = threading.Thread(target=browse, args=(f"http://{host}:{port}/", over))
        visitor.start()
        try:
            _run_watched(tmp_path, lambda: True)
        finally:
            over.set()
            visitor.join(120)
    assert len({words for words in phases if "window" in words}) >= 5
    assert said == []
