"""What the load generator reports, line by line: the typed side of ``contract/load-record.schema.json``.

Fields and kinds of record that this version does not know are ignored: records grow.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from dbdyno.core import MeasureError

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class TransactionCounts:
    """One transaction type in one second. Histograms are HdrHistogram V2, base64."""

    completed: int
    failed: int
    retries: Mapping[str, int]
    response: str | None
    service: str | None
    first_attempt: str | None = None
    rolled_back: int = 0


@dataclass(frozen=True, slots=True)
class StatementCounts:
    """One statement type in one second."""

    completed: int
    errors: Mapping[str, int]
    service: str | None


@dataclass(frozen=True, slots=True)
class WorkerUse:
    """What one worker thread did of one second; see the contract for each."""

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
    """One second of load."""

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
    """What the server had counted when `second` seconds of the load were over."""

    second: int
    monotonic_ns: int
    values: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ProbeRecord:
    """One rate that a search has tried. `raw` holds all that was said of it."""

    first_second: int
    seconds: int
    rate_per_s: float
    held: bool
    raw: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """What a search has found; None: no such rate.

    Attributes
    ----------
    reason : what broke at the lowest rate that did not hold
    client_bound : the limit that was met there may be the client's
    complete : the gap between both rates is as small as asked for, and the answer held twice
    """

    highest_held_per_s: float | None
    lowest_broken_per_s: float | None
    probes: int
    reason: str = ""
    client_bound: bool = False
    complete: bool = True


@dataclass(frozen=True, slots=True)
class EndRecord:
    """The load has ended. `status` is ``complete``, ``interrupted`` or ``failed``; `raw` holds the whole account."""

    status: str
    reason: str
    process_cpu_ns: int | None
    unsent: int = 0
    outages: int = 0
    search: SearchAnswer | None = None
    raw: Mapping[str, Any] = field(default_factory=dict)


LoadRecord: TypeAlias = StartRecord | IntervalRecord | MessageRecord | CountersRecord | ProbeRecord | EndRecord


def parse_record(line: str) -> LoadRecord | None:
    """The record in a line; None for a kind this version does not know.

    Raises
    ------
    MeasureError : not a record, or of a newer contract

    >>> parse_record('{"record": "message", "level": "warning", "text": "slow"}')
    MessageRecord(level='warning', text='slow')
    """
    try:
        row = json.loads(line)
        read = _READERS.get(row["record"])
        return None if read is None else read(row)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise MeasureError(
            "the load generator wrote a line that is not a record",
            f"{type(error).__name__}: {error} in: {line[:200]}",
            "check that dbdyno-load is of the same version as dbdyno",
        ) from error


def _start(row: Mapping[str, Any]) -> StartRecord:
    if row["schema_version"] > SCHEMA_VERSION:
        raise MeasureError(
            "the load generator is newer than dbdyno",
            f"{row['program']} writes schema {row['schema_version']}; this dbdyno reads up to {SCHEMA_VERSION}",
            "run make setup, so that both are of one version",
        )
    return StartRecord(row["monotonic_ns"], row["program"], row["pacing"]["kind"] != "closed", row)


def _interval(row: Mapping[str, Any]) -> IntervalRecord:
    plain = ("reads", "writes", "others", "rows", "bytes_sent", "bytes_received", "connections_live", "reconnects")
    return IntervalRecord(
        second=row["second"],
        phase=row["phase"],
        monotonic_ns=row["monotonic_ns"],
        realtime_ns=row["realtime_ns"],
        duration_ns=row["duration_ns"],
        transactions={name: _transaction(counts) for name, counts in row["transactions"].items()},
        statements={name: _statement(counts) for name, counts in row["statements"].items()},
        **{name: row[name] for name in plain},
        backlog=row["backlog"] or 0,
        workers=tuple(_worker(worker) for worker in row["workers"]),
        lateness=row.get("lateness"),
    )


def _worker(use: Mapping[str, Any]) -> WorkerUse:
    counts = (use.get(name, 0) for name in ("wake_ups", "served", "cpu_wait_ns"))
    return WorkerUse(use["busy_ns"], use["cpu_ns"], *counts)


def _transaction(counts: Mapping[str, Any]) -> TransactionCounts:
    response, service, first_attempt = (counts.get(name) for name in ("response", "service", "first_attempt"))
    plain = (counts["completed"], counts["failed"], counts["retries"])
    return TransactionCounts(*plain, response, service, first_attempt, counts.get("rolled_back", 0))


def _statement(counts: Mapping[str, Any]) -> StatementCounts:
    return StatementCounts(counts["completed"], counts["errors"], counts.get("service"))


def _message(row: Mapping[str, Any]) -> MessageRecord:
    return MessageRecord(row["level"], row["text"])


def _counters(row: Mapping[str, Any]) -> CountersRecord:
    return CountersRecord(row["second"], row["monotonic_ns"], row["values"])


def _end(row: Mapping[str, Any]) -> EndRecord:
    search = row.get("search")
    return EndRecord(
        row["status"],
        row["reason"],
        row.get("process_cpu_ns"),
        unsent=row.get("unsent", 0),
        outages=len(row.get("outages", ())),
        search=None if search is None else _search(search),
        raw=row,
    )


def _search(row: Mapping[str, Any]) -> SearchAnswer:
    return SearchAnswer(
        highest_held_per_s=row["highest_held_per_s"],
        lowest_broken_per_s=row["lowest_broken_per_s"],
        probes=row["probes"],
        reason=row.get("reason", ""),
        client_bound=row.get("client_bound", False),
        complete=row.get("complete", True),
    )


def _probe(row: Mapping[str, Any]) -> ProbeRecord:
    return ProbeRecord(row["first_second"], row["seconds"], row["rate_per_s"], row["held"], row)


_READERS: Mapping[str, Callable[[Mapping[str, Any]], LoadRecord]] = {
    "start": _start,
    "interval": _interval,
    "message": _message,
    "counters": _counters,
    "probe": _probe,
    "end": _end,
}
