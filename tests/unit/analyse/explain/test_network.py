"""The network's part of a transaction's time, of load hosts at different distances from the server."""

from __future__ import annotations

import numpy as np
import pytest

from dbdyno.analyse.explain import NetworkTime, NetworkUse, RunTimes, StatementTimes, network_times
from dbdyno.core import Cell, Run

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
