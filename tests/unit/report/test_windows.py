"""Windows long enough to be judged: their verdicts reach the report, and stalls are counted from all seconds."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from dbdyno.report import gather, page_text
from dbdyno.report._windows import window_tps
from dbdyno.store import Results, StoredRun
from planted_series import noisy, ramp, stalled

Write = Callable[..., Results]


def with_window(run: StoredRun, tps: np.ndarray) -> StoredRun:
    """The run with a window of these seconds after its warm-up, cloned from its own."""
    warm_up, window = (list(rows) for _, rows in itertools.groupby(run.seconds, key=lambda row: row.phase))
    rows = [replace(window[0], second=len(warm_up) + index, tps=float(value)) for index, value in enumerate(tps)]
    return replace(run, seconds=[*warm_up, *rows], record=replace(run.record, window_s=float(len(tps))))


@pytest.fixture
def long_windows(write: Write, tmp_path: Path) -> Results:
    def change(run: StoredRun) -> StoredRun:
        level = {"mariadb:11.8": ramp(0.2), "mysql:9.7": stalled()}.get(run.record.run.cell.target, 1000.0)
        return with_window(run, noisy(level, run.record.run.order_index))

    return write(tmp_path / "long", change=change, most=9)


def test_verdicts_of_long_windows_are_caveats_and_stand_at_their_strips(long_windows: Results) -> None:
    evidence = gather(long_windows)
    statuses = {record.run.cell.target: evidence.windows[record.run.run_id].state.status for record in evidence.stored}
    assert statuses["mariadb:11.8"] == "drifting"
    text = next(caveat.text for caveat in evidence.weaknesses if caveat.code == "unsettled-windows")
    assert "drifting" in text
    page = page_text(long_windows)
    assert ", drifting" in page
    if "mysql:9.7" in statuses:
        assert ", 50 stalled seconds, noisy" in page


def test_short_windows_are_not_judged(results: Results) -> None:
    assert gather(results).windows == {}


def test_a_second_without_a_report_counts_as_nothing_done() -> None:
    phases = ["warm-up", "window", "window", "window"]
    table = pa.table({"second": [3, 4, 5, 7], "phase": phases, "tps": [1.0, 2.0, 3.0, 5.0]})
    assert window_tps(table).tolist() == [2.0, 3.0, 0.0, 5.0]
    assert len(window_tps(table.slice(0, 1))) == 0
