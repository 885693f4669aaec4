"""What sessions of real servers wait for, held against waits whose size is known."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pymysql
import pytest

from dbdyno.configure import Server
from dbdyno.connections import ServerConnection
from dbdyno.core import parse_engine_name
from dbdyno.hosts import LocalHost
from dbdyno.lab import find_generator
from dbdyno.lab._server import LabServer
from dbdyno.lab._wait_sites import learned_sites
from dbdyno.measure.telemetry import SessionThreads, ThreadsPlace
from laboratory import ENGINES
from punctual import ahead_of_others

pytestmark = pytest.mark.server
_SESSIONS = 4
_SECONDS = 4
_HELD_S = 0.02


@dataclass(frozen=True)
class _Watched:
    """Threads in each state, on average over the seconds; time that the server itself counts for row locks."""

    states: Counter[str]
    row_lock_s: float


def _watch(server: Server, storage_engine: str, folder: Path) -> _Watched:
    """Sessions that update one row in turn, each holding its lock for 20 ms."""
    host, generator = LocalHost(), find_generator()
    sites = folder / "sites.json"
    sites.write_text(
        json.dumps(
            learned_sites(
                LabServer(server, storage_engine, host, None),
                host=host,
                storage_engine=storage_engine,
                generator=generator,
            )
        )
    )
    sessions = [server.connect() for _ in range(_SESSIONS)]
    with sessions[0].cursor() as cursor:
        cursor.execute("CREATE DATABASE held")
        cursor.execute(f"CREATE TABLE held.t (id INT PRIMARY KEY, v INT) ENGINE = {storage_engine}")
        cursor.execute("INSERT INTO held.t VALUES (1, 0)")
        sessions[0].commit()
    assert server.pid is not None
    threads = SessionThreads(ThreadsPlace(host, generator, server.pid, sites, rate_hz=100))
    start_ns = time.monotonic_ns() + 200_000_000
    before_s = _row_lock_s(server)
    threads.start(start_ns, os.getpid())
    time.sleep(0.2)
    until = time.monotonic() + _SECONDS + 0.2
    workers = [threading.Thread(target=_hold_in_turn, args=(session, until)) for session in sessions]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    threads.stop(_SECONDS)
    counted_s = _row_lock_s(server) - before_s
    for session in sessions:
        session.close()
    assert threads.caveats(_SECONDS) == ()
    states: Counter[str] = Counter()
    for row in threads.rows(_SECONDS):
        states[row.metric.removeprefix("sessions.")] += row.value / _SECONDS
    return _Watched(states, counted_s)


def _started(server: Server, sampler: Path) -> SessionThreads:
    """Watch the sessions of this process, from a fifth of a second on."""
    assert server.pid is not None
    threads = SessionThreads(ThreadsPlace(LocalHost(), sampler, server.pid))
    start_ns = time.monotonic_ns() + 200_000_000
    threads.start(start_ns, os.getpid())
    return threads


def _hold_in_turn(session: ServerConnection, until: float) -> None:
    with session.cursor() as cursor:
        while time.monotonic() < until:
            session.begin()
            cursor.execute("UPDATE held.t SET v = v + 1 WHERE id = 1")
            cursor.execute(f"DO SLEEP({_HELD_S})")
            session.commit()


def _row_lock_s(server: Server) -> float:
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_time'")
        rows = cursor.fetchall()
    return float(rows[0][1]) / 1e3 if rows else 0.0


@pytest.mark.parametrize("engine", ENGINES)
def test_sleeps_and_row_locks_are_named_with_their_size(
    engine: str, start: Callable[..., Server], tmp_path: Path
) -> None:
    storage_engine = parse_engine_name(engine).storage_engine
    with ahead_of_others():  # how long clients and server wait for a processor is no part of the waits that are known
        watched = _watch(start(engine), storage_engine, tmp_path)
    states = watched.states
    assert states["count"] == _SESSIONS, "the connections of the tests' own and no other"
    assert states["wait.not_named"] <= 0.1 * _SESSIONS, states
    # One holds the row and sleeps, the others wait for it; what the client takes between two statements is small.
    assert 0.6 <= states["wait.sleep"] <= 1.05, states
    assert 2.2 <= states["wait.row_lock"] <= 3.05, states
    blocked = states["running"] + sum(value for state, value in states.items() if state.startswith("wait."))
    assert blocked == pytest.approx(_SESSIONS, rel=0.01)
    assert states["on_cpu"] + states["run_queue"] <= states["running"] + 0.4, states
    if storage_engine == "innodb":
        told_s = states["wait.row_lock"] * _SECONDS
        assert told_s == pytest.approx(watched.row_lock_s, rel=0.15)


def test_the_session_that_reads_the_server_s_counts_is_none_of_the_load_s(
    start: Callable[..., Server], tmp_path: Path
) -> None:
    server = start(ENGINES[0])
    endpoint, generator = server.endpoint, str(find_generator())
    words = ["tpcc/hammerdb", "--warehouses=1", "--database=dbdyno_counted", f"--user={endpoint.user}"]
    words += [f"--socket={endpoint.socket}", f"--password-file={endpoint.password_file}"]
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE dbdyno_counted")
    subprocess.run([generator, "populate", *words], capture_output=True, timeout=180, check=True)
    lengths = ["--warm-up=1s", f"--time={_SECONDS}s", "--report-interval=0", "--json-lines=-"]
    command = [generator, "run", *words, f"--threads={_SESSIONS}", "--rate=50", *lengths]
    assert server.pid is not None
    threads = SessionThreads(ThreadsPlace(LocalHost(), find_generator(), server.pid))
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as load:
        assert load.stdout is not None
        records = map(json.loads, load.stdout)
        threads.start(next(records)["monotonic_ns"], load.pid)
        counted = [record for record in records if record["record"] == "counters"]
    threads.stop(_SECONDS)
    assert load.returncode == 0
    assert len(counted) == 3, "the session was there while the threads were watched"
    sessions = {row.value for row in threads.rows(_SECONDS) if row.metric == "sessions.count"}
    assert sessions == {float(_SESSIONS)}


def test_a_sampler_that_is_killed_costs_a_caveat_and_the_rest_of_the_seconds(
    start: Callable[..., Server], tmp_path: Path
) -> None:
    server = start(ENGINES[0])
    session = server.connect()
    threads = _started(server, find_generator())
    time.sleep(1.5)
    assert threads._process is not None
    threads._process.kill()
    threads.stop(3)
    session.close()
    assert {row.second for row in threads.rows(3)} == {0}
    assert "2 of 3 seconds" in threads.caveats(3)[0].text


def test_a_server_that_dies_under_the_sampler_leaves_the_seconds_before(start: Callable[..., Server]) -> None:
    server = start(ENGINES[0])
    session = server.connect()
    threads = _started(server, find_generator())
    time.sleep(1.5)
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    threads.stop(4)
    with contextlib.suppress(pymysql.Error, OSError):
        session.close()
    assert {row.second for row in threads.rows(4)} == {0}
    assert "3 of 4 seconds" in threads.caveats(4)[0].text


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give rights up")
def test_a_sampler_without_rights_says_that_the_kernel_refused(start: Callable[..., Server]) -> None:
    server = start(ENGINES[0])
    session = server.connect()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        program, unprivileged = Path(shutil.copy(find_generator(), folder)), Path(folder) / "unprivileged"
        unprivileged.write_text(f'#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --clear-groups {program} "$@"\n')
        unprivileged.chmod(0o755)
        threads = _started(server, unprivileged)
        time.sleep(0.5)
        threads.stop(1)
    session.close()
    assert threads.rows(1) == []
    assert "Permission denied" in threads.caveats(1)[0].text


def test_a_thread_pool_has_no_session_threads_and_says_so(start: Callable[..., Server]) -> None:
    server = start("mariadb:11.8", raw={"thread_handling": "pool-of-threads"})
    sessions = [server.connect() for _ in range(_SESSIONS)]
    threads = _started(server, find_generator())
    until = time.monotonic() + 1.5
    while time.monotonic() < until:
        for session in sessions:
            with session.cursor() as cursor:
                cursor.execute("SELECT 1")
    threads.stop(1)
    for session in sessions:
        session.close()
    assert threads.rows(1) == []
    assert "thread pool" in threads.caveats(1)[0].text
