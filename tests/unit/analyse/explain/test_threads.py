"""The time of a transaction by what the server's session threads did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from dbdyno.analyse.explain import (
    THREAD_PARTS,
    Breakdown,
    Circumstances,
    PartGap,
    RunTimes,
    compare_breakdowns,
    split_by_threads,
)
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


@pytest.mark.parametrize(
    ("counted", "flushes"),
    [
        ({"engine.io.fsyncs": 0.7, "engine.redo.writes": 2.6, "engine.redo.fsyncs": 0.4}, 0.4),  # MySQL 9.7
        ({"engine.io.fsyncs": 3.0, "engine.redo.writes": 0.4}, 0.4),  # MariaDB 11.8, each commit flushed
        ({"engine.io.fsyncs": 0.01, "engine.redo.writes": 1.0}, 0.01),  # and once a second
        ({"engine.lsm.wal_syncs": 0.6, "engine.redo.writes": 0.01, "engine.io.fsyncs": 0.02}, 0.6),  # MyRocks
    ],
)
def test_flushes_of_data_files_are_no_flushes_of_the_log(counted: dict[str, float], flushes: float) -> None:
    """A redo log of 8 MiB made MySQL flush 41 % more, all of it pages: "more flushes of the redo log" by 2.2 ms."""
    run = replace(run_times(float(USERS)), counted=counted)
    breakdown = split_by_threads(run)
    assert breakdown is not None and breakdown.by_id()["thread.redo_flush"].work == flushes
    assert Circumstances.of([run], [run]).facts["log.flushes"] == (flushes, flushes)


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


@pytest.mark.parametrize("stolen", [0.0, 0.3, 5.0])
def test_what_the_hypervisor_took_from_running_threads_is_no_wait_that_samples_name(stolen: float) -> None:
    before, after = (
        split_by_threads(replace(run_times(float(USERS)), processors={"stolen": taken})) for taken in (0.0, stolen)
    )
    assert before is not None
    assert after is not None
    times = {name: part.ms for name, part in after.by_id().items()}
    ms, blocked = 1e3 / TPS, USERS - STATES["on_cpu"] - STATES["run_queue"]
    assert times["thread.run_queue"] == pytest.approx((STATES["run_queue"] + min(stolen, blocked)) * ms)
    assert times["thread.redo_flush"] == pytest.approx(max(blocked - stolen, 0.0) / blocked * 2.0 * ms)
    assert sum(times.values()) == pytest.approx(sum(part.ms for part in before.parts))


@pytest.mark.parametrize("missing", ["run_queue", "on_cpu", "count"])
def test_without_the_kernel_s_account_there_are_no_parts_and_a_reason(missing: str) -> None:
    run = run_times(float(USERS))
    states = {state: threads for state, threads in (run.threads or {}).items() if state != missing}
    breakdown = split_by_threads(replace(run, threads=states))
    assert breakdown is not None
    assert breakdown.total_ms == pytest.approx(USERS * 1e3 / TPS)
    assert breakdown.parts == ()
    assert "kernel" in breakdown.missing


def reading(target: str, waiting: float, pages: float | None = 50.0, runs: int = 4) -> dict[Cell, list[Breakdown]]:
    """Runs in which so many of 8 sessions wait for reads, and so many pages are read per transaction."""
    cell = Cell(target, 64 << 20, USERS, "sysbench/oltp_read_only", "socket")
    breakdowns = []
    for repeat in range(runs):
        done = round((2000.0 - 325 * waiting) * SECONDS * (1 + 0.004 * repeat))
        threads = {"count": 8.0, "on_cpu": 1.0, "run_queue": 0.1, "running": 1.1, "wait.client": 6.9 - waiting}
        threads |= {"wait.data_read": waiting} if waiting else {}
        counted = {} if pages is None else {"engine.pages.read": pages}
        run = RunTimes(Run(cell, repeat, 0, 1, ""), False, SECONDS, done, done, threads=threads, counted=counted)
        found = split_by_threads(run)
        assert found is not None
        breakdowns.append(found)
    return {cell: breakdowns}


def read_gap(runs: Mapping[Cell, Sequence[Breakdown]]) -> PartGap:
    left, right = runs
    (gap,) = compare_breakdowns(runs, [(left, right)])
    return next(part for part in gap.parts if part.part_id == "thread.data_read")


@pytest.mark.parametrize("waiting", [0.0, 0.01])
def test_reads_that_are_never_waited_for_were_done_all_the_same(waiting: float) -> None:
    """Both sides read 50 pages; on one of them the page cache has all of them."""
    part = read_gap(reading("a", waiting) | reading("b", 4.0))
    assert (part.left_work, part.right_work) == (50.0, 50.0)
    assert part.by_cost_ms == pytest.approx(part.difference.ms)
    assert part.by_work_ms == pytest.approx(0.0, abs=1e-9)


def test_a_wait_that_only_some_runs_saw_has_the_work_of_all_runs() -> None:
    left = reading("a", 0.0)
    ((cell, runs),) = left.items()
    left = {cell: [*runs[:2], *reading("a", 0.01)[cell][2:]]}
    part = read_gap(left | reading("b", 4.0))
    assert (part.left_work, part.right_work) == (50.0, 50.0)


def test_work_that_was_not_counted_is_unknown_where_no_sample_found_the_wait() -> None:
    part = read_gap(reading("a", 0.0, pages=None) | reading("b", 4.0))
    assert (part.left_work, part.by_work_ms, part.by_cost_ms) == (None, None, None)


_LOCKED_MS = 3.0 * 1e3 / TPS
"""Three of eight sessions wait for row locks on average."""


@pytest.mark.parametrize(
    ("counted_share", "waits", "is_rounded", "is_apart"),
    [
        (1.1, 0.1, False, False),
        (0.9, 0.1, False, False),
        (1.5, 0.1, False, True),
        (0.67, 0.1, False, True),
        (0.67, 0.1, True, False),  # each of the waits of 3 ms may lack 1 ms of it
        (0.3, 0.1, True, True),
    ],
)
def test_row_locks_are_held_against_the_server_s_own_counter(
    counted_share: float, waits: float, is_rounded: bool, is_apart: bool
) -> None:
    waits_by_state = {"wait.row_lock": 3.0, "wait.client": 4.0}
    states = {"on_cpu": 0.5, "run_queue": 0.5, "running": 1.0, "count": float(USERS), **waits_by_state}
    counted = {"engine.rowlock.time": counted_share * _LOCKED_MS, "engine.rowlock.waits": waits}
    run = replace(run_times(float(USERS)), threads=states, counted=counted, has_whole_lock_times=is_rounded)
    breakdown = split_by_threads(run)
    assert breakdown is not None and breakdown.by_id()["thread.row_lock"].ms == pytest.approx(_LOCKED_MS)
    assert ("row locks" in breakdown.missing) == is_apart
    lsm = replace(run, counted={**counted, "engine.lsm.cache_misses": 1.0})
    assert (other := split_by_threads(lsm)) is not None and "row locks" not in other.missing


def test_few_row_locks_are_not_held_against_the_counter() -> None:
    """Samples of a rare wait are too few to say that the counter is wrong."""
    counted = {"engine.rowlock.time": 0.05 * USERS * 1e3 / TPS, "engine.rowlock.waits": 0.1}
    breakdown = split_by_threads(replace(run_times(float(USERS)), counted=counted))
    assert breakdown is not None and not breakdown.missing
