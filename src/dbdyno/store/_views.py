"""DuckDB over a results folder: one view a table, over whole runs only."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from dbdyno.core import RunRecord
from dbdyno.store import _layout as layout
from dbdyno.store._documents import read_document
from dbdyno.store._runs import SettingRow
from dbdyno.store._series import IntervalRow, SecondRow, TelemetryRow, schema_of

if TYPE_CHECKING:
    import duckdb

_LATENCY = ("p50", "p95", "p99", "p999", "max")
_RUNS_SCHEMA = pa.schema(
    [
        ("run_id", pa.string()),
        ("cell_id", pa.string()),
        ("target", pa.string()),
        ("family", pa.string()),
        ("version", pa.string()),
        ("storage_engine", pa.string()),
        ("workload", pa.string()),
        ("tier_bytes", pa.int64()),
        ("concurrency", pa.int64()),
        ("route", pa.string()),
        ("repeat", pa.int64()),
        ("order_index", pa.int64()),
        ("seed", pa.int64()),
        ("is_sentinel", pa.bool_()),
        ("status", pa.string()),
        ("reason", pa.string()),
        ("window_s", pa.float64()),
        ("tps_mean", pa.float64()),
        ("tps_half_width", pa.float64()),
        ("level_tps", pa.float64()),
        ("level_half_width", pa.float64()),
        ("is_settled", pa.bool_()),
        ("steadiness", pa.string()),
        ("settled_from_s", pa.int64()),
        ("qps_mean", pa.float64()),
        *((f"latency_ns_{name}", pa.int64()) for name in _LATENCY),
        ("transactions", pa.int64()),
        ("statements", pa.int64()),
        ("errors", pa.int64()),
        ("retries", pa.int64()),
        ("client_cpu_ns_per_statement", pa.float64()),
        ("server_cpu_ns_per_transaction", pa.float64()),
        ("client_busy_share", pa.float64()),
        ("client_use_share", pa.float64()),
        ("client_use_basis", pa.string()),
        ("client_cpu_wait_share", pa.float64()),
        ("lateness_ns_p99", pa.int64()),
        ("unsent", pa.int64()),
        ("outages", pa.int64()),
        ("rate_held_per_s", pa.float64()),
        ("rate_broken_per_s", pa.float64()),
        ("started_ns", pa.int64()),
        ("ended_ns", pa.int64()),
    ]
)
_SETTINGS_SCHEMA = pa.schema(
    [("run_id", pa.string()), *((field.name, pa.string()) for field in dataclasses.fields(SettingRow))]
)


_COUNTERS_SCHEMA = pa.schema(
    [
        ("run_id", pa.string()),
        *((name, pa.string()) for name in ("name", "unit", "kind")),
        *((name, pa.float64()) for name in ("covered_s", "delta", "begin", "end", "highest")),
    ]
)


def connect(records: Sequence[RunRecord], folders: Sequence[Path]) -> duckdb.DuckDBPyConnection:
    """An in-memory DuckDB with the views runs, seconds, intervals, telemetry, settings and counters."""
    import duckdb  # late: only views need it, and it is the largest import of the store

    connection = duckdb.connect(":memory:")
    connection.register("runs", pa.Table.from_pylist([_run_row(record) for record in records], _RUNS_SCHEMA))
    rows = [row for folder in folders for row in _settings_rows(folder)]
    connection.register("settings", pa.Table.from_pylist(rows, _SETTINGS_SCHEMA))
    counted = [row for folder in folders for row in _counter_rows(folder)]
    connection.register("counters", pa.Table.from_pylist(counted, _COUNTERS_SCHEMA))
    for name, file, row in (
        ("seconds", layout.SECONDS, SecondRow),
        ("intervals", layout.INTERVALS, IntervalRow),
        ("telemetry", layout.TELEMETRY, TelemetryRow),
    ):
        _create_view(connection, name, [path for folder in folders if (path := folder / file).exists()], row)
    return connection


def _create_view(connection: duckdb.DuckDBPyConnection, name: str, files: Sequence[Path], row: type) -> None:
    if not files:
        connection.register(name, schema_of(row).empty_table())
        return
    listed = ", ".join("'" + str(file).replace("'", "''") + "'" for file in files)
    # Columns are only ever added: a folder may hold runs of an older version, whose files lack the newer ones.
    connection.register(f"no_{name}", schema_of(row).empty_table())
    files_rows = f"SELECT * FROM read_parquet([{listed}], union_by_name = true)"
    connection.execute(f"CREATE VIEW {name} AS SELECT * FROM no_{name} UNION ALL BY NAME {files_rows}")


def _counter_rows(folder: Path) -> list[dict[str, Any]]:
    """Growth and levels over the window; none of runs of older versions and of failed ones."""
    file = folder / layout.COUNTERS
    document = read_document(file, "counters") if file.is_file() else {}
    return [{"run_id": folder.name, **row} for row in document.get("counters", ())]


def _settings_rows(folder: Path) -> list[dict[str, str | None]]:
    rows = read_document(folder / layout.SETTINGS, "settings")
    return [{"run_id": folder.name, **row} for row in rows]


def _run_row(record: RunRecord) -> dict[str, object]:
    cell, run = record.run.cell, record.run
    latency = record.latency_ns
    quantiles = {f"latency_ns_{name}": None if latency is None else getattr(latency, name) for name in _LATENCY}
    identity = {"run_id": run.run_id, "cell_id": cell.cell_id, "target": cell.target, "workload": cell.workload}
    places = {"tier_bytes": cell.tier_bytes, "concurrency": cell.concurrency, "route": cell.route}
    order = {"repeat": run.repeat, "order_index": run.order_index, "seed": run.seed, "is_sentinel": run.is_sentinel}
    settled = record.settled
    steadiness = {"steadiness": settled and settled.status, "settled_from_s": settled and settled.start_s}
    own = {name: getattr(record, name) for name in _RUNS_SCHEMA.names if hasattr(record, name)}
    return {**own, **steadiness, **identity, **places, **order, **quantiles, "errors": sum(record.errors.values())}
