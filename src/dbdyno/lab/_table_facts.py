"""Reads what the test tables are and what they take of the disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbdyno.connections import rows_of
from dbdyno.engines import engine_folders, storage_engines
from dbdyno.hosts import Host
from dbdyno.store import JsonValue

if TYPE_CHECKING:
    from pymysql.connections import Connection

_COLUMNS = (
    "SELECT TABLE_NAME, COLUMN_NAME, CHARACTER_SET_NAME, COLLATION_NAME FROM information_schema.COLUMNS "
    "WHERE TABLE_SCHEMA = %s AND COLLATION_NAME IS NOT NULL ORDER BY TABLE_NAME, ORDINAL_POSITION"
)
_ESTIMATE = "SELECT SUM(DATA_LENGTH + INDEX_LENGTH) FROM information_schema.TABLES WHERE TABLE_SCHEMA = %s"


def table_facts(connection: Connection[Any], database: str) -> dict[str, JsonValue]:
    """Return the definition of each table, and the character set and collation of each string column."""
    with connection.cursor() as cursor:
        cursor.execute(f"SHOW TABLES FROM `{database}`")
        names = sorted(str(row[0]) for row in rows_of(cursor, 1))
        ddl: dict[str, JsonValue] = {}
        for name in names:
            cursor.execute(f"SHOW CREATE TABLE `{database}`.`{name}`")
            rows = rows_of(cursor, 2)
            ddl[name] = str(rows[0][1]) if rows else ""
        cursor.execute(_COLUMNS, (database,))
        columns: list[JsonValue] = [[str(value) for value in row] for row in rows_of(cursor, 4)]
    return {"ddl": ddl, "columns": columns}


def table_bytes(
    connection: Connection[Any], database: str, storage_engine: str, host: Host, data_directory: Path
) -> int:
    """Return bytes that the tables of a database take of the disk, holes not counted.

    Some storage engines keep the rows of all databases together, but the benchmark's are the only ones there. InnoDB
    keeps them in its system tablespace, beside much else, if `innodb_file_per_table` is OFF: then the server estimates.
    """
    engine = storage_engines().get(storage_engine)
    shared_paths = [str(data_directory / pattern) for pattern in (engine.shared if engine is not None else ())]
    folder = data_directory / database
    files = [
        entry
        for entry in host.files.entries(data_directory, recursive=True)
        if entry.path.is_relative_to(folder) or any(entry.path.match(pattern) for pattern in shared_paths)
    ]
    for place in engine_folders(data_directory, storage_engine):
        files += host.files.entries(place, recursive=True) if host.files.stat(place) else []
    file_bytes = sum(entry.disk_bytes for entry in files if entry.kind == "file")
    has_own_files = storage_engine != "innodb" or any(entry.path.suffix == ".ibd" for entry in files)
    return file_bytes if has_own_files else file_bytes + _estimated_bytes(connection, database)


def _estimated_bytes(connection: Connection[Any], database: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_ESTIMATE, (database,))
        return int(rows_of(cursor, 1)[0][0] or 0)
