"""Runs the load generator as a process: orders it, reads it line by line, notices a hang, ends it in any case."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from dbdyno.core import HostError, MeasureError
from dbdyno.hosts import Host, PipedProcess, ProcessWatch, ending_words
from dbdyno.hosts.remote import ssh_variables
from dbdyno.measure._load_order import LoadOrder
from dbdyno.measure._records import EndRecord, IntervalRecord, LoadRecord, StartRecord, parse_record
from dbdyno.store import JsonValue

SILENT_S = 30.0
"""Without a record: the load generator writes one each second, even if the server hangs."""


class WatchedServer(Protocol):
    """Describes what the watch asks of a server."""

    def hang_reason(self, quiet_s: float = 0.0) -> str | None:
        """Return why no answer is to be expected of it, in words; None while that can't be said.

        `quiet_s`: how long nobody has had an answer, as far as the caller knows.
        """


@dataclass(slots=True)
class RunWatch:
    """Receives every record; looks once a second, whether records come or not.

    Parameters
    ----------
    times_reconnected : how often the lost connection to the load generator's host came back
    """

    server: WatchedServer
    process: ProcessWatch
    longest_s: float
    clock: Callable[[], float] = time.monotonic
    times_reconnected: Callable[[], int] = lambda: 0
    _has_begun: bool = False
    _started: float = field(init=False)
    _last_record: float = field(init=False)
    _last_answer: float = field(init=False)
    _reconnected: int = field(init=False)

    def __post_init__(self) -> None:
        self._started = self._last_record = self._last_answer = self.clock()
        self._reconnected = self.times_reconnected()

    @classmethod
    def of(cls, process: PipedProcess, server: WatchedServer, host: Host, longest_s: float) -> RunWatch:
        """Return the watch of a load generator and the server that it drives; it ends within `longest_s`."""
        process_watch = ProcessWatch(host.files.read_bytes, process.pid, process.start_ticks)
        return cls(server, process_watch, longest_s, times_reconnected=host.times_reconnected)

    def take(self, record: LoadRecord) -> None:
        """Note that the load generator lives, and whether the server has answered it."""
        self._last_record = self.clock()
        self._has_begun = self._has_begun or isinstance(record, StartRecord)
        if not isinstance(record, IntervalRecord) or record.bytes_received > 0:
            self._last_answer = self._last_record

    def check(self) -> None:
        """Raise when one of both hangs.

        Raises
        ------
        MeasureError : the process is named, with how long it has been silent and its state
        """
        now_s = self.clock()
        halt_words = self.process.verdict()
        if halt_words is not None:
            raise MeasureError(f"the load generator {halt_words}")
        if (reconnected := self.times_reconnected()) != self._reconnected:  # nothing could arrive meanwhile
            self._reconnected = reconnected
            self._last_record = self._last_answer = self.clock()
        silent_s = now_s - self._last_record
        if self._has_begun and silent_s > SILENT_S:
            raise self._hang_error(f"has written nothing for {silent_s:.0f} s")
        if now_s - self._started > self.longest_s:
            raise self._hang_error(f"still runs after {now_s - self._started:.0f} s")
        hang_reason = self.server.hang_reason(now_s - self._last_answer)
        if hang_reason is not None:
            raise MeasureError(hang_reason)

    def _hang_error(self, words: str) -> MeasureError:
        state = self.process.state()
        return MeasureError(f"the load generator {words}" + (f"; {state}" if state else ""))


EXIT_S = 10.0
_KILL_WAIT_S = 2.0


@contextmanager
def load_process(
    host: Host, generator: Path, order: Mapping[str, JsonValue], cpus: tuple[int, ...] | None, longest_s: float
) -> Iterator[PipedProcess]:
    """Run a load generator; it is killed when the block is left early, or when it far outlives `longest_s`."""
    text = json.dumps(order, default=dict).encode()
    env = ssh_variables() if order.get("agents") else None  # it reaches them by itself
    process = host.spawn_piped([str(generator), "run", "--order", "-"], stdin=text, cpus=cpus, env=env)
    watchdog = threading.Timer(longest_s + EXIT_S, process.kill)
    watchdog.daemon = True
    watchdog.start()
    try:
        yield process
    except BaseException:
        end_process(process)
        raise
    finally:
        watchdog.cancel()


def end_process(process: PipedProcess) -> None:
    """End it at once. One that the kernel does not end now (a disk that hangs) is not waited for."""
    process.kill()
    with suppress(HostError):
        process.wait(_KILL_WAIT_S)


def read_records(process: PipedProcess, each: Callable[[LoadRecord], None], watch: RunWatch | None = None) -> None:
    """Hand every record to `each` until the load generator closes its output.

    Parameters
    ----------
    watch : looks after it and its server meanwhile

    Raises
    ------
    MeasureError : it ended without a last record, its own words are in the error; or the watch has found what hangs
    """
    has_end_record = False
    for line in process.lines(watch.check if watch is not None else None):
        record = parse_record(line)
        if record is not None:
            if watch is not None:
                watch.take(record)
            each(record)
            has_end_record = has_end_record or isinstance(record, EndRecord)
    exit_result = process.wait(EXIT_S)
    if not has_end_record:
        raise MeasureError(
            f"the load generator {ending_words(exit_result.exit_code)} without a final record",
            exit_result.stderr.strip()[-2000:],
            "run the same order by hand: dbdyno-load run --order ORDER.json",
        )


def load_sessions(order: LoadOrder, server: WatchedServer, host: Host, generator: Path) -> Mapping[str, JsonValue]:
    """Return the start record of an order: it comes once all connections are open and their statements prepared.

    What the load sends until it is ended, a few milliseconds later, may change rows.

    Raises
    ------
    MeasureError : the load generator ended before it reported, or it or the server hangs
    """
    with load_process(host, generator, order.to_json(), order.study.pinning.client, order.longest_s) as process:
        for line in process.lines(RunWatch.of(process, server, host, order.longest_s).check):
            record = parse_record(line)
            if isinstance(record, StartRecord):
                end_process(process)
                return record.raw
        exit_result = process.wait(EXIT_S)
    raise MeasureError("the load's connections could not be opened", exit_result.stderr.strip()[-2000:])
