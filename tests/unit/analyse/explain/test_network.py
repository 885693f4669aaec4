"""The network's part of a transaction's time, of load hosts at different distances from the server."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dbdyno.analyse.explain import NetworkTime, NetworkUse, RunTimes, StatementTimes, network_times
from dbdyno.core import Cell, Route, Run

CELL = Cell("a", 64 << 20, 5, "sysbench/oltp_read_only", "network")
NEAR_NS, FAR_NS = 200_000, 2_000_000
STATEMENTS, REST_MS, SECONDS = 16, 4.0, 36.0


def time_of(transactions: int, *, hosts: tuple[tuple[int, int], ...], rests: bool = False) -> NetworkTime:
    """Split the time of a run with its statements in one second of each."""
    statements = {"select": StatementTimes(np.array([STATEMENTS * transactions]), np.array([1.0]))}
    run = RunTimes(
        Run(CELL, 1, 0, 1, ""),
        rests=rests,
        seconds=SECONDS,
        transactions=transactions,
        transaction_sum_ms=transactions * 40.0,
        statements=statements,
        network=NetworkUse(FAR_NS, 1000.0, None, hosts),
    )
    (time,) = network_times({CELL: [run]})
    return time


def test_near_hosts_commit_more_in_a_closed_loop() -> None:
    """Three connections take 16 × 0.2 + 4 ms for a transaction, two take 16 × 2 + 4 ms."""
    near, far = 3 * 36_000 / 7.2, 2 * 36_000 / 36
    time = time_of(round(near + far), hosts=((3, NEAR_NS), (2, FAR_NS)))
    assert time.round_trip_ms == pytest.approx((near * 0.2 + far * 2) / (near + far))
    assert time.rest_ms == pytest.approx(REST_MS)
    assert 0 < time.network_share < 1


def test_connections_that_rest_commit_alike() -> None:
    time = time_of(1000, hosts=((3, NEAR_NS), (2, FAR_NS)), rests=True)
    assert time.round_trip_ms == pytest.approx((3 * 0.2 + 2 * 2) / 5)


def test_hosts_at_one_distance_and_a_single_one_have_its_round_trip() -> None:
    for hosts in ((), ((3, FAR_NS), (2, FAR_NS))):
        assert time_of(3000, hosts=hosts).round_trip_ms == pytest.approx(2.0)


def test_more_processor_time_than_inside_the_host_is_no_time_of_the_network() -> None:
    def run_of(route: Route, on_cpu: float, client_ms: float | None = 900.0) -> RunTimes:
        """A run of 1,000 transactions in 10 s, with so many sessions on a processor on average."""
        return RunTimes(
            Run(replace(CELL, route=route), 1, 0, 1, ""),
            rests=False,
            seconds=10.0,
            transactions=1000,
            statements={"select": StatementTimes(np.array([STATEMENTS * 1000]), np.array([1.0]))},
            client_cpu_ms=client_ms,
            client_wait_ms=100.0,
            threads={"count": 5.0, "on_cpu": on_cpu, "run_queue": 0.1, "running": 4.0},
            network=NetworkUse(NEAR_NS, 1000.0, None) if route == "network" else None,
        )

    far, near = run_of("network", 0.5), run_of("loopback", 0.2)
    (time,) = network_times({far.run.cell: [far], near.run.cell: [near]})
    assert time.near == near.run.cell
    assert time.more_work_ms == pytest.approx(3.0)  # 0.3 sessions for 10 s
    (time,) = network_times({far.run.cell: [far], near.run.cell: [run_of("loopback", 0.2, client_ms=None)]})
    assert time.near == near.run.cell and time.more_work_ms is None
    (time,) = network_times({far.run.cell: [far]})
    assert time.near is None and time.more_work_ms is None
