"""Defines the three tables of a run, row by row, and their Parquet schemas.

A column's unit is the end of its name. ``None`` in a row means *not known*, never zero. Imported runs come as whole
tables: their logs know rates where dbdyno counts, and nothing of the client.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from dbdyno.core import LARGEST, read_input
from dbdyno.store._damage import MOST_BYTES, reading
from dbdyno.tables import Column, Table, Texts, holds_nan, read_parquet

IntervalKind = Literal["transaction", "statement"]
ColumnKind = Literal["int64", "double", "string", "bool"]
_MOST_ROWS = 50_000_000


@dataclass(frozen=True, slots=True)
class SecondRow:
    """Describes one second of a run.

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
    """Describes one second of one transaction type or statement type, with its histograms (HdrHistogram V2, base64).

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
    """Describes one reading of one source at the end of a second of the load.

    Parameters
    ----------
    second : as in `SecondRow`
    metric : source and name, such as ``disk.read_bytes`` or ``engine.innodb_rows_read``; ``sessions.STATE`` of the
        server's session threads: ``on_cpu`` and ``run_queue`` (exact), ``running`` and ``wait.CLASS`` (sampled)
    value : the level of a gauge; the growth per second of a counter; how many threads were in a state, on average
    unit : unit of the value
    """

    second: int
    metric: str
    value: float
    unit: str


@functools.cache
def kinds_of(row: type) -> Mapping[str, ColumnKind]:
    """Return what each column of a row class holds, opened by the run's id so that tables of many runs can be joined.

    >>> dict(kinds_of(TelemetryRow))
    {'run_id': 'string', 'second': 'int64', 'metric': 'string', 'value': 'double', 'unit': 'string'}
    """
    kinds = {field.name: str(field.type).removesuffix(" | None") for field in dataclasses.fields(row)}
    number: dict[str, ColumnKind] = {"int": "int64", "float": "double"}
    return MappingProxyType({"run_id": "string", **{name: number.get(kind, "string") for name, kind in kinds.items()}})


def table_of(row: type, run_id: str, rows: Sequence[Any] | Table) -> Table:
    """Return table of rows, with all columns also when there are none; of a table the columns that it has.

    >>> table_of(TelemetryRow, "r", Table({"metric": Texts.of(["x"]), "second": np.array([3])})).rows()
    [{'run_id': 'r', 'second': 3, 'metric': 'x'}]
    """
    kinds = kinds_of(row)
    id_column = {"run_id": Texts.repeated(run_id, len(rows))}
    if isinstance(rows, Table):
        return Table(id_column | {name: rows.columns[name] for name in kinds if name in rows.columns})
    values_by_name = {name: [getattr(item, name) for item in rows] for name in kinds if name != "run_id"}
    return Table(id_column | {name: _column_of(kinds[name], values) for name, values in values_by_name.items()})


def _column_of(kind: ColumnKind, values: list[Any]) -> Column:
    """Return a column of a kind, of values or None."""
    if kind == "string":
        return Texts.of(values)
    is_whole = kind == "int64" and None not in values
    return np.array(values, dtype=np.int64 if is_whole else np.float64)  # None becomes NaN


def completed(row: type, table: Table, columns: Sequence[str] | None = None) -> Table:
    """Return a stored table with all columns of its kind, or the named ones; null where its run does not have them.

    >>> table = Table({"run_id": Texts.of(["r"]), "second": np.array([3]), "metric": Texts.of(["x"])})
    >>> completed(TelemetryRow, table).rows()
    [{'run_id': 'r', 'second': 3, 'metric': 'x', 'value': None, 'unit': None}]
    """
    kinds, stored_columns = kinds_of(row), table.columns
    names = [*kinds, *(name for name in stored_columns if name not in kinds)] if columns is None else columns
    return Table(
        {
            name: stored_columns[name] if name in stored_columns else _unknown_column(kinds[name], len(table))
            for name in names
        }
    )


def _unknown_column(kind: ColumnKind, count: int) -> Column:
    if kind == "string":
        return Texts.repeated(None, count)
    return np.full(count, np.nan) if count else _column_of(kind, [])


def table_bytes(row: type, table: Table) -> bytes:
    """Return the Parquet file of a table of a row class: whole numbers as such, also where some are not known."""
    from dbdyno.tables import parquet_bytes  # late: only what stores runs writes tables

    return parquet_bytes(table, {name for name, kind in kinds_of(row).items() if kind == "int64"})


@functools.cache
def empty_table_bytes(row: type) -> bytes:
    """Return the Parquet file of a table without rows."""
    return table_bytes(row, table_of(row, "", ()))


def read_table(path: Path, row: type, columns: Sequence[str] | None = None) -> Table:
    """Read the Parquet file of a row class; columns that it lacks are not added.

    Parameters
    ----------
    columns : those that are read and checked, as far as the file has them; None for all

    Raises
    ------
    DamageError : it is missing, damaged, or a column holds something else than the class says
    """
    with reading(path):
        wanted_names = None if columns is None else frozenset(columns)
        table = read_parquet(
            read_input(path, MOST_BYTES, is_fixed=True),
            most_rows=_MOST_ROWS,
            choose=lambda names: [name for name in names if wanted_names is None or name in wanted_names],
        )
        kinds = kinds_of(row)
        return Table({n: _checked_column(n, c, kinds[n]) if n in kinds else c for n, c in table.columns.items()})


def _checked_column(name: str, column: Column, kind: ColumnKind) -> Column:
    """Return a column as the kind that belongs there, its numbers finite."""
    if isinstance(column, Texts):
        if kind != "string":
            raise ValueError(f"column {name} holds texts instead of numbers")
        return column
    if kind == "string":
        if not np.isnan(column).all():
            raise ValueError(f"column {name} holds numbers instead of texts")
        return Texts.repeated(None, len(column))
    known_values = column[~np.isnan(column)] if holds_nan(column) else column
    if len(known_values) == 0:
        return column
    if kind == "double" or name == "second":
        lowest, highest = known_values.min().item(), known_values.max().item()
        if kind == "double" and not -LARGEST <= lowest <= highest <= LARGEST:
            raise ValueError(f"column {name} holds numbers beyond {LARGEST:g}")
        if name == "second" and not 0 <= lowest <= highest < _MOST_ROWS:
            raise ValueError(f"column {name} holds numbers from {lowest} to {highest}")
    if kind == "double":
        return column.astype(np.float64, copy=False)
    if column.dtype.kind == "f" and not (known_values == np.rint(known_values)).all():
        raise ValueError(f"column {name} holds fractions instead of whole numbers")
    return column.astype(np.int64, copy=False) if len(known_values) == len(column) else column
