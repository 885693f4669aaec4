"""Watches the server's session threads by ``dbdyno-load threads``: processor time, run queue, and what they wait for.

Values are averages of threads in a state over a second, so those of all states add up to the number of sessions.
``sessions.wait.CLASS`` and ``sessions.running`` are sampled, ``sessions.on_cpu`` and ``sessions.run_queue`` exact.
No run needs it: what is unavailable is a caveat.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dbdyno.core import Caveat, HostError, MeasureError, counted
from dbdyno.hosts import Host, PipedProcess
from dbdyno.store import JsonValue, TelemetryRow

_END_S = 3.0
_LAST_SECOND_S = 0.2
_SECOND_NS = 1e9
_KEPT_STACKS = 10
_CODE = "session-threads"
NOT_NAMED = "not_named"
LATCH = "latch"
"""Classes by the system call alone: nothing is known, or that it is a mutex or read-write lock."""


@dataclass(frozen=True, slots=True)
class ThreadsPlace:
    """Says whose threads are watched, and with what.

    Parameters
    ----------
    server_pid : of the server, on that host
    wait_sites : file of return addresses that were learned on the same build; None: functions' names must do
    rate_hz : looks at each session thread per second
    has_client : the load generator runs on that host, too; else all connections of other hosts are the load's
    """

    host: Host
    generator: Path
    server_pid: int
    wait_sites: Path | None = None
    rate_hz: int = 20
    has_client: bool = True


@dataclass(frozen=True, slots=True)
class StackFrame:
    """Describes a return address: within the file's own numbering, with the function's name where it is known."""

    file: str
    build_id: str
    address: int
    function: str | None

    def __str__(self) -> str:
        """Return the function's name, else file and address."""
        return self.function or f"{self.file}+{self.address:#x}"


@dataclass(frozen=True, slots=True)
class WaitStack:
    """Describes a stack that session threads waited with.

    Parameters
    ----------
    samples : how often it was seen
    is_named : its functions show what it waits for
    is_latch : its system call says so; what the latch stands for is not known
    frames : innermost first
    wait_class : what its functions say, else what its system call alone says
    """

    samples: int
    is_named: bool
    is_latch: bool
    frames: tuple[StackFrame, ...]
    wait_class: str = NOT_NAMED

    @property
    def functions(self) -> list[str]:
        """Functions as the linker knows them, outermost first; those without a name by their file."""
        return [frame.function or f"[{frame.file}]" for frame in reversed(self.frames)]

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> WaitStack:
        """Read one of the last record's stacks."""
        is_named = record["class"] is not None or record["class_by_call"] not in (NOT_NAMED, LATCH)
        frames = (StackFrame(f["file"], f["build_id"], f["address"], f["function"]) for f in record["frames"])
        wait_class = record["class"] or record["class_by_call"]
        return cls(record["samples"], is_named, record["class_by_call"] == LATCH, tuple(frames), wait_class)


@dataclass(slots=True)
class SessionThreads:
    """Watches the session threads of one run."""

    place: ThreadsPlace
    records: list[Mapping[str, Any]] = field(default_factory=list)
    _process: PipedProcess | None = None
    _reader: threading.Thread | None = None
    _failure: str = ""

    def start(self, here_ns: int, client_pid: int) -> None:
        """Begin, while the load's connections are open and idle.

        Parameters
        ----------
        here_ns : when second 0 begins, on the monotonic clock of this process
        """
        place = self.place
        argv = [str(place.generator), "threads", "--server-pid", str(place.server_pid)]
        argv += ["--start-ns", str(place.host.there_ns(here_ns)), "--rate", str(place.rate_hz)]
        if place.has_client:
            argv += ["--client-pid", str(client_pid)]
        if place.wait_sites is not None:
            argv += ["--sites", str(place.wait_sites)]
        try:
            self._process = place.host.spawn_piped(argv, stdin=b"")
        except HostError as error:
            self._failure = str(error)
            return
        self._reader = threading.Thread(target=self._read, args=(self._process,), daemon=True, name="dbdyno-threads")
        self._reader.start()

    def _read(self, process: PipedProcess) -> None:
        with contextlib.suppress(HostError):  # the server's host is lost: the records so far stay
            for line in process.lines():
                try:
                    self.records.append(json.loads(line))
                except ValueError:
                    self._failure = f"unreadable record: {line[:80]}"

    def stop(self, seconds_count: int) -> None:
        """End it once it has reported the last of these seconds; a sampler that does not end is killed."""
        process, reader = self._process, self._reader
        if process is None or reader is None:
            return
        self._process = None
        deadline = time.monotonic() + _LAST_SECOND_S
        while reader.is_alive() and len(self.records) <= seconds_count and time.monotonic() < deadline:
            time.sleep(0.01)
        process.interrupt()
        reader.join(_END_S)
        if reader.is_alive():
            process.kill()
            reader.join(_END_S)
        try:
            exit_result = process.wait(_END_S)
        except HostError as error:
            self._failure = str(error)
            return
        if not any(record["record"] == "start" for record in self.records):
            self._failure = exit_result.stderr.strip()[-300:] or "it ended without a message"

    def rows(self, seconds_count: int) -> list[TelemetryRow]:
        """Return rows of the first seconds in which each connection had its thread; none if threads serve several."""
        if self._refusal_words():
            return []
        seconds = [record for record in self._whole_seconds() if record["second"] < seconds_count]
        return [row for record in seconds for row in thread_rows(record)]

    def _whole_seconds(self) -> list[Mapping[str, Any]]:
        """Return seconds at whose end as many session threads were known as there were connections at the start."""
        start = self._first_record("start")
        sessions_min = start["connections"] if start is not None else 0
        return [r for r in self.records if r["record"] == "second" and r["sessions"] >= sessions_min]

    def caveats(self, seconds_count: int) -> tuple[Caveat, ...]:
        """Return what could not be seen of the first seconds, and why."""
        refusal = self._refusal_words()
        if refusal:
            return (Caveat(_CODE, f"activity of the server's threads is unknown: {refusal}"),)
        missing_count = seconds_count - len({row.second for row in self.rows(seconds_count)})
        text = f"activity of the server's threads is unknown in {missing_count} of {counted(seconds_count, 'second')}"
        return (Caveat(_CODE, text),) if missing_count > 0 else ()

    def facts(self) -> dict[str, JsonValue]:
        """Return what is stored in addition to the rows: the sampler's cost, and stacks that could not be named."""
        end_record = self._first_record("end")
        if end_record is None:
            return {}
        stacks = [stack for stack in self.stacks() if not stack.is_named and not stack.is_latch]
        return {
            "cpu_ns": end_record["cpu_ns"],
            "not_named": [
                {"samples": stack.samples, "frames": [str(frame) for frame in stack.frames]}
                for stack in stacks[:_KEPT_STACKS]
            ],
        }

    def stacks(self) -> list[WaitStack]:
        """Return the stacks that session threads waited with, most frequent first.

        Raises
        ------
        MeasureError : the sampler's record is not of this version
        """
        end_record = self._first_record("end")
        try:
            return [WaitStack.of(stack) for stack in end_record["stacks"]] if end_record is not None else []
        except (LookupError, TypeError) as error:
            raise MeasureError("dbdyno-load threads wrote a record of another version", repr(error)) from error

    def _first_record(self, kind: str) -> Mapping[str, Any] | None:
        return next((record for record in self.records if record["record"] == kind), None)

    def _refusal_words(self) -> str:
        """Return why the records can't be used; empty where they can."""
        if self._failure:
            return self._failure
        start_record, end_record = self._first_record("start"), self._first_record("end")
        if start_record is None:
            return "the sampler did not start"
        if end_record is not None and end_record["pooled"]:
            return "threads serve several connections (a thread pool)"
        if end_record is not None and end_record["reason"] == "open files":
            return "the hard limit of open files is too low: each thread of the server takes two"
        if end_record is not None and end_record["reason"] == "refused":
            return "the kernel refused"
        if not start_record["connections"]:
            return "the load's connections are not visible in the server"
        found_counts = [record["sessions"] for record in self.records if record["record"] == "second"]
        if found_counts and not self._whole_seconds():
            return _missing_words(start_record["connections"], max(found_counts))
        return ""


def _missing_words(connection_count: int, found_count: int) -> str:
    """Return what it means that no second had a thread for each connection."""
    if found_count * 2 < connection_count:
        reason = "a thread pool, or a sampler that came when commits were waited for already"
        return f"{found_count} threads were seen to read from the client's {connection_count} connections ({reason})"
    return f"the threads of only {found_count} of {connection_count} connections were seen to read from the client"


def thread_rows(record: Mapping[str, Any]) -> list[TelemetryRow]:
    """Return one second's record as rows.

    >>> record = {"second": 3, "sessions": 2, "on_cpu_ns": 5e8, "run_queue_ns": 0, "samples": 40, "running": 10,
    ...     "waits": {"client": 30}, "background": []}
    >>> [(row.metric, row.value) for row in thread_rows(record)][-2:]
    [('sessions.running', 0.5), ('sessions.wait.client', 1.5)]
    """
    second, sessions, samples = record["second"], record["sessions"], record["samples"]

    def row(metric: str, threads: float) -> TelemetryRow:
        return TelemetryRow(second, metric, threads, "threads")

    rows = [row("sessions.count", float(sessions))]
    rows += _scheduling_rows(row, "sessions", record)
    if samples:
        rows.append(row("sessions.running", record["running"] / samples * sessions))
        rows += [row(f"sessions.wait.{name}", count / samples * sessions) for name, count in record["waits"].items()]
    for group in record["background"]:
        rows += _scheduling_rows(row, f"background.{group['name']}", group)
    return rows


def _scheduling_rows(
    row: Callable[[str, float], TelemetryRow], prefix: str, record: Mapping[str, Any]
) -> Sequence[TelemetryRow]:
    return (
        row(f"{prefix}.on_cpu", record["on_cpu_ns"] / _SECOND_NS),
        row(f"{prefix}.run_queue", record["run_queue_ns"] / _SECOND_NS),
    )
