"""What sessions wait for, asked of real servers while a row is locked."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress

import pymysql
import pytest

from dbdyno.configure import Server
from dbdyno.lab._session_waits import read_session_waits, waits_words
from laboratory import ENGINES

pytestmark = pytest.mark.server


@pytest.mark.parametrize("engine", ENGINES)
def test_sessions_that_wait_for_a_row_are_seen_with_their_statement(engine: str, start: Callable[..., Server]) -> None:
    server = start(engine)
    table = "ENGINE=" + ("rocksdb" if "rocksdb" in engine else "innodb")
    with server.connect() as holder, server.connect() as waiter, server.connect() as looker:
        with holder.cursor() as cursor:
            cursor.execute("CREATE DATABASE dbdyno_t")
            cursor.execute(f"CREATE TABLE dbdyno_t.t (id INT PRIMARY KEY, v INT) {table}")
            cursor.execute("INSERT INTO dbdyno_t.t VALUES (7, 0)")
            cursor.execute("BEGIN")
            cursor.execute("UPDATE dbdyno_t.t SET v = 1 WHERE id = 7")

        def wait() -> None:
            with waiter.cursor() as cursor, suppress(pymysql.MySQLError):
                cursor.execute("UPDATE dbdyno_t.t SET v = 2 WHERE id = 7")

        thread = threading.Thread(target=wait)
        thread.start()
        deadline = time.monotonic() + 20
        seen = read_session_waits(looker)
        while not seen["sessions"] and time.monotonic() < deadline:
            time.sleep(0.05)
            seen = read_session_waits(looker)
        if "rocksdb" not in engine:
            # InnoDB fills innodb_trx anew only where nobody has read it for 100 ms.
            while not seen["lock_waits"] and time.monotonic() < deadline:
                time.sleep(0.2)
                seen = read_session_waits(looker)
            assert seen["lock_waits"] == 1
        holder.rollback()
        thread.join(20)
    (kind,) = seen["sessions"]  # type: ignore[misc]
    assert (kind["count"], kind["statement"]) == (1, "UPDATE dbdyno_t.t SET")  # type: ignore[index,call-overload]
    assert "UPDATE dbdyno_t.t SET" in waits_words({"second": 0, "phase": "window", **seen})
