"""Bytes of tables, read from files or estimated by the server, on real servers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dbdyno.configure import Server
from dbdyno.core import parse_engine_name
from dbdyno.hosts import LocalHost
from dbdyno.lab._server import LabServer
from laboratory import ENGINES

pytestmark = pytest.mark.server
ROWS = 20_000
ROW_BYTES = 200


def stored_bytes(server: Server, storage_engine: str) -> int:
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE d")
        connection.select_db("d")
        cursor.execute(
            f"CREATE TABLE t (id INT PRIMARY KEY, c CHAR({ROW_BYTES})) CHARSET latin1 ENGINE={storage_engine}"
        )
        cursor.executemany("INSERT INTO t VALUES (%s, %s)", [(row, f"{row:x<{ROW_BYTES}}") for row in range(ROWS)])
        connection.commit()
        cursor.execute("ANALYZE TABLE t")
    size = LabServer(server, storage_engine, LocalHost(), None).schema("d")["data_bytes"]
    assert isinstance(size, int)
    return size


@pytest.mark.parametrize("raw", [{}, {"innodb_file_per_table": "OFF"}], ids=["own files", "system tablespace"])
@pytest.mark.parametrize("engine", [name for name in ENGINES if parse_engine_name(name).storage_engine == "innodb"])
def test_rows_are_counted_wherever_innodb_keeps_them(
    engine: str, raw: dict[str, str], start: Callable[..., Server]
) -> None:
    size = stored_bytes(start(engine, raw=raw), "innodb")
    assert ROWS * ROW_BYTES < size < 3 * ROWS * ROW_BYTES + 8 * 1024**2
