"""The histograms of the records: what others decode from them is what the program itself says of the run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram

from load_runs import READ_WRITE, LoadRun, RunningLoad, histogram, quantile_ns
from null_server import NullServer

pytestmark = pytest.mark.truth
MS = 1_000_000
QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}


@pytest.fixture(scope="module")
def run(truth_folder: Path) -> Iterator[LoadRun]:
    with NullServer(truth_folder, "--delay", "two-peak:300us@90%,4ms@10%", "--errors", "1213:1%") as server:
        arguments = ["--rate", "100", "--warm-up", "1s", "--time", "6s", "--threads", "32", "--seed", "9"]
        with RunningLoad(READ_WRITE, server.target, [*arguments, "--report-interval", "0"], truth_folder) as load:
            yield load.finish(60)


def test_each_histogram_holds_what_its_second_counted(run: LoadRun) -> None:
    encoded = 0
    for second in run.seconds:
        for counts in second["transactions"].values():
            assert _count(counts["response"]) == _count(counts["service"]) == counts["completed"]
            encoded += 1
        for counts in second["statements"].values():
            assert _count(counts["service"]) == counts["completed"] + sum(counts["errors"].values())
    assert encoded == 7
    assert run.error_counts()[1213] > 0


def test_the_summary_is_what_the_histograms_of_its_seconds_say_together(run: LoadRun) -> None:
    table = _table(run.text)
    (transaction,) = run.start["transaction_types"]
    rows = {f"{transaction}, {measure}": ("transactions", measure, transaction) for measure in ("response", "service")}
    rows |= {name: ("statements", "service", name) for name in run.start["statement_types"]}
    compared = 0
    for title, (group, measure, name) in rows.items():
        merged = histogram(run.window, group, measure, name)
        if not merged.get_total_count():
            continue
        shown = table[title]
        assert shown["count"] == merged.get_total_count(), title
        longest_ms = shown["max"]
        for heading, q in QUANTILES.items():
            # The summary knows the exact longest time and never shows more.
            expected_ms = min(quantile_ns(merged, q) / MS, longest_ms)
            assert shown[heading] == pytest.approx(expected_ms, abs=0.0006), (title, heading)
            compared += 1
        # A bucket is up to 1/1024 wide, and the table rounds to a microsecond.
        assert longest_ms == pytest.approx(merged.get_max_value() / MS, rel=0.0012, abs=0.001)
        assert shown["mean"] == pytest.approx(merged.get_mean_value() / MS, rel=0.0012, abs=0.001)
    assert compared >= 4 * 8


def _count(text: str | None) -> int:
    return HdrHistogram.decode(text).get_total_count() if text else 0


def _table(text: str) -> dict[str, dict[str, Any]]:
    """The table of times: title of a row, then heading and number."""
    lines = text.splitlines()
    top = next(index for index, line in enumerate(lines) if "times in ms" in line)
    headings = lines[top].split("times in ms")[1].split()
    found = {}
    for line in lines[top + 1 :]:
        row = re.match(r"\s+(\S.*?)\s\s+([\d,]+(?:\s+[\d.-]+)+)\s*$", line)
        if row:
            numbers = [value.replace(",", "") for value in row[2].split()]
            values = [float(value) if value != "-" else None for value in numbers]
            found[row[1]] = dict(zip(headings, values, strict=True))
    return found
