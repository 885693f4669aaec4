"""A server that ends three times under 64 connections: what the load generator says of it, and whether it recovers."""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dbdyno.configure import Server
from dbdyno.core import ConfigureError
from dbdyno.lab import find_generator
from load_runs import READ_WRITE, LoadRun, RunningLoad

pytestmark = pytest.mark.server
S, MS = 1_000_000_000, 1_000_000
ENGINE = "mariadb:11.8"
SCHEMA, OPTIONS = "dbdyno_restarts", ("--tables", "2", "--rows", "1000")
CONNECTIONS, RATE, SECONDS = 64, 40, 50
# When the server is told to end, and how; it is started again a second later.
ENDS = {6: signal.SIGKILL, 19: signal.SIGTERM, 32: signal.SIGKILL}
BUSY_MS = 250
"""How late this test or the load generator may be on a machine that other tests use; alone it is a few milliseconds."""
REST_S = 1.0


@dataclass(frozen=True)
class Seen:
    """An outage as this test saw it, CLOCK_MONOTONIC: the server was told to end, had ended, answered again."""

    how: signal.Signals
    told_ns: int
    gone_ns: int
    answers_ns: tuple[int, int]

    @property
    def closed_ns(self) -> tuple[int, int]:
        """Between these instants its connections were closed: at once when asked to end, at its end when killed."""
        return self.told_ns, self.gone_ns if self.how == signal.SIGKILL else self.told_ns


@dataclass(frozen=True)
class Restarted:
    """The run, what was seen beside it, and the prepared statements that the server held before its end."""

    run: LoadRun
    seen: list[Seen]
    prepared_count: int


class Probe:
    """A connection of its own that asks until it is answered."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.answers_ns = (0, 0)
        self._thread = threading.Thread(target=self._ask, daemon=True)
        self._thread.start()

    def result_ns(self) -> tuple[int, int]:
        """Between these instants the server answered for the first time: begin and end of the request it answered."""
        self._thread.join(60)
        assert self.answers_ns[1], "the server did not come back within a minute"
        return self.answers_ns

    def _ask(self) -> None:
        while not self.answers_ns[1]:
            begin_ns = time.monotonic_ns()
            try:
                with self._server.connect(SCHEMA, as_load_user=True) as connection, connection.cursor() as cursor:
                    cursor.execute("SELECT COUNT(*) FROM sbtest1")
            except ConfigureError:
                time.sleep(0.005)
            else:
                self.answers_ns = (begin_ns, time.monotonic_ns())


@pytest.fixture(scope="module")
def restarted(laboratory: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Restarted]:
    folder = laboratory.folder()
    # Commits do not wait for a disk that other tests use: how soon 64 connections are served is asked here.
    raw = {"max_connections": "200", "innodb_flush_log_at_trx_commit": "2"}
    server: Server = laboratory.start(ENGINE, run_directory=folder, raw=raw)
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {SCHEMA}")
    endpoint = server.endpoint
    target = ["--socket", str(endpoint.socket), "--user", endpoint.user]
    target += ["--password-file", str(endpoint.password_file), "--database", SCHEMA]
    filling = [str(find_generator()), "populate", READ_WRITE, *OPTIONS, *target]
    subprocess.run(filling, check=True, capture_output=True, timeout=120)
    arguments = ["--rate", str(RATE), "--threads", str(CONNECTIONS), "--warm-up", "0s", "--time", f"{SECONDS}s"]
    arguments += ["--ignore-errors", "1213,1020,1205,2006,2013", "--retry-limit", "none", *OPTIONS]
    with RunningLoad(READ_WRITE, target, arguments, tmp_path_factory.mktemp("restarts")) as load:
        begun_s = time.monotonic()
        seen = []
        for at_s, how in ENDS.items():
            time.sleep(max(0.0, begun_s + at_s - time.monotonic()))
            seen.append(_end_and_start(laboratory, server, folder, how))
        time.sleep(max(0.0, begun_s + SECONDS - 3 - time.monotonic()))
        prepared_count = int(server.status()["prepared_stmt_count"])
        run = load.finish(SECONDS)
    yield Restarted(run, seen, prepared_count)
    server.kill()


def _end_and_start(laboratory: Any, server: Server, folder: Path, how: signal.Signals) -> Seen:
    """The same process once more: option file, data and passwords stay."""
    assert server.process is not None
    told_ns = time.monotonic_ns()
    server.process.kill() if how == signal.SIGKILL else server.process.terminate()
    server.process.wait(60)
    gone_ns = time.monotonic_ns()
    time.sleep(REST_S)
    argv = [*server.installation.server_argv, f"--defaults-file={folder / 'my.cnf'}"]
    probe = Probe(server)
    server.process = laboratory.host.spawn(argv, stdout=None, stderr=None, as_server_user=True)
    return Seen(how, told_ns, gone_ns, probe.result_ns())


def _apart_ms(instant_ns: int, between_ns: tuple[int, int]) -> float:
    """How far an instant lies before (negative) or after two others; 0 between them."""
    return (instant_ns - min(max(instant_ns, between_ns[0]), between_ns[1])) / MS


def test_three_restarts_are_three_outages_with_start_and_end(restarted: Restarted) -> None:
    run = restarted.run
    assert (run.exit_code, run.end["status"]) == (0, "complete"), run.errors
    outages = run.end["outages"]
    assert len(outages) == len(ENDS), outages
    for outage, seen in zip(outages, restarted.seen, strict=True):
        start_ms = _apart_ms(outage["start_ns"], seen.closed_ns)
        first_ms = _apart_ms(outage["first_success_ns"], seen.answers_ns)
        print(f"start {start_ms:+.1f} ms, first success {first_ms:+.1f} ms against what was seen")
        assert start_ms == pytest.approx(0, abs=BUSY_MS)
        assert first_ms == pytest.approx(0, abs=BUSY_MS)
        assert outage["all_lost"]
        assert outage["connections_lost"] >= CONNECTIONS
        assert seen.gone_ns < outage["restored_ns"] < seen.answers_ns[1] + 10 * S


def test_no_connection_is_stuck_after_restarts(restarted: Restarted) -> None:
    run = restarted.run
    assert [second["connections_live"] for second in run.seconds[-5:]] == [CONNECTIONS] * 5
    # A machine that other tests use may stall the server for seconds; a connection that is stuck stays so.
    after = run.seconds[max(ENDS) + 5 :]
    calm = [second for second in after if second["backlog"] <= RATE / 10]
    assert len(calm) > len(after) / 2
    completed = [sum(counts["completed"] for counts in second["transactions"].values()) for second in calm]
    assert sum(completed) / len(calm) == pytest.approx(RATE, rel=0.3)  # due as independent visitors come
    assert run.end["scheduled"] == run.end["completed"] + run.end["failed"] + run.end["unsent"]
    assert (run.end["failed"], run.end["unsent"]) == (0, 0)


def test_throughput_is_regained_and_statements_are_prepared_again(restarted: Restarted) -> None:
    run = restarted.run
    assert restarted.prepared_count == run.start["prepared_statements"] > 0
    for outage in run.end["outages"]:
        assert outage["regained_ns"] is not None
        assert outage["first_success_ns"] < outage["regained_ns"] < outage["restored_ns"] + 10 * S
