"""No load runs on tables whose filling was cut off: with fewer rows it would do less work."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pymysql
import pytest
from pymysql.cursors import Cursor

from dbdyno.configure import Server
from error_codes import load_codes

LOAD = Path(__file__).parents[2] / ".venv" / "bin" / "dbdyno-load"
TABLES = ("sysbench/oltp_read_only", "--tables=2", "--rows=300000")
RUN = ("--time=1s", "--warm-up=0s")

pytestmark = pytest.mark.server


def argv(server: Server, command: str, *options: str) -> list[str]:
    endpoint = server.endpoint
    address = (f"--socket={endpoint.socket}", f"--user={endpoint.user}", f"--password-file={endpoint.password_file}")
    return [str(LOAD), command, *TABLES, *options, *address, "--database=dbdyno_cut"]


def answer(server: Server, command: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(argv(server, command, *options), capture_output=True, text=True, timeout=300, check=False)


def wait_for_rows(cursor: Cursor) -> None:
    """Return once rows of the first table are committed."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with suppress(pymysql.MySQLError):  # no such schema or table yet
            cursor.execute("SELECT 1 FROM dbdyno_cut.sbtest1 LIMIT 1")
            if cursor.fetchone():
                return
        time.sleep(0.01)
    raise TimeoutError


@pytest.mark.parametrize("engine", ["mariadb:11.8", "mysql:9.7"])
def test_a_load_waits_for_the_rest_of_the_rows(engine: str, start: Callable[..., Server]) -> None:
    server = start(engine)
    filling = subprocess.Popen(argv(server, "populate", "--connections=1"), stderr=subprocess.DEVNULL)
    try:
        with server.connect() as connection, connection.cursor() as cursor:
            wait_for_rows(cursor)
    finally:
        filling.kill()
        filling.wait()
    for command, options in (("run", RUN), ("search", ("--slo=p99<1s",))):
        refused = answer(server, command, *options)
        assert (refused.returncode, load_codes(refused.stderr)) == (2, ["filling-unfinished"]), refused.stderr
    resumed = answer(server, "populate", "--resume")
    assert resumed.returncode == 0, resumed.stderr
    run = answer(server, "run", *RUN)
    assert run.returncode == 0, run.stderr
