"""The measured window, second by second."""

from __future__ import annotations

from typing import Any

import pytest

from audit_cases import (
    MARIADB_11_8,
    MYSQL_8_0,
    facts,
    outcome,
)
from dbdyno.audit import TargetFacts


def seconds(name: str, rows: list[dict[str, int]], **variables: str) -> TargetFacts:
    each = tuple({key: str(value) for key, value in row.items()} for row in rows)
    return facts(name, MARIADB_11_8, more={"status_each_second": each}, **variables)


def test_a_target_alone_at_its_redo_wall_is_found() -> None:
    def ages(name: str, age: int) -> TargetFacts:
        row = {"innodb_checkpoint_age": age, "innodb_checkpoint_max_age": 100, "innodb_log_waits": 0}
        return seconds(name, [row] * 60)

    assert outcome("redo-saturated", ages("a", 80), ages("b", 20)) == "finding"
    assert outcome("redo-saturated", ages("a", 80), ages("b", 90)) == "clear"
    assert outcome("redo-saturated", facts("a"), facts("b")) == "undecided"


def test_dirty_pages_left_over_are_a_debt() -> None:
    def dirty(name: str, last: int) -> TargetFacts:
        rows = [{"innodb_buffer_pool_bytes_dirty": value} for value in (0, last)]
        return seconds(name, rows, innodb_buffer_pool_size="1000")

    assert outcome("page-engine-flush-debt", dirty("a", 200), dirty("b", 50)) == "finding"
    assert outcome("page-engine-flush-debt", dirty("a", 90), dirty("b", 50)) == "clear"


def test_misses_that_fall_in_the_window_tell_a_cold_start() -> None:
    steady = seconds("a", [{"innodb_buffer_pool_reads": 10 * i} for i in range(50)])
    warming = seconds("b", [{"innodb_buffer_pool_reads": 2000 - (50 - i) ** 2 // 2} for i in range(50)])
    assert outcome("warmup-mismatch", steady, warming) == "finding"
    assert outcome("warmup-mismatch", steady, steady) != "finding"


def test_memtables_left_over_are_a_debt_of_compaction() -> None:
    rows = tuple({"rocksdb_memtable_total": str(value)} for value in (0, 100))
    more = {"storage_engine": "rocksdb", "status_each_second": rows}
    one = facts("a", MARIADB_11_8, more=more, rocksdb_db_write_buffer_size="64")
    assert outcome("lsm-compaction-debt", one) == "finding"


@pytest.mark.parametrize(
    ("queue", "wanted"), [((0.0, 1.0), "undecided"), ((1.0, 1.0), "clear"), ((1.0, 0.0), "clear"), ((), "undecided")]
)
def test_compactions_that_wait_are_a_debt_of_unknown_size(queue: tuple[float, ...], wanted: str) -> None:
    counters = {"lsm.memtable_bytes": (0.0, 10.0)} | ({"lsm.compaction_queue": queue} if queue else {})
    more = {"storage_engine": "rocksdb", "counters_each_second": counters}
    one = facts("a", MARIADB_11_8, more=more, rocksdb_db_write_buffer_size="64")
    assert outcome("lsm-compaction-debt", one) == wanted


def test_many_threads_of_an_lsm_engine_count_on_busy_processors() -> None:
    def lsm(idle: float | None) -> TargetFacts:
        more: dict[str, Any] = {"storage_engine": "tidesdb"} | (
            {"host": {"idle_share": idle}} if idle is not None else {}
        )
        return facts("a", MARIADB_11_8, more=more, tidesdb_flush_threads="16", tidesdb_compaction_threads="16")

    pages = facts(
        "b", MARIADB_11_8, more={"storage_engine": "innodb"}, innodb_write_io_threads="4", innodb_purge_threads="4"
    )
    assert outcome("lsm-thread-budget", lsm(0.05), pages) == "finding"
    assert outcome("lsm-thread-budget", lsm(0.5), pages) == "clear"
    assert outcome("lsm-thread-budget", lsm(None), pages) == "undecided"


def test_a_binary_log_must_fit_the_disk() -> None:
    run = {"binlog_bytes_per_second": 100, "seconds_until_purge": 10}
    one = facts("a", more={"run": run, "host": {"free_bytes": 999}}, log_bin="ON")
    assert outcome("binlog-disk-growth", one) == "finding"
    assert outcome("binlog-disk-growth", facts("a", MYSQL_8_0, log_bin="OFF")) == "not applicable"
