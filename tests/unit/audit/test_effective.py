"""From texts to effective values, by family and version."""

from __future__ import annotations

import pytest

from audit_cases import MARIADB_10_11, MARIADB_11_8, MYSQL_5_7, MYSQL_8_0, MYSQL_8_4, asked, target
from dbdyno.audit import TargetFacts
from dbdyno.audit._effective import effective, shown_value
from dbdyno.audit._normalise import normalise
from dbdyno.audit._target import recognise
from dbdyno.engines import Kind, read_option_file


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("12G", "size", 12 << 30),
        ("134217728", "size", 134217728),
        ("90.000000", "float", 90),
        ("0.0", "float", 0),
        ("0.001000", "float", 0.001),
        ("1e3", "float", 1000),
        ("TRUE", "flag", "ON"),
        ("No", "flag", "OFF"),
        ("detect_and_recover", "flag", "DETECT_AND_RECOVER"),
        ("O_Direct", "enum", "O_DIRECT"),
        ("2", "enum", 2),
        ("utf8mb4=utf8mb4_uca1400_ai_ci", "string", "UTF8MB4=UTF8MB4_UCA1400_AI_CI"),
    ],
)
def test_one_value_has_one_spelling(text: str, kind: Kind, value: object) -> None:
    assert normalise(text, kind) == value


def test_words_and_numbers_of_an_enumeration_mean_the_same() -> None:
    assert normalise("cont", "enum", "flush.neighbors") == normalise("2", "enum", "flush.neighbors")
    assert normalise("DEMAND", "enum", "server.query_cache_type") == normalise("2", "enum", "server.query_cache_type")
    assert normalise("read committed", "enum", "trx.isolation") == normalise("READ-COMMITTED", "enum", "trx.isolation")


def test_a_value_is_read_from_the_variable_of_the_version() -> None:
    assert effective(
        target(MYSQL_5_7, tx_isolation="x", transaction_isolation="READ-COMMITTED"), "trx.isolation"
    ).value == ("READ-COMMITTED")
    assert effective(target("5.7.19", tx_isolation="SERIALIZABLE"), "trx.isolation").value == "SERIALIZABLE"
    assert effective(target(MYSQL_5_7, expire_logs_days="10"), "binlog.expire").value == 864000


def test_a_variable_that_came_later_is_not_missed_before() -> None:
    assert effective(target("10.11.2-MariaDB"), "trx.snapshot_isolation").value == "OFF"
    assert effective(target("10.11.2-MariaDB"), "trx.snapshot_isolation").implied
    assert effective(target("8.0.19"), "commit.doublewrite_pages").value == "fixed area"
    assert effective(target("8.0.19"), "io.fdatasync").state == "not offered"


def test_a_variable_that_should_be_there_is_missed_by_name() -> None:
    reading = effective(target(MYSQL_8_0), "io.capacity")
    assert (reading.state, reading.lacks) == ("missing", "variable innodb_io_capacity")


def test_what_is_not_built_in_is_not_missed() -> None:
    assert effective(target(MYSQL_8_4), "memory.numa_interleave").state == "not offered"
    assert effective(target(MARIADB_11_8), "server.performance_schema").value == "OFF"


def test_the_change_buffer_that_mariadb_11_lacks_counts_as_none() -> None:
    reading = effective(target(MARIADB_11_8), "index.change_buffering")
    assert (reading.value, reading.implied) == ("NONE", True)
    assert shown_value(target(MARIADB_11_8), "index.change_buffering").state == "not offered"


def test_an_option_file_alone_gives_what_is_asked_or_the_default_of_the_version() -> None:
    old = recognise(asked("a", "mariadb-10.5.4", innodb_io_capacity="15000"))
    assert (effective(old, "io.capacity").value, effective(old, "io.capacity").certainty) == (15000, "asked")
    assert (effective(old, "flush.dirty_max").value, effective(old, "flush.dirty_max").certainty) == (75, "asked")
    named = recognise(TargetFacts("mariadb-10.5.4", option_file={}))
    assert effective(named, "flush.dirty_max").value == 75
    later = recognise(TargetFacts("mariadb-10.5.9", option_file={}))
    assert effective(later, "flush.dirty_max").value == 90


def test_a_default_that_the_server_computes_is_not_guessed() -> None:
    reading = effective(recognise(TargetFacts("mysql-8.4.8", option_file={})), "io.read_threads")
    assert reading.state == "missing" and "innodb_read_io_threads" in reading.lacks


def test_a_default_that_another_option_moves_is_not_guessed() -> None:
    reading = effective(
        recognise(TargetFacts("mysql-8.4.8", option_file={"character_set_server": "latin1"})), "charset.collation"
    )
    assert reading.state == "missing" and "character_set_server" in reading.lacks


@pytest.mark.parametrize("text", ["log_bin = OFF", "log-bin=0", "loose_log_bin = false"])
def test_a_binary_log_that_is_named_off_is_on(text: str) -> None:
    """Servers take the value of log_bin for the name of its files; only skip_log_bin switches it off."""
    for server in ("mysql-8.4.8", "mariadb-11.8"):
        target = recognise(TargetFacts(server, option_file=read_option_file(f"[mysqld]\n{text}").asked))
        assert effective(target, "binlog.enabled").value == "ON"


def test_the_binary_log_asked_for_as_a_path_is_on() -> None:
    on = recognise(TargetFacts("mariadb-10.11", option_file=read_option_file("[mysqld]\nlog_bin = /data/binlog").asked))
    off = recognise(TargetFacts("mysql-8.4.8", option_file=read_option_file("[mysqld]\ndisable-log-bin").asked))
    assert (effective(on, "binlog.enabled").value, effective(off, "binlog.enabled").value) == ("ON", "OFF")


@pytest.mark.parametrize(
    ("place", "family", "version"),
    [
        ("/data/mariadb-10.5.4", "mariadb", "10.5.4"),
        ("/mnt/data/mysql-8.0.21", "mysql", "8.0.21"),
        ("/mnt/data/ps-8.0.20", "percona", "8.0.20"),
        ("/opt/percona-server-8.4.7-7/data", "percona", "8.4.7"),
    ],
)
def test_without_a_version_the_data_directory_tells_the_server(place: str, family: str, version: str) -> None:
    found = recognise(TargetFacts("a", option_file={"datadir": place}))
    assert (found.family, found.version) == (family, version)


def test_a_server_that_nothing_names_is_not_guessed() -> None:
    found = recognise(TargetFacts("a", option_file={"datadir": "/var/lib/mysql"}))
    assert found.family == ""
    assert effective(found, "io.capacity").state == "missing"


def test_a_bare_version_is_told_by_the_name_of_the_target() -> None:
    bare = {"version": "8.0.45-36"}
    assert recognise(TargetFacts("percona-server/8.0.45-36", variables=bare)).family == "percona"
    assert recognise(TargetFacts("x", variables=bare | {"have_backup_locks": "YES"})).family == "percona"
    assert recognise(TargetFacts("x", variables=bare | {"version_comment": "(Debian)"})).family == "mysql"


def test_the_storage_engine_is_stated_named_or_taken_to_be_innodb() -> None:
    stated = recognise(TargetFacts("a", variables={"version": MARIADB_10_11}, storage_engine="RocksDB"))
    named = recognise(TargetFacts("mariadb-11.8-tidesdb", variables={"version": MARIADB_11_8}))
    taken = recognise(TargetFacts("a", variables={"version": MARIADB_11_8, "default_storage_engine": "InnoDB"}))
    assert (stated.storage_engine, stated.engine_stated) == ("rocksdb", True)
    assert (named.storage_engine, named.engine_stated) == ("tidesdb", True)
    assert (taken.storage_engine, taken.engine_stated) == ("innodb", False)
