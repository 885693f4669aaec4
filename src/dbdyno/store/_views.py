"""Opens DuckDB over a results folder: one view per table, over whole runs only."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from dbdyno.core import Cell, LatencyNs, Run, RunRecord, StoreError, stored_fields, stored_values
from dbdyno.store import _layout as layout
from dbdyno.store._documents import read_document
from dbdyno.store._runs import SettingRow
from dbdyno.store._series import ColumnKind, IntervalRow, SecondRow, TelemetryRow, kinds_of

if TYPE_CHECKING:
    import duckdb

_KINDS: Mapping[type, ColumnKind] = MappingProxyType({int: "int64", float: "double", str: "string", bool: "bool"})


def _plain_columns(kind: type) -> dict[str, ColumnKind]:
    """Return stored fields of a class that hold one number or text, each with its column's kind."""
    column_kinds: dict[str, ColumnKind] = {}
    for field, hint in stored_fields(kind):
        union_members = [member for member in typing.get_args(hint) if member is not types.NoneType]
        plain_kind = union_members[0] if isinstance(hint, types.UnionType) else hint
        if typing.get_origin(plain_kind) is Literal:
            column_kinds[field.name] = "string"
        elif plain_kind in _KINDS:
            column_kinds[field.name] = _KINDS[plain_kind]
    return column_kinds


_SQL: Mapping[ColumnKind, str] = MappingProxyType(
    {"int64": "BIGINT", "double": "DOUBLE", "string": "VARCHAR", "bool": "BOOLEAN"}
)
_CELL, _RUN, _RECORD = (_plain_columns(kind) for kind in (Cell, Run, RunRecord))
del _RUN["reason"]  # of its place in the plan; the record's own says how it ended
_LATENCY = MappingProxyType({f"latency_ns_{name}": name for name in _plain_columns(LatencyNs)})
_RUNS: Mapping[str, ColumnKind] = MappingProxyType(
    {
        **{"run_id": "string", "cell_id": "string"},
        **{**_CELL, **_RUN, **_RECORD},
        **{"level_tps": "double", "level_half_width": "double", "is_settled": "bool"},
        **{"steadiness": "string", "settled_from_s": "int64", "errors": "int64"},
        **dict.fromkeys(_LATENCY, "int64"),
    }
)
_SETTINGS: Mapping[str, ColumnKind] = MappingProxyType(
    dict.fromkeys(("run_id", *(field.name for field in dataclasses.fields(SettingRow))), "string")
)
_COUNTERS: Mapping[str, ColumnKind] = MappingProxyType(
    {
        **dict.fromkeys(("run_id", "name", "unit", "kind"), "string"),
        **dict.fromkeys(("covered_s", "delta", "begin", "end", "highest"), "double"),
    }
)


def open_views(records: Sequence[RunRecord], folders: Sequence[Path]) -> duckdb.DuckDBPyConnection:
    """Connect to an in-memory DuckDB with the views runs, seconds, intervals, telemetry, settings and counters.

    Raises
    ------
    StoreError : DuckDB is not installed
    """
    try:
        import duckdb  # late: only views need it, and it is no part of a plain installation
    except ImportError as error:
        remedy = "pip install 'dbdyno[sql]'; or read runs/*/*.parquet with another program"
        raise StoreError("results can't be queried by SQL", "DuckDB is not installed", remedy) from error

    connection = duckdb.connect(":memory:")
    _create_table(connection, "runs", _RUNS, [_run_row(record) for record in records])
    _create_table(connection, "settings", _SETTINGS, [row for folder in folders for row in _settings_rows(folder)])
    _create_table(connection, "counters", _COUNTERS, [row for folder in folders for row in _counter_rows(folder)])
    for name, file, row in (
        ("seconds", layout.SECONDS, SecondRow),
        ("intervals", layout.INTERVALS, IntervalRow),
        ("telemetry", layout.TELEMETRY, TelemetryRow),
    ):
        _create_view(connection, name, [path for folder in folders if (path := folder / file).exists()], row)
    return connection


def _create_table(
    connection: duckdb.DuckDBPyConnection, name: str, kinds: Mapping[str, ColumnKind], rows: Sequence[Mapping[str, Any]]
) -> None:
    columns = ", ".join(f'"{column}" {_SQL[kind]}' for column, kind in kinds.items())
    connection.execute(f"CREATE TABLE {name} ({columns})")
    if rows:
        types = json.dumps([{column: _SQL[kind] for column, kind in kinds.items()}])
        # All rows as one text: a statement for each takes minutes of a folder of thousands of runs.
        select_query = f"SELECT unnest(from_json(?::JSON, '{types}'), recursive := true)"
        connection.execute(f"INSERT INTO {name} BY NAME {select_query}", [json.dumps(rows)])


def _create_view(connection: duckdb.DuckDBPyConnection, name: str, files: Sequence[Path], row: type) -> None:
    _create_table(connection, f"no_{name}", kinds_of(row), ())
    file_list = ", ".join("'" + str(file).replace("'", "''") + "'" for file in files)
    # Columns are only ever added: a folder may hold runs of an older version, whose files lack the newer ones.
    union_clause = (
        f" UNION ALL BY NAME SELECT * FROM read_parquet([{file_list}], union_by_name = true)" if files else ""
    )
    connection.execute(f"CREATE VIEW {name} AS SELECT * FROM no_{name}{union_clause}")


def _counter_rows(folder: Path) -> list[dict[str, Any]]:
    """Return the growth and levels over the window; none of runs of older versions and of failed ones."""
    file = folder / layout.COUNTERS
    document = read_document(file, "counters") if file.is_file() else {}
    return [{"run_id": folder.name, **row} for row in document.get("counters", ())]


def _settings_rows(folder: Path) -> list[dict[str, str | None]]:
    rows = read_document(folder / layout.SETTINGS, "settings")
    return [{"run_id": folder.name, **row} for row in rows]


def _run_row(record: RunRecord) -> dict[str, object]:
    run, settled, latency = record.run, record.settled, record.figures.latency_ns
    column_sources = ((run.cell, _CELL), (run, _RUN), (record, _RECORD))
    return {
        "run_id": run.run_id,
        "cell_id": run.cell.cell_id,
        **{name: value for source, names in column_sources for name, value in stored_values(source) if name in names},
        **{column: latency and getattr(latency, name) for column, name in _LATENCY.items()},
        "level_tps": record.level_tps,
        "level_half_width": record.level_half_width,
        "is_settled": record.is_settled,
        "steadiness": settled and settled.status,
        "settled_from_s": settled and settled.start_s,
        "errors": sum(record.figures.errors.values()),
    }
