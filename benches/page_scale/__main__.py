"""A page of 1,000 cells of 900 s each: how large it is, how soon it is seen, how it scrolls, is read and is printed.

    python benches/page_scale --folder /var/tmp/scale                  make results, build the page, drive it
    python benches/page_scale --folder /var/tmp/scale --cells 200      a smaller one
    python benches/page_scale --folder /var/tmp/scale --keep           build the page of results made before
    python benches/page_scale --page report.html                       drive a page that is there already

The results are made through the store: ten targets, two workloads, five memory budgets, ten numbers of connections;
every second with throughput, response times and twelve metrics, stalls and waves in some, a histogram a run. The page
is opened in a headless Chromium several times; the medians are printed. Held: first paint under 2 s, a file under
15 MB, and nineteen of twenty frames under 50 ms however it is scrolled; else it ends with 1.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import statistics
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from playwright.sync_api import sync_playwright
from synthetic import make_results
from visit import measured

from dbdyno.report import build_page
from dbdyno.store import StoredStudy

MOST_PAINT_MS, MOST_FRAME_MS, MOST_BYTES = 2000, 50, 15_000_000


def main() -> int:
    """Make, build, drive; 1 where a bound is broken."""
    choices = _choices()
    page = choices.page or built(choices.folder, choices.cells, keeps=choices.keep)
    size = page.stat().st_size
    print(f"{'file':64} {size / 1e6:9.2f} MB", flush=True)
    found = list(visits(page.resolve(), choices.visits))
    medians = {name: statistics.median(visit[name] for visit in found) for name in found[0]}
    for name, median in medians.items():
        values = sorted(visit[name] for visit in found)
        what, _, unit = name.rpartition(", ")
        print(f"{what:64} {median:9.1f} {unit:4} ({values[0]:.1f} to {values[-1]:.1f} in {len(found)})")
    return int(size > MOST_BYTES or _is_slow(medians))


def built(folder: Path, cells: int, *, keeps: bool) -> Path:
    """The page of results that are made first, unless those of before are kept."""
    results_folder = folder / "results"
    began = time.monotonic()
    results = StoredStudy.open(results_folder) if keeps else make_results(results_folder, cells)
    made = time.monotonic()
    page = build_page(results, folder / "report.html")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(f"{'results of ' + str(len(results.run_ids())) + ' runs made in':64} {made - began:9.1f} s")
    print(f"{'page built in':64} {time.monotonic() - made:9.1f} s")
    print(f"{'memory of this process at most':64} {peak:9.0f} MB")
    return page


def visits(page_path: Path, times: int) -> Iterator[dict[str, float]]:
    """What each visit measured."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for _ in range(times):
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(page_path.as_uri())
            yield measured(page)
            page.close()
        browser.close()


def _is_slow(medians: Mapping[str, float]) -> bool:
    frames = [value for name, value in medians.items() if name.endswith("frame, p95, ms")]
    return medians["first paint, ms"] > MOST_PAINT_MS or max(frames) > MOST_FRAME_MS


def _choices() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="where results and page are made")
    parser.add_argument("--cells", type=int, default=1000, help="a multiple of 100 (default: 1000)")
    parser.add_argument("--keep", action="store_true", help="results of before, instead of new ones")
    parser.add_argument("--page", type=Path, help="a page to drive, instead of making one")
    parser.add_argument("--visits", type=int, default=5)
    choices = parser.parse_args()
    if choices.page is None and choices.folder is None:
        parser.error("--folder or --page is needed")
    return choices


if __name__ == "__main__":
    sys.exit(main())
