"""What users send is the same on one, two and four threads, and what ``sample`` tells without a server."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dbdyno.lab import find_generator
from null_server import NullServer

EVENTS, USERS = 20, 8
# Each user has some 100 events, which need not take all of the processors.
PACE = ["--time=1s", "--warm-up=0s", "--think=10ms"]
WORKLOADS = {
    "oltp": ["sysbench/oltp_read_write", "--tables=2", "--rows=1000"],
    "writes": ["sysbench/oltp_write_only", "--rows=1000"],
    "ranges": ["insert-benchmark", "--step=qr100", "--clients=4", "--nr1=1000", "--step-seconds=1", "--fidelity=fixed"],
    "points": ["insert-benchmark", "--step=qp0", "--clients=8", "--nr1=1000000", "--step-seconds=1"],
}


@pytest.fixture(scope="module")
def server(truth_folder: Path) -> Iterator[NullServer]:
    with NullServer(truth_folder) as running:
        yield running


def _told(command: str, *words: str) -> list[dict[str, Any]]:
    argv = [str(find_generator()), command, *words]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (0, 1), done.stderr  # a busy machine may miss the rate of inserts
    if command == "sample":
        digests: list[dict[str, Any]] = json.loads(done.stdout)
        return digests
    end = json.loads(done.stdout.splitlines()[-1])
    assert end["record"] == "end"
    found: list[dict[str, Any]] = end["digests"]
    return found


@pytest.mark.parametrize("name", WORKLOADS)
def test_threads_change_nothing_of_what_is_sent(name: str, server: NullServer) -> None:
    workload = WORKLOADS[name]
    load = [] if workload[0] == "insert-benchmark" else [f"--threads={USERS}", *PACE]
    runs = [
        _told("run", *workload, *server.target, *load, f"--workers={workers}", f"--digest={EVENTS}", "--json-lines=-")
        for workers in (1, 2, 4)
    ]
    assert len(runs[0]) == USERS
    assert runs[0] == runs[1] == runs[2]
    queriers = [digest for digest in runs[0] if digest["events"] == EVENTS]
    assert len(queriers) >= USERS / 2
    assert len({digest["sha256"] for digest in runs[0]}) == USERS


def test_a_sample_tells_the_digests_of_a_run(server: NullServer) -> None:
    words = [*WORKLOADS["oltp"], f"--concurrency={USERS}"]
    sampled = _told("sample", *words, f"--events={EVENTS}", "--digest", "--json")
    load = [*PACE, "--protocol=text", f"--digest={EVENTS}", "--json-lines=-"]
    assert _told("run", *words, *server.target, *load) == sampled
