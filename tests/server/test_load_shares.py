"""Processes that share a load on a real server: new ids never collide, and the server counts what they counted."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dbdyno.configure import Server
from dbdyno.lab import find_generator

pytestmark = pytest.mark.server
SHARES, SECONDS, AHEAD_S = 3, 4, 8


class _Load:
    """The load generator against one server, in one schema."""

    def __init__(self, server: Server, folder: Path, *workload: str) -> None:
        endpoint = server.endpoint
        self.folder = folder
        self.words = [*workload, "--host=127.0.0.1", f"--port={endpoint.port}", f"--user={endpoint.user}"]
        self.words += [f"--password-file={endpoint.password_file}", "--database=dbdyno_shares"]
        with server.connect() as connection, connection.cursor() as cursor:
            cursor.execute("DROP DATABASE IF EXISTS dbdyno_shares")
            cursor.execute("CREATE DATABASE dbdyno_shares")

    def call(self, command: str, *words: str) -> str:
        argv = [str(find_generator()), command, *self.words, *words]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=180, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def shared(self, *words: str) -> list[dict[str, Any]]:
        """The merged record of three processes."""
        at = f"{time.time() + AHEAD_S:.3f}"
        files = [self.folder / f"{number}.jsonl" for number in range(1, SHARES + 1)]
        running = []
        for number, path in enumerate(files, start=1):
            own = [f"--share={number}/{SHARES}", f"--start-at={at}", f"--json-lines={path}", "--report-interval=0"]
            argv = [str(find_generator()), "run", *self.words, *words, *own]
            running.append(subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
        for process in running:
            _nothing, errors = process.communicate(timeout=120)
            assert process.returncode == 0, errors
        argv = [str(find_generator()), "merge", *map(str, files), "--json-lines=-", "--max-skew=1s"]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]


def test_new_ids_of_all_shares_are_different(start: Callable[..., Server], tmp_path: Path) -> None:
    load = _Load(
        start("mariadb:11.8", route="loopback"), tmp_path, "sysbench/oltp_insert", "--auto-inc=off", "--rows=10"
    )
    load.call("populate")
    records = load.shared("--threads=7", "--rng=dbdyno", "--warm-up=0s", f"--time={SECONDS}s")
    end = records[-1]
    assert end["status"] == "complete"  # an id that is there already ends a run
    assert end["completed"] > 100
    shares = [json.loads((load.folder / f"{number}.jsonl").read_text().splitlines()[0])["share"] for number in (1, 2)]
    assert shares[0]["server"] == shares[1]["server"] != ""


def test_the_server_counts_what_the_shares_counted_together(start: Callable[..., Server], tmp_path: Path) -> None:
    load = _Load(start("mariadb:11.8", route="loopback"), tmp_path, "tpcc/hammerdb", "--warehouses=1")
    load.call("populate")
    records = load.shared("--threads=6", "--warm-up=1s", f"--time={SECONDS}s")
    counters = {record["second"]: record["values"] for record in records if record["record"] == "counters"}
    assert sorted(counters) == [0, 1, 1 + SECONDS]  # the first share alone has asked
    (name,) = [name for name in counters[0] if "next_o_id" in name]
    grown = counters[1 + SECONDS][name] - counters[0][name]
    seconds = [record for record in records if record["record"] == "interval"]
    orders = sum(record["transactions"]["new_order"]["completed"] for record in seconds)
    rolled_back = sum(record["transactions"]["new_order"]["rolled_back"] for record in seconds)
    assert orders > 20
    # Up to one order of each connection was under way when the last second ended.
    assert orders - rolled_back - 6 <= grown <= orders + 6
    load.call("verify", "--after=run")
