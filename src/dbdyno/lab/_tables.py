"""What the test tables are, as the server defines them, and what their files take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbdyno.store import JsonValue

if TYPE_CHECKING:
    from pymysql.connections import Connection

_COLUMNS = (
    "SELECT TABLE_NAME, COLUMN_NAME, CHARACTER_SET_NAME, COLLATION_NAME FROM information_schema.COLUMNS "
    "WHERE TABLE_SCHEMA = %s AND COLLATION_NAME IS NOT NULL ORDER BY TABLE_NAME, ORDINAL_POSITION"
)
# Where RocksDB keeps the tables of all databases: MariaDB, Percona Server.
_ROCKSDB_FOLDERS = ("#rocksdb", ".rocksdb")


def table_facts(connection: Connection[Any], database: str) -> dict[str, JsonValue]:
    """Definition of each table, and the character set and collation of each string column."""
    with connection.cursor() as cursor:
        cursor.execute(f"SHOW TABLES FROM `{database}`")
        names = sorted(str(row[0]) for row in cursor.fetchall())
        ddl: dict[str, JsonValue] = {}
        for name in names:
            cursor.execute(f"SHOW CREATE TABLE `{database}`.`{name}`")
            row = cursor.fetchone()
            ddl[name] = str(row[1]) if row else ""
        cursor.execute(_COLUMNS, (database,))
        columns: list[JsonValue] = [[str(value) for value in row] for row in cursor.fetchall()]
    return {"ddl": ddl, "columns": columns}


def table_bytes(data_directory: Path, database: str) -> int:
    """Bytes that the files of a database take of the disk, holes not counted.

    MyRocks keeps the rows of all databases together, but the benchmark's are the only ones there.
    """
    own = [path for path in (data_directory / database).rglob("*") if path.is_file()]
    shared = [path for folder in _ROCKSDB_FOLDERS for path in (data_directory / folder).glob("*.sst")]
    return sum(path.stat().st_blocks * 512 for path in own + shared)
