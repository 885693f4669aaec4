"""The server's counters: one name for all, absent is not zero."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, cast

from dbdyno.engines import counter_sources
from dbdyno.measure.telemetry import StatusSource, absent_counters
from dbdyno.measure.telemetry._status import status_readings

if TYPE_CHECKING:
    from dbdyno.connections import ServerConnection


def test_two_servers_give_their_checkpoint_age_under_one_name() -> None:
    mysql = status_readings(
        counter_sources("mysql", "9.7.4"),
        {"innodb_redo_log_current_lsn": "1500", "innodb_redo_log_checkpoint_lsn": "1000"},
        {},
    )
    mariadb = status_readings(counter_sources("mariadb", "11.8.6"), {"innodb_checkpoint_age": "500"}, {})
    for readings in (mysql, mariadb):
        (age,) = [reading for reading in readings if reading.metric == "engine.redo.checkpoint_age"]
        assert (age.value, age.unit, age.kind) == (500.0, "bytes", "gauge")


def test_a_counter_is_stored_as_a_rate_and_its_unit_says_so() -> None:
    (reading,) = status_readings(counter_sources("mysql", "9.7.4"), {"innodb_data_fsyncs": "7"}, {})
    assert (reading.metric, reading.unit, reading.kind) == ("engine.io.fsyncs", "ops/s", "counter")


def test_what_a_server_does_not_show_is_absent_and_named() -> None:
    readings = status_readings(counter_sources("mysql", "9.7.4"), {"innodb_data_fsyncs": "7"}, {"lock_timeouts": 3.0})
    absent = absent_counters(readings)
    assert "io.fsyncs" not in absent
    assert "lock.timeouts" not in absent
    assert "memory.used" in absent


def test_rows_that_a_reading_itself_counts_are_left_out() -> None:
    """Each reading adds 1,198 rows on MySQL 9.7: at 100 transactions per second 12 rows of each."""
    server = _CountingServer(own_rows=820)
    source = StatusSource(lambda: cast("ServerConnection", server), counter_sources("mysql", "9.7.4"))
    source.read()
    source.learn_own_work()
    rows = []
    for load_rows in (0, 5000, 0):
        server.rows += load_rows
        rows.append({reading.metric: reading.value for reading in source.read()}["engine.handler.read_rnd_next"])
    assert [after - before for before, after in pairwise(rows)] == [5000.0, 0.0]


class _CountingServer:
    """A connection to a server that counts the rows of its own status; it is its own cursor."""

    def __init__(self, own_rows: int) -> None:
        self.open, self.answer_s, self.rows, self._own_rows = True, 0.0, 0, own_rows
        self.description = ("name", "value")
        self._answer: list[tuple[str, str]] = []

    def cursor(self) -> _CountingServer:
        return self

    def __enter__(self) -> _CountingServer:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def execute(self, query: str) -> None:
        is_status = query.startswith("SHOW GLOBAL STATUS")
        self.rows += self._own_rows if is_status else 0
        self._answer = [("Handler_read_rnd_next", str(self.rows))] if is_status else []

    def fetchall(self) -> list[tuple[str, str]]:
        return self._answer
