"""What hangs in a run is found and named: the load generator by its state and its silence, the server by itself."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from dbdyno.core import MeasureError
from dbdyno.hosts import ProcessWatch
from dbdyno.measure._drive import SILENT_S, RunWatch
from dbdyno.measure._records import IntervalRecord, StartRecord


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Server:
    def __init__(self) -> None:
        self.quiet_s = 0.0
        self.words: str | None = None

    def hang_reason(self, quiet_s: float = 0.0) -> str | None:
        self.quiet_s = quiet_s
        return self.words


def _state(process: subprocess.Popen[bytes]) -> str:
    return Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "60"]) as started:
        until = time.monotonic() + 10
        while _state(started) != "S" and time.monotonic() < until:
            time.sleep(0.01)  # it is not asleep at once: the program has to be loaded first
        yield started
        started.kill()


@pytest.fixture
def clock() -> Clock:
    return Clock()


def watch_of(process: subprocess.Popen[bytes], clock: Clock, server: Server | None = None) -> RunWatch:
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return RunWatch(
        server or Server(), ProcessWatch(Path.read_bytes, process.pid, int(fields[19]), clock=clock), 3600.0, clock
    )


def start() -> StartRecord:
    return cast("StartRecord", object.__new__(StartRecord))


def second(bytes_received: int) -> IntervalRecord:
    record: Any = object.__new__(IntervalRecord)
    object.__setattr__(record, "bytes_received", bytes_received)
    return cast("IntervalRecord", record)


def test_a_load_generator_that_writes_each_second_is_well(process: subprocess.Popen[bytes], clock: Clock) -> None:
    watch = watch_of(process, clock)
    watch.take(start())
    for _ in range(100):
        clock.now += 1
        watch.take(second(100))
        watch.check()


def test_one_that_is_silent_is_named_but_not_while_it_connects(process: subprocess.Popen[bytes], clock: Clock) -> None:
    watch = watch_of(process, clock)
    clock.now += SILENT_S + 100
    watch.check()
    watch.take(start())
    clock.now += SILENT_S + 1
    with pytest.raises(MeasureError, match=r" 31 s; process asleep \(S\)"):
        watch.check()


def test_while_the_connection_to_its_host_was_lost_nobody_is_called_silent(
    process: subprocess.Popen[bytes], clock: Clock
) -> None:
    server, lost_s, reconnections = Server(), 0.0, 0
    watch = watch_of(process, clock, server)

    def read(path: Path) -> bytes:
        nonlocal reconnections
        reconnections += lost_s > 0
        clock.now += lost_s
        return path.read_bytes()

    watch.process = ProcessWatch(read, watch.process._pid, watch.process._start_ticks, clock=clock)
    watch.times_reconnected = lambda: reconnections
    watch.take(start())
    lost_s = 45.0  # during the look itself
    watch.check()
    assert server.quiet_s <= 0
    lost_s = 0.0
    clock.now += 45
    reconnections += 1  # before it
    watch.check()
    assert server.quiet_s <= 0
    clock.now += SILENT_S + 1
    with pytest.raises(MeasureError, match=" 31 s"):
        watch.check()


def test_one_that_outlives_its_order_is_named(process: subprocess.Popen[bytes], clock: Clock) -> None:
    watch = watch_of(process, clock)
    clock.now += 3601
    with pytest.raises(MeasureError, match=r"still runs .* 3601 s"):
        watch.check()


def test_one_that_is_stopped_is_named_after_ten_seconds(process: subprocess.Popen[bytes], clock: Clock) -> None:
    watch = watch_of(process, clock)
    os.kill(process.pid, signal.SIGSTOP)
    os.waitpid(process.pid, os.WUNTRACED)
    watch.check()
    clock.now += 10
    with pytest.raises(MeasureError, match=r" 10 s; process stopped \(T\)"):
        watch.check()


def test_the_server_is_told_for_how_long_it_has_answered_nobody(process: subprocess.Popen[bytes], clock: Clock) -> None:
    server = Server()
    watch = watch_of(process, clock, server)
    watch.take(start())
    for received in (100, 0, 0, 0):
        clock.now += 1
        watch.take(second(received))
    watch.check()
    assert server.quiet_s == 3.0
    server.words = "mariadb 11.8.6 has answered nothing for 12 s; process stopped (T)"
    with pytest.raises(MeasureError, match=r"11\.8\.6 has answered nothing"):
        watch.check()
