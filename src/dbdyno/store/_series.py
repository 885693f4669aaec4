"""The three tables of a run, row by row, and their Parquet schemas.

A column's unit is the end of its name. ``None`` in a row means *not known*, never zero. Imported runs come as whole
tables: their logs know rates where dbdyno counts, and nothing of the client.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from dbdyno.core import LARGEST, read_input
from dbdyno.store._damage import MOST_BYTES, reading

IntervalKind = Literal["transaction", "statement"]
_MOST_ROWS = 50_000_000


@dataclass(frozen=True, slots=True)
class SecondRow:
    """One second of a run.

    Parameters
    ----------
    second : number of the second, from 0, as the load counts them; a gap is a missing report
    phase : ``warm-up`` or ``window``; ``after`` while a load with adaptive length is being ended
    monotonic_ns, realtime_ns : beginning of the second by the machine's monotonic clock and as Unix time
    duration_ns : one second, less for the last interval of a run that ended early
    tps : committed transactions divided by `duration_ns`
    failed : transactions given up
    retries : transactions repeated after a transient error
    errors : server errors of all statements
    qps : statements per second
    reads, writes, others : statements by sysbench's classes (quirk Q-SB-6)
    rows : rows received
    bytes_sent, bytes_received : bytes of the client's connections
    p50_ns, p95_ns, p99_ns, max_ns : of the second's transactions: response time in an open loop, else service time
    connections_live : connections that were open at the end of the second
    backlog : open loop: transactions due that waited for a free connection
    client_busy_share : busy share of the busiest worker, 0 to 1
    client_cpu_ns : CPU time of the workers' threads
    client_use_share : share used of what the client can do here, 0 to 1; see docs/concepts/client.md
    client_cpu_wait_share : share of the second in which the worst-off worker could have run and got no processor
    client_wake_batch : connections served per wake-up
    client_cpu_ns_per_statement : CPU time of the workers' threads per statement
    lateness_ns_p99, lateness_ns_max : open loop: how much later than due transactions were sent although a connection
        was free
    reads_per_s, writes_per_s, others_per_s, errors_per_s, reconnects_per_s : imported runs: rates as their tool printed
        them, in place of the counts
    tool_percentile, tool_percentile_ns : imported runs: which percentile the tool printed, and its value
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
    """One second of one transaction type or statement type, with its histograms (HdrHistogram V2, base64).

    Parameters
    ----------
    second, phase : as in `SecondRow`
    kind : ``transaction`` or ``statement``
    type : name of the transaction type or statement type
    completed, failed : how many ended well; how many were given up
    retries_json, errors_json : JSON objects: error code to count
    response_histogram, service_histogram : response times and service times in nanoseconds
    first_attempt_histogram : times of first attempts, whether they succeeded or not
    rolled_back : intended rollbacks, such as TPC-C's 1 % of the new orders
    """

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
    """One reading of one source at the end of a second of the load.

    Parameters
    ----------
    second : as in `SecondRow`
    metric : source and name, such as ``disk.read_bytes`` or ``engine.innodb_rows_read``
    value : the level of a gauge; the growth per second of a counter
    unit : unit of the value
    """

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


_REPEATED: Mapping[type, list[str]] = MappingProxyType({TelemetryRow: ["run_id", "metric", "unit"]})
"""Texts that are read as codes: a few hundred names over some 100,000 rows take a quarter of the memory so."""


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


def completed(row: type, table: pa.Table, columns: Sequence[str] | None = None) -> pa.Table:
    """A stored table with all columns of its kind, or the named ones; null where its run does not tell them.

    >>> completed(TelemetryRow, pa.table({"run_id": ["r"], "second": [3], "metric": ["x"]})).to_pylist()
    [{'run_id': 'r', 'second': 3, 'metric': 'x', 'value': None, 'unit': None}]
    """
    kinds, given = _kinds(row), dict(zip(table.column_names, table.columns, strict=True))
    names = [*kinds, *(name for name in given if name not in kinds)] if columns is None else columns
    return pa.table({n: given[n] if n in given else pa.nulls(table.num_rows, kinds[n]) for n in names})


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


def read_table(path: Path, row: type, columns: Sequence[str] | None = None) -> pa.Table:
    """Read the Parquet file of a row class; columns that it lacks are not added.

    Parameters
    ----------
    columns : those that are read and checked, as far as the file has them; None for all

    Raises
    ------
    DamageError : it is missing, damaged, or a column holds something else than the class says
    """
    with reading(path):
        file = pq.ParquetFile(pa.BufferReader(read_input(path, MOST_BYTES)), read_dictionary=_REPEATED.get(row))
        rows_count = file.metadata.num_rows
        if rows_count > _MOST_ROWS:  # packed in a few bytes, they could take all memory
            raise ValueError(f"it holds {rows_count:,} rows, and no run has more than {_MOST_ROWS:,}")
        table = file.read(columns, use_threads=False)  # half the time of read_table, which looks for partitions
        kinds = _kinds(row)
        for name in table.column_names:
            if name in kinds:
                table = _checked(table, name, kinds[name])
    return table


@functools.cache
def _kinds(row: type) -> Mapping[str, pa.DataType]:
    """Type of each column of a row class."""
    return {field.name: field.type for field in schema_of(row)}


def _extremes(column: pa.ChunkedArray) -> tuple[float, float] | None:
    """The least and the greatest value, both NaN where one value is; None where nothing is known."""
    parts = [chunk if chunk.null_count == 0 else chunk.drop_null() for chunk in column.chunks if len(chunk)]
    arrays = [part.to_numpy() for part in parts if len(part)]  # a view: numpy is done before Arrow has called a kernel
    if not arrays:
        return None
    least, most = (np.array([edge(array) for array in arrays]) for edge in (np.min, np.max))
    return least.min().item(), most.max().item()


def _is_alike(given: pa.DataType, kind: pa.DataType) -> bool:
    """Whether values of a type can be those of another: numbers of any width, texts of any; null can be all."""
    if pa.types.is_null(given):
        return True
    if pa.types.is_string(kind):
        given = given.value_type if pa.types.is_dictionary(given) else given
        return bool(pa.types.is_string(given) or pa.types.is_large_string(given))
    return bool(pa.types.is_integer(given) or pa.types.is_floating(given))


def _checked(table: pa.Table, name: str, kind: pa.DataType) -> pa.Table:
    """The table with a column as the type that belongs there, its numbers finite."""
    column = table.column(name)
    if column.type != kind:
        if not _is_alike(column.type, kind):
            raise ValueError(f"column {name} holds {column.type} where {kind} belongs")
        if pa.types.is_dictionary(column.type):
            return table
        column = column.cast(kind)
        table = table.set_column(table.column_names.index(name), pa.field(name, kind), column)
    if pa.types.is_floating(kind) or pa.types.is_integer(kind):
        extremes = _extremes(column)
        if extremes is None:
            return table
        least, most = extremes
        if math.isnan(least):
            raise ValueError(f"column {name} holds NaN")
        if not -LARGEST <= least <= most <= LARGEST and kind != pa.int64():
            raise ValueError(f"column {name} holds numbers beyond {LARGEST:g}")
        if name == "second" and not 0 <= least <= most < _MOST_ROWS:
            raise ValueError(f"column {name} holds numbers from {least} to {most}")
    return table
