"""A filling that the server has no space for: what is said of it, and that it goes on once there is space."""

from __future__ import annotations

import subprocess
import time
from typing import Any

import pytest

from dbdyno.configure import Server
from dbdyno.lab import find_generator
from error_codes import load_codes

pytestmark = pytest.mark.server
SCHEMA = "dbdyno_full_disk"
OPTIONS = ("--tables", "2", "--rows", "150000", "--rng", "dbdyno", "--connections", "2")
# One file for all tables, which must not grow further: it is full as a disk is, and needs nobody's special rights.
RAW = {"innodb_file_per_table": "OFF", "innodb_data_file_path": "ibdata1:12M:autoextend:max:110M"}
BALLAST_ROWS = 3000


def _put_ballast(server: Server) -> None:
    with server.connect(SCHEMA) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE ballast (id INT PRIMARY KEY, text LONGTEXT) ENGINE=InnoDB")
        for first in range(0, BALLAST_ROWS, 100):
            rows = ", ".join(f"({number}, REPEAT('x', 15000))" for number in range(first, first + 100))
            cursor.execute(f"INSERT INTO ballast VALUES {rows}")
        connection.commit()


def _populate(server: Server, *more: str) -> subprocess.CompletedProcess[str]:
    endpoint = server.endpoint
    target = ["--socket", str(endpoint.socket), "--user", endpoint.user, "--database", SCHEMA]
    target += ["--password-file", str(endpoint.password_file)]
    argv = [str(find_generator()), "populate", "sysbench/oltp_read_write", *OPTIONS, *target, *more]
    return subprocess.run(argv, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize("engine", ["mariadb:11.8", "mysql:9.7"])
def test_a_full_disk_is_named_and_the_filling_goes_on_once_there_is_space(laboratory: Any, engine: str) -> None:
    server: Server = laboratory.start(engine, raw=RAW)
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {SCHEMA}")
    _put_ballast(server)

    full = _populate(server)
    assert full.returncode == 3, full.stdout + full.stderr
    assert load_codes(full.stderr) == ["disk-full", "server-error"]
    assert "--resume" in full.stderr

    with server.connect(SCHEMA) as connection, connection.cursor() as cursor:
        cursor.execute("DROP TABLE ballast")
    # MariaDB gives the pages of a dropped table back when its purge comes to them.
    until = time.monotonic() + 60
    while (resumed := _populate(server, "--resume")).returncode == 3 and time.monotonic() < until:
        time.sleep(1)
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert "complete: 2 tables, 300,000 rows" in resumed.stdout
