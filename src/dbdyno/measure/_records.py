"""Types what the load generator reports, line by line, as ``contract/load-record.schema.json`` has it.

Fields and kinds of record that this version does not know are ignored: records grow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from dbdyno.core import MeasureError, decode, json_value

SCHEMA_VERSION = 1
NETWORK = "network"
"""Kind of a failure and cause of an outage: nothing reached the server, so its seconds say nothing of it."""
NO_ANSWER = "no-answer"
"""Kind of a failure: the server's host is there, and the server gave no byte of an answer in time."""


@dataclass(frozen=True, slots=True)
class TransactionCounts:
    """Describes one transaction type in one second. Histograms are HdrHistogram V2, base64."""

    completed: int
    failed: int
    retries: Mapping[str, int]
    response: str | None = None
    service: str | None = None
    first_attempt: str | None = None
    rolled_back: int = 0


@dataclass(frozen=True, slots=True)
class StatementCounts:
    """Describes one statement type in one second."""

    completed: int
    errors: Mapping[str, int]
    service: str | None = None


@dataclass(frozen=True, slots=True)
class WorkerUse:
    """Describes what one worker thread did of one second; see the contract for each."""

    busy_ns: int
    cpu_ns: int
    wake_ups: int = 0
    served: int = 0
    cpu_wait_ns: int = 0


@dataclass(frozen=True, slots=True)
class StartRecord:
    """The load begins: second 0 starts at `monotonic_ns`. `raw` holds all that was said of sessions and workload."""

    monotonic_ns: int
    program: str
    open_loop: bool
    raw: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class IntervalRecord:
    """Describes one second of load."""

    second: int
    phase: str
    monotonic_ns: int
    realtime_ns: int
    duration_ns: int
    transactions: Mapping[str, TransactionCounts]
    statements: Mapping[str, StatementCounts]
    reads: int
    writes: int
    others: int
    rows: int
    bytes_sent: int
    bytes_received: int
    connections_live: int
    reconnects: int
    backlog: int
    workers: tuple[WorkerUse, ...]
    lateness: str | None = None


@dataclass(frozen=True, slots=True)
class MessageRecord:
    """Words for people."""

    level: str
    text: str


@dataclass(frozen=True, slots=True)
class CountersRecord:
    """Describes what the server had counted when `second` seconds of the load were over."""

    second: int
    monotonic_ns: int
    values: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ProbeRecord:
    """Describes one rate that a search has tried. `raw` holds all that was said of it."""

    first_second: int
    seconds: int
    rate_per_s: float
    held: bool
    raw: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """Describes what a search has found; None: no such rate.

    Attributes
    ----------
    reason : what broke at the lowest rate that did not hold
    client_bound : the client, and not the server, was the limit there
    complete : the gap between both rates is as small as asked for, and the answer held twice
    """

    highest_held_per_s: float | None
    lowest_broken_per_s: float | None
    probes: int
    reason: str = ""
    client_bound: bool = False
    complete: bool = True


@dataclass(frozen=True, slots=True)
class LoadHost:
    """Describes one of several hosts that were one client, in the last phase.

    Attributes
    ----------
    start_skew_ns : how much later than asked its last worker began, by the clock that all are held against
    busiest_worker_share : of the time, outside of waiting, of the worker that used most
    cpu_wait_share : of the time in which a worker could have run and got no processor
    """

    host: str
    start_skew_ns: int
    busiest_worker_share: float
    cpu_wait_share: float


@dataclass(frozen=True, slots=True)
class EndRecord:
    """The load has ended. `status` is ``complete``, ``interrupted`` or ``failed``; `raw` holds the whole account.

    Attributes
    ----------
    failure_kind : what failed: ``network``, ``no-answer``, ``server``, ``client``; empty where nothing did or where the
        load generator did not say
    outages : stretches with lost connections, or without a path
    paths_lost : those in which nothing reached the server: when they began and ended, CLOCK_MONOTONIC; None: not before
        the end
    hosts : that were one client; none where one process was
    """

    status: str
    reason: str
    process_cpu_ns: int | None
    unsent: int = 0
    outages: int = 0
    failure_kind: str = ""
    paths_lost: tuple[tuple[int, int | None], ...] = ()
    search: SearchAnswer | None = None
    hosts: tuple[LoadHost, ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict)


LoadRecord: TypeAlias = StartRecord | IntervalRecord | MessageRecord | CountersRecord | ProbeRecord | EndRecord


def parse_record(line: str) -> LoadRecord | None:
    """Return the record in a line; None for a kind this version does not know.

    Raises
    ------
    MeasureError : not a record, or of a newer contract

    >>> parse_record('{"record": "message", "level": "warning", "text": "slow"}')
    MessageRecord(level='warning', text='slow')
    """
    try:
        row = decode(dict[str, Any], json_value(line))
        read_row = _READERS.get(decode(_Kind, row).record)
        return None if read_row is None else read_row(row)
    except ValueError as error:
        raise MeasureError(
            "the load generator wrote a line that is not a record",
            f"{error} in: {line[:200]}",
            "check that dbdyno-load and dbdyno have the same version",
            code="not-a-record",
        ) from error


@dataclass(frozen=True, slots=True)
class _Kind:
    record: str


@dataclass(frozen=True, slots=True)
class _Pacing:
    kind: str


@dataclass(frozen=True, slots=True)
class _Start:
    schema_version: int
    program: str
    monotonic_ns: int
    pacing: _Pacing


@dataclass(frozen=True, slots=True)
class _Outage:
    start_ns: int
    restored_ns: int | None = None
    cause: str = ""


@dataclass(frozen=True, slots=True)
class _End:
    status: str
    reason: str
    process_cpu_ns: int | None = None
    unsent: int = 0
    outages: tuple[_Outage, ...] = ()
    failure_kind: str | None = None
    search: SearchAnswer | None = None
    hosts: tuple[LoadHost, ...] = ()


def _start_record(row: Mapping[str, Any]) -> StartRecord:
    start = decode(_Start, row)
    if start.schema_version > SCHEMA_VERSION:
        raise MeasureError(
            "the load generator is newer than dbdyno",
            f"{start.program} writes schema {start.schema_version}; this dbdyno reads up to {SCHEMA_VERSION}",
            "run make setup to build both from the same version",
            code="newer-schema",
        )
    return StartRecord(start.monotonic_ns, start.program, start.pacing.kind != "closed", row)


def _interval_record(row: Mapping[str, Any]) -> IntervalRecord:
    """Parse a record of an interval. A closed loop has no backlog: it is null."""
    return decode(IntervalRecord, {**row, "backlog": row.get("backlog") or 0})


def _message_record(row: Mapping[str, Any]) -> MessageRecord:
    return decode(MessageRecord, row)


def _counters_record(row: Mapping[str, Any]) -> CountersRecord:
    return decode(CountersRecord, row)


def _end_record(row: Mapping[str, Any]) -> EndRecord:
    end_row = decode(_End, row)
    lost_paths = [outage for outage in end_row.outages if outage.cause == NETWORK]
    return EndRecord(
        end_row.status,
        end_row.reason,
        end_row.process_cpu_ns,
        unsent=end_row.unsent,
        outages=len(end_row.outages),
        failure_kind=end_row.failure_kind or "",
        paths_lost=tuple((outage.start_ns, outage.restored_ns) for outage in lost_paths),
        search=end_row.search,
        hosts=end_row.hosts,
        raw=row,
    )


def _probe_record(row: Mapping[str, Any]) -> ProbeRecord:
    return decode(ProbeRecord, {**row, "raw": row})


_READERS: Mapping[str, Callable[[Mapping[str, Any]], LoadRecord]] = {
    "start": _start_record,
    "interval": _interval_record,
    "message": _message_record,
    "counters": _counters_record,
    "probe": _probe_record,
    "end": _end_record,
}
