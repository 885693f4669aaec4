"""Windows long enough to be judged: their verdicts reach the report, and stalls are counted from all seconds."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dbdyno.report import analyse_study, page_text
from dbdyno.stats import METHOD, settled_part
from dbdyno.store import Results, StoredRun, StoredStudy, window_tps
from dbdyno.tables import Table, Texts
from planted_series import noisy, ramp, stalled

Write = Callable[..., StoredStudy]


def with_window(run: StoredRun, tps: np.ndarray) -> StoredRun:
    """The run with a window of these seconds after its warm-up, cloned from its own."""
    warm_up, window = (list(rows) for _, rows in itertools.groupby(run.seconds, key=lambda row: row.phase))
    rows = [replace(window[0], second=len(warm_up) + index, tps=float(value)) for index, value in enumerate(tps)]
    return replace(
        run,
        seconds=[*warm_up, *rows],
        record=replace(run.record, figures=replace(run.record.figures, window_s=float(len(tps)))),
    )


@pytest.fixture
def long_windows(write: Write, tmp_path: Path) -> StoredStudy:
    def change(run: StoredRun) -> StoredRun:
        level = {"mariadb:11.8": ramp(0.2), "mysql:9.7": stalled()}.get(run.record.run.cell.target, 1000.0)
        return with_window(run, noisy(level, run.record.run.order_index))

    return write(tmp_path / "long", change=change, most=9)


def test_verdicts_of_long_windows_are_caveats_and_stand_at_their_strips(long_windows: Results) -> None:
    analysis = analyse_study(long_windows)
    statuses = {record.run.cell.target: record.settled.status for record in analysis.stored if record.settled}
    assert statuses["mariadb:11.8"] == "drifting"
    text = next(caveat.text for caveat in analysis.limitations if caveat.code == "unsettled-windows")
    assert "drifting" in text
    page = page_text(long_windows)
    assert ", drifting" in page
    if "mysql:9.7" in statuses:
        assert re.search(r", 50 stalled \w+, noisy", page)


def test_seconds_of_a_lost_path_are_no_stalls(write: Write, tmp_path: Path) -> None:
    """The same seconds that are stalls of a server: nobody reached it."""

    def change(run: StoredRun) -> StoredRun:
        stalls = with_window(run, noisy(stalled(), run.record.run.order_index))
        lost = replace(stalls.record, status="failed", fault="network", reason="network: the path to db was lost")
        return replace(stalls, record=lost)

    results = write(tmp_path / "lost", change=change, most=2)
    assert not any(record.settled for record in analyse_study(results).stored)
    page = page_text(results)
    assert re.search(r'class="strip-words">failed, network: [^<,]*lost<', page)
    assert re.findall(r"\d+ stalled", page) == []


def test_short_windows_are_not_judged(results: StoredStudy) -> None:
    assert not any(record.settled for record in analyse_study(results).stored)


def test_a_run_is_judged_once_and_its_verdict_is_kept(write: Write, tmp_path: Path) -> None:
    kept = settled_part(noisy(1000.0))
    assert kept is not None

    def change(run: StoredRun) -> StoredRun:
        longer = with_window(run, noisy(ramp(0.2), run.record.run.order_index))
        return replace(longer, record=replace(longer.record, settled=kept, method=METHOD))

    stored = write(tmp_path / "kept", change=change, most=2)
    assert [record.settled for record in analyse_study(stored).stored] == [kept, kept]


def test_a_run_judged_by_an_older_method_is_judged_again(write: Write, tmp_path: Path) -> None:
    kept = settled_part(noisy(1000.0))

    def change(run: StoredRun) -> StoredRun:
        longer = with_window(run, noisy(ramp(0.2), run.record.run.order_index))
        return replace(longer, record=replace(longer.record, settled=kept, method="dbdyno-stats/0"))

    judged = analyse_study(write(tmp_path / "old", change=change, most=2)).stored
    assert {record.settled.status for record in judged if record.settled} == {"drifting"}


def test_a_second_without_a_report_counts_as_nothing_done() -> None:
    phases = ["warm-up", "window", "window", "window"]
    table = Table({"second": np.array([3, 4, 5, 7]), "phase": Texts.of(phases), "tps": np.array([1.0, 2.0, 3.0, 5.0])})
    assert window_tps(table).tolist() == [2.0, 3.0, 0.0, 5.0]
    assert len(window_tps(table.at(np.array([0])))) == 0
