"""The server's counters: one name for all, absent is not zero."""

from __future__ import annotations

from dbdyno.engines import counter_sources
from dbdyno.measure.telemetry import absent_counters
from dbdyno.measure.telemetry._status import status_readings


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
