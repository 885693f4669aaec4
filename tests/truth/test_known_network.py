"""How much of the time over a network is the network's, against a server that takes 2 ms for each statement.

The truth is a cable of no length: over it the same processes wake each other in the same way, which loopback spares
them. Of each kind of statement its least time counts: what else runs on the machine only makes one longer, and one of
many meets nothing of it. All runs have equally many, since the least of more would be less. The round trip is a least
one, too: of several handshakes, one after another, since the process that is the cable carries the second of two frames
faster.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from dbdyno.analyse.explain import NetworkTime, NetworkUse, RunTimes, StatementTimes, network_times
from dbdyno.core import Cell, Run
from dbdyno.lab import find_generator
from load_runs import LoadRun, RunningLoad, histogram
from network_host import CabledHosts, cabled_hosts
from punctual import ahead_of_others

pytestmark = pytest.mark.truth
EVENTS = 40
PORT = "3399"
CABLES = {
    "1 ms": (1.0, 0.0),
    "1 ms and 20 Mbit": (1.0, 20.0),
    "10 ms": (10.0, 0.0),
    "10 ms and 20 Mbit": (10.0, 20.0),
}
HANDSHAKES = 12
WAKE_UP_MS = 0.2
"""A longer cable leaves processes asleep for longer. By so much a statement takes more time then, of both ends."""
PAYLOAD_SHARE = 1448 / 1538
"""Of the time that a full frame takes on the cable, see `long_cable`."""


@contextmanager
def _null_server(hosts: CabledHosts) -> Iterator[None]:
    options = ["--listen", f"{hosts.far_address}:{PORT}", "--anyone", "--delay", "constant:2ms"]
    command = hosts.far_command(str(find_generator()), "null-server", *options)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        assert process.stdout is not None and b'"ready":true' in process.stdout.readline()
        yield
    finally:
        process.kill()
        process.communicate()


def _drive(hosts: CabledHosts, folder: Path, ranges: str, events: int = EVENTS) -> LoadRun:
    target = ["--host", hosts.far_address, "--port", PORT, "--no-password"]
    arguments = [
        "--threads",
        "1",
        "--events",
        str(events),
        "--range-selects",
        ranges,
        "--tables",
        "1",
        "--rows",
        "2000",
    ]
    with RunningLoad("sysbench/oltp_read_only", target, arguments, folder, launcher=hosts.near_command()) as load:
        run = load.finish(60)
    assert run.exit_code == 0, run.errors
    return run


def _times(run: LoadRun, round_trip_ns: int, bits_per_s: float | None) -> RunTimes:
    """What a run stores, with the least time of its kind for each statement."""
    statements, events = {}, sum(counts["completed"] for row in run.seconds for counts in row["transactions"].values())
    assert events == EVENTS
    for kind in {kind for row in run.seconds for kind in row["statements"]}:
        found = histogram(run.seconds, "statements", "service", kind)
        if count := found.get_total_count():
            statements[kind] = StatementTimes(np.array([count]), np.array([count * found.get_min_value() / 1e6]))
    total_ms = float(sum(times.sums_ms.sum() for times in statements.values()))
    bytes_count = sum(row["bytes_sent"] + row["bytes_received"] for row in run.seconds)
    cell = Cell("null", 1, 1, "sysbench/oltp_read_only", "network")
    return RunTimes(
        Run(cell, 0, 1, 1, ""),
        rests=False,
        seconds=total_ms / 1e3,
        transactions=events,
        statements=statements,
        network=NetworkUse(round_trip_ns, bytes_count / events, bits_per_s),
    )


def _split(cable: tuple[float, float], folder: Path) -> NetworkTime:
    # Large replies only where the rate holds them back, and not the process that carries them.
    ranges = "on" if cable[1] else "off"
    # Cable, server and client are processes that do little: none waits for a processor that others use.
    with ahead_of_others(), cabled_hosts(*cable) as hosts, _null_server(hosts):
        run = _drive(hosts, folder, ranges)
        others = [_drive(hosts, folder, ranges, 1) for _ in range(HANDSHAKES)]
    round_trip_ns = min(one.start["network"]["least_round_trip_ns"] for one in (run, *others))
    times = _times(run, round_trip_ns, 1e6 * cable[1] * PAYLOAD_SHARE or None)
    (time,) = network_times({times.run.cell: [times]})
    return time


@pytest.mark.parametrize("name", CABLES)
def test_the_time_of_a_cable_is_split_from_that_of_a_server_of_known_time(name: str, truth_folder: Path) -> None:
    round_trip_ms, rate_mbit = CABLES[name]
    short, long = _split((0.0, rate_mbit), truth_folder), _split((round_trip_ms, rate_mbit), truth_folder)
    true_share = 1 - short.rest_ms / long.total_ms
    figures = (
        f"{name}: rest {long.rest_ms:.2f} of {short.rest_ms:.2f} ms, share {long.network_share:.3f} of {true_share:.3f}"
    )
    print(figures, long, short)
    assert long.round_trips == short.round_trips == (16 if rate_mbit else 12)  # BEGIN, 10 points, 4 ranges, COMMIT
    assert 1.0 < short.rest_ms / (2 * short.round_trips) < 1.2, figures
    assert long.network_share == pytest.approx(true_share, rel=0.05), figures
    wake_ups_ms = WAKE_UP_MS * long.round_trips
    assert 0.98 * short.rest_ms - wake_ups_ms < long.rest_ms < 1.02 * short.rest_ms + wake_ups_ms, figures
