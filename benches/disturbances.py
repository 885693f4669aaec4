"""What disturbs the load of a planted bottleneck: busy loops, locks, a stopped server, or one processor for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from planted_bottlenecks import TABLES

from dbdyno.configure import Server

_EVERY_TABLE = "LOCK TABLES " + ", ".join(f"dbdyno_sbtest.sbtest{number} WRITE" for number in range(1, TABLES + 1))


@contextmanager
def disturbed(kind: str, server: Server) -> Iterator[None]:
    """Run what disturbs the load while the block runs."""
    disturbances = {
        "busy": lambda: _busy(4),
        "less busy": lambda: _busy(2),
        "locks": lambda: _locks(server, _EVERY_TABLE),
        "read lock": lambda: _locks(server, "FLUSH TABLES WITH READ LOCK"),
        "stops": lambda: _stops(server),
        "one-processor": lambda: _one_processor(server),
    }
    with disturbances.get(kind, nullcontext)():
        yield


@contextmanager
def _busy(count: int) -> Iterator[None]:
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


@contextmanager
def _stops(server: Server) -> Iterator[None]:
    over = threading.Event()
    assert server.pid is not None
    pid = server.pid

    def stop() -> None:
        while not over.wait(0.3):
            os.kill(pid, signal.SIGSTOP)
            over.wait(0.3)
            os.kill(pid, signal.SIGCONT)

    with _thread(stop, over):
        yield


@contextmanager
def _one_processor(server: Server) -> Iterator[None]:
    every = os.sched_getaffinity(0)
    _pin(server, {min(every)})
    try:
        yield
    finally:
        _pin(server, every)


def _pin(server: Server, processors: set[int]) -> None:
    for thread in Path(f"/proc/{server.pid}/task").iterdir():
        os.sched_setaffinity(int(thread.name), processors)


@contextmanager
def _locks(server: Server, statement: str) -> Iterator[None]:
    over = threading.Event()

    def lock() -> None:
        with server.connect() as connection, connection.cursor() as cursor:
            while not over.wait(0.3):
                cursor.execute(statement)
                over.wait(0.3)
                cursor.execute("UNLOCK TABLES")

    with _thread(lock, over):
        yield


@contextmanager
def _thread(work: Callable[[], None], over: threading.Event) -> Iterator[None]:
    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
