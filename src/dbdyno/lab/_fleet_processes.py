"""Drives the benches of a study by child processes of this one, each with its own connection to its bench.

A child has its own session, so that a Ctrl-C in the terminal reaches this process alone, which ends the children in
order. One that is orphaned sees the end of its pipe, and ends in the same way.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from dbdyno.core import DbdynoError, HostError, Run
from dbdyno.lab._fleet import BenchMessage

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

_END_S = 8.0


@dataclass(frozen=True, slots=True)
class BenchStart:
    """Holds what the process that drives a bench is given.

    Parameters
    ----------
    study_text : of the whole study
    scratch : folder for its results until they are handed over; None: one of its machine's own
    is_forced : run although the machine is not fit for the study
    is_calibrating : calibrate the load generator on a machine where that was never done
    audit_stop : findings of the audit that stop the study
    """

    bench: str
    study_text: str
    scratch: Path | None = None
    is_forced: bool = False
    is_calibrating: bool = True
    audit_stop: str = "never"


BenchWork: TypeAlias = Callable[[BenchStart, Iterator[Sequence[Run]], Callable[[BenchMessage | None], None]], None]
"""Drives a bench: given its orders, reports what happens, and None after each order."""


class ProcessFleet:
    """See `Fleet`."""

    def __init__(self, work: BenchWork, starts: Mapping[str, BenchStart]) -> None:
        self._work, self._starts = work, starts
        self._children: dict[str, tuple[SpawnProcess, Connection]] = {}
        self._is_closed = False
        self._lock = threading.Lock()  # each bench starts in its own thread, and may be closed meanwhile

    def submit(self, bench: str, runs: Sequence[Run]) -> Iterator[BenchMessage]:
        """See `Fleet`."""
        child, pipe = self._bench_process(bench)
        try:
            pipe.send(tuple(runs))
            while (message := pipe.recv()) is not None:
                if isinstance(message, BenchFailed):
                    raise message.error()
                yield message
        except (EOFError, OSError) as error:
            child.join(_END_S)
            what = f"the process that drives bench {bench} has ended"
            raise HostError(what, f"exit status {child.exitcode}") from error

    def close(self) -> None:
        """See `Fleet`. What does not end in time is killed; the next study removes what it leaves."""
        with self._lock:
            self._is_closed = True
            children = list(self._children.values())
        for _, pipe in children:
            with contextlib.suppress(OSError):
                pipe.send(None)
        deadline = time.monotonic() + _END_S
        try:
            for child, _ in children:
                child.join(max(deadline - time.monotonic(), 0.0))
        finally:
            for child, _ in children:
                child.kill()

    def _bench_process(self, bench: str) -> tuple[SpawnProcess, Connection]:
        with self._lock:
            return self._children.get(bench) or self._start_process(bench)

    def _start_process(self, bench: str) -> tuple[SpawnProcess, Connection]:
        if self._is_closed:
            raise HostError(f"bench {bench} is not started", "the study is being stopped")
        spawn = multiprocessing.get_context("spawn")
        parent_end, child_end = spawn.Pipe()
        child = spawn.Process(
            target=_drive_bench, args=(self._work, self._starts[bench], child_end), name=f"bench-{bench}"
        )
        child.start()
        child_end.close()
        self._children[bench] = child, parent_end
        return self._children[bench]


@dataclass(frozen=True, slots=True)
class BenchFailed:
    """Reports how the process that drives a bench failed."""

    kind: type[DbdynoError]
    words: tuple[str, str, str]
    code: str = ""

    @classmethod
    def of(cls, error: DbdynoError) -> BenchFailed:
        """Pack an error, to be raised elsewhere."""
        return cls(type(error), (error.what, error.why, error.remedy), error.code)

    def error(self) -> DbdynoError:
        """Return the error as it was raised there."""
        return self.kind(*self.words, code=self.code)


def _drive_bench(work: BenchWork, start: BenchStart, pipe: Connection) -> None:
    """Drive a bench in this process until it is ordered to end."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for what it runs in the background
    orders: queue.SimpleQueue[Sequence[Run]] = queue.SimpleQueue()
    threading.Thread(target=_receive_orders, args=(pipe, orders), name="orders", daemon=True).start()

    def send(message: Any) -> None:  # noqa: ANN401 - a message, or how it failed
        with contextlib.suppress(OSError):  # nobody listens: the end of the pipe ends this process
            pipe.send(message)

    try:
        work(start, _order_stream(orders), send)
    except DbdynoError as error:
        send(BenchFailed.of(error))
    except KeyboardInterrupt:
        pass


def _order_stream(orders: queue.SimpleQueue[Sequence[Run]]) -> Iterator[Sequence[Run]]:
    while True:
        yield orders.get()


def _receive_orders(pipe: Connection, orders: queue.SimpleQueue[Sequence[Run]]) -> None:
    """Hand on orders; when there is nobody to give any, end this process as Ctrl-C does."""
    with contextlib.suppress(EOFError, OSError):
        while (runs := pipe.recv()) is not None:
            orders.put(runs)
    os.kill(os.getpid(), signal.SIGINT)
