"""Stalls, waves and knees: what is planted into some seconds, or into a resource, is named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from dbdyno.analyse.explain import (
    Circumstances,
    RunSeconds,
    RunTimes,
    StatementTimes,
    has_moments,
    knee_of,
    noise_share_of_time,
    stalls_explained,
    utilisation,
    waves_explained,
)
from dbdyno.core import Cell, Run, RunRecord, TotalFigures

SESSIONS = 8
USUAL = {"on_cpu": 3.0, "run_queue": 1.0, "wait.client": 2.0, "wait.redo_flush": 1.5, "wait.latch": 0.5}
STALLED = {**USUAL, "on_cpu": 0.6, "run_queue": 0.2, "wait.client": 0.4, "wait.redo_flush": 0.3, "wait.redo_space": 6.0}


def seconds_of(
    slow: np.ndarray, repeat: int = 1, seed: int = 1, slow_tps: float = 200.0, threads: bool = True
) -> RunSeconds:
    """A run of 1,000 TPS, in the slow seconds less, when its sessions wait for room in the redo log."""
    random = np.random.default_rng(seed + repeat)
    size = len(slow)
    tps = np.where(slow, slow_tps, 1000.0) * random.normal(1, 0.02, size)
    metrics = {"sessions.count": np.full(size, float(SESSIONS))}
    for state in STALLED:
        usual, stalled = USUAL.get(state, 0.0), STALLED[state]
        metrics[f"sessions.{state}"] = np.where(slow, stalled, usual) * random.normal(1, 0.03, size)
    run = Run(Cell("mysql:9.7", 512 << 20, SESSIONS, "sysbench/oltp_write_only", "socket"), repeat, 0, repeat, "")
    counts = np.round(tps).astype(np.int64)
    busy_ms = np.full(size, 1e3 * SESSIONS)
    statements = {
        "update": StatementTimes(counts * 2, np.where(slow, 0.1, 0.6) * busy_ms),
        "commit": StatementTimes(counts, np.where(slow, 0.9, 0.4) * busy_ms),
    }
    return RunSeconds(run, tps, statements, metrics if threads else {})


def at(size: int, *seconds: int) -> np.ndarray:
    return np.isin(np.arange(size), seconds)


def test_stalled_seconds_are_explained_by_what_the_sessions_wait_for_then() -> None:
    runs = [seconds_of(at(60, 10, 11, 30, 31, 50, 51), repeat) for repeat in (1, 2)]
    found = stalls_explained(runs)
    assert found is not None and found.ranking is not None
    assert (found.runs, found.seconds) == (2, 12)
    assert found.ranking.causes[0].cause.cause_id == "redo-small"
    assert found.ranking.causes[0].grade == "explained by"
    assert found.ranking.gap.total.left_ms == pytest.approx(SESSIONS, rel=0.05)
    assert found.ranking.gap.total.right_ms == pytest.approx(5 * SESSIONS, rel=0.05)
    whole = sum(one.difference.ms for one in found.ranking.causes) + found.ranking.not_explained.ms
    assert whole == pytest.approx(found.ranking.gap.total.ms)


def test_without_threads_the_statements_tell() -> None:
    found = stalls_explained([seconds_of(at(60, 10, 11, 30, 31, 50, 51), threads=False)])
    assert found is not None and found.ranking is not None
    assert found.ranking.causes[0].cause.cause_id == "commits"


def test_a_level_of_the_server_is_its_mean_and_no_rate() -> None:
    run = seconds_of(at(60, 10))
    metrics = {"engine.history.length": np.arange(60) * 10.0, "engine.pages.read": np.full(60, 2000.0)}
    times = replace(run, metrics=metrics).of(at(60, 10, 20))
    assert times.levels == {"engine.history.length": 150.0}
    assert set(times.counted) == {"engine.pages.read"}
    assert Circumstances.of([times], [times]).facts["engine.history.length"] == (150.0, 150.0)


@pytest.mark.parametrize("missing", ["run_queue", "on_cpu"])
def test_where_a_stretch_lacks_the_kernel_s_account_the_statements_of_both_sides_tell(missing: str) -> None:
    run = seconds_of(at(60, 10, 11, 30, 31, 50, 51))
    run.metrics[f"sessions.{missing}"][30:32] = np.nan  # type: ignore[index]
    found = stalls_explained([run])
    assert found is not None and found.ranking is not None
    assert found.ranking.causes[0].cause.cause_id == "commits"
    assert {part.part_id for part in found.ranking.gap.parts} >= {"statement.commit", "statement.update"}


def test_what_stalls_can_t_tell_is_said() -> None:
    assert stalls_explained([seconds_of(at(60))]) is None
    assert stalls_explained([RunSeconds(seconds_of(at(60)).run, np.zeros(60))]) is None
    single = stalls_explained([seconds_of(at(60, 10))])
    assert single is not None and single.ranking is None and single.missing
    silent = stalls_explained([seconds_of(at(60, 10, 30, 50), slow_tps=0.0)])
    assert silent is not None and silent.ranking is None and "committed" in silent.missing


def test_the_trough_of_a_wave_is_held_against_its_crest() -> None:
    slow = np.arange(200) % 20 >= 12
    found = waves_explained([seconds_of(slow, repeat, slow_tps=600.0) for repeat in (1, 2)])
    assert found is not None and found.ranking is not None
    assert found.period_s == pytest.approx(20, abs=1)
    assert found.ranking.causes[0].cause.cause_id == "redo-small"
    assert found.ranking.gap.total.ms > 0
    assert waves_explained([seconds_of(at(200))]) is None
    assert waves_explained([seconds_of(slow[:30], slow_tps=600.0)]) is None


def times_of(connections: int, tps: float, used: Mapping[str, float]) -> RunTimes:
    """Ten seconds in which each resource was used so much."""
    run = Run(Cell("a", 512 << 20, connections, "w", "socket"), 1, 0, 1, "")
    done = round(10 * tps)
    return RunTimes(
        run,
        False,
        10.0,
        done,
        client_cpu_ms=1e4 * used["client"],
        client_wait_ms=0.0,
        threads={"count": float(connections), "wait.row_lock": used["row-locks"]},
        counted={
            "disk.busy_time": 1e4 * used["device"] / done,
            "disk.flush_time": 1e4 * used["flushes"] / done,
        },
        processors={"busy": 2 * used["processors"], "idle": 2 - 2 * used["processors"]},
    )


LOW = {"processors": 0.2, "device": 0.2, "flushes": 0.1, "row-locks": 0.0, "client": 0.1}


@pytest.mark.parametrize("resource", list(LOW))
def test_the_resource_that_is_used_up_first_is_the_knee(resource: str) -> None:
    runs = [
        times_of(1, 100.0, LOW),
        times_of(4, 380.0, {**LOW, resource: 0.8}),
        times_of(16, 480.0, {**LOW, resource: 0.99}),
        times_of(64, 470.0, {**dict.fromkeys(LOW, 1.0), "row-locks": 48.0}),
    ]
    times = {run.run.cell: [run] for run in runs}
    knee = knee_of(times, list(times))
    assert knee is not None
    assert (knee.resource, knee.reached_at) == (resource, 16)
    assert knee.demand_ms == pytest.approx(990 / 480)
    assert knee.stops_at == (None if resource == "row-locks" else pytest.approx(10.0 / (990 / 480)))
    assert utilisation(runs[1]) == pytest.approx({**LOW, resource: 0.8})


@pytest.mark.parametrize(
    "course",
    [
        {1: (500.0, 0.0), 16: (7000.0, 0.2), 64: (24_000.0, 1.0), 128: (44_000.0, 2.1)},
        {1: (500.0, 0.0), 16: (7000.0, 4.0), 64: (7900.0, 50.0)},
        {1: (500.0, 0.0), 16: (7000.0, 4.0), 64: (7000.0, 30.0)},
        {1: (500.0, 0.0), 64: (7000.0, 50.0)},
    ],
    ids=["throughput rises", "a little", "others wait for something else", "no further connections"],
)
def test_waits_for_rows_alone_are_no_row_lock_that_is_used_up(course: Mapping[int, tuple[float, float]]) -> None:
    runs = [times_of(connections, tps, {**LOW, "row-locks": waiting}) for connections, (tps, waiting) in course.items()]
    knee = knee_of({run.run.cell: [run] for run in runs}, [run.run.cell for run in runs])
    assert knee is not None and (knee.resource, knee.stops_at) == ("", None)


def test_the_bound_counts_think_time_and_all_repeats_and_is_missing_in_an_open_loop() -> None:
    """Connections that think for 98 ms after each 2 ms do not keep a resource busy meanwhile."""
    used_up = {**LOW, "processors": 1.0}
    first = [replace(times_of(1, tps, LOW), rests=True, transaction_sum_ms=200.0) for tps in (9.0, 11.0)]
    times = {
        run.run.cell: [replace(run, rests=True)] for run in (times_of(1, 10.0, LOW), times_of(512, 2000.0, used_up))
    }
    times = {cell: first if cell.concurrency == 1 else runs for cell, runs in times.items()}
    knee = knee_of(times, list(times), has_think_time=True)
    assert knee is not None and knee.demand_ms == pytest.approx(0.5)
    assert knee.stops_at == pytest.approx(200)
    open_loop = knee_of(times, list(times))
    assert open_loop is not None and (open_loop.resource, open_loop.stops_at) == ("processors", None)


def test_what_other_programs_and_the_hypervisor_use_is_no_demand_of_the_target() -> None:
    runs = [times_of(1, 100.0, LOW), times_of(8, 400.0, {**LOW, "processors": 1.0})]
    foreign = {"neighbours": 0.5, "steal": 0.1}
    crowded = [replace(run, processors={**run.processors, **foreign}) for run in runs]
    knee = knee_of({run.run.cell: [run] for run in crowded}, [run.run.cell for run in crowded])
    assert knee is not None
    assert (knee.resource, knee.by_others, knee.by_hypervisor) == ("processors", 0.25, 0.05)
    assert knee.demand_ms == pytest.approx(700 / 400)
    # One connection does 100 TPS, and the 70 % that are left give 400: more than four can't help.
    assert knee.stops_at == pytest.approx(4.0)


def test_no_knee_is_named_where_nothing_is_used_up_or_known() -> None:
    times = {run.run.cell: [run] for run in (times_of(4, 100.0, LOW), times_of(16, 390.0, LOW))}
    knee = knee_of(times, list(times))
    assert knee is not None and (knee.resource, knee.stops_at) == ("", None)
    assert knee_of(times, list(times)[:1]) is None
    bare = {cell: [RunTimes(runs[0].run, False, 10.0, 100)] for cell, runs in times.items()}
    assert knee_of(bare, list(bare)) is None
    late = {run.run.cell: [run] for run in (times_of(4, 380.0, LOW), times_of(16, 480.0, {**LOW, "device": 1.0}))}
    found = knee_of(late, list(late))
    assert found is not None and found.resource == "device" and found.stops_at is None


@pytest.mark.parametrize(
    ("tps", "is_found"),
    [
        (np.full(60, 1000.0), False),
        (np.where(at(60, 20, 21), 100.0, 1000.0), True),
        (1000 + 400 * np.sin(np.arange(120) * 2 * np.pi / 20), True),
        (1000 + 400 * np.sin(np.arange(39) * 2 * np.pi / 13), False),  # too short for waves to be told
        (np.zeros(60), False),
        (np.zeros(0), False),
    ],
)
def test_telemetry_is_needed_only_of_runs_with_stalls_or_waves(tps: np.ndarray, is_found: bool) -> None:
    assert has_moments(tps) == is_found


def test_the_noise_of_the_time_is_that_of_throughput_or_with_rests_of_service_times() -> None:
    run = Run(Cell("mysql:9.7", 512 << 20, SESSIONS, "sysbench/oltp_write_only", "socket"), 1, 0, 1, "")
    figures = TotalFigures(window_s=100.0, tps_mean=200.0, tps_half_width=4.0)
    record = RunRecord(run, "mysql", "9.7", "innodb", "good", figures=figures)
    assert noise_share_of_time(record, None) == noise_share_of_time(record, np.zeros(100)) == 0.02
    served_ns = np.random.default_rng(1).normal(1e9, 1e8, 100)
    assert noise_share_of_time(record, served_ns) == pytest.approx(1.96 * 0.1 / 10, rel=0.4)
    assert noise_share_of_time(replace(record, figures=replace(figures, tps_half_width=None)), None) == 0.0
