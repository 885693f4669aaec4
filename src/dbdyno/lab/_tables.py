"""What the test tables are, as the server defines them, and what their files take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbdyno.connections import rows_of
from dbdyno.engines import beside, storage_engines
from dbdyno.store import JsonValue

if TYPE_CHECKING:
    from pymysql.connections import Connection

_COLUMNS = (
    "SELECT TABLE_NAME, COLUMN_NAME, CHARACTER_SET_NAME, COLLATION_NAME FROM information_schema.COLUMNS "
    "WHERE TABLE_SCHEMA = %s AND COLLATION_NAME IS NOT NULL ORDER BY TABLE_NAME, ORDINAL_POSITION"
)


def table_facts(connection: Connection[Any], database: str) -> dict[str, JsonValue]:
    """Definition of each table, and the character set and collation of each string column."""
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


def table_bytes(data_directory: Path, database: str, storage_engine: str) -> int:
    """Bytes that the files of a database take of the disk, holes not counted.

    Some storage engines keep the rows of all databases together, but the benchmark's are the only ones there.
    """
    known = storage_engines().get(storage_engine)
    folders = [data_directory / database, *beside(data_directory, storage_engine)]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    files += [path for pattern in (known.shared if known is not None else ()) for path in data_directory.glob(pattern)]
    return sum(path.stat().st_blocks * 512 for path in files)
