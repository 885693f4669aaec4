"""The three tables of a run, row by row, and their Parquet schemas.

A column's unit is the end of its name. ``None`` in a row means *not known*, never zero. Imported runs come as whole
tables: their logs know rates where dbdyno counts, and nothing of the client.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from dbdyno.store._damage import reading

IntervalKind = Literal["transaction", "statement"]


@dataclass(frozen=True, slots=True)
class SecondRow:
    """One second of a run.

    Parameters
    ----------
    second : from 0, the load's own count; a gap in it is a missing report
    phase : warm-up or window; after: driven while a load whose length was left open was being ended
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
    reads_per_s to reconnects_per_s : imported runs: rates as their tool printed them, in place of the counts
    tool_percentile, tool_percentile_ns : imported runs: the one percentile that the tool printed, and which it is
    """

    second: int
    phase: str
    monotonic_ns: int | None
    realtime_ns: int | None
    duration_ns: int
    tps: float
    failed: int | None
    retries: int | None
    errors: int | None
    qps: float
    reads: int | None
    writes: int | None
    others: int | None
    rows: int | None
    bytes_sent: int | None
    bytes_received: int | None
    p50_ns: int | None
    p95_ns: int | None
    p99_ns: int | None
    max_ns: int | None
    connections_live: int | None
    backlog: int | None
    client_busy_share: float | None
    client_cpu_ns: int | None
    client_use_share: float | None = None
    client_cpu_wait_share: float | None = None
    client_wake_batch: float | None = None
    client_cpu_ns_per_statement: float | None = None
    lateness_ns_p99: int | None = None
    lateness_ns_max: int | None = None
    reads_per_s: float | None = None
    writes_per_s: float | None = None
    others_per_s: float | None = None
    errors_per_s: float | None = None
    reconnects_per_s: float | None = None
    tool_percentile: float | None = None
    tool_percentile_ns: int | None = None


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


@functools.cache
def schema_of(row: type) -> pa.Schema:
    """Arrow schema of a row class, opened by the run's id so that tables of many runs can be joined.

    >>> schema_of(TelemetryRow).names
    ['run_id', 'second', 'metric', 'value', 'unit']
    """
    columns = [(field.name, _ARROW.get(str(field.type), pa.string())) for field in dataclasses.fields(row)]
    return pa.schema([("run_id", pa.string()), *columns])


def table_of(row: type, run_id: str, rows: Sequence[Any] | pa.Table) -> pa.Table:
    """Arrow table of rows, with the full schema also when there are none; of a table the columns that it has.

    >>> table_of(TelemetryRow, "r", pa.table({"metric": ["x"], "second": [3]})).to_pylist()
    [{'run_id': 'r', 'second': 3, 'metric': 'x'}]
    """
    if isinstance(rows, pa.Table):
        return _typed(schema_of(row), run_id, rows)
    columns: dict[str, list[Any]] = {"run_id": [run_id] * len(rows)}
    for field in dataclasses.fields(row):
        columns[field.name] = [getattr(item, field.name) for item in rows]
    return pa.table(columns, schema=schema_of(row))


def _typed(schema: pa.Schema, run_id: str, table: pa.Table) -> pa.Table:
    given = dict(zip(table.column_names, table.columns, strict=True))
    fields = [field for field in schema if field.name in given]
    columns = [given[f.name] if given[f.name].type == f.type else given[f.name].cast(f.type) for f in fields]
    whose = pa.repeat(run_id, table.num_rows)
    return pa.Table.from_arrays([whose, *columns], schema=pa.schema([schema.field("run_id"), *fields]))


def completed(row: type, table: pa.Table) -> pa.Table:
    """A stored table with all columns of its kind, null where its run does not tell them.

    >>> completed(TelemetryRow, pa.table({"run_id": ["r"], "second": [3], "metric": ["x"]})).to_pylist()
    [{'run_id': 'r', 'second': 3, 'metric': 'x', 'value': None, 'unit': None}]
    """
    lacking = [field for field in schema_of(row) if field.name not in table.column_names]
    for field in lacking:
        table = table.append_column(field, pa.nulls(table.num_rows, field.type))
    return table.select([*schema_of(row).names, *(n for n in table.column_names if n not in schema_of(row).names)])


def table_bytes(table: pa.Table) -> bytes:
    """A Parquet file. Texts repeat, numbers seldom do: only texts get a dictionary."""
    sink = pa.BufferOutputStream()
    texts = [field.name for field in table.schema if pa.types.is_string(field.type)]
    pq.write_table(table, sink, compression="zstd", use_dictionary=texts)
    content: bytes = sink.getvalue().to_pybytes()
    return content


@functools.cache
def empty_table_bytes(row: type) -> bytes:
    """The Parquet file of a table without rows."""
    return table_bytes(schema_of(row).empty_table())


def read_table(path: Path) -> pa.Table:
    """Read a Parquet file.

    Raises
    ------
    StoreError : it is missing or damaged
    """
    with reading(path):
        return pq.read_table(path)
