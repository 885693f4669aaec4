"""The three tables of a run, row by row, and their Parquet schemas.

A column's unit is the end of its name. ``None`` in a row means *not known*, never zero.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

IntervalKind = Literal["transaction", "statement"]


@dataclass(frozen=True, slots=True)
class SecondRow:
    """One second of a run.

    Parameters
    ----------
    second : from 0, the load's own count; a gap in it is a missing report
    phase : warm-up or window
    tps : completed transactions divided by `duration_ns`
    failed, retries : transactions given up; repeated after a transient error
    errors : server errors of all statements
    qps, reads, writes, others : statements per second; counts by sysbench's classes
    p50_ns to max_ns : of the second's transactions: response time in an open loop, else service time
    client_busy_share : of the busiest worker, 0 to 1
    client_use_share : of what the client can do here, 0 to 1; see docs/concepts/client.md
    client_cpu_wait_share : of the second in which the worst-off worker could have run and got no processor
    client_wake_batch : connections served per wake-up
    client_cpu_ns_per_statement : of the workers' threads
    lateness_ns_p99, lateness_ns_max : open loop: sent later than due although a connection was free
    """

    second: int
    phase: str
    monotonic_ns: int
    realtime_ns: int
    duration_ns: int
    tps: float
    failed: int
    retries: int
    errors: int
    qps: float
    reads: int
    writes: int
    others: int
    rows: int
    bytes_sent: int
    bytes_received: int
    p50_ns: int | None
    p95_ns: int | None
    p99_ns: int | None
    max_ns: int | None
    connections_live: int
    backlog: int
    client_busy_share: float | None
    client_cpu_ns: int | None
    client_use_share: float | None = None
    client_cpu_wait_share: float | None = None
    client_wake_batch: float | None = None
    client_cpu_ns_per_statement: float | None = None
    lateness_ns_p99: int | None = None
    lateness_ns_max: int | None = None


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """One second of one transaction type or statement type, with its histograms (HdrHistogram V2, base64)."""

    second: int
    phase: str
    kind: IntervalKind
    type: str
    completed: int
    failed: int
    retries_json: str
    errors_json: str
    response_histogram: str | None
    service_histogram: str | None
    first_attempt_histogram: str | None = None
    rolled_back: int = 0


@dataclass(frozen=True, slots=True)
class TelemetryRow:
    """One reading of one source at the end of a second of the load."""

    second: int
    metric: str
    value: float
    unit: str


_ARROW = MappingProxyType(
    {
        "int": pa.int64(),
        "int | None": pa.int64(),
        "float": pa.float64(),
        "float | None": pa.float64(),
    }
)


def schema_of(row: type) -> pa.Schema:
    """Arrow schema of a row class, opened by the run's id so that tables of many runs can be joined.

    >>> schema_of(TelemetryRow).names
    ['run_id', 'second', 'metric', 'value', 'unit']
    """
    columns = [(field.name, _ARROW.get(str(field.type), pa.string())) for field in dataclasses.fields(row)]
    return pa.schema([("run_id", pa.string()), *columns])


def table_of(row: type, run_id: str, rows: Sequence[Any]) -> pa.Table:
    """Arrow table of rows; with the full schema also when there are none."""
    columns: dict[str, list[Any]] = {"run_id": [run_id] * len(rows)}
    for field in dataclasses.fields(row):
        columns[field.name] = [getattr(item, field.name) for item in rows]
    return pa.table(columns, schema=schema_of(row))


def write_table(path: Path, table: pa.Table) -> None:
    """Write a Parquet file."""
    pq.write_table(table, path, compression="zstd")


def read_table(path: Path) -> pa.Table:
    """Read a Parquet file."""
    return pq.read_table(path)
