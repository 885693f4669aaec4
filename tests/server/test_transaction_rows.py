"""Tables filled in transactions of few rows: the same rows, whatever becomes of connections and fillings."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pymysql
import pytest

from dbdyno.configure import Server
from dbdyno.lab import find_generator

pytestmark = pytest.mark.server
MOST = 5_000
STATEMENT_ROWS = 15_000
"""At most, of an INSERT or a piece of a file: a portion ends between two."""
SYSBENCH = ("sysbench/oltp_read_write", "--tables", "2", "--rows", "60000", "--connections", "2")
TPCC = ("tpcc/standard", "--warehouses", "1", "--connections", "2")


class Filling:
    """``dbdyno-load populate`` at work on a schema of its own."""

    def __init__(self, server: Server, engine: str, *words: str) -> None:
        endpoint = server.endpoint
        target = ["--socket", str(endpoint.socket), "--user", endpoint.user, "--database", "dbdyno_portions"]
        target += ["--password-file", str(endpoint.password_file), "--json", "--storage-engine", engine]
        argv = [str(find_generator()), "populate", *words, *target]
        self.process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self) -> tuple[int, dict[str, Any], str]:
        out, err = self.process.communicate(timeout=240)
        records = [json.loads(line) for line in out.splitlines()]
        last = next((record for record in reversed(records) if record["record"] == "populate-end"), {})
        return self.process.returncode, last, err


@pytest.fixture
def server(start: Callable[..., Server]) -> Iterator[Server]:
    server = start("mariadb:11.8+rocksdb")
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE dbdyno_portions")
    yield server


def asked(server: Server, question: str) -> list[tuple[Any, ...]]:
    with server.connect("dbdyno_portions") as connection, connection.cursor() as cursor:
        cursor.execute(question)
        return list(cursor.fetchall())


def emptied(server: Server) -> None:
    asked(server, "DROP DATABASE dbdyno_portions")
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE dbdyno_portions")


def whole(server: Server, engine: str, workload: tuple[str, ...]) -> str:
    code, end, told = Filling(server, engine, *workload).end()
    assert code == 0, told
    emptied(server)
    return str(end["content_sha256"])


@pytest.mark.parametrize("workload", [(*SYSBENCH, "--rng", "sysbench"), (*SYSBENCH, "--rng", "dbdyno"), TPCC])
def test_no_transaction_holds_more_rows_and_the_rows_are_the_same(server: Server, workload: tuple[str, ...]) -> None:
    expected = whole(server, "innodb", workload)
    filling = Filling(server, "innodb", *workload, "--transaction-rows", str(MOST))
    seen: dict[str, int] = {}
    while filling.process.poll() is None:
        with suppress(pymysql.MySQLError):  # the ledger is not there yet, or no more
            noted = asked(server, "SELECT step, sums FROM dbdyno_filling WHERE step LIKE 'rows %' AND sums <> ''")
            seen |= {step: int(sums.split()[0]) for step, sums in noted}
    code, end, told = filling.end()
    assert code == 0, told
    assert end["content_sha256"] == expected
    assert len(seen) > 8
    for step, rows in seen.items():
        of_part, _, number = step.rpartition(" ")
        before = seen.get(f"{of_part} {int(number) - 1}", 0) if int(number) else 0
        assert rows - before <= MOST + STATEMENT_ROWS, step


@pytest.mark.parametrize("engine", ["innodb", "rocksdb"])
@pytest.mark.parametrize("rng", ["sysbench", "dbdyno"])
def test_lost_connections_and_broken_off_fillings_leave_no_row_twice_and_none_out(
    server: Server, engine: str, rng: str
) -> None:
    workload = (*SYSBENCH, "--rng", rng)
    expected = whole(server, engine, workload)
    portions = (*workload, "--transaction-rows", str(MOST))
    filling = Filling(server, engine, *portions)
    killed = 0
    busy = "SELECT id FROM information_schema.processlist WHERE db = 'dbdyno_portions' AND id <> CONNECTION_ID()"
    until = time.monotonic() + 60
    while killed < 3 and filling.process.poll() is None and time.monotonic() < until:
        for (number,) in asked(
            server, f"{busy} AND (info LIKE 'INSERT INTO sbtest%' OR info LIKE 'LOAD DATA%') LIMIT 1"
        ):
            with suppress(pymysql.MySQLError):
                asked(server, f"KILL {number}")
                killed += 1
    filling.process.send_signal(signal.SIGINT)
    code, _, told = filling.end()
    assert killed == 3 and code == 1 and "--resume" in told, told

    code, _, told = Filling(server, engine, *workload, "--resume", "--transaction-rows", "999").end()
    assert code == 2 and "transaction_rows=999" in told, "portions of another size end elsewhere"
    assert asked(server, "SELECT LOWER(engine) FROM information_schema.tables WHERE table_name = 'dbdyno_filling'") == [
        (engine,)
    ], "entries and rows stand and fall together"

    code, end, told = Filling(server, engine, *portions, "--resume").end()
    assert code == 0, told
    assert end["content_sha256"] == expected
    counted = asked(server, "SELECT (SELECT COUNT(*) FROM sbtest1), (SELECT COUNT(*) FROM sbtest2)")
    assert counted == [(60_000, 60_000)]
