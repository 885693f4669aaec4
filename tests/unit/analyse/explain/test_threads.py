"""The time of a transaction by what the server's session threads did."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbdyno.analyse.explain import THREAD_PARTS, RunTimes, split_by_threads
from dbdyno.core import Cell, Run

SECONDS, USERS, TPS = 10.0, 8, 10_000.0
STATES = {"on_cpu": 1.5, "run_queue": 4.0, "running": 5.5, "wait.redo_flush": 2.0}


def run_times(sessions: float) -> RunTimes:
    """Users of whom each has one session at work; further sessions wait for the client all the time."""
    states = {**STATES, "wait.client": sessions - sum(STATES[name] for name in ("running", "wait.redo_flush"))}
    cell = Cell("a", 64 << 20, USERS, "linkbench", "socket")
    done = round(TPS * SECONDS)
    return RunTimes(Run(cell, 1, 0, 1, ""), False, SECONDS, done, done, threads={**states, "count": sessions})


@pytest.mark.parametrize("lsm", [{}, {"engine.lsm.cache_misses": 3.0}])
def test_counters_of_innodb_count_no_work_of_an_lsm_tree(lsm: dict[str, float]) -> None:
    rows = dict.fromkeys(THREAD_PARTS["thread.on_cpu"].counters, 1.0)
    run = replace(run_times(float(USERS)), counted={"engine.io.fsyncs": 0.001, **rows, **lsm})
    breakdown = split_by_threads(run)
    assert breakdown is not None
    parts = breakdown.by_id()
    assert parts["thread.redo_flush"].work == (None if lsm else 0.001)
    assert parts["thread.on_cpu"].work == pytest.approx(len(rows))


@pytest.mark.parametrize("sessions", [USERS, USERS + 1, 2 * USERS])
def test_sessions_that_idle_add_nothing_to_a_transaction(sessions: int) -> None:
    breakdown = split_by_threads(run_times(float(sessions)))
    assert breakdown is not None
    times = {name: part.ms for name, part in breakdown.by_id().items()}
    ms = 1e3 / TPS
    assert breakdown.total_ms == pytest.approx(USERS * ms)
    assert times["thread.redo_flush"] == pytest.approx(2.0 * ms)
    assert times["thread.client"] == pytest.approx((USERS - 7.5) * ms)
    assert sum(times.values()) == pytest.approx(breakdown.total_ms)
    assert times["rest"] == pytest.approx(0.0, abs=1e-9)
