"""DuckDB over a results folder: one view a table, over whole runs only."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from dbdyno.core import Cell, LatencyNs, Run, RunRecord
from dbdyno.store import _layout as layout
from dbdyno.store._documents import read_document
from dbdyno.store._runs import SettingRow
from dbdyno.store._series import IntervalRow, SecondRow, TelemetryRow, schema_of

if TYPE_CHECKING:
    import duckdb

_ARROW = MappingProxyType({int: pa.int64(), float: pa.float64(), str: pa.string(), bool: pa.bool_()})


def _plain_columns(kind: type) -> dict[str, pa.DataType]:
    """Fields of a class that hold one number or text, each with its column's type."""
    found = {}
    for name, hint in typing.get_type_hints(kind).items():
        of_union = [part for part in typing.get_args(hint) if part is not types.NoneType]
        own = of_union[0] if isinstance(hint, types.UnionType) else hint
        arrow = pa.string() if typing.get_origin(own) is Literal else _ARROW.get(own)
        if arrow is not None:
            found[name] = arrow
    return found


_CELL, _RUN, _RECORD = (_plain_columns(kind) for kind in (Cell, Run, RunRecord))
del _RUN["reason"]  # of its place in the plan; a record's own says what became of it
_LATENCY = MappingProxyType({f"latency_ns_{name}": name for name in _plain_columns(LatencyNs)})
_JUDGED = MappingProxyType(
    {
        **{"level_tps": pa.float64(), "level_half_width": pa.float64(), "is_settled": pa.bool_()},
        **{"steadiness": pa.string(), "settled_from_s": pa.int64(), "errors": pa.int64()},
    }
)
_RUNS_SCHEMA = pa.schema(
    {
        **{"run_id": pa.string(), "cell_id": pa.string()},
        **{**_CELL, **_RUN, **_RECORD, **_JUDGED, **dict.fromkeys(_LATENCY, pa.int64())},
    }
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
    run, settled, latency = record.run, record.settled, record.latency_ns
    parts = ((run.cell, _CELL), (run, _RUN), (record, _RECORD))
    return {
        "run_id": run.run_id,
        "cell_id": run.cell.cell_id,
        **{name: getattr(part, name) for part, names in parts for name in names},
        **{column: latency and getattr(latency, name) for column, name in _LATENCY.items()},
        "level_tps": record.level_tps,
        "level_half_width": record.level_half_width,
        "is_settled": record.is_settled,
        "steadiness": settled and settled.status,
        "settled_from_s": settled and settled.start_s,
        "errors": sum(record.errors.values()),
    }
