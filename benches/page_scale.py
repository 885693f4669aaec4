"""A page of 1,000 cells of 900 s each: how large it is, how soon it is seen, and how it scrolls.

    python benches/page_scale.py --folder /var/tmp/scale                  make results, build the page, drive it
    python benches/page_scale.py --folder /var/tmp/scale --cells 200      a smaller one
    python benches/page_scale.py --page report.html                       drive a page that is there already

The results are made through the store: ten targets, two workloads, five memory budgets, ten numbers of connections;
every second with throughput, response times and twelve metrics, stalls and waves in some, a histogram a run. The page
is opened in a headless Chromium several times; the medians are printed. Held: first paint under 2 s and a file under
15 MB, else it ends with 1.
"""

from __future__ import annotations

import argparse
import math
import shutil
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from hdrh.histogram import HdrHistogram
from playwright.sync_api import Page, sync_playwright

from dbdyno.core import LatencyNs, Run, RunRecord
from dbdyno.plan import make_plan
from dbdyno.report import build_page
from dbdyno.stats import noise_interval
from dbdyno.store import IntervalRow, Results, SecondRow, StoredRun, TelemetryRow
from dbdyno.study import parse_study

SECONDS, WARM_UP = 960, 60
VARIANTS = 12
MOST_PAINT_MS, MOST_BYTES = 2000, 15_000_000
ENGINES = ("mariadb:10.6", "mariadb:10.11", "mariadb:11.4", "mariadb:11.8", "mariadb:11.8+rocksdb")
ENGINES += ("mysql:5.7", "mysql:8.0", "mysql:8.4", "mysql:9.6", "mysql:9.7")
METRICS = ("host.cpu.user", "host.cpu.system", "host.cpu.iowait", "server.cpu.user", "disk.written_bytes")
METRICS += ("disk.read_bytes", "disk.flushes", "engine.redo.bytes", "engine.redo.checkpoint_age")
METRICS += ("engine.pages.dirty", "engine.io.fsyncs", "engine.history.length")
FRAMES = """
() => new Promise((done) => {
  const end = document.documentElement.scrollHeight - innerHeight, gaps = [];
  let last = performance.now(), y = 0;
  const step = (now) => {
    gaps.push(now - last); last = now; y += 120;
    if (y >= Math.min(end, 24000)) return done(gaps);
    scrollTo(0, y); requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})
"""
FILTERED = """
() => new Promise((done) => {
  const select = document.getElementById("connections"), began = performance.now();
  select.selectedIndex = 3; select.dispatchEvent(new Event("change"));
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - began)));
})
"""


def study_text(cells: int) -> str:
    """A study of so many cells: as many numbers of connections as it takes."""
    connections = [round(2 ** (n * 0.9)) for n in range(max(cells // 100, 1))]
    workloads = "".join(
        f'[[workload]]\nname = "sysbench/{name}"\ntables = 4\nrows = 100000\n'
        for name in ("oltp_read_write", "oltp_read_only")
    )
    return f"""
name = "scale"
question = "How does a page hold {cells} cells?"
targets = {list(ENGINES)}
{workloads}
[axes]
tier = ["1GB", "2GB", "4GB", "8GB", "16GB"]
concurrency = {sorted(set(connections))}
[measure]
warm_up = "{WARM_UP}s"
window = "{SECONDS - WARM_UP}s"
repeats = 1
"""


class Seconds:
    """One kind of run: its seconds, histograms and telemetry; kinds differ in stalls and waves."""

    def __init__(self, number: int) -> None:
        random = np.random.default_rng(number)
        at = np.arange(SECONDS)
        tps = 4000 * (1 + random.normal(0, 0.03, SECONDS))
        tps[:WARM_UP] *= np.linspace(0.3, 0.95, WARM_UP)
        if number % 3 == 0:
            tps *= 1 + 0.25 * np.sin(2 * math.pi * at / 70)
        if number % 4 == 0:
            tps[random.integers(WARM_UP, SECONDS, 12)] *= 0.1
        self.tps = np.maximum(tps, 0)
        self.seconds = [self._second(s, random) for s in range(SECONDS)]
        histogram = _histogram(random)
        self.intervals = [
            IntervalRow(WARM_UP, "window", "transaction", "oltp", 3_600_000, 0, "{}", "{}", histogram, histogram)
        ]
        self.telemetry = [
            TelemetryRow(s, metric, float(1000 * (index + 1) * (1 + random.normal(0, 0.1))), "ops/s")
            for index, metric in enumerate(METRICS)
            for s in range(SECONDS)
        ]
        self.noise = noise_interval(self.tps[WARM_UP:])

    def _second(self, second: int, random: np.random.Generator) -> SecondRow:
        tps, p50 = float(self.tps[second]), int(4e6 * random.lognormal(0, 0.1))
        phase = "warm-up" if second < WARM_UP else "window"
        start = (second * 10**9, second * 10**9, 10**9)
        counts = (tps, 0, 0, 0, tps * 20, int(tps * 14), int(tps * 4), int(tps * 2), 0, 0, 0)
        return SecondRow(second, phase, *start, *counts, p50, 2 * p50, 3 * p50, 9 * p50, 16, 0, 0.2, 180_000_000)


def _histogram(random: np.random.Generator) -> str:
    histogram = HdrHistogram(1, 3_600_000_000_000, 3)
    for value in random.lognormal(math.log(4e6), 0.6, 20_000):
        histogram.record_value(int(value), 180)
    text = histogram.encode()
    return text.decode() if isinstance(text, bytes) else str(text)


def stored_run(run: Run, kind: Seconds, family: str, version: str, random: np.random.Generator) -> StoredRun:
    """One run of a kind; its level follows target, memory and connections, its seconds are those of the kind."""
    share = (
        run.cell.concurrency**0.5 * (1 + 0.1 * (hash_of(run.cell.target) % 7)) * math.log2(run.cell.tier_bytes / 2**28)
    )
    level = 400 * share * math.exp(random.normal(0, 0.01))
    latency = LatencyNs(4_000_000, 9_000_000, 14_000_000, 20_000_000, 30_000_000)
    record = RunRecord(
        run,
        family,
        version,
        "innodb",
        "good",
        window_s=float(SECONDS - WARM_UP),
        tps_mean=level,
        tps_half_width=level * kind.noise.half_width / kind.noise.mean,
        latency_ns=latency,
        transactions=int(level * 900),
        started_ns=1_795_000_000 * 10**9 + run.order_index * 1000 * 10**9,
        ended_ns=1_795_000_000 * 10**9 + (run.order_index * 1000 + 970) * 10**9,
    )
    return StoredRun(record, kind.seconds, kind.intervals, kind.telemetry)


def hash_of(text: str) -> int:
    """A number that is the same in every process."""
    return sum(map(ord, text))


def make_results(folder: Path, cells: int) -> Results:
    """The results folder, anew."""
    shutil.rmtree(folder, ignore_errors=True)
    study = parse_study(study_text(cells), "study.toml")
    plan = make_plan(study)
    kinds = [Seconds(number) for number in range(VARIANTS)]
    random = np.random.default_rng(7)
    host = {"hostname": "bench", "logical_cpu_count": 2}
    results = Results.create(folder, study_text(cells), {"runs": len(plan.runs)}, host, study_name=study.name)
    with results.writing(["dbdyno", "run", "scale.toml"]) as writer:
        for run in plan.runs:
            engine = study.target(run.cell.target).engine
            kind = kinds[run.order_index % VARIANTS]
            writer.add_run(stored_run(run, kind, engine.family, f"{engine.version}.1", random))
    return Results.open(folder)


def visits(page_path: Path, times: int) -> Iterator[dict[str, float]]:
    """What each visit measured, milliseconds."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for _ in range(times):
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(page_path.as_uri())
            yield measured(page)
            page.close()
        browser.close()


def measured(page: Page) -> dict[str, float]:
    """One visit: paint, scroll, filter, and a run opened."""
    page.wait_for_timeout(500)
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    loaded = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    page.locator("[data-chart] svg").first.wait_for(timeout=60_000)
    chart = page.evaluate("performance.now()")
    gaps: list[float] = page.evaluate(FRAMES)
    filtered: float = page.evaluate(FILTERED)
    began = page.evaluate("performance.now()")
    page.locator("button[data-run]:visible").first.click()
    page.locator("#detail-panels svg").nth(1).wait_for(timeout=60_000)
    opened = page.evaluate("performance.now()") - began
    return {
        "first paint": paint,
        "loaded": loaded,
        "first chart, at the latest": chart,
        "frame while scrolling, median": statistics.median(gaps),
        "frame while scrolling, p95": sorted(gaps)[int(0.95 * len(gaps))],
        "frame while scrolling, longest": max(gaps),
        "filter, until the next frame": filtered,
        "a run opened, two panels": opened,
    }


def report(page_path: Path, times: int) -> int:
    """Print the medians; 1 where a bound is broken."""
    found: list[dict[str, Any]] = list(visits(page_path, times))
    size = page_path.stat().st_size
    print(f"{'file':34} {size / 1e6:9.2f} MB")
    medians = {name: statistics.median(visit[name] for visit in found) for name in found[0]}
    for name, median in medians.items():
        values = sorted(visit[name] for visit in found)
        print(f"{name:34} {median:9.0f} ms   ({values[0]:.0f} to {values[-1]:.0f} in {times})")
    return int(size > MOST_BYTES or medians["first paint"] > MOST_PAINT_MS)


def main() -> int:
    """Make, build, drive."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="where results and page are made")
    parser.add_argument("--cells", type=int, default=1000, help="a multiple of 100 (default: 1000)")
    parser.add_argument("--page", type=Path, help="a page to drive, instead of making one")
    parser.add_argument("--visits", type=int, default=5)
    choices = parser.parse_args()
    if choices.page is None and choices.folder is None:
        parser.error("--folder or --page is needed")
    page = choices.page
    if page is None:
        results = make_results(choices.folder, choices.cells)
        began = time.monotonic()
        page = build_page(results, choices.folder / "report.html")
        print(f"{'page built in':34} {time.monotonic() - began:9.1f} s")
    return report(page.resolve(), choices.visits)


if __name__ == "__main__":
    sys.exit(main())
